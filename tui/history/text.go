package history

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
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
	styles   Styles
	band     pane.Surface
	markdown *markdown.Renderer
	search   *search
}

func newPainter(s Styles, search *search) painter {
	return painter{styles: s, band: pane.NewSurface(s.Band), markdown: markdown.New(s.Markdown, 80), search: search}
}

// line is a line before it is painted.
type line struct {
	text  string
	style lipgloss.Style
	links bool // numbers of links stand in it
	drawn bool // it has its looks
}

// styled gives lines one style.
func styled(s lipgloss.Style, texts ...string) []line {
	out := make([]line, len(texts))
	for i, t := range texts {
		out[i] = line{text: t, style: s}
	}
	return out
}

// paint draws a line, with what is searched for and the numbers of links standing out.
func (p *painter) paint(l line) string {
	text, shown := l.text, l.text
	if text == "" {
		return ""
	}
	if l.drawn {
		text = ansi.Strip(text)
	} else {
		shown = l.style.Render(text)
	}
	var ranges []lipgloss.Range
	mark := func(from, to int, s lipgloss.Style) {
		at := cells(text[:from])
		ranges = append(ranges, lipgloss.NewRange(at, at+cells(text[from:to]), s))
	}
	if p.search.on {
		for _, at := range p.search.query.All(text) {
			mark(at.Start, at.End, p.styles.Pane.Match)
		}
	}
	if l.links && len(ranges) == 0 {
		for _, at := range linkKey().FindAllStringIndex(text, -1) {
			mark(at[0], at[1], p.styles.Link)
		}
	}
	if len(ranges) == 0 {
		return shown
	}
	return lipgloss.StyleRanges(shown, ranges...)
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

// prose is a text with its Markdown rendered, folded or up to maxChars. Where what is searched for lies behind the fold, its
// place is shown as it stands.
func (p *painter) prose(text string, open bool, n, width int) []line {
	width = max(width, 1)
	p.markdown.SetWidth(width)
	if open {
		return append(rendered(p.markdown.Render(clipped(text))), p.rest(text, width)...)
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	if p.foldFrom(text, n, width) > 0 {
		return p.fold(text, p.styles.Said, n, width)
	}
	shown, rest := beginning(text, n, min(width, markdown.Measure))
	ahead := min(len(text), len(text)-len(rest)+width)
	for ahead < len(text) && !utf8.RuneStart(text[ahead]) {
		ahead++
	}
	var out []line
	for _, l := range p.markdown.Render(text[:ahead]) {
		if strings.TrimSpace(ansi.Strip(l)) != "" { // a fold has no room for empty lines
			out = append(out, line{text: l, drawn: true})
		}
	}
	if rest == "" && len(out) <= len(shown)+1 {
		return out
	}
	out = out[:min(len(out), n)]
	if last := len(out) - 1; last >= 0 && strings.HasPrefix(ansi.Strip(out[last].text), strings.Repeat(" ", width/2)) {
		out = out[:last] // it is the name of a language, without its code
	}
	return append(out, line{text: orElse(more(rest), "…"), style: p.styles.Faint})
}

// rendered is lines that have their looks.
func rendered(lines []string) []line {
	out := make([]line, len(lines))
	for i, l := range lines {
		out[i] = line{text: l, drawn: true}
	}
	return out
}

// found reports whether a text holds what is searched for.
func (p *painter) found(text string) bool {
	if !p.search.on {
		return false
	}
	_, ok := p.search.query.Find(text)
	return ok
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
	cut := strings.TrimRight(clipped(text), " \t\r\n")
	if cut == "" {
		return nil
	}
	return append(styled(s, pane.Wrap(plain.Text(cut), width)...), p.rest(text, width)...)
}

// clipped is the first maxChars characters of a text.
func clipped(text string) string {
	if len(text) <= maxChars {
		return text
	}
	n := 0
	for i := range text {
		if n == maxChars {
			return text[:i]
		}
		n++
	}
	return text
}

// rest says that a text goes on behind what is laid out.
func (p *painter) rest(all string, width int) []line {
	if len(clipped(all)) == len(all) {
		return nil
	}
	return styled(p.styles.Pane.Muted, pane.Wrap(fmt.Sprintf("… the first %s of %s characters: /expand reads all",
		numbers.Grouped(maxChars), numbers.Grouped(utf8.RuneCountInString(all))), width)...)
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
