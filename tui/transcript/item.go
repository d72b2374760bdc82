package transcript

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
	"plimsoll/tui/transcript/markdown"
)

// item is one thing in the transcript. Its version changes whenever it would
// be drawn differently.
type item interface {
	draw(l *look, width int) []string
	version() int
}

// versioned counts changes.
type versioned struct{ n int }

func (v *versioned) version() int { return v.n }
func (v *versioned) bump()        { v.n++ }

// look is what drawing depends on besides the item.
type look struct {
	styles     Styles
	markdown   *markdown.Renderer
	factor     float64
	expanded   bool
	generation int
}

// Styles is how the transcript looks.
type Styles struct {
	UserMark, User            lipgloss.Style
	Reasoning, ReasoningMark  lipgloss.Style
	ToolOK, ToolFailed        lipgloss.Style
	ToolRunning, ToolName     lipgloss.Style
	ToolSubject, Weight, Hint lipgloss.Style
	Output                    lipgloss.Style
	Added, Removed, Hunk      lipgloss.Style
	Info, Warning, Error      lipgloss.Style
	Selected                  lipgloss.Style
}

// margin is the empty column left and right of texts.
const margin = 1

// textWidth is the room for text in a transcript of a width.
func textWidth(width int) int { return max(1, width-2*margin) }

// wrapped breaks safe text into lines of at most width cells, keeping its own
// line breaks. Words longer than a line are broken.
func wrapped(text string, width int) []string {
	text = strings.ReplaceAll(text, "\t", "    ")
	return strings.Split(ansi.Wrap(text, max(1, width), ""), "\n")
}

// indented puts prefix before the first line and as many blanks before the
// others.
func indented(prefix string, lines []string) []string {
	blank := strings.Repeat(" ", ansi.StringWidth(prefix))
	for i := range lines {
		if i == 0 {
			lines[i] = prefix + lines[i]
		} else {
			lines[i] = blank + lines[i]
		}
	}
	return lines
}

// styled renders each line by itself, so that no style reaches over a line
// break.
func styled(s lipgloss.Style, lines []string) []string {
	for i, l := range lines {
		if l != "" {
			lines[i] = s.Render(l)
		}
	}
	return lines
}

// folded cuts lines to the first n and says how many more there are.
func folded(lines []string, n int, hint lipgloss.Style, width int) []string {
	if len(lines) <= n+1 {
		return lines
	}
	more := fitted("… "+plural(len(lines)-n, "more line")+" (ctrl+o to expand)", width)
	return append(lines[:n:n], hint.Render(more))
}

// fitted cuts a line to width cells.
func fitted(line string, width int) string { return ansi.Truncate(line, max(0, width), "…") }

// oneLine is safe text on one line of at most width cells.
func oneLine(text string, width int) string { return fitted(plain.Line(text), width) }
