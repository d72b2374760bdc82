package composer

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// The view shows the list of completions, then the box with the text and, while
// searching, the line of the search. Only visible rows are drawn, and only
// after a change.

// Height is the number of lines that View returns.
func (m *Model) Height() int {
	n := m.list.rows(m.height) + m.textRows() + 2
	if m.search.on {
		n++
	}
	return n
}

// View returns the composer: Height lines of its width.
func (m *Model) View() string {
	if m.drawn == "" {
		m.drawn = m.draw()
	}
	return m.drawn
}

// Cursor returns the position of the terminal's cursor, relative to the upper left corner of the view.
func (m *Model) Cursor() *tea.Cursor {
	y, x := m.text.Cursor()
	y += m.list.rows(m.height) + 1 - m.top
	if m.search.on {
		x, y = ansi.StringWidth(m.search.line()), m.Height()-2
	}
	c := tea.NewCursor(1+m.box.padding()+min(x, m.box.inner()-1), y)
	if m.vim.on && !m.vim.normal {
		c.Shape = tea.CursorBar
	}
	return c
}

func (m *Model) draw() string {
	lines := m.list.draw(&m.styles, m.box.width, m.list.rows(m.height))
	style := m.styles.Accent
	if m.aside {
		style = m.styles.Faint
	}
	label, labelled := m.label()
	if labelled {
		style = m.styles.Warning
	}
	border := pane.NewInlineStyle(style) // worked out once: rendering a style allocates
	lines = append(lines, m.box.edge("╭", label, "╮", border, m.styles.Muted))
	side, pad := border.Render("│"), strings.Repeat(" ", m.box.padding())
	left, right := side+pad, pad+side
	for _, text := range m.drawText() {
		lines = append(lines, m.box.row(left, text, right))
	}
	if m.search.on {
		lines = append(lines, m.box.row(left, m.styles.Muted.Render(pane.Fit(m.searchLine(), m.box.inner())), right))
	}
	lines = append(lines, m.box.edge("╰", m.position(), "╯", border, m.styles.Muted))
	return strings.Join(lines, "\n")
}

// searchLine returns the line of the search, cut at the left if it is too long, and whether it failed.
func (m *Model) searchLine() string {
	line := m.search.line()
	if over := ansi.StringWidth(line) - m.box.inner() + 1; over > 0 {
		line = ansi.TruncateLeft(line, over, "")
	}
	if m.search.query.Text() != "" && m.search.match < 0 {
		line += "  no match"
	}
	return line
}

// label returns the label of a draft that is a shell line, or else vi's mode.
func (m *Model) label() (string, bool) {
	switch first := m.text.Line(0); {
	case strings.HasPrefix(first, "!!"):
		return " run, output not added ", true
	case strings.HasPrefix(first, "!"):
		return " run a command, add its output ", true
	}
	return m.vimLabel(), false
}

// position returns the position of the shown prompt in the history, or a note about the draft.
func (m *Model) position() string {
	at, n := m.prompts.at, len(m.prompts.entries)
	if m.search.on {
		at = m.search.shown()
	}
	if at >= n {
		if text, ok := m.suggestions.numbered(m.Draft()); ok {
			return " sends: " + text + " "
		}
		return cmp.Or(m.mentionNote(), m.stashNote())
	}
	return fmt.Sprintf(" prompt %d of %d ", at+1, n)
}

// drawText draws the visible rows of text, each as wide as the box.
func (m *Model) drawText() []string {
	if m.text.Empty() && !m.search.on {
		return []string{m.styles.Muted.Render(pane.Fit(m.placeholder, m.box.inner()))}
	}
	var lines []string
	skip, rows := m.top, m.textRows()
	for i := 0; i < m.text.Lines() && len(lines) < rows; i++ {
		marks := m.marks(i)
		for _, r := range m.text.Rows(i) {
			if skip > 0 {
				skip--
				continue
			}
			if len(lines) < rows {
				lines = append(lines, m.drawRow(i, r, marks))
			}
		}
	}
	return lines
}

// drawRow draws a row of a line with its tabs, folded pastes, mentions and selection, as wide as the box.
func (m *Model) drawRow(line int, r edit.Row, marks []mention) string {
	s, at := m.text.Line(line)[r.Start:r.End], r.Start
	from, to, lineEnd := m.text.SelectedIn(line, r)
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
		n, w, chip := m.text.Atom(s)
		if used+w > m.box.inner() {
			break
		}
		next := m.styleAt(at, marks)
		selected := from <= at && at < to
		if selected {
			next = &m.styles.Selection
		}
		if next != style {
			flush()
			style = next
		}
		switch {
		case chip != "" && selected:
			run.WriteString(ansi.Truncate(chip, w, "…"))
		case chip != "":
			flush()
			out.WriteString(m.styles.Chip.Render(ansi.Truncate(chip, w, "…")))
		case s[0] == '\t':
			run.WriteString(strings.Repeat(" ", w))
		default:
			run.WriteString(s[:n])
		}
		used += w
		s, at = s[n:], at+n
	}
	if lineEnd && used < m.box.inner() {
		if style != &m.styles.Selection {
			flush()
			style = &m.styles.Selection
		}
		run.WriteByte(' ')
		used++
	}
	if style != &m.styles.Text {
		flush()
		style = &m.styles.Text
	}
	run.WriteString(strings.Repeat(" ", m.box.inner()-used))
	flush()
	return out.String()
}

// marks returns the mentions of a line to highlight. An unknown path is not one while it is being completed.
func (m *Model) marks(i int) []mention {
	if strings.IndexByte(m.text.Line(i), '@') < 0 {
		return nil
	}
	var marks []mention
	m.files.each(m.text, func(line int, a mention) {
		if line == i && (a.found || !m.list.completes(line, a)) {
			marks = append(marks, a)
		}
	})
	return marks
}

// mentionNote names the first mentioned path that is not a file, or else describes the first image; "" without either.
func (m *Model) mentionNote() (note string) {
	wrong := false
	m.files.each(m.text, func(line int, a mention) {
		switch {
		case !a.found && !wrong && !m.list.completes(line, a) && !conversation.IsImage(a.path): // an image is looked at first
			note, wrong = " ✗ @"+a.path+": no such file ", true
		case a.found && note == "" && a.file.Note != "":
			mark, text := " ", " "+a.file.Note
			if why, failed := strings.CutPrefix(a.file.Note, "✗ "); failed {
				mark, text = " ✗ ", ": "+why
			}
			note = plain.Line(mark+"@"+a.path+text) + " "
		}
	})
	return note
}

// styleAt returns the style of a byte of a line with mentions.
func (m *Model) styleAt(at int, marks []mention) *lipgloss.Style {
	for _, a := range marks {
		switch {
		case at < a.from || at >= a.to:
		case a.found:
			return &m.styles.Chip
		default:
			return &m.styles.Missing
		}
	}
	return &m.styles.Text
}
