package review

import (
	"charm.land/bubbles/v2/key"

	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// KeyMap is every key of the view.
type KeyMap struct {
	Accept key.Binding
	GiveUp key.Binding
	Close  key.Binding
	Change key.Binding
	Editor key.Binding // also while the text is changed
	Help   key.Binding

	Up, Down, PageUp, PageDown, Top, End key.Binding // scroll

	// While the text is changed here.
	Done key.Binding
	Edit edit.Keys
}

// DefaultKeyMap is the keys as they are without configuration.
func DefaultKeyMap() KeyMap {
	bind := pane.Bind
	return KeyMap{
		Accept: bind("enter", "apply the summary", "enter"),
		GiveUp: bind("x", "discard the summary (press twice)", "x"),
		Close:  bind("esc", "close and keep it pending", "esc", "q"),
		Change: bind("e", "change the text here", "e"),
		Editor: bind("ctrl+g", "change it in $EDITOR", "ctrl+g"),
		Help:   bind("?", "these keys", "?"),

		Up:       bind("↑", "up a line (also k)", "up", "k"),
		Down:     bind("↓", "down a line (also j)", "down", "j"),
		PageUp:   bind("pgup", "up a page (also ctrl+u)", "pgup", "ctrl+b", "ctrl+u"),
		PageDown: bind("pgdn", "down a page (also ctrl+d)", "pgdown", "ctrl+f", "ctrl+d", "space"),
		Top:      bind("g", "to the beginning", "g", "home"),
		End:      bind("G", "to the end", "G", "shift+g", "end"),

		Done: bind("esc", "end changing (also ctrl+s)", "esc", "ctrl+s"),
		Edit: edit.DefaultKeys(),
	}
}
