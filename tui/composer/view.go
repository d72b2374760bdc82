package composer

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui/pane"
)

// The view: the list of completions, then the box with the text and, while
// searching, a line for what is looked for. Only the rows in sight are drawn,
// and only after a change.

// padding is the number of blanks between the border and the text.
func (m *Model) padding() int {
	if m.width < 10 {
		return 0
	}
	return 1
}

// inner is the number of cells a line of the box has.
func (m *Model) inner() int { return max(m.width-2-2*m.padding(), 2) }

// textRows is the number of rows of text shown.
func (m *Model) textRows() int {
	rows := min(maxText, m.height/3-2)
	if m.seek.on {
		rows--
	}
	return min(m.buf.height(), max(rows, 1))
}

// listRows is the number of completions shown.
func (m *Model) listRows() int {
	if !m.list.open() {
		return 0
	}
	return min(len(m.list.items), maxList, max(m.height/4, 1))
}

// Height is the number of lines View has.
func (m *Model) Height() int {
	n := m.listRows() + m.textRows() + 2
	if m.seek.on {
		n++
	}
	return n
}

// View is the composer: Height lines of the width it was given.
func (m *Model) View() string {
	if m.drawn == "" {
		m.drawn = m.draw()
	}
	return m.drawn
}

// Cursor is where the terminal's cursor belongs, from the upper left corner of
// the view.
func (m *Model) Cursor() *tea.Cursor {
	left := 1 + m.padding()
	if m.seek.on {
		x := ansi.StringWidth(m.seekLine())
		return tea.NewCursor(left+min(x, m.inner()-1), m.Height()-2)
	}
	y, x := m.buf.cursor()
	return tea.NewCursor(left+min(x, m.inner()-1), m.listRows()+1+y-m.top)
}

// Click puts the cursor at a cell of the view. It reports false for one that has no
// text.
func (m *Model) Click(x, y int) bool {
	row := y - m.listRows() - 1
	if m.seek.on || row < 0 || row >= m.textRows() {
		return false
	}
	m.list.hide()
	m.buf.pointAt(m.top+row, x-1-m.padding())
	m.undo.last = otherEdit
	m.changed()
	return true
}

func (m *Model) draw() string {
	lines := m.drawList(nil)
	border := m.styles.Border
	label, labelled := m.label()
	if labelled {
		border = m.styles.Shell
	}
	lines = append(lines, m.edge("╭", label, "╮", border))
	pad := strings.Repeat(" ", m.padding())
	side, end := border.Render("│")+pad, pad+border.Render("│")
	for _, text := range m.drawText() {
		// A mark that has no character of its own joins the blank beside it.
		text += strings.Repeat(" ", max(0, m.width-ansi.StringWidth(side+text+end)))
		lines = append(lines, side+text+end)
	}
	if m.seek.on {
		lines = append(lines, side+m.styles.Label.Render(pane.Fit(m.seekTail(), m.inner()))+end)
	}
	lines = append(lines, m.edge("╰", m.position(), "╯", border))
	return strings.Join(lines, "\n")
}

// edge is a horizontal border with a label in it.
func (m *Model) edge(left, label, right string, style lipgloss.Style) string {
	label = ansi.Truncate(label, max(m.width-5, 0), "…")
	if label == "" {
		return style.Render(left + strings.Repeat("─", m.width-2) + right)
	}
	rest := m.width - 3 - ansi.StringWidth(label)
	return style.Render(left+"─") + m.styles.Label.Render(label) + style.Render(strings.Repeat("─", max(rest, 0))+right)
}

// label says what a draft is that is not a message.
func (m *Model) label() (string, bool) {
	switch first := m.buf.lines[0].text; {
	case strings.HasPrefix(first, "!!"):
		return " run, output not added ", true
	case strings.HasPrefix(first, "!"):
		return " run, add the output ", true
	}
	return "", false
}

// position says where in the history the text shown is from, or what in it cannot be
// found.
func (m *Model) position() string {
	at, n := m.past.at, len(m.past.entries)
	if m.seek.on {
		at = m.from()
	}
	if at >= n {
		return m.unknownNote()
	}
	return fmt.Sprintf(" prompt %d of %d ", at+1, n)
}

