package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

func (s *Stack) View() string {
	box, _, _ := s.draw()
	return strings.Join(box, "\n")
}

func (s *Stack) Position() (x, y int) {
	_, at, _ := s.draw()
	return at.x, at.y
}

// Cursor returns the cursor of the top dialog.
func (s *Stack) Cursor() *tea.Cursor {
	_, _, at := s.draw()
	if at == nil {
		return nil
	}
	return tea.NewCursor(at.x, at.y)
}
