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
	Left, Right         key.Binding
	WordLeft, WordRight key.Binding
	LineStart, LineEnd  key.Binding
	TextStart, TextEnd  key.Binding
	Backspace, Delete   key.Binding
	CutWordLeft         key.Binding
	CutWordRight        key.Binding
	Copy, Cut           key.Binding // what is selected
	CutToStart          key.Binding
	CutToEnd            key.Binding
	CutToBlank          key.Binding
	SwapWords           key.Binding
	Yank                key.Binding
	YankOlder           key.Binding // right after a yank
	Undo                key.Binding
	Redo                key.Binding
}

// keys are those of the editor.
func (e Editing) keys() edit.Keys {
	return edit.Keys{
		Left: e.Left, Right: e.Right, WordLeft: e.WordLeft, WordRight: e.WordRight,
		LineStart: e.LineStart, LineEnd: e.LineEnd, TextStart: e.TextStart, TextEnd: e.TextEnd,
		Backspace: e.Backspace, Delete: e.Delete,
		CutWord: e.CutWordLeft, CutWordRight: e.CutWordRight, CutToStart: e.CutToStart, CutToEnd: e.CutToEnd, CutToBlank: e.CutToBlank,
		SwapWords: e.SwapWords, Yank: e.Yank, YankOlder: e.YankOlder, Undo: e.Undo, Redo: e.Redo,
	}
}

// DefaultKeyMap is the keys of the handbook.
func DefaultKeyMap() KeyMap {
	bind, e := pane.Bind, edit.DefaultKeys()
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
			Left: e.Left, Right: e.Right, WordLeft: e.WordLeft, WordRight: e.WordRight,
			LineStart: e.LineStart, LineEnd: e.LineEnd, TextStart: e.TextStart, TextEnd: e.TextEnd,
			Backspace: e.Backspace, Delete: bind("del", "delete right", "delete", "ctrl+d"),
			Copy:        bind("ctrl+c", "copy the selection", "ctrl+c", "alt+w"),
			Cut:         bind("ctrl+x", "cut the selection", "ctrl+x"),
			CutWordLeft: e.CutWord, CutWordRight: e.CutWordRight, CutToBlank: e.CutToBlank, CutToStart: e.CutToStart,
			CutToEnd:  bind("ctrl+k", "cut to the end of the line, where there is text", "ctrl+k"),
			SwapWords: e.SwapWords, Yank: e.Yank, YankOlder: e.YankOlder, Undo: e.Undo, Redo: e.Redo,
		},
	}
}

// Bindings lists the keys in the order help shows them.
func (k KeyMap) Bindings() []key.Binding {
	w, e := k.Writing, k.Editing
	return []key.Binding{
		w.Send, w.Newline, w.Complete, w.Older, w.Newer, w.Above, w.Below, w.Search, w.Stash, w.Editor, w.Help, w.Leave,
		e.LineStart, e.LineEnd, e.WordLeft, e.WordRight, e.TextStart, e.TextEnd,
		e.Copy, e.Cut, e.CutWordLeft, e.CutWordRight, e.CutToBlank, e.CutToStart, e.CutToEnd, e.SwapWords, e.Yank, e.YankOlder, e.Undo, e.Redo,
	}
}
