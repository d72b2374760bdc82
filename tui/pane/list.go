package pane

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Rows is what a List shows.
type Rows interface {
	// Len is how many rows there are.
	Len() int
	// Lines is a row as it is drawn, at least one line, none wider than width.
	Lines(row int, selected bool, width int) []string
}

// List is a list with a cursor. Its rows may have any height; only those in sight
// are drawn. The position is a row and a line of it, so that nothing jumps when
// other rows change.
type List struct {
	width, height int
	sel           int // the row with the cursor
	top, skip     int // the first row in sight, and how many of its lines are above
}

// Selected is the row with the cursor, -1 of an empty list.
func (l *List) Selected(r Rows) int {
	if r.Len() == 0 {
		return -1
	}
	return min(l.sel, r.Len()-1)
}

// SetSize gives the list its place.
func (l *List) SetSize(width, height int) { l.width, l.height = max(width, 1), max(height, 0) }

// Select moves the cursor to a row and shows it.
func (l *List) Select(r Rows, row int) {
	l.sel = max(0, min(row, r.Len()-1))
	l.reveal(r)
}

// ToTop moves to the first row, ToEnd to the last.
func (l *List) ToTop(r Rows) { l.sel, l.top, l.skip = 0, 0, 0 }

// ToEnd moves to the last row.
func (l *List) ToEnd(r Rows) { l.Select(r, r.Len()-1) }

// reveal scrolls as little as shows the row with the cursor; of one that is higher
// than the list the beginning.
func (l *List) reveal(r Rows) {
	l.sel = max(0, min(l.sel, r.Len()-1))
	if r.Len() == 0 {
		l.top, l.skip = 0, 0
		return
	}
	tall := len(r.Lines(l.sel, true, l.width))
	if l.sel < l.top || l.sel == l.top && tall <= l.height || tall > l.height {
		l.top, l.skip = l.sel, 0
		return
	}
	end := -l.skip // the line of the view below the selected row
	for row := l.top; row <= l.sel && end <= l.height; row++ {
		end += len(r.Lines(row, row == l.sel, l.width))
	}
	if end <= l.height {
		return
	}
	lines := tall
	for l.top = l.sel; lines < l.height && l.top > 0; {
		l.top--
		lines += len(r.Lines(l.top, false, l.width))
	}
	l.skip = max(0, lines-l.height)
}

// Scroll moves what is in sight by so many lines, and the cursor with it where it
// would leave.
func (l *List) Scroll(r Rows, by int) {
	if r.Len() == 0 {
		return
	}
	l.top = min(l.top, r.Len()-1)
	l.skip += by
	for l.skip < 0 && l.top > 0 {
		l.top--
		l.skip += len(r.Lines(l.top, l.top == l.sel, l.width))
	}
	l.skip = max(l.skip, 0)
	for l.top < r.Len()-1 {
		tall := len(r.Lines(l.top, l.top == l.sel, l.width))
		if l.skip < tall {
			break
		}
		l.skip -= tall
		l.top++
	}
	l.bound(r)
	l.follow(r)
}

// bound keeps the end of the list at the end of the screen.
func (l *List) bound(r Rows) {
	lines := -l.skip
	for row := l.top; row < r.Len(); row++ {
		if lines += len(r.Lines(row, row == l.sel, l.width)); lines >= l.height {
			return
		}
	}
	for lines < l.height && (l.skip > 0 || l.top > 0) {
		if l.skip > 0 {
			back := min(l.skip, l.height-lines)
			l.skip, lines = l.skip-back, lines+back
			continue
		}
		l.top--
		l.skip = len(r.Lines(l.top, l.top == l.sel, l.width))
	}
}

// follow moves the cursor to what is in sight.
func (l *List) follow(r Rows) {
	first, last := l.top, l.top
	lines := -l.skip
	for row := l.top; row < r.Len(); row++ {
		lines += len(r.Lines(row, row == l.sel, l.width))
		if lines > l.height && row > l.top {
			break
		}
		last = row
		if lines >= l.height {
			break
		}
	}
	l.sel = max(first, min(l.sel, last))
}

