package search

import (
	"charm.land/bubbles/v2/key"

	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// KeyMap is every key of the view. None is a letter: those go into the line.
type KeyMap struct {
	Open  key.Binding
	Close key.Binding

	Up, Down, PageUp, PageDown, First, Last key.Binding

	Edit edit.Keys // of the line
}

// DefaultKeyMap is the keys as they are without configuration.
func DefaultKeyMap() KeyMap {
	bind := pane.Bind
	return KeyMap{
		Open:     bind("enter", "open the conversation at this place", "enter"),
		Close:    bind("esc", "close", "esc"),
		Up:       bind("↑", "the hit above (also ctrl+p)", "up", "ctrl+p"),
		Down:     bind("↓", "the hit below (also ctrl+n)", "down", "ctrl+n"),
		PageUp:   bind("pgup", "a page up", "pgup"),
		PageDown: bind("pgdn", "a page down", "pgdown"),
		First:    bind("ctrl+home", "the first hit", "ctrl+home"),
		Last:     bind("ctrl+end", "the last hit", "ctrl+end"),
		Edit:     edit.LineKeys(),
	}
}

// moves are the keys as a list knows them.
func (k *KeyMap) moves() pane.Moves {
	return pane.Moves{Up: k.Up, Down: k.Down, PageUp: k.PageUp, PageDown: k.PageDown, Top: k.First, End: k.Last}
}
