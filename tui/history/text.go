package history

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// How a text becomes lines:
//
//   - A folded text is read only as far as its lines reach, however long it is.
//   - Of an expanded text at most maxShown bytes are laid out, and a line says so.
//   - If the first match of the search is after the lines of a fold, the fold begins there.

// maxShown is how much of a text is laid out at most, in bytes.
const maxShown = 256 << 10

// painter draws texts with the matches of the search highlighted.
type painter struct {
	styles   Styles
	band     pane.Surface
	badges   map[projection.State]lipgloss.Style
	markdown *markdown.Renderer
	search   *search
}

func newPainter(s Styles, search *search) painter {
	return painter{styles: s, band: pane.NewSurface(s.Band), badges: pane.StateStyles(s.State),
		markdown: markdown.New(s.Markdown, 80), search: search}
}

// line is a line before its matches are highlighted.
type line struct {
	text  string
	style lipgloss.Style
	drawn bool // text has its styles already
}

func styled(s lipgloss.Style, texts ...string) []line {
	out := make([]line, len(texts))
	for i, t := range texts {
		out[i] = line{text: t, style: s}
	}
	return out
}

// paint draws a line with its matches highlighted.
func (p *painter) paint(l line) string {
	text, shown := l.text, l.text
	switch {
	case text == "":
		return ""
	case l.drawn:
		text = ansi.Strip(text)
	default:
		shown = l.style.Render(text)
	}
	if !p.search.isActive {
		return shown
	}
	var ranges []lipgloss.Range
	for _, at := range p.search.query.All(text) {
		from := cells(text[:at.Start])
		ranges = append(ranges, lipgloss.NewRange(from, from+cells(text[at.Start:at.End]), p.styles.Match))
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

// textLines draws a text without Markdown, whole or folded.
func (p *painter) textLines(text string, s lipgloss.Style, open bool, n, width int) []line {
	if open {
		return p.wholeText(text, s, width)
	}
	return p.foldedText(text, s, n, width)
}

// foldedText draws at most n lines of a text, and one that says how many more there are. It begins near the first match.
func (p *painter) foldedText(text string, s lipgloss.Style, n, width int) []line {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	var out []line
	from := p.foldFrom(text, n, width)
	if from > 0 {
		out = styled(p.styles.Muted, "…")
	}
	shown := conversation.Beginning(text[from:], (n+1)*(4*width+16))
	left := strings.Count(text[from+len(shown):], "\n")
	for _, l := range pane.Wrap(plain.Text(shown), width) {
		switch {
		case strings.TrimSpace(l) == "": // a fold leaves out empty lines
		case n > 0:
			out = append(out, line{text: l, style: s})
			n--
		default:
			left++
		}
	}
	switch {
	case left > 0:
		out = append(out, line{text: "… " + numbers.Count(left, "more line"), style: p.styles.Muted})
	case from+len(shown) < len(text):
		out = append(out, line{text: "…", style: p.styles.Muted})
	}
	return out
}

// markdownLines draws a text with its Markdown rendered; folded, without Markdown.
func (p *painter) markdownLines(text string, open bool, n, width int) []line {
	if !open {
		return p.foldedText(text, unstyled, n, min(width, markdown.MaxProseWidth))
	}
	p.markdown.SetWidth(max(width, 1))
	return append(rendered(p.markdown.Render(conversation.Beginning(text, maxShown))), p.truncationNote(text, width)...)
}

// rendered makes lines of texts that have their styles already.
func rendered(lines []string) []line {
	out := make([]line, len(lines))
	for i, l := range lines {
		out[i] = line{text: l, drawn: true}
	}
	return out
}

func (p *painter) matchesSearch(text string) bool {
	if !p.search.isActive {
		return false
	}
	_, ok := p.search.query.Find(text)
	return ok
}

// foldFrom returns the byte of a text at which a fold begins.
func (p *painter) foldFrom(text string, n, width int) int {
	if !p.search.isActive {
		return 0
	}
	at, ok := p.search.query.Find(text)
	before := text[:at.Start]
	if !ok || len(before) < width && strings.Count(before, "\n") < n {
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

// wholeText draws a whole text, up to maxShown bytes.
func (p *painter) wholeText(text string, s lipgloss.Style, width int) []line {
	cut := strings.TrimRight(conversation.Beginning(text, maxShown), " \t\r\n")
	if cut == "" {
		return nil
	}
	return append(styled(s, pane.Wrap(plain.Text(cut), width)...), p.truncationNote(text, width)...)
}

// truncationNote is a line that says that a text is longer than what is shown.
func (p *painter) truncationNote(all string, width int) []line {
	if len(all) <= maxShown {
		return nil
	}
	text := fmt.Sprintf("… the first %d of %s KB: /expand reads all", maxShown>>10, numbers.Grouped(len(all)>>10))
	return styled(p.styles.Muted, pane.Wrap(text, width)...)
}

// subject is the subject of a call, on one line: the file, command or query.
func subject(c conversation.ToolCall) string {
	return plain.Line(conversation.Beginning(c.Subject(), maxSubject))
}

// maxSubject is how much of an argument is read for the first line of a row, in bytes.
const maxSubject = 400
