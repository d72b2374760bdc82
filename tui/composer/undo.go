package composer

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Undo and redo of what changes the draft. A word that is typed, or a run of
// deletions, is one step; everything else is a step of its own: a paste, what is
// cut or yanked, a completion, a prompt of the history, a message that comes back,
// and clearing. What was sent ends it.

// maxSteps bounds how far back one can go.
const maxSteps = 100

// state is the draft at a moment.
type state struct {
	draft draft
	at    place
}

// edit is what changed the draft.
type edit int

const (
	otherEdit edit = iota
	typing
	deleting
)

// undo is what can be undone and redone, the newest last.
type undo struct {
	back, forth []state
	last        edit
}

func (m *Model) state() state { return state{m.snapshot(), m.buf.at} }

// note takes down how the draft was before it changed.
func (u *undo) note(before state, by edit) {
	if joins := by != otherEdit && by == u.last && len(u.back) > 0; joins && !u.wordBegins(before, by) {
		u.forth = nil
		return
	}
	u.last, u.forth = by, nil
	u.back = append(u.back, before)
	if len(u.back) > maxSteps {
		u.back = u.back[1:]
	}
}

// wordBegins reports whether what is typed behind a state may begin a word.
func (u *undo) wordBegins(before state, by edit) bool {
	return by == typing && strings.HasSuffix(before.draft.text, " ")
}

// step goes from one list to the other.
func (m *Model) step(from, to *[]state) {
	n := len(*from)
	if n == 0 {
		return
	}
	there := (*from)[n-1]
	*from = (*from)[:n-1]
	*to = append(*to, m.state())
	m.restore(there.draft)
	m.buf.moveTo(there.at)
	m.list.hide()
	m.undo.last = otherEdit
}

// editOf is how a message changes a draft.
func (m *Model) editOf(msg tea.Msg) edit {
	k, ok := msg.(tea.KeyPressMsg)
	switch {
	case !ok:
		return otherEdit
	case key.Matches(k, m.keys.Editing.Backspace, m.keys.Editing.Delete):
		return deleting
	case k.Text != "":
		return typing
	}
	return otherEdit
}

// noting notes how the draft was if change changes it.
func (m *Model) noting(by edit, change func()) {
	before, changes := m.state(), m.buf.changes
	change()
	if m.buf.changes != changes {
		m.undo.note(before, by)
	}
}
