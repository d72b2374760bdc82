package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui/pane"
)

// pager shows a part of some lines.
type pager struct {
	pane.Page
	lines  []string
	more   int                // number of lines after those
	draw   func(i int) string // draws one of the lines after
	height int
}

// set replaces the lines and the height, and keeps the position.
func (p *pager) set(lines []string, height int) {
	p.lines, p.height = lines, max(height, 1)
	p.scroll(0)
}

func (p *pager) scroll(by int) { p.Scroll(by, p.len(), p.height) }

// reveal scrolls until a line is visible.
func (p *pager) reveal(line int) {
	p.Top = max(min(p.Top, line), line-p.height+1)
	p.scroll(0)
}

// atEnd reports whether the last line is visible.
func (p *pager) atEnd() bool { return p.Top+p.height >= p.len() }

func (p *pager) len() int { return len(p.lines) + p.more }

func (p *pager) visible() []string {
	end := min(p.len(), p.Top+p.height)
	out := slices.Clone(p.lines[min(p.Top, len(p.lines)):min(end, len(p.lines))])
	for i := max(p.Top, len(p.lines)); i < end; i++ {
		out = append(out, p.draw(i-len(p.lines)))
	}
	return out
}

// widest returns the width of the widest line, but at most most.
func widest(most int, lines ...string) int {
	n := 0
	for _, l := range lines {
		if n = max(n, ansi.StringWidth(l)); n >= most {
			return most
		}
	}
	return n
}

// where says which part is visible, "" if all is.
func (p *pager) where() string { return pane.Range(p.Top, p.height, p.len()) }

// update scrolls, by single lines only if lines is true. It reports whether it used
// the message.
func (p *pager) update(msg tea.Msg, m Moves, lines bool) bool {
	keys := pane.Moves{PageUp: m.PageUp, PageDown: m.PageDown, Top: m.Top, End: m.Bottom}
	if lines {
		keys.Up, keys.Down = m.Up, m.Down
	}
	return p.Update(msg, keys, p.len(), p.height)
}

// cut wraps code at a width and keeps all blanks.
func cut(text string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\t", "    "), "\n") {
		lines = append(lines, pane.WrapCode(line, width)...)
	}
	return lines
}
