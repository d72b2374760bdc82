package preview

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/pane"
)

// SetSize gives the view its place.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = max(width, 1), max(height, 1)
	m.edit.SetSize(max(m.width-2-len(focusPrompt), 2), 1)
}

// Show shows what a wish would do. Where another one was asked for since, its numbers
// are shown as old ones.
func (m *Model) Show(c Content) {
	if m.asked && !sameWish(c.Wish, m.content.Wish) {
		c.Wish, c.Busy = m.content.Wish, true
	}
	m.content = c
	m.asked = m.asked && c.Busy
	if m.summarises() {
		m.focus, m.review = c.Wish.Focus, c.Wish.Review
	}
}

// Update deals with a message.
func (m *Model) Update(msg tea.Msg) pane.Action {
	if m.writing {
		return m.write(msg)
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.MouseWheelMsg:
		m.scrolls(msg)
		return nil
	}
	return pane.Ignored{}
}

func (m *Model) press(k tea.KeyPressMsg) pane.Action {
	keys := m.o.Keys
	switch {
	case key.Matches(k, keys.Help):
		m.helping = !m.helping
		m.page.ToTop()
	case key.Matches(k, keys.Close):
		if m.helping {
			m.helping = false
			m.page.ToTop()
			return nil
		}
		m.Reset()
		return pane.Closed{}
	case m.scrolls(k):
	default:
		return m.choose(k)
	}
	return nil
}

// choose carries out the keys that change the wish or accept it.
func (m *Model) choose(k tea.KeyPressMsg) pane.Action {
	keys := m.o.Keys
	switch {
	case key.Matches(k, keys.Accept):
		return m.accept()
	case key.Matches(k, keys.NextProfile):
		return m.cycle(1)
	case key.Matches(k, keys.PreviousProfile):
		return m.cycle(-1)
	case key.Matches(k, keys.EndEarlier):
		return m.moveEnd(-1)
	case key.Matches(k, keys.EndLater):
		return m.moveEnd(1)
	case key.Matches(k, keys.StartEarlier):
		return m.moveStart(-1)
	case key.Matches(k, keys.StartLater):
		return m.moveStart(1)
	case key.Matches(k, keys.Default):
		return m.byDefault()
	case key.Matches(k, keys.Focus):
		return m.beginFocus()
	case key.Matches(k, keys.Review):
		return m.toggleReview()
	}
	return pane.Ignored{}
}

// accept wants what is shown done.
func (m *Model) accept() pane.Action {
	switch c := m.content; {
	case c.Busy:
		return pane.Say{Text: "the numbers are on their way; accept them when they are there", Bad: true}
	case c.Err != "":
		return pane.Say{Text: c.Err, Bad: true}
	default:
		m.Reset()
		return Accepted{Wish: c.Wish}
	}
}

// scrolls reports whether a message was for the page.
func (m *Model) scrolls(msg tea.Msg) bool {
	k := m.o.Keys
	moves := pane.Moves{Up: k.Up, Down: k.Down, PageUp: k.PageUp, PageDown: k.PageDown}
	return m.page.Update(msg, moves, len(m.body()), m.frame().Body(m.height))
}
