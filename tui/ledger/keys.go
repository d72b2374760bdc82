package ledger

import (
	"charm.land/bubbles/v2/key"

	"plimsoll/tui/pane"
)

// KeyMap holds every key of the view.
type KeyMap struct {
	Moves   pane.Moves
	Details key.Binding
	Jump    key.Binding
	Undo    key.Binding
	Redo    key.Binding
	Preview key.Binding
	Help    key.Binding
	Close   key.Binding
}

// DefaultKeyMap is the keys of the handbook.
func DefaultKeyMap() KeyMap {
	bind := pane.Bind
	return KeyMap{
		Moves:   pane.DefaultMoves(),
		Details: bind("enter", "details", "enter"),
		Jump:    bind("o", "go there in the history", "o"),
		Undo:    bind("u", "undo the compaction", "u"),
		Redo:    bind("r", "redo a compaction, or restore turns", "r"),
		Preview: bind("c", "preview a compaction", "c"),
		Help:    bind("?", "keys", "?"),
		Close:   bind("q", "close", "q", "esc"),
	}
}

// Bindings lists the keys in the order help shows them, without those that move.
func (k KeyMap) Bindings() []key.Binding {
	return []key.Binding{k.Details, k.Jump, k.Undo, k.Redo, k.Preview, k.Help, k.Close}
}
