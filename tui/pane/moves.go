package pane

import (
	"reflect"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Moves are the keys that move in a list.
type Moves struct {
	Up, Down, PageUp, PageDown, HalfUp, HalfDown, Top, End key.Binding
}

// Bind returns a binding of keys. The list of keys shows it as help, with a description.
func Bind(help, what string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, what))
}

// BindingsIn returns the fields of a struct that are bindings, in their order.
func BindingsIn(keymap any) []key.Binding {
	var out []key.Binding
	v := reflect.Indirect(reflect.ValueOf(keymap))
	for i := range v.NumField() {
		if b, ok := v.Field(i).Interface().(key.Binding); ok {
			out = append(out, b)
		}
	}
	return out
}

// DefaultMoves returns the default keys, as docs/keys.md lists them.
func DefaultMoves() Moves {
	return Moves{
		Up:       Bind("k/↑", "up", "k", "up"),
		Down:     Bind("j/↓", "down", "j", "down"),
		PageUp:   Bind("pgup", "a page up", "pgup", "ctrl+b"),
		PageDown: Bind("pgdn", "a page down", "pgdown", "ctrl+f", "space"),
		HalfUp:   Bind("ctrl+u", "half a page up", "ctrl+u"),
		HalfDown: Bind("ctrl+d", "half a page down", "ctrl+d"),
		Top:      Bind("g", "to the beginning", "g", "home"),
		End:      Bind("G", "to the end", "G", "shift+g", "end"),
	}
}

// Update moves the cursor or scrolls, and reports whether the message was for the list. y is
// the line of the screen on which the list begins, for mouse clicks.
func (l *List) Update(r Rows, msg tea.Msg, keys Moves, y int) bool {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		if by := Wheel(msg); by != 0 {
			l.Scroll(r, by)
		}
		return true
	case tea.MouseClickMsg:
		if row := l.At(r, msg.Mouse().Y-y); msg.Button == tea.MouseLeft && row >= 0 {
			l.sel = row
		}
		return true
	}
	switch k, _ := msg.(tea.KeyPressMsg); {
	case key.Matches(k, keys.Up):
		l.Step(r, -1)
	case key.Matches(k, keys.Down):
		l.Step(r, 1)
	case key.Matches(k, keys.PageUp):
		l.page(r, -max(l.height-1, 1))
	case key.Matches(k, keys.PageDown):
		l.page(r, max(l.height-1, 1))
	case key.Matches(k, keys.HalfUp):
		l.page(r, -max(l.height/2, 1))
	case key.Matches(k, keys.HalfDown):
		l.page(r, max(l.height/2, 1))
	case key.Matches(k, keys.Top):
		l.ToTop(r)
	case key.Matches(k, keys.End):
		l.ToEnd(r)
	default:
		return false
	}
	return true
}

// page scrolls by this many lines. If there is nothing left to scroll, the cursor moves to the
// first or the last row.
func (l *List) page(r Rows, by int) {
	top, skip := l.top, l.skip
	l.Scroll(r, by)
	switch moved := l.top != top || l.skip != skip; {
	case moved:
	case by < 0:
		l.ToTop(r)
	case l.Selected(r) < r.Len()-1: // otherwise a last row that is higher than the list would jump to its beginning
		l.ToEnd(r)
	}
}

// wheelLines is how many lines a notch of the mouse wheel scrolls.
const wheelLines = 3

// Wheel returns how many lines a message scrolls down, 0 if it is not of the mouse wheel.
func Wheel(msg tea.Msg) int {
	switch w, _ := msg.(tea.MouseWheelMsg); w.Button {
	case tea.MouseWheelUp:
		return -wheelLines
	case tea.MouseWheelDown:
		return wheelLines
	}
	return 0
}
