package transcript

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// selection is a stretch of the visible lines, dragged with the mouse. It ends
// when the view moves.
type selection struct {
	on       bool
	from, to point // as dragged, in any order
}

type point struct{ x, y int }

func (s selection) ordered() (a, b point) {
	if s.from.y > s.to.y || s.from.y == s.to.y && s.from.x > s.to.x {
		return s.to, s.from
	}
	return s.from, s.to
}

// span is the selected cells of line y, [from, to).
func (s selection) span(y, width int) (from, to int) {
	a, b := s.ordered()
	if !s.on || y < a.y || y > b.y {
		return 0, 0
	}
	from, to = 0, width
	if y == a.y {
		from = min(a.x, width)
	}
	if y == b.y {
		to = min(b.x+1, width)
	}
	return from, max(from, to)
}

// highlight marks the selected cells of lines.
func (s selection) highlight(lines []string, style lipgloss.Style) {
	for y, line := range lines {
		w := ansi.StringWidth(line)
		from, to := s.span(y, w)
		if from == to {
			continue
		}
		lines[y] = ansi.Cut(line, 0, from) + style.Render(ansi.Strip(ansi.Cut(line, from, to))) + ansi.Cut(line, to, w)
	}
}

// Press begins a selection at a cell of the transcript.
func (m *Model) Press(x, y int) {
	m.selection = selection{from: point{x, y}, to: point{x, y}}
	m.dirty = true
}

// Drag extends the selection to a cell.
func (m *Model) Drag(x, y int) {
	y = min(max(y, 0), max(0, m.height-1))
	m.selection.to = point{max(x, 0), y}
	m.selection.on = m.selection.on || m.selection.from != m.selection.to
	m.dirty = true
}

// Release ends a press. It returns the selected text to copy: without colours,
// margins and padding, and with lines joined that were only broken by the
// width. A click without a drag unfolds or folds the call under it and returns
// "".
func (m *Model) Release(x, y int) string {
	s := m.selection
	if !s.on {
		m.click(y)
		return ""
	}
	m.dirty = true
	lines := m.visible()
	a, b := s.ordered()
	var picked []string
	for row := a.y; row <= min(b.y, len(lines)-1); row++ {
		w := ansi.StringWidth(lines[row])
		from, to := s.span(row, w)
		picked = append(picked, strings.TrimRight(ansi.Strip(ansi.Cut(lines[row], from, to)), " "))
	}
	return joined(picked, textWidth(m.width))
}

// joined undoes the wrapping of lines: a line that ended because the next word
// did not fit goes on with it.
func joined(lines []string, width int) string {
	var b strings.Builder
	for i, line := range lines {
		line = strings.TrimPrefix(line, " ")
		if i > 0 {
			prev := strings.TrimPrefix(lines[i-1], " ")
			word, _, _ := strings.Cut(line, " ")
			wrapped := prev != "" && word != "" && !strings.HasPrefix(line, " ") &&
				ansi.StringWidth(prev)+1+ansi.StringWidth(word) > width
			if wrapped {
				b.WriteByte(' ')
			} else {
				b.WriteByte('\n')
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// click unfolds or folds the call drawn at row y.
func (m *Model) click(y int) {
	m.anchorTop()
	row := 0
	for i, from := m.top, m.offset; i < len(m.entries) && row < m.height; i, from = i+1, 0 {
		n := len(m.linesOf(i)) - from
		if y < row+n {
			if t, ok := m.entries[i].item.(*toolItem); ok {
				t.toggle()
				m.follow = false
				m.dirty = true
			}
			return
		}
		row += n
	}
}

// Selecting reports whether text is marked.
func (m *Model) Selecting() bool { return m.selection.on }

// ClearSelection unmarks text.
func (m *Model) ClearSelection() {
	m.selection = selection{}
	m.dirty = true
}
