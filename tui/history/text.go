package history

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// How a text becomes lines:
//
//   - Folded, only so much of it is read as the lines can hold, however long it is.
//   - Unfolded, at most maxChars characters are laid out, and a line says so.
//   - Where a search found something behind the lines of a fold, they begin there.

// maxChars is how much of a text is laid out at most, in characters.
const maxChars = 200_000

// painter paints texts in its styles, with what is searched for standing out.
type painter struct {
	styles Styles
	search *search
}

// line is a line before it is painted.
type line struct {
	text  string
	style lipgloss.Style
	links bool // numbers of links stand in it
}

// styled gives lines one style.
func styled(s lipgloss.Style, texts ...string) []line {
	out := make([]line, len(texts))
	for i, t := range texts {
		out[i] = line{text: t, style: s}
	}
	return out
}

// span is a part of a line with a style of its own.
type span struct {
	start, end int
	style      lipgloss.Style
}

// paint draws a line, with what is searched for and the numbers of links standing
// out.
func (p *painter) paint(l line) string {
	if l.text == "" {
		return ""
	}
	var spans []span
	if p.search.on {
		for _, at := range p.search.query.All(l.text) {
			spans = append(spans, span{at.Start, at.End, p.styles.Pane.Match})
		}
	}
	if l.links && len(spans) == 0 {
		for _, at := range linkKey().FindAllStringIndex(l.text, -1) {
			spans = append(spans, span{at[0], at[1], p.styles.Link})
		}
	}
	var b strings.Builder
	at := 0
	for _, s := range append(spans, span{len(l.text), len(l.text), l.style}) {
		if at < s.start {
			b.WriteString(l.style.Render(l.text[at:s.start]))
		}
		if s.start < s.end {
			b.WriteString(s.style.Render(l.text[s.start:s.end]))
		}
		at = s.end
	}
	return b.String()
}

func (p *painter) paintAll(lines []line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = p.paint(l)
	}
	return out
}

// fold is at most n lines of a text, and one that says how much more there is.
func (p *painter) fold(text string, s lipgloss.Style, n, width int) []line {
	text = strings.TrimRight(text, " \t\r\n")
	text = text[len(text)-len(strings.TrimLeft(text, "\r\n")):]
	if text == "" {
		return nil
	}
	from := p.foldFrom(text, n, width)
	var out []line
	if above := strings.Count(text[:from], "\n"); above > 0 {
		out = styled(p.styles.Pane.Muted, "… "+numbers.Count(above, "line")+" above")
	} else if from > 0 {
		out = styled(p.styles.Pane.Muted, "…")
	}
	lines, rest := beginning(text[from:], n, width)
	out = append(out, styled(s, lines...)...)
	if more := more(rest); more != "" {
		out = append(out, line{text: more, style: p.styles.Pane.Muted})
	}
	return out
}

// foldFrom is the byte of a text at which a fold begins.
func (p *painter) foldFrom(text string, n, width int) int {
	if !p.search.on {
		return 0
	}
	at, ok := p.search.query.Find(text)
	if !ok {
		return 0
	}
	before := text[:at.Start]
	if len(before) < width && strings.Count(before, "\n") < n {
		return 0
	}
	from := strings.LastIndexByte(before, '\n') + 1
	if at.Start-from > width {
		from = at.Start - width/2
		for from < at.Start && !utf8.RuneStart(text[from]) {
			from++
		}
	}
	return from
}

// beginning is the first n lines of a text at a width, one more where that is all of
// it, and what of the text is left.
func beginning(text string, n, width int) (lines []string, rest string) {
	limit := min(len(text), (n+1)*(4*width+16))
	for limit < len(text) && !utf8.RuneStart(text[limit]) {
		limit--
	}
	for at := 0; at < len(text); {
		end := limit
		if i := strings.IndexByte(text[at:limit], '\n'); i >= 0 {
			end = at + i
		}
		var part []string
		if strings.TrimSpace(text[at:end]) != "" { // a fold has no room for empty lines
			part = pane.Wrap(plain.Text(text[at:end]), width)
		}
		if room := n - len(lines); len(part) > room && !(end == len(text) && len(part) == room+1) {
			return cutAt(append(lines, part[:max(room, 0)]...), part, room, text[at:])
		}
		lines = append(lines, part...)
		if end == limit && limit < len(text) {
			return lines, text[end:]
		}
		at = end + 1
	}
	return lines, ""
}

// cutAt ends a fold within a line of the text, of which room parts are shown.
func cutAt(lines, part []string, room int, rest string) ([]string, string) {
	shown := 0
	for _, l := range part[:max(room, 0)] {
		shown += len(l)
	}
	shown = min(shown, len(rest))
	for shown < len(rest) && !utf8.RuneStart(rest[shown]) {
		shown++
	}
	return lines, rest[shown:]
}

// more says how much of a text is left, "" for nothing.
func more(rest string) string {
	rest = strings.TrimSpace(rest)
	if rest == "" {
		return ""
	}
	if n := strings.Count(rest, "\n"); n > 0 {
		return "… " + numbers.Count(n+1, "more line")
	}
	return "… " + numbers.Count(utf8.RuneCountInString(rest), "more character")
}

// spread is all of a text in lines, up to maxChars.
func (p *painter) spread(text string, s lipgloss.Style, width int) []line {
	all := text
	text = strings.TrimRight(text, " \t\r\n")
	if text == "" {
		return nil
	}
	cut := text
	if len(text) > maxChars {
		n := 0
		for i := range text {
			if n == maxChars {
				cut = text[:i]
				break
			}
			n++
		}
	}
	out := styled(s, pane.Wrap(plain.Text(cut), width)...)
	if len(cut) < len(text) {
		out = append(out, styled(p.styles.Pane.Muted, pane.Wrap(fmt.Sprintf("… the first %s of %s characters: /expand reads all",
			numbers.Grouped(maxChars), numbers.Grouped(utf8.RuneCountInString(all))), width)...)...)
	}
	return out
}

// subject says what a call is about, on one line.
func subject(c conversation.ToolCall) string { return plain.Line(head(c.Subject(), maxSubject)) }

// maxSubject is how much of an argument is read for the head of a row, in bytes.
const maxSubject = 400

// head is the beginning of a text, at most n bytes.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// linkKey finds the numbers of links.
var linkKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`‹[1-9]›`)
})
