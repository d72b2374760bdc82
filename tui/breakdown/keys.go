package breakdown

import (
	"charm.land/bubbles/v2/key"

	"plimsoll/tui/pane"
)

// KeyMap holds the keys of the view that shows what fills the window (/context).
type KeyMap struct {
	Moves   pane.Moves
	Explain key.Binding
	Jump    key.Binding
	Pin     key.Binding
	Mask    key.Binding
	Preview key.Binding
	Close   key.Binding
}

// DefaultKeyMap returns the default keys, as docs/keys.md lists them.
func DefaultKeyMap() KeyMap {
	bind := pane.Bind
	return KeyMap{
		Moves:   pane.DefaultMoves(),
		Explain: bind("?", "explain the number under the cursor", "?"),
		Jump:    bind("enter", "show the item in the history", "enter"),
		Pin:     bind("p", "pin or unpin the item", "p"),
		Mask:    bind("m", "shorten the item for the model", "m"),
		Preview: bind("c", "preview a compaction", "c"),
		Close:   bind("q", "close", "q", "esc"),
	}
}
