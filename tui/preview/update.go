package preview

import (
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/pane"
)

// SetSize gives the view its place.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = max(width, 1), max(height, 1)
	m.edit.SetSize(max(pane.Within(m.width)-len(focusPrompt), 2), 1)
}

// Show shows what a request would do. Where another one was asked for since, its numbers
// are shown as old ones.
func (m *Model) Show(c Content) {
	if m.asked && !sameRequest(c.Request, m.content.Request) {
		c.Request, c.Busy = m.content.Request, true
	}
	m.content = c
	m.asked = m.asked && c.Busy
	if m.summarises() {
		m.focus, m.review = c.Request.Focus, c.Request.Review
	}
}

// Update deals with a message.
func (m *Model) Update(msg tea.Msg) pane.Action {
	if m.writing {
		return m.write(msg)
	}
	k := m.o.Keys
	keys := pane.ReaderKeys{Help: k.Help, Close: k.Close, Moves: pane.Moves{Up: k.Up, Down: k.Down, PageUp: k.PageUp, PageDown: k.PageDown}}
	action, done := m.reader.Update(msg, keys, len(m.body()), m.frame().Body(m.height))
	if press, ok := msg.(tea.KeyPressMsg); ok && !done {
		action, done = pane.Press(press, m.commands())
	}
	switch {
	case !done:
		return pane.Ignored{}
	case action == (pane.Closed{}):
		m.Reset()
	}
	return action
}

// commands are the keys that change the request or accept it.
func (m *Model) commands() []pane.Command {
	keys := m.o.Keys
	by := func(change func(int) pane.Action, n int) func() pane.Action {
		return func() pane.Action { return change(n) }
	}
	return []pane.Command{
		{On: keys.Accept, Do: m.accept},
		{On: keys.NextProfile, Do: by(m.cycle, 1)},
		{On: keys.PreviousProfile, Do: by(m.cycle, -1)},
		{On: keys.EndEarlier, Do: by(m.moveEnd, -1)},
		{On: keys.EndLater, Do: by(m.moveEnd, 1)},
		{On: keys.StartEarlier, Do: by(m.moveStart, -1)},
		{On: keys.StartLater, Do: by(m.moveStart, 1)},
		{On: keys.Default, Do: m.byDefault},
		{On: keys.Focus, Do: m.beginFocus},
		{On: keys.Review, Do: m.toggleReview},
	}
}

// accept wants what is shown done.
func (m *Model) accept() pane.Action {
	switch c := m.content; {
	case c.Busy:
		return pane.Say{Text: "still calculating; try again in a moment", Bad: true}
	case c.Err != "":
		return pane.Say{Text: c.Err, Bad: true}
	default:
		m.Reset()
		return Accepted{Request: c.Request}
	}
}
