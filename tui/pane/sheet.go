package pane

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Command is a key and what it does.
type Command struct {
	On key.Binding
	Do func() Action
}

// Press carries out the first command that has a key; false if none has it.
func Press(k tea.KeyPressMsg, commands []Command) (Action, bool) {
	for _, c := range commands {
		if key.Matches(k, c.On) {
			return c.Do(), true
		}
	}
	return nil, false
}

// Shown is what a Sheet shows.
type Shown struct {
	Frame Frame
	Rows  Rows
	Body  []string // in place of the rows, nil for them
	Panel []string // below the rows, its rule included
}

// Sheet is a full-screen view of rows: a list with a cursor, a panel below it about the row or about all of them, and keys.
type Sheet struct {
	List
	width, height int
}

// SetSize gives the sheet its place, in cells.
func (s *Sheet) SetSize(width, height int) { s.width, s.height = max(width, 1), max(height, 0) }

// Room is how many lines a panel may have below its rule, if it leaves so many to the rows.
func (s *Sheet) Room(f Frame, least int) int { return max(0, f.Body(s.height)-least-1) }

// Fit gives the list the lines that frame and panel leave, and says how many these are.
func (s *Sheet) Fit(v Shown) int {
	body := v.Frame.Body(s.height) - len(v.Panel)
	s.List.SetSize(RowWidth(s.width), body)
	return body
}

// View draws the sheet in exactly its lines and cells. A panel stands at the bottom.
func (s *Sheet) View(styles Styles, v Shown) string {
	body := s.Fit(v)
	lines := v.Body
	if lines == nil {
		lines = s.List.View(v.Rows)
	}
	if len(v.Panel) > 0 {
		out := make([]string, body, body+len(v.Panel))
		copy(out, lines)
		lines = append(out, v.Panel...)
	}
	return styles.Draw(v.Frame, lines, s.width, s.height)
}

// Update carries out the command of a key, or moves in the list. Where that changes the panel, the row with the cursor stays
// in sight.
func (s *Sheet) Update(msg tea.Msg, shown func() Shown, moves Moves, commands []Command) Action {
	v := shown()
	body := s.Fit(v)
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if action, done := Press(k, commands); done {
			s.reveal(shown(), body)
			return action
		}
	}
	if !s.List.Update(v.Rows, msg, moves, v.Frame.Top(s.height)) {
		return Ignored{}
	}
	if len(v.Panel) > 0 { // it may be about the row
		s.reveal(shown(), body)
	}
	return nil
}

// reveal shows the row with the cursor where the list has not so many lines any more.
func (s *Sheet) reveal(v Shown, was int) {
	if s.Fit(v) != was && v.Rows.Len() > 0 {
		s.Select(v.Rows, s.Selected(v.Rows))
	}
}
