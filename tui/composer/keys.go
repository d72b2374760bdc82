package composer

import (
	"charm.land/bubbles/v2/key"

	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// KeyMap holds every key the composer knows.
type KeyMap struct {
	Writing Writing
	Editing Editing
}

// Writing are the keys that do something with the draft as a whole.
type Writing struct {
	Send     key.Binding
	Newline  key.Binding
	Complete key.Binding // accepts a completion, or queues while busy
	Help     key.Binding // on an empty draft
	Editor   key.Binding
	Older    key.Binding // at the first line: the prompt before
	Newer    key.Binding // at the last line: the prompt after
	Above    key.Binding // in the list of completions, as Older
	Below    key.Binding // likewise
	Search   key.Binding // in the prompt history, again: an older match
	Stash    key.Binding // puts the draft away, on an empty draft: brings it back
	Leave    key.Binding // closes the list of completions or the search
}

// Editing are the keys that move the cursor, delete, undo and redo. On an empty
// draft those that move and delete are left to the parent, except Backspace.
type Editing struct {
	edit.Keys
	Copy, Cut key.Binding // what is selected
}

// DefaultKeyMap is the keys of the handbook.
func DefaultKeyMap() KeyMap {
	bind, e := pane.Bind, edit.LineKeys()
	e.TextStart, e.TextEnd = edit.DefaultKeys().TextStart, edit.DefaultKeys().TextEnd
	e.Delete = bind("del", "delete right", "delete", "ctrl+d")
	e.CutToEnd = bind("ctrl+k", "cut to the end of the line, where there is text", "ctrl+k")
	return KeyMap{
		Writing: Writing{
			Send:     bind("enter", "send", "enter"),
			Newline:  bind("ctrl+j", "newline (also shift+enter, alt+enter)", "ctrl+j", "shift+enter", "alt+enter"),
			Complete: bind("tab", "complete, or queue while busy", "tab"),
			Help:     bind("?", "help, on an empty line", "?"),
			Editor:   bind("ctrl+g", "edit in $EDITOR", "ctrl+g"),
			Older:    bind("↑", "previous prompt, on the first line", "up"),
			Newer:    bind("↓", "next prompt, on the last line", "down"),
			Above:    bind("ctrl+p", "the item above, in a list", "ctrl+p"),
			Below:    bind("ctrl+n", "the item below, in a list", "ctrl+n"),
			Search:   bind("ctrl+r", "search the prompts", "ctrl+r"),
			Stash:    bind("ctrl+s", "stash or restore the draft", "ctrl+s"),
			Leave:    bind("esc", "close the list or the search", "esc"),
		},
		Editing: Editing{
			Keys: e,
			Copy: bind("ctrl+c", "copy the selection", "ctrl+c", "alt+w"),
			Cut:  bind("ctrl+x", "cut the selection", "ctrl+x"),
		},
	}
}

// Bindings lists the keys in the order help shows them.
func (k KeyMap) Bindings() []key.Binding {
	w, e := k.Writing, k.Editing
	return []key.Binding{
		w.Send, w.Newline, w.Complete, w.Older, w.Newer, w.Above, w.Below, w.Search, w.Stash, w.Editor, w.Help, w.Leave,
		e.LineStart, e.LineEnd, e.WordLeft, e.WordRight, e.TextStart, e.TextEnd,
		e.Copy, e.Cut, e.CutWordLeft, e.CutWordRight, e.CutToBlank, e.CutToStart, e.CutToEnd, e.Yank, e.Undo, e.Redo,
	}
}
