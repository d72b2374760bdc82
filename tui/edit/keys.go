package edit

import (
	"plimsoll/tui/pane"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Keys holds the keys of an editor. Unused keys are unbound: without Newline the text stays on one line.
type Keys struct {
	Left, Right, Up, Down key.Binding
	WordLeft, WordRight   key.Binding
	LineStart, LineEnd    key.Binding
	TextStart, TextEnd    key.Binding
	PageUp, PageDown      key.Binding
	Backspace, Delete     key.Binding
	CutWordLeft           key.Binding // of letters
	CutWordRight          key.Binding
	CutToBlank            key.Binding
	CutToStart, CutToEnd  key.Binding
	Yank                  key.Binding
	Undo, Redo            key.Binding
	Newline               key.Binding
}

// DefaultKeys returns the keys of a text of several lines.
func DefaultKeys() Keys {
	bind := pane.Bind
	return Keys{
		Left:         bind("←", "left", "left", "ctrl+b"),
		Right:        bind("→", "right", "right", "ctrl+f"),
		Up:           bind("↑", "up", "up"),
		Down:         bind("↓", "down", "down"),
		WordLeft:     bind("alt+←", "word left", "alt+left", "ctrl+left", "alt+b"),
		WordRight:    bind("alt+→", "word right", "alt+right", "ctrl+right", "alt+f"),
		LineStart:    bind("ctrl+a", "start of the line", "home", "ctrl+a"),
		LineEnd:      bind("ctrl+e", "end of the line", "end", "ctrl+e"),
		TextStart:    bind("ctrl+home", "start of the text", "ctrl+home", "alt+<"),
		TextEnd:      bind("ctrl+end", "end of the text", "ctrl+end", "alt+>"),
		PageUp:       bind("pgup", "a page up", "pgup"),
		PageDown:     bind("pgdn", "a page down", "pgdown"),
		Backspace:    bind("backspace", "delete left", "backspace", "shift+backspace", "ctrl+h"),
		Delete:       bind("del", "delete right", "delete"),
		CutWordLeft:  bind("alt+backspace", "cut the word left", "alt+backspace", "ctrl+backspace"),
		CutWordRight: bind("alt+d", "cut the word right", "alt+d", "alt+delete", "ctrl+delete"),
		CutToBlank:   bind("ctrl+w", "cut back to a blank", "ctrl+w"),
		CutToStart:   bind("ctrl+u", "cut to the start of the line", "ctrl+u"),
		CutToEnd:     bind("ctrl+k", "cut to the end of the line", "ctrl+k"),
		Yank:         bind("ctrl+y", "yank what was cut", "ctrl+y"),
		Undo:         bind("ctrl+_", "undo (also ctrl+/)", "ctrl+_", "ctrl+/"),
		Redo:         bind("alt+r", "redo (also alt+_)", "alt+r", "alt+_", "ctrl+shift+z"),
		Newline:      bind("enter", "a new line", "enter", "ctrl+j", "shift+enter", "alt+enter"),
	}
}

// LineKeys returns the keys of a text of one line.
func LineKeys() Keys {
	k, none := DefaultKeys(), key.Binding{}
	k.Up, k.Down, k.PageUp, k.PageDown, k.TextStart, k.TextEnd, k.Newline = none, none, none, none, none, none, none
	return k
}

// Move handles a key that moves the cursor left or right. With a selection it moves to the end on that side.
func (e *Editor) Move(k tea.KeyPressMsg, keys Keys) bool {
	to, ok := e.motion(k, keys)
	if !ok {
		return false
	}
	if from, end, selected := e.Selected(); selected {
		switch {
		case key.Matches(k, keys.Left):
			to = from
		case key.Matches(k, keys.Right):
			to = end
		}
	}
	e.MoveTo(to)
	return true
}

// Moves reports whether a key is one for Move.
func (e *Editor) Moves(k tea.KeyPressMsg, keys Keys) bool {
	_, ok := e.motion(k, keys)
	return ok
}

// motion returns the position to which a key moves the cursor.
func (b *Buffer) motion(k tea.KeyPressMsg, keys Keys) (Position, bool) {
	switch {
	case key.Matches(k, keys.Left):
		return b.Left(), true
	case key.Matches(k, keys.Right):
		return b.Right(), true
	case key.Matches(k, keys.WordLeft):
		return b.wordLeft(letters), true
	case key.Matches(k, keys.WordRight):
		return b.wordRight(), true
	case key.Matches(k, keys.LineStart):
		return b.lineStart(), true
	case key.Matches(k, keys.LineEnd):
		return b.lineEnd(), true
	case key.Matches(k, keys.TextStart):
		return Position{}, true
	case key.Matches(k, keys.TextEnd):
		return b.end(), true
	}
	return Position{}, false
}

// Delete handles a key that deletes or cuts. With a selection it deletes or cuts the selection. The
// caller records the change.
func (e *Editor) Delete(k tea.KeyPressMsg, keys Keys) bool {
	at := e.At()
	_, _, selected := e.Selected()
	switch {
	case selected && key.Matches(k, keys.Backspace, keys.Delete):
		e.RemoveSelected()
	case selected && key.Matches(k, keys.CutWordLeft, keys.CutWordRight, keys.CutToBlank, keys.CutToStart, keys.CutToEnd):
		e.CutSelected()
	case key.Matches(k, keys.Backspace):
		e.Remove(e.Left(), at)
	case key.Matches(k, keys.Delete):
		e.Remove(at, e.Right())
	case key.Matches(k, keys.CutWordLeft):
		e.cut(e.wordLeft(letters), at, true)
	case key.Matches(k, keys.CutToBlank):
		e.cut(e.wordLeft(between), at, true)
	case key.Matches(k, keys.CutWordRight):
		e.cut(at, e.wordRight(), false)
	case key.Matches(k, keys.CutToStart):
		e.cut(e.toStart(), at, true)
	case key.Matches(k, keys.CutToEnd):
		e.cut(at, e.toEnd(), false)
	default:
		return false
	}
	return true
}

// Recover handles a key that yanks, undoes or redoes, and records a yank.
func (e *Editor) Recover(k tea.KeyPressMsg, keys Keys) bool {
	switch {
	case key.Matches(k, keys.Yank):
		e.Do(Other, e.yank)
	case key.Matches(k, keys.Undo):
		e.Undo()
	case key.Matches(k, keys.Redo):
		e.Redo()
	default:
		return false
	}
	return true
}

// KindOf returns the kind of change that a message makes.
func KindOf(msg tea.Msg, keys Keys) Kind {
	k, ok := msg.(tea.KeyPressMsg)
	switch {
	case !ok:
		return Other
	case key.Matches(k, keys.Backspace, keys.Delete):
		return Deleting
	case k.Text != "":
		return Typing
	}
	return Other
}
