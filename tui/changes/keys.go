package changes

import (
	"charm.land/bubbles/v2/key"

	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// KeyMap holds every key of the view. While one types a search, letters go into it.
type KeyMap struct {
	Moves pane.Moves

	Open         key.Binding
	Side         key.Binding
	PreviousFile key.Binding
	NextFile     key.Binding
	Copy         key.Binding
	CopyAll      key.Binding
	Jump         key.Binding

	Search, Next, Previous key.Binding

	Help  key.Binding
	Close key.Binding

	Cancel key.Binding // of a search
	Edit   edit.Keys   // of its line; what goes up, down or begins a line is off
}

// DefaultKeyMap is the keys of the handbook.
func DefaultKeyMap() KeyMap {
	bind := pane.Bind
	writing := edit.DefaultKeys()
	for _, off := range []*key.Binding{&writing.Up, &writing.Down, &writing.PageUp, &writing.PageDown, &writing.TextStart, &writing.TextEnd, &writing.Newline} {
		off.SetEnabled(false)
	}
	return KeyMap{
		Moves:        pane.DefaultMoves(),
		Open:         bind("enter", "read the diff", "enter"),
		Side:         bind("tab", "files or diff", "tab"),
		PreviousFile: bind("[", "previous file", "["),
		NextFile:     bind("]", "next file", "]"),
		Copy:         bind("y", "copy the diff of the file", "y"),
		CopyAll:      bind("Y", "copy all diffs", "Y", "shift+y"),
		Jump:         bind("o", "the last edit in the history", "o"),
		Search:       bind("/", "search the diffs", "/"),
		Next:         bind("n", "next match", "n"),
		Previous:     bind("N", "previous match", "N", "shift+n"),
		Help:         bind("?", "keys", "?"),
		Close:        bind("q", "back to the files, close", "q", "esc"),
		Cancel:       bind("esc", "end a search", "esc"),
		Edit:         writing,
	}
}
