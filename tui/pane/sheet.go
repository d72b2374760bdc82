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
	Aside []string // at the right of the rows, nil for none, as wide as [AsideWidth]
}

// leastAside is the width from which there is room at the right of the rows.
const leastAside = 100

// asideGap is the cells between the rows and what stands at their right.
const asideGap = 3

// AsideWidth is how many cells stand at the right of the rows of a view, 0 where there is no room.
func AsideWidth(width int) int {
	if width < leastAside {
		return 0
	}
	return Within(width) * 2 / 5
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
	width := RowWidth(s.width)
	if v.Aside != nil {
		width -= AsideWidth(s.width) + asideGap
	}
	s.List.SetSize(width, body)
	return body
}

// View draws the sheet in exactly its lines and cells. A panel stands at the bottom.
func (s *Sheet) View(styles Styles, v Shown) string {
	body := s.Fit(v)
	lines := v.Body
	if lines == nil {
		lines = s.List.View(v.Rows)
	}
	if v.Aside != nil {
		lines = s.beside(styles, lines, v.Aside, body)
	}
	if len(v.Panel) > 0 {
		out := make([]string, body, body+len(v.Panel))
		copy(out, lines)
		lines = append(out, v.Panel...)
	}
	return styles.Draw(v.Frame, lines, s.width, s.height)
}

// beside stands lines at the right of the rows.
func (s *Sheet) beside(styles Styles, rows, aside []string, height int) []string {
	left := RowWidth(s.width) - AsideWidth(s.width) - asideGap
	out := make([]string, height)
	for i := range out {
		row, at := "", ""
		if i < len(rows) {
			row = rows[i]
		}
		if i < len(aside) {
			at = aside[i]
		}
		out[i] = Fit(row, left) + " " + styles.Rule.Render("│") + " " + at
	}
	return out
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
