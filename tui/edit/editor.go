package edit

import (
	"strings"
)

// Undo and redo: a typed word, or consecutive deletions, are one step. Every other change is a step of its own. The text
// that was cut last can be yanked; consecutive cuts are joined.

// maxSteps is how many steps can be undone.
const maxSteps = 100

// Kind is the kind of a change of the text.
type Kind int

// Kinds of changes. Consecutive changes of one kind are one undo step, except of Other.
const (
	Other Kind = iota
	Typing
	Deleting
)

// State is a text with its cursor.
type State struct {
	Draft Draft
	At    Position
}

// Editor is a buffer with undo, redo and yank. A caller that changes the buffer itself records the change with
// [Editor.Record] or [Editor.Do].
type Editor struct {
	*Buffer
	done, undone []State // the newest last
	last         Kind
	killed       string // the text that was cut last
	killedLines  bool   // vi cut or copied whole lines
	cutAt        moment // the state right after the cut
}

// NewEditor returns an editor of a buffer.
func NewEditor(b *Buffer) *Editor { return &Editor{Buffer: b} }

// State returns the text with its cursor.
func (e *Editor) State() State { return State{e.Draft(), e.At()} }

// Record records the state before a change as an undo step.
func (e *Editor) Record(before State, by Kind) {
	newWord := by == Typing && strings.HasSuffix(before.Draft.text, " ")
	joins := by != Other && by == e.last && len(e.done) > 0 && !newWord
	e.undone = nil
	if joins {
		return
	}
	e.last = by
	e.done = append(e.done, before)
	e.done = e.done[max(0, len(e.done)-maxSteps):]
}

// Do calls change, and records an undo step if it changed the text.
func (e *Editor) Do(by Kind, change func()) {
	before, changes := e.State(), e.Changes()
	change()
	if e.Changes() != changes {
		e.Record(before, by)
	}
}

// NewStep makes the next change a step of its own.
func (e *Editor) NewStep() { e.last = Other }

// Forget discards all undo and redo steps.
func (e *Editor) Forget() { e.done, e.undone, e.last = nil, nil, Other }

func (e *Editor) Undo() {
	if n := len(e.done); n > 0 {
		back := e.done[n-1]
		e.done, e.undone = e.done[:n-1], append(e.undone, e.State())
		e.show(back)
	}
}

func (e *Editor) Redo() {
	if n := len(e.undone); n > 0 {
		e.done = append(e.done, e.State())
		there := e.undone[n-1]
		e.undone = e.undone[:n-1]
		e.show(there)
	}
}

func (e *Editor) show(s State) {
	e.Restore(s.Draft)
	e.MoveTo(s.At)
	e.last = Other
}

// moment identifies a text and cursor position: any change makes another moment.
type moment struct {
	changes int
	at      Position
}

func (b *Buffer) moment() moment { return moment{b.changes, b.at} }

// cut deletes a text that can then be yanked. left says that it precedes the text of the previous cut.
func (e *Editor) cut(from, to Position, left bool) {
	text := expand(e.between(from, to), e.chips)
	switch {
	case text == "":
	case e.cutAt != e.moment():
		e.killed = text
	case left:
		e.killed = text + e.killed
	default:
		e.killed += text
	}
	e.Remove(from, to)
	e.cutAt, e.killedLines = e.moment(), false
}

// yank inserts the text that was cut last.
func (e *Editor) yank() {
	if e.killed != "" {
		e.RemoveSelected()
		e.Enter(e.killed)
	}
}
