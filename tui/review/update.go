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
	press, pressed := msg.(tea.KeyPressMsg)
	giving := m.giving
	m.giving = giving && !pressed
	k := m.o.Keys
	moves := pane.Moves{Up: k.Up, Down: k.Down, PageUp: k.PageUp, PageDown: k.PageDown, Top: k.Top, End: k.End}
	keys := pane.ReaderKeys{Help: k.Help, Close: k.Close, Moves: moves}
	action, done := m.reader.Update(msg, keys, len(m.body()), m.frame().Body(m.height))
	if pressed && !done && !m.reader.Helping() {
		action, done = pane.Press(press, m.commands(giving))
	}
	if !done {
		return pane.Ignored{}
	}
	return action
}

// commands are the keys of the view. giving says that the one before was to give the summary up.
func (m *Model) commands(giving bool) []pane.Command {
	keys := m.o.Keys
	return []pane.Command{
		{On: keys.Accept, Do: m.accept},
		{On: keys.GiveUp, Do: func() pane.Action {
			if giving {
				return GivenUp{}
			}
			m.giving = true
			return nil
		}},
		{On: keys.Change, Do: func() pane.Action {
			m.editing = true
			m.edit.SetText(plain.Text(m.text), false)
			return nil
		}},
		{On: keys.Editor, Do: func() pane.Action { return Editor{Text: m.text} }},
	}
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
	const bound = "a summary can have at most 256 KB here"
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
