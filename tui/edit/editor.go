package edit

import (
	"strings"
)

// Undo and redo: a word that is typed, or a run of deletions, is one step. Everything else is a step of its own. What is
// cut can be yanked back; cuts in a row are one text, and the texts before it come by yanking older ones right after.

const (
	maxSteps = 100     // that can be undone
	maxBytes = 4 << 20 // of the texts kept for undo
	maxKills = 20      // texts kept that were cut
)

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
	bytes        int     // of the texts in done
	last         Kind
	kills        kills
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
	e.bytes += len(before.Draft.text)
	for len(e.done) > 1 && (len(e.done) > maxSteps || e.bytes > maxBytes) {
		e.bytes -= len(e.done[0].Draft.text)
		e.done = e.done[1:]
	}
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
func (e *Editor) Forget() { e.done, e.undone, e.bytes, e.last = nil, nil, 0, Other }

func (e *Editor) undo() {
	if n := len(e.done); n > 0 {
		back := e.done[n-1]
		e.done, e.undone = e.done[:n-1], append(e.undone, e.State())
		e.bytes -= len(back.Draft.text)
		e.show(back)
	}
}

func (e *Editor) redo() {
	if n := len(e.undone); n > 0 {
		now := e.State()
		e.done, e.bytes = append(e.done, now), e.bytes+len(now.Draft.text)
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

// kills is what was cut, the newest last.
type kills struct {
	texts []string
	cut   moment // right after the newest cut
	yank  moment // right after the newest yank
	from  Place  // where what was yanked begins
	turn  int    // how many texts back it is
}

// moment is a text with its cursor: whatever happens to either ends it.
type moment struct {
	changes int
	at      Place
}

func (b *Buffer) moment() moment { return moment{b.changes, b.at} }

// put keeps a text that was cut. One that was cut right before grows.
func (k *kills) put(text string, left, joins bool) {
	if text == "" {
		return
	}
	n := len(k.texts)
	switch {
	case joins && n > 0 && left:
		k.texts[n-1] = text + k.texts[n-1]
	case joins && n > 0:
		k.texts[n-1] += text
	default:
		k.texts = append(k.texts, text)
		if len(k.texts) > maxKills {
			k.texts = k.texts[1:]
		}
	}
}

func (e *Editor) cut(from, to Place, left bool) {
	e.kills.put(expand(e.between(from, to), e.chips), left, e.kills.cut == e.moment())
	e.Remove(from, to)
	e.kills.cut = e.moment()
}

// yank inserts what was cut, so many texts back.
func (e *Editor) yank(turn int) {
	k := &e.kills
	n := len(k.texts)
	if n == 0 {
		return
	}
	e.RemoveSelected()
	k.turn = turn % n
	k.from = e.At()
	e.Enter(k.texts[n-1-k.turn])
	k.yank = e.moment()
}

// yankOlder puts an older text in place of what was just yanked.
func (e *Editor) yankOlder() {
	e.Remove(e.kills.from, e.At())
	e.yank(e.kills.turn + 1)
}
