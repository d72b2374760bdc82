package composer

import (
	"charm.land/bubbles/v2/key"

	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// KeyMap holds all keys of the composer.
type KeyMap struct {
	Writing Writing
	Editing Editing
}

// Writing holds the keys that act on the whole draft.
type Writing struct {
	Send     key.Binding
	Newline  key.Binding
	Complete key.Binding // accepts a completion, or queues while busy
	Help     key.Binding // on an empty draft
	Editor   key.Binding
	Older    key.Binding // on the first line: the previous prompt
	Newer    key.Binding // on the last line: the next prompt
	Above    key.Binding // the item above in the list of completions
	Below    key.Binding // the item below in the list of completions
	Search   key.Binding // searches the prompt history; pressed again: an older match
	Stash    key.Binding // stashes the draft; with an empty draft: restores it
	Leave    key.Binding // closes the list of completions or the search
}

// Editing holds the keys that move the cursor, delete, undo and redo. With an empty
// draft, the keys that move and delete go to the parent, except Backspace.
type Editing struct {
	edit.Keys
	Copy, Cut key.Binding // the selection
}

// DefaultKeyMap returns the keys of docs/keys.md.
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
