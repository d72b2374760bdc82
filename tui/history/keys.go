package history

import (
	"charm.land/bubbles/v2/key"

	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// KeyMap holds the keys of the history. While the user types a search, letters go into its field.
type KeyMap struct {
	Moves pane.Moves

	NextMessage, PreviousMessage key.Binding // of the user
	Side                         key.Binding
	Open, Fold                   key.Binding
	PreviousRequest, NextRequest key.Binding
	Pin, Mask, Undo, Redo        key.Binding
	Search, Next, Previous       key.Binding
	Copy, Fork, Resend           key.Binding
	Jump, Preview                key.Binding
	Help, Close, Cancel          key.Binding

	Edit edit.Keys // of the field of a search
}

// DefaultKeyMap returns the default keys, as docs/keys.md lists them.
func DefaultKeyMap() KeyMap {
	bind := pane.Bind
	return KeyMap{
		Moves:           pane.DefaultMoves(),
		NextMessage:     bind("}", "next user message", "}"),
		PreviousMessage: bind("{", "previous user message", "{"),
		Side:            bind("tab", "both, original, as sent", "tab"),
		Open:            bind("enter", "expand, then go to the original", "enter"),
		Fold:            bind("ctrl+o", "expand or fold", "ctrl+o"),
		PreviousRequest: bind("[", "previous request, as sent", "["),
		NextRequest:     bind("]", "next request, as sent", "]"),
		Pin:             bind("p", "pin or unpin", "p"),
		Mask:            bind("m", "shorten the result for the model", "m"),
		Undo:            bind("u", "undo this compaction", "u"),
		Redo:            bind("r", "redo what was undone", "r"),
		Search:          bind("/", "search", "/"),
		Next:            bind("n", "next match", "n"),
		Previous:        bind("N", "previous match", "N", "shift+n"),
		Copy:            bind("y", "copy", "y"),
		Fork:            bind("f", "fork from here", "f"),
		Resend:          bind("e", "edit and resend from here (press twice)", "e"),
		Jump:            bind("o", "from the list of compactions to the place", "o"),
		Preview:         bind("c", "preview a compaction", "c"),
		Help:            bind("?", "these keys", "?"),
		Close:           bind("q", "close", "q", "ctrl+t"),
		Cancel:          bind("esc", "end a search or a request, fold, close", "esc"),
		Edit:            edit.LineKeys(),
	}
}
