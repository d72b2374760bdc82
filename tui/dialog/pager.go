package dialog

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui/pane"
)

// pager shows a part of some lines.
type pager struct {
	lines  []string
	more   int                // number of lines after those
	draw   func(i int) string // draws one of the lines after
	top    int
	height int
}

// set replaces the lines and the height, and keeps the position.
func (p *pager) set(lines []string, height int) {
	p.lines, p.height = lines, max(height, 1)
	p.scroll(0)
}

func (p *pager) scroll(by int) {
	p.top = max(0, min(p.top+by, p.len()-p.height))
}

// reveal scrolls until a line is visible.
func (p *pager) reveal(line int) {
	p.top = max(min(p.top, line), line-p.height+1)
	p.scroll(0)
}

func (p *pager) len() int { return len(p.lines) + p.more }

func (p *pager) visible() []string {
	end := min(p.len(), p.top+p.height)
	out := slices.Clone(p.lines[min(p.top, len(p.lines)):min(end, len(p.lines))])
	for i := max(p.top, len(p.lines)); i < end; i++ {
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
func (p *pager) where() string { return pane.Range(p.top, p.height, p.len()) }

// update scrolls, by single lines only if lines is true. It reports whether it used
// the message.
func (p *pager) update(msg tea.Msg, m Moves, lines bool) bool {
	k, _ := msg.(tea.KeyPressMsg)
	_, wheel := msg.(tea.MouseWheelMsg)
	switch {
	case wheel:
		p.scroll(pane.Wheel(msg))
	case key.Matches(k, m.PageUp):
		p.scroll(-p.height)
	case key.Matches(k, m.PageDown):
		p.scroll(p.height)
	case key.Matches(k, m.Top):
		p.scroll(-p.len())
	case key.Matches(k, m.Bottom):
		p.scroll(p.len())
	case lines && key.Matches(k, m.Up):
		p.scroll(-1)
	case lines && key.Matches(k, m.Down):
		p.scroll(1)
	default:
		return false
	}
	return true
}

// cut wraps code at a width and keeps all blanks.
func cut(text string, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\t", "    "), "\n") {
		lines = append(lines, pane.WrapCode(line, width)...)
	}
	return lines
}
