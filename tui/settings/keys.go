package settings

import (
	"charm.land/bubbles/v2/key"

	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// KeyMap holds the keys of the view.
type KeyMap struct {
	Moves           pane.Moves
	NextSection     key.Binding
	PreviousSection key.Binding

	Change  key.Binding
	Next    key.Binding // value
	Earlier key.Binding
	Default key.Binding
	Write   key.Binding
	Explain key.Binding
	Close   key.Binding

	// While a value is edited.
	Accept, Cancel key.Binding
	Edit           edit.Keys
}

// DefaultKeyMap returns the default keys, as docs/keys.md lists them.
func DefaultKeyMap() KeyMap {
	bind := pane.Bind
	moves, typing := pane.DefaultMoves(), edit.DefaultKeys()
	moves.PageDown = bind("pgdn", "a page down", "pgdown", "ctrl+f") // space changes
	typing.Newline = key.Binding{}
	return KeyMap{
		Moves:           moves,
		NextSection:     bind("tab", "next page of settings", "tab"),
		PreviousSection: bind("shift+tab", "previous page", "shift+tab"),
		Change:          bind("enter", "change the value (also space)", "enter", "space"),
		Next:            bind("→", "next value (also l)", "right", "l"),
		Earlier:         bind("←", "previous value (also h)", "left", "h"),
		Default:         bind("u", "reset to the default (also r)", "u", "r"),
		Write:           bind("s", "keep the changes for other conversations (also w)", "s", "w"),
		Explain:         bind("?", "show or hide the details", "?"),
		Close:           bind("q", "close, or back to the first page", "q", "esc"),
		Accept:          bind("enter", "accept the value", "enter"),
		Cancel:          bind("esc", "keep the old value", "esc"),
		Edit:            typing,
	}
}
