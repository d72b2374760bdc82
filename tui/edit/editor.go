package edit

import (
	"strings"
)

// Undo and redo: a word that is typed, or a run of deletions, is one step. Everything else is a step of its own. What was
// cut last can be yanked back; cuts in a row are one text.

// maxSteps is how many steps can be undone.
const maxSteps = 100

// Kind is how a text was changed.
type Kind int

// Kinds of changes. Those of a kind in a row, but for Other, are one step of undo.
const (
	Other Kind = iota
	Typing
	Deleting
)

// State is a text with its cursor.
type State struct {
	Draft Draft
	At    Place
}

// Editor is a buffer with what can be undone and what can be yanked. Who changes the buffer itself notes it: see
// [Editor.Note] and [Editor.Do].
type Editor struct {
	*Buffer
	done, undone []State // the newest last
	last         Kind
	killed       string // what was cut last
	cutAt        moment // right after that
}

// NewEditor is an empty text; see [NewBuffer].
func NewEditor(b *Buffer) *Editor { return &Editor{Buffer: b} }

// State is the text as it is.
func (e *Editor) State() State { return State{e.Draft(), e.At()} }

// Note keeps a state from before a change, to go back to.
func (e *Editor) Note(before State, by Kind) {
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

// Do carries out a change, and notes how the text was if it is another one by then.
func (e *Editor) Do(by Kind, change func()) {
	before, changes := e.State(), e.Changes()
	change()
	if e.Changes() != changes {
		e.Note(before, by)
	}
}

// NewStep makes the next change a step of its own.
func (e *Editor) NewStep() { e.last = Other }

// Forget leaves nothing to undo or redo.
func (e *Editor) Forget() { e.done, e.undone, e.last = nil, nil, Other }

func (e *Editor) undo() {
	if n := len(e.done); n > 0 {
		back := e.done[n-1]
		e.done, e.undone = e.done[:n-1], append(e.undone, e.State())
		e.show(back)
	}
}

func (e *Editor) redo() {
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

// moment is a text with its cursor: whatever happens to either ends it.
type moment struct {
	changes int
	at      Place
}

func (b *Buffer) moment() moment { return moment{b.changes, b.at} }

// cut deletes a text, to be yanked. Left says that it stands before one that was cut right before.
func (e *Editor) cut(from, to Place, left bool) {
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
	e.cutAt = e.moment()
}

// yank inserts what was cut.
func (e *Editor) yank() {
	if e.killed != "" {
		e.RemoveSelected()
		e.Enter(e.killed)
	}
}
