package overlay

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// View is the top dialog's box, "" if none is open.
func (s *Stack) View() string {
	box, _, _ := s.draw()
	return strings.Join(box, "\n")
}

// Position is the cell of the screen where the upper left corner of View belongs.
func (s *Stack) Position() (x, y int) {
	_, at, _ := s.draw()
	return at.x, at.y
}

// Cursor is where one types, nil where one does not.
func (s *Stack) Cursor() *tea.Cursor {
	_, _, at := s.draw()
	if at == nil {
		return nil
	}
	return tea.NewCursor(at.x, at.y)
}
