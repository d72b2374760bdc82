package composer

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/pane"
)

// Update handles a message. See [pane.Action] for what it answers; the command is
// always nil and there for the form all components share.
func (m *Model) Update(msg tea.Msg) (pane.Action, tea.Cmd) {
	action := pane.Action(pane.Ignored{})
	before, changes, seeks := m.state(), m.buf.changes, m.seek.on
	if seeks {
		before = state{m.seek.before, m.seek.at}
	}
	switch msg := msg.(type) {
	case tea.PasteMsg:
		action = m.paste(msg.Content)
	case tea.KeyPressMsg:
		if !m.seek.on && m.restoreKey(msg) {
			if m.buf.changes != changes && m.justYanked() { // undone and redone are steps already
				m.undo.note(before, otherEdit)
			}
			m.changed()
			return nil, nil
		}
		action = m.press(msg)
	default:
		return action, nil
	}
	if m.buf.changes != changes && !m.seek.on && !leaves(action) {
		m.undo.note(before, m.editOf(msg))
	}
	m.changed()
	return action, nil
}

// leaves reports whether with an action the draft left the composer.
func leaves(action pane.Action) bool {
	switch action.(type) {
	case Submit, Queue, Command, Shell:
		return true
	}
	return false
}

// paste inserts pasted text, into the search if that is on.
func (m *Model) paste(text string) pane.Action {
	if m.seek.on {
		m.look(text)
		return nil
	}
	m.enter(text)
	m.complete()
	return nil
}

// press handles a key: the search has it first, then the list, then the draft.
func (m *Model) press(k tea.KeyPressMsg) pane.Action {
	if m.seek.on {
		return m.searchKey(k)
	}
	if m.list.open() {
		if action, done := m.listKey(k); done {
			return action
		}
	}
	if action, done := m.writeKey(k); done {
		return action
	}
	if m.editKey(k) {
		return nil
	}
	if k.Text == "" {
		return pane.Ignored{}
	}
	m.buf.insert(clean(k.Text))
	m.complete()
	return nil
}

// listKey handles a key of the list of completions.
func (m *Model) listKey(k tea.KeyPressMsg) (pane.Action, bool) {
	keys := m.keys.Writing
	switch {
	case key.Matches(k, keys.Older):
		m.list.move(-1)
	case key.Matches(k, keys.Newer):
		m.list.move(1)
	case key.Matches(k, keys.Leave):
		m.list.close()
	case key.Matches(k, keys.Complete):
		m.accept()
	case key.Matches(k, keys.Send):
		return m.choose(), true
	default:
		return nil, false
	}
	return nil, true
}

// choose accepts a completion; a command that needs nothing more is done.
func (m *Model) choose() pane.Action {
	chosen := m.list.items[m.list.sel]
	kind := m.list.kind
	m.accept()
	if kind != commands || m.commands[chosen.index].Needs && m.arguments() == "" {
		return nil
	}
	return m.send()
}

// arguments is what follows the first word of the draft.
func (m *Model) arguments() string {
	_, args, _ := strings.Cut(m.buf.current(), " ")
	return strings.TrimSpace(args)
}

// writeKey handles a key that does something with the draft as a whole.
func (m *Model) writeKey(k tea.KeyPressMsg) (pane.Action, bool) {
	keys := m.keys.Writing
	switch {
	case key.Matches(k, keys.Send):
		return m.enterKey(), true
	case key.Matches(k, keys.Newline):
		m.newline()
	case key.Matches(k, keys.Complete):
		return m.tab(), true
	case key.Matches(k, keys.Help) && m.buf.empty():
		return Help{}, true
	case key.Matches(k, keys.Editor):
		return Editor{Text: m.Draft()}, true
	case key.Matches(k, keys.Older):
		return m.up(), true
	case key.Matches(k, keys.Newer):
		return m.down(), true
	case key.Matches(k, keys.Search) && len(m.past.entries) > 0:
		m.startSearch()
	default:
		return nil, false
	}
	return nil, true
}

// tab opens the list of completions in a word that has one, or queues.
func (m *Model) tab() pane.Action {
	m.list.closed = place{line: -1}
	m.complete()
	switch {
	case m.list.open():
		return nil
	case m.busy:
		return m.queue()
	}
	return pane.Ignored{}
}

// enterKey sends, or makes a new line out of a backslash before the cursor.
func (m *Model) enterKey() pane.Action {
	b := m.buf
	if strings.HasSuffix(b.current()[:b.at.col], `\`) {
		b.remove(b.left(), b.at)
		m.newline()
		return nil
	}
	return m.send()
}

func (m *Model) newline() {
	m.buf.insert("\n")
	m.list.hide()
}

// up goes a row up, at the first row to an older prompt.
func (m *Model) up() pane.Action {
	if m.buf.vertical(-1) || m.recall(-1) {
		return nil
	}
	return pane.Ignored{}
}

// down goes a row down, at the last row to a newer prompt.
func (m *Model) down() pane.Action {
	if m.buf.vertical(1) || m.recall(1) {
		return nil
	}
	return pane.Ignored{}
}

// editKey handles a key that moves the cursor or deletes. On an empty draft
// only Backspace is one.
func (m *Model) editKey(k tea.KeyPressMsg) bool {
	b, e := m.buf, m.keys.Editing
	if b.empty() {
		return key.Matches(k, e.Backspace)
	}
	if to, ok := m.motion(k); ok {
		b.moveTo(to)
		m.list.hide()
		return true
	}
	switch {
	case key.Matches(k, e.Backspace):
		b.remove(b.left(), b.at)
	case key.Matches(k, e.Delete):
		b.remove(b.at, b.right())
	default:
		if !m.cutKey(k) {
			return false
		}
	}
	m.complete()
	return true
}

// motion is where a key moves the cursor.
func (m *Model) motion(k tea.KeyPressMsg) (place, bool) {
	b, e := m.buf, m.keys.Editing
	switch {
	case key.Matches(k, e.Left):
		return b.left(), true
	case key.Matches(k, e.Right):
		return b.right(), true
	case key.Matches(k, e.WordLeft):
		return b.wordLeft(), true
	case key.Matches(k, e.WordRight):
		return b.wordRight(), true
	case key.Matches(k, e.LineStart):
		return b.lineStart(), true
	case key.Matches(k, e.LineEnd):
		return b.lineEnd(), true
	case key.Matches(k, e.TextStart):
		return place{}, true
	case key.Matches(k, e.TextEnd):
		return b.end(), true
	}
	return place{}, false
}