// drawText is the rows of text in sight, each as wide as the box.
func (m *Model) drawText() []string {
	if m.buf.empty() && !m.seek.on {
		return []string{m.styles.Placeholder.Render(pane.Fit(m.placeholder, m.inner()))}
	}
	var lines []string
	skip, rows := m.top, m.textRows()
	for i := 0; i < len(m.buf.lines) && len(lines) < rows; i++ {
		marks := m.marks(i)
		for _, r := range m.buf.rowsOf(i) {
			if skip > 0 {
				skip--
				continue
			}
			if len(lines) < rows {
				lines = append(lines, m.drawRow(m.buf.lines[i].text[r.start:r.end], r.start, marks))
			}
		}
	}
	return lines
}

// drawRow is a row of text that begins at an offset of its line, with its tabs, chips
// and mentions, as wide as the box.
func (m *Model) drawRow(s string, at int, marks []mention) string {
	b := m.buf
	var out, run strings.Builder
	style := &m.styles.Text
	flush := func() {
		if run.Len() > 0 {
			out.WriteString(style.Render(run.String()))
			run.Reset()
		}
	}
	used := 0
	for s != "" {
		n, w := b.atom(s)
		if used+w > m.inner() {
			break
		}
		if next := m.styleAt(at, marks); next != style {
			flush()
			style = next
		}
		switch i := chipIndex(s); {
		case i >= 0 && i < len(b.chips):
			flush()
			out.WriteString(m.styles.Chip.Render(ansi.Truncate(b.chips[i].label, w, "…")))
		case s[0] == '\t':
			run.WriteString(strings.Repeat(" ", w))
		default:
			run.WriteString(s[:n])
		}
		used += w
		s, at = s[n:], at+n
	}
	if style != &m.styles.Text {
		flush()
		style = &m.styles.Text
	}
	run.WriteString(strings.Repeat(" ", m.inner()-used))
	flush()
	return out.String()
}

// styleAt is how a byte of a line looks.
func (m *Model) styleAt(at int, marks []mention) *lipgloss.Style {
	for _, a := range marks {
		switch {
		case at < a.from || at >= a.to:
		case a.found:
			return &m.styles.Mention
		default:
			return &m.styles.Unknown
		}
	}
	return &m.styles.Text
}

// seekLine is the search up to the cursor.
func (m *Model) seekLine() string { return "search: " + m.seek.query }

// seekTail is the search as it is drawn: its end, if it is too long, and what
// came of it.
func (m *Model) seekTail() string {
	line := m.seekLine()
	if over := ansi.StringWidth(line) - m.inner() + 1; over > 0 {
		line = ansi.TruncateLeft(line, over, "")
	}
	if m.seek.query != "" && m.seek.match < 0 {
		line += "  no such prompt"
	}
	return line
}

// drawList appends the completions in sight: the selected one is marked, so
// that it is seen without colour.
func (m *Model) drawList(lines []string) []string {
	rows := m.listRows()
	if rows == 0 {
		return lines
	}
	shown := m.list.items[m.list.top : m.list.top+rows]
	names := 0
	for _, it := range shown {
		names = max(names, ansi.StringWidth(it.label))
	}
	names = min(names, m.width-4)
	for i, it := range shown {
		mark, style, detail := "  ", m.styles.Item, m.styles.Detail
		if m.list.top+i == m.list.sel { // the whole row is
			mark, style, detail = "❯ ", m.styles.Selected, m.styles.Selected
		}
		label := it.label
		if over := ansi.StringWidth(label) - names; over > 0 && m.list.kind == files {
			label = ansi.TruncateLeft(label, over+1, "…") // a path's end says more
		}
		line, room := style.Render(mark+pane.Fit(label, names)), m.width-names-2
		if room > 5 {
			line += detail.Render(pane.Fit("  "+it.detail, room))
		} else {
			line += detail.Render(pane.Fit("", room))
		}
		lines = append(lines, line)
	}
	return lines
}
