package dialog

import (
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"

	"charm.land/bubbles/v2/key"
)

// KeyMap holds all keys of dialogs. In a dialog with a line to type in, letters
// and digits go into the line.
type KeyMap struct {
	Moves   Moves
	Answers Answers
	Lists   Lists
	Edit    edit.Keys // of a line to type in
}

// Lists holds the keys of a list to choose from, besides those that move in it and end it.
type Lists struct {
	Favorite, Sort, Rename, Remove, Fork key.Binding // what is selected
	Lower, Higher                        key.Binding // change the value chosen with the item
}

// Moves holds the keys that scroll and select.
type Moves struct {
	Up, Down         key.Binding // select, or scroll a page
	PageUp, PageDown key.Binding // scroll
	Top, Bottom      key.Binding
	Next, Previous   key.Binding // select among answers side by side
}

// Answers holds the keys that answer or close a dialog.
type Answers struct {
	Accept   key.Binding // what is selected
	Close    key.Binding // without an answer, which denies a question
	Once     key.Binding
	Run      key.Binding
	Always   key.Binding
	No       key.Binding
	Yes      key.Binding
	Edit     key.Binding // changes the command of an approval
	Rule     key.Binding // writes the rule that an approval grants
	Wider    key.Binding // widens that rule; Down of Moves narrows it
	Together key.Binding // answers several approvals together
	Full     key.Binding // a question over the whole screen, and back
}

// DefaultKeyMap returns the keys of docs/keys.md.
func DefaultKeyMap() KeyMap {
	bind := pane.Bind
	return KeyMap{
		Moves: Moves{
			Up:       bind("↑", "up", "up", "k", "ctrl+p"),
			Down:     bind("↓", "down", "down", "j", "ctrl+n"),
			PageUp:   bind("pgup", "page up", "pgup", "ctrl+u", "b"),
			PageDown: bind("pgdn", "page down", "pgdown", "ctrl+d", "space", "f"),
			Top:      bind("home", "to the top", "home", "g"),
			Bottom:   bind("end", "to the end", "end", "G", "shift+g"),
			Next:     bind("tab", "next answer", "tab", "right"),
			Previous: bind("shift+tab", "previous answer", "shift+tab", "left"),
		},
		Answers: Answers{
			Accept:   bind("enter", "choose", "enter"),
			Close:    bind("esc", "close", "esc", "q"),
			Once:     bind("y", "allow once", "y", "1"),
			Run:      bind("r", "allow until I quit", "r", "c", "2"),
			Always:   bind("a", "always allow in this workspace", "a", "3"),
			No:       bind("n", "deny, and say why", "n", "4"),
			Yes:      bind("y", "yes", "y"),
			Edit:     bind("e", "change the command first", "e"),
			Rule:     bind("w", "write the rule to grant", "w"),
			Wider:    bind("+", "widen the rule to grant (↓ narrows it)", "+", "="),
			Together: bind("t", "answer waiting calls of one kind together", "t"),
			Full:     bind("ctrl+o", "see all of a question, and back", "ctrl+o"),
		},
		Lists: Lists{
			Favorite: bind("ctrl+f", "mark a model as a favorite", "ctrl+f"),
			Sort:     bind("ctrl+s", "sort conversations: recent, name, size", "ctrl+s"),
			Rename:   bind("ctrl+r", "rename a conversation", "ctrl+r"),
			Remove:   bind("ctrl+x", "delete a conversation, end a command", "ctrl+x"),
			Fork:     bind("ctrl+o", "go on in a copy of a conversation", "ctrl+o"),
			Lower:    bind("←", "less effort", "left"),
			Higher:   bind("→", "more effort", "right"),
		},
		Edit: edit.LineKeys(),
	}
}
