package review

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Update deals with a message.
func (m *Model) Update(msg tea.Msg) pane.Action {
	if m.editing {
		return m.change(msg)
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		giving := m.giving
		m.giving = false
		return m.press(msg, giving)
	case tea.MouseWheelMsg:
		m.scrolls(msg)
		return nil
	}
	return pane.Ignored{}
}

// press carries out a key. giving says that the one before was to give it up.
func (m *Model) press(k tea.KeyPressMsg, giving bool) pane.Action {
	keys := m.o.Keys
	switch {
	case key.Matches(k, keys.Help):
		m.helping = !m.helping
		m.page.ToTop()
	case key.Matches(k, keys.Close):
		if !m.helping {
			return pane.Closed{}
		}
		m.helping = false
		m.page.ToTop()
	case m.scrolls(k):
	case m.helping:
		return pane.Ignored{}
	case key.Matches(k, keys.Accept):
		return m.accept()
	case key.Matches(k, keys.GiveUp):
		if giving {
			return GivenUp{}
		}
		m.giving = true
	case key.Matches(k, keys.Change):
		m.editing = true
		m.edit.SetText(plain.Text(m.text), false)
	case key.Matches(k, keys.Editor):
		return Editor{Text: m.text}
	default:
		return pane.Ignored{}
	}
	return nil
}

// accept takes the summary in, if it says something and makes room.
func (m *Model) accept() pane.Action {
	if why := m.wrong(); why != "" {
		return pane.Say{Text: why, Bad: true}
	}
	return Taken{Text: m.text}
}

// change deals with a message while the text is changed.
func (m *Model) change(msg tea.Msg) pane.Action {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch keys := m.o.Keys; {
		case key.Matches(k, keys.Done):
			m.settle()
			m.editing = false
			return nil
		case key.Matches(k, keys.Editor):
			m.settle()
			return Editor{Text: m.text}
		}
	}
	m.place()
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		return nil
	case tea.PasteMsg:
		return m.paste(msg)
	}
	if !m.edit.Update(msg, m.o.Keys.Edit) {
		return pane.Ignored{}
	}
	m.settle()
	return nil
}

// mostPasted is what pastes may make the text grow to, in bytes: far more than any
// summary has, and no more than can be typed in without a delay.
const mostPasted = 256 << 10

// paste takes a paste in, or as much of it as there is room for, and says so.
func (m *Model) paste(msg tea.PasteMsg) pane.Action {
	const bound = "a summary has at most 256 KB here"
	room := mostPasted - len(m.edit.Text())
	if room <= 0 {
		return pane.Say{Text: "nothing was pasted: " + bound, Bad: true}
	}
	m.edit.Most = room
	m.edit.Update(msg, m.o.Keys.Edit)
	m.settle()
	if len(msg.Content) > room {
		return pane.Say{Text: "only the beginning was pasted: " + bound, Bad: true}
	}
	return nil
}

// scrolls reports whether a message was for the page.
func (m *Model) scrolls(msg tea.Msg) bool {
	k := m.o.Keys
	moves := pane.Moves{Up: k.Up, Down: k.Down, PageUp: k.PageUp, PageDown: k.PageDown, Top: k.Top, End: k.End}
	return m.page.Update(msg, moves, len(m.body()), m.frame().Body(m.height))
}