// View is what is in sight, at most height lines.
func (l *List) View(r Rows) []string {
	if r.Len() == 0 {
		return nil
	}
	l.sel, l.top = min(l.sel, r.Len()-1), min(l.top, r.Len()-1)
	var out []string
	for row, skip := l.top, l.skip; row < r.Len() && len(out) < l.height; row, skip = row+1, 0 {
		lines := r.Lines(row, row == l.sel, l.width)
		out = append(out, lines[min(skip, len(lines)):]...)
	}
	return out[:min(len(out), l.height)]
}

// At is the row on a line of the view, -1 for none.
func (l *List) At(r Rows, y int) int {
	at := -l.skip
	for row := l.top; row < r.Len() && at <= y; row++ {
		if at += len(r.Lines(row, row == l.sel, l.width)); y < at {
			return row
		}
	}
	return -1
}

// Moves are the keys that move in a list.
type Moves struct {
	Up, Down, PageUp, PageDown, HalfUp, HalfDown, Top, End key.Binding
}

// DefaultMoves are those of the handbook.
func DefaultMoves() Moves {
	bind := func(help, what string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, what))
	}
	return Moves{
		Up:       bind("k/↑", "up", "k", "up"),
		Down:     bind("j/↓", "down", "j", "down"),
		PageUp:   bind("pgup", "a page up", "pgup", "ctrl+b"),
		PageDown: bind("pgdn", "a page down", "pgdown", "ctrl+f", "space"),
		HalfUp:   bind("ctrl+u", "half a page up", "ctrl+u"),
		HalfDown: bind("ctrl+d", "half a page down", "ctrl+d"),
		Top:      bind("g", "to the beginning", "g", "home"),
		End:      bind("G", "to the end", "G", "shift+g", "end"),
	}
}

// wheel is how many lines a notch of the mouse wheel scrolls.
const wheel = 3

// Update moves, and reports whether the message was for the list. y is the line of
// the screen on which the list begins, for clicks.
func (l *List) Update(r Rows, msg tea.Msg, keys Moves, y int) bool {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return l.press(r, msg, keys)
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			l.Scroll(r, -wheel)
		case tea.MouseWheelDown:
			l.Scroll(r, wheel)
		}
		return true
	case tea.MouseClickMsg:
		if row := l.At(r, msg.Mouse().Y-y); msg.Button == tea.MouseLeft && row >= 0 && msg.Mouse().Y >= y {
			l.sel = row
		}
		return true
	}
	return false
}

func (l *List) press(r Rows, k tea.KeyPressMsg, keys Moves) bool {
	switch {
	case key.Matches(k, keys.Up):
		l.Step(r, -1)
	case key.Matches(k, keys.Down):
		l.Step(r, 1)
	case key.Matches(k, keys.PageUp):
		l.Scroll(r, -max(l.height-1, 1))
	case key.Matches(k, keys.PageDown):
		l.Scroll(r, max(l.height-1, 1))
	case key.Matches(k, keys.HalfUp):
		l.Scroll(r, -max(l.height/2, 1))
	case key.Matches(k, keys.HalfDown):
		l.Scroll(r, max(l.height/2, 1))
	case key.Matches(k, keys.Top):
		l.ToTop(r)
	case key.Matches(k, keys.End):
		l.ToEnd(r)
	default:
		return false
	}
	return true
}

// Step moves the cursor by a row. A row that is higher than the list is scrolled
// through first.
func (l *List) Step(r Rows, by int) {
	sel := l.Selected(r)
	if sel < 0 {
		return
	}
	if tall := len(r.Lines(sel, true, l.width)); tall > l.height && l.top <= sel {
		switch {
		case by > 0 && l.top == sel && tall-l.skip > l.height:
			l.skip++
			return
		case by < 0 && l.top == sel && l.skip > 0:
			l.skip--
			return
		}
	}
	l.Select(r, sel+by)
}
