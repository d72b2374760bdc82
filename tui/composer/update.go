package composer

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// Update handles a message and returns what the parent must do.
func (m *Model) Update(msg tea.Msg) pane.Action {
	action := pane.Action(pane.Ignored{})
	before, changes, normal := m.text.State(), m.text.Changes(), m.vim.normal
	if m.search.on {
		before = m.search.before
	}
	switch msg := msg.(type) {
	case tea.PasteMsg:
		action = m.paste(msg)
	case tea.KeyPressMsg:
		if !m.search.on && (m.vimRecover(msg) || m.text.Recover(msg, m.editing)) {
			m.list.hide()
			m.changed()
			return nil
		}
		action = m.press(msg)
	default:
		return action
	}
	if m.text.Changes() != changes && !m.search.on && !leaves(action) {
		kind := edit.KindOf(msg, m.editing)
		if normal || m.vim.normal {
			kind = edit.Other
		}
		m.text.Record(before, kind)
	}
	m.changed()
	return action
}

// leaves reports whether an action emptied the composer.
func leaves(action pane.Action) bool {
	switch action.(type) {
	case Submit, Command, Shell:
		return true
	}
	return false
}

// paste inserts pasted text, into the search query if a search is on.
func (m *Model) paste(msg tea.PasteMsg) pane.Action {
	if m.search.on {
		return m.search.edit(msg)
	}
	if msg.Content != "" {
		m.text.RemoveSelected()
	}
	if p, ok := pastedImage(msg.Content); ok {
		m.mention(p)
		return nil
	}
	m.text.Enter(msg.Content)
	m.list.complete(m.text)
	return nil
}

// mention inserts a mention of a file.
func (m *Model) mention(path string) {
	word := "@" + path
	if strings.ContainsAny(path, " \t") {
		word = `@"` + path + `"`
	}
	if at := m.text.At(); at.Col > 0 && !blankAt(m.text.Current(), at.Col-1) {
		word = " " + word
	}
	m.text.Insert(edit.Clean(word + " "))
	m.list.hide()
}

// press handles a key: the search gets it first, then the list, then the draft.
func (m *Model) press(k tea.KeyPressMsg) pane.Action {
	if m.search.on {
		action := m.search.key(k)
		if _, ignored := action.(pane.Ignored); ignored && m.text.Moves(k, m.editing) {
			m.search.accept()
			m.text.Move(k, m.editing)
			return nil
		}
		return action
	}
	if m.selects(k) {
		return m.copies(k)
	}
	if key.Matches(k, m.keys.Writing.Leave) && m.text.Deselect() {
		return nil
	}
	if m.list.open() {
		if action, done := m.listKey(k); done {
			return action
		}
	}
	if m.vimKey(k) {
		m.list.hide()
		return nil
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
	m.text.RemoveSelected()
	m.text.Insert(edit.Clean(k.Text))
	m.list.complete(m.text)
	return nil
}

func (m *Model) listKey(k tea.KeyPressMsg) (pane.Action, bool) {
	keys := m.keys.Writing
	switch {
	case key.Matches(k, keys.Older, keys.Above):
		m.list.move(-1)
	case key.Matches(k, keys.Newer, keys.Below):
		m.list.move(1)
	case key.Matches(k, keys.Leave):
		m.list.close()
	case key.Matches(k, keys.Complete):
		m.list.accept(m.text)
	case key.Matches(k, keys.Send):
		if m.list.accept(m.text) {
			return m.send(), true
		}
	default:
		return nil, false
	}
	return nil, true
}

// writeKey handles a key that acts on the whole draft.
func (m *Model) writeKey(k tea.KeyPressMsg) (pane.Action, bool) {
	keys := m.keys.Writing
	switch {
	case key.Matches(k, keys.Send):
		return m.enterKey(), true
	case key.Matches(k, keys.Newline):
		m.newline()
	case key.Matches(k, keys.Complete):
		return m.tab(), true
	case key.Matches(k, keys.Help) && m.text.Empty():
		return Help{}, true
	case key.Matches(k, keys.Editor):
		return Editor{Text: m.Draft()}, true
	case key.Matches(k, keys.Older):
		return m.vertical(-1), true
	case key.Matches(k, keys.Newer):
		return m.vertical(1), true
	case key.Matches(k, keys.Search) && len(m.prompts.entries) > 0:
		m.list.hide()
		m.search.start()
	case key.Matches(k, keys.Stash):
		m.list.hide()
		return nil, m.swap()
	default:
		return nil, false
	}
	return nil, true
}

// tab writes a suggestion, opens the list of completions if the word has any, or sends the draft while a turn runs.
func (m *Model) tab() pane.Action {
	if !m.busy && m.writeSuggestion() {
		return nil
	}
	m.list.closed = nowhere
	m.list.complete(m.text)
	switch {
	case m.list.open():
		return nil
	case m.busy:
		return m.send()
	}
	return pane.Ignored{}
}

// enterKey sends the draft, or replaces a backslash before the cursor by a line break.
func (m *Model) enterKey() pane.Action {
	at := m.text.At()
	if strings.HasSuffix(m.text.Current()[:at.Col], `\`) {
		m.text.Remove(m.text.Left(), at)
		m.newline()
		return nil
	}
	return m.send()
}

func (m *Model) newline() {
	m.text.RemoveSelected()
	m.text.Insert("\n")
	m.list.hide()
}

// vertical moves a row up or down; from the first or last row to the previous or next prompt, or to the end of the text.
func (m *Model) vertical(by int) pane.Action {
	if m.text.Vertical(by) {
		return nil
	}
	if m.prompts.step(by, m.text) {
		m.list.hide()
		return nil
	}
	if m.text.ToEnd(by) {
		return nil
	}
	return pane.Ignored{}
}

// editKey handles a key that moves the cursor or deletes. With an empty draft it
// handles only Backspace.
func (m *Model) editKey(k tea.KeyPressMsg) bool {
	switch {
	case m.text.Empty():
		return key.Matches(k, m.editing.Backspace)
	case m.text.SelectBy(k, m.editing), m.text.Move(k, m.editing):
		m.list.hide()
	case m.text.Delete(k, m.editing):
		m.list.complete(m.text)
	default:
		return false
	}
	return true
}

// send empties the composer and returns the action for its draft.
func (m *Model) send() pane.Action {
	text := edit.Trim(m.Draft())
	if text == "" {
		return pane.Ignored{}
	}
	if suggestion, ok := m.suggestions.numbered(text); ok {
		m.text.Reset()
		m.text.Enter(suggestion)
		text = suggestion
	}
	if line, add, ok := shell(text); ok {
		if line == "" {
			return nil
		}
		m.done()
		return Shell{Command: line, Add: add}
	}
	if name, args, ok := slash(text); ok {
		c, known := m.list.command(name)
		if !known {
			return UnknownCommand{Name: name, Nearest: m.list.nearest(name)}
		}
		if !c.Forget {
			m.prompts.add(m.text.Draft().Trimmed())
		}
		m.leave()
		return Command{Name: c.Name, Args: args, Line: text}
	}
	m.done()
	return Submit{Text: text}
}

// done empties the composer and adds the draft to the history.
func (m *Model) done() {
	m.prompts.add(m.text.Draft().Trimmed())
	m.leave()
}

// leave empties the composer without adding to the history, so that undo cannot restore the draft.
func (m *Model) leave() {
	m.list.hide()
	m.text.Reset()
	m.text.Forget()
	m.vim = vim{on: m.vim.on}
}
