package changes

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/find"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// search goes from row to row of the diffs, through all files and round.
type search struct {
	query  find.Query
	on     bool // there is a query
	typing bool
	field  *edit.Field
	mend   string // why what was typed is no query, or that nothing matches
}

func (s *search) reset() { *s = search{} }

// start opens the line to type in.
func (s *search) start() {
	s.typing, s.mend = true, ""
	s.field = edit.NewField(plain.Line, edit.MostInLine)
	if s.on {
		s.field.SetText(s.query.String(), true)
	}
}

const prompt = "/ "

// status is the line one types in.
func (s *search) status(m *Model) string {
	if !s.typing {
		return ""
	}
	look := m.styles.Pane
	s.field.SetSize(max(1, pane.Within(m.width)-len(prompt)-ansi.StringWidth(s.mend)-2), 1)
	line := look.Key.Render(prompt) + strings.Join(s.field.View(), "")
	return pane.Between(line, look.Warning.Render(s.mend), pane.Within(m.width))
}

// cursor is where one types.
func (s *search) cursor(m *Model) *tea.Cursor {
	if !s.typing {
		return nil
	}
	x, _ := s.field.Cursor()
	f := m.frame()
	y := f.Top(m.height) + f.Body(m.height)
	if m.height >= 12 {
		y++ // the rule
	}
	return tea.NewCursor(pane.Gutter(m.width)+len(prompt)+x, y)
}

// typed takes a key or a paste into the line.
func (m *Model) typed(msg tea.Msg) pane.Action {
	s := &m.search
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case key.Matches(k, m.keys.Cancel):
			s.reset()
			return nil
		case key.Matches(k, m.keys.Open):
			return m.begin()
		}
	}
	if !s.field.Update(msg, m.keys.Edit) {
		return pane.Ignored{}
	}
	s.mend = ""
	return nil
}

// begin looks for what was typed.
func (m *Model) begin() pane.Action {
	s := &m.search
	q, err := find.Parse(s.field.Text())
	if err != nil {
		s.mend = err.Error()
		return nil
	}
	s.query, s.on = q, true
	if action := m.find(1, true); action != nil {
		s.mend = "no match"
		return nil
	}
	s.typing = false
	return nil
}

// find goes to the next row that matches, or to the one before. Here says that the row in sight counts.
func (m *Model) find(by int, here bool) pane.Action {
	if !m.search.on {
		return pane.Say{Text: "no search yet; / starts one", Bad: true}
	}
	files := len(m.content.Files)
	at := m.list.Selected(m)
	from := m.page.Top()
	if !here {
		from += by
	}
	for n := 0; n <= files && files > 0; n++ {
		i := ((at+by*n)%files + files) % files
		d := m.diff(i)
		rows := d.rows
		if n > 0 {
			from = 0
			if by < 0 {
				from = len(rows) - 1
			}
		}
		for r := from; r >= 0 && r < len(rows); r += by {
			if _, ok := m.search.query.Find(textOf(rows[r], d.text[r])); ok {
				m.list.Select(m, i)
				m.page.To(r)
				m.reading = true
				return nil
			}
		}
	}
	return pane.Say{Text: "no match for " + plain.Line(m.search.query.String()), Bad: true}
}

// textOf is a row without style and without what is no text of the file.
func textOf(row string, from int) string { return ansi.TruncateLeft(ansi.Strip(row), from, "") }

// mark highlights what is searched for in rows, whose texts begin at some cells.
func (s *search) mark(rows []string, begin []int, match lipgloss.Style) []string {
	if !s.on {
		return rows
	}
	out := make([]string, len(rows))
	for i, row := range rows {
		text := textOf(row, begin[i])
		for _, at := range s.query.All(text) {
			from, to := begin[i]+ansi.StringWidth(text[:at.Start]), begin[i]+ansi.StringWidth(text[:at.End])
			row = ansi.Cut(row, 0, from) + match.Render(text[at.Start:at.End]) + ansi.TruncateLeft(row, to, "")
		}
		out[i] = row
	}
	return out
}
