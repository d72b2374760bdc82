package history

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/pane"
)

// A key goes to what is on top: the line one types a search in, the help, then the
// rows. A note stands until the next key.

// Update takes a key, a paste or the mouse.
func (m *Model) Update(msg tea.Msg) pane.Action {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		m.was, m.note = m.note, Note{}
		if m.search.typing {
			return m.typed(msg)
		}
		action := m.press(msg)
		if n, ok := action.(Note); ok {
			m.note = n
		}
		return action
	case tea.PasteMsg:
		if m.search.typing {
			return m.typed(msg)
		}
	case tea.MouseWheelMsg:
		m.sheet.Update(msg, m.shown, nil)
		return nil
	case tea.MouseClickMsg:
		return m.click(msg)
	}
	return pane.Ignored{}
}

// click moves the cursor; on the row that has it, it expands or folds.
func (m *Model) click(msg tea.MouseClickMsg) pane.Action {
	top := m.frame().Top(m.height)
	at := m.sheet.At(m.draw, msg.Mouse().Y-top)
	if m.sheet.Helping() || msg.Button != tea.MouseLeft || at < 0 {
		return nil
	}
	if at == m.selected() {
		return m.toggle()
	}
	m.sheet.Update(msg, m.shown, nil)
	return nil
}

// commands are the keys of the history but for those that move.
func (m *Model) commands() []pane.Command {
	k := m.keys
	return []pane.Command{
		{On: k.Close, Do: func() pane.Action { return pane.Closed{} }},
		{On: k.Cancel, Do: m.cancel},
		{On: k.Side, Do: m.turn},
		{On: k.Open, Do: m.enter},
		{On: k.Fold, Do: m.toggle},
		{On: k.PreviousRequest, Do: func() pane.Action { return m.step(-1) }},
		{On: k.NextRequest, Do: func() pane.Action { return m.step(1) }},
		{On: k.PreviousMessage, Do: func() pane.Action { return m.message(-1) }},
		{On: k.NextMessage, Do: func() pane.Action { return m.message(1) }},
		{On: k.Search, Do: func() pane.Action { m.search.start(max(m.selected(), 0)); return nil }},
		{On: k.Next, Do: func() pane.Action { return m.next(1) }},
		{On: k.Previous, Do: func() pane.Action { return m.next(-1) }},
		{On: k.Pin, Do: m.changing(m.book.pin)},
		{On: k.Mask, Do: m.changing(m.book.mask)},
		{On: k.Undo, Do: m.changing(m.book.undo)},
		{On: k.Redo, Do: m.changing(m.book.redo)},
		{On: k.Resend, Do: m.changing(m.resend)},
		{On: k.Copy, Do: m.onRow(m.copy)},
		{On: k.Fork, Do: m.onRow(m.book.fork)},
		{On: k.Jump, Do: m.onRow(m.jump)},
		{On: k.Preview, Do: func() pane.Action { return pane.Preview{} }},
	}
}

// onRow is something that is done with the row under the cursor.
func (m *Model) onRow(do func(item) pane.Action) func() pane.Action {
	return func() pane.Action {
		if it, ok := m.current(); ok {
			return do(it)
		}
		return refusal("no messages yet")
	}
}

// changing is onRow for what changes the conversation, where that can be changed.
func (m *Model) changing(do func(item) pane.Action) func() pane.Action {
	if why := m.book.ReadOnly; why != "" {
		return func() pane.Action { return refusal(why) }
	}
	return m.onRow(do)
}

func (m *Model) press(k tea.KeyPressMsg) pane.Action {
	if m.sheet.Helping() || key.Matches(k, m.keys.Help) {
		if m.sheet.Update(k, m.shown, nil) == (pane.Ignored{}) { // any other key closes the list of keys
			m.sheet.Reset()
		}
		return nil
	}
	if action, done := pane.Press(k, m.commands()); done {
		return action
	}
	if m.sheet.List.Update(m.draw, k, m.keys.Moves, 0) { // it fits already, and a frame costs more than a step
		return nil
	}
	return pane.Ignored{}
}

// cancel ends what was begun last, and then the history.
func (m *Model) cancel() pane.Action {
	it, ok := m.current()
	switch {
	case m.search.on:
		m.endSearch()
	case m.book.request != nil:
		m.leaveRequest()
	case ok && m.draw.isOpen(it):
		return m.toggle()
	default:
		return pane.Closed{}
	}
	return nil
}

// turn shows the next side, or the conversation as it is now in place of a request.
func (m *Model) turn() pane.Action {
	if m.book.request != nil {
		m.leaveRequest()
		return nil
	}
	if m.book.side == sideCompactions {
		return nil
	}
	seq := m.here()
	m.show((m.book.side+1)%sides, nil)
	m.goTo(seq)
	return nil
}

// jump leads from the list of compactions to the place of one in the history.
func (m *Model) jump(it item) pane.Action {
	if m.book.side != sideCompactions {
		return note("this is the place")
	}
	return pane.Jump{Event: m.book.seq(it)}
}

// toggle expands or folds the row under the cursor.
func (m *Model) toggle() pane.Action {
	it, ok := m.current()
	if !ok {
		return nil
	}
	m.draw.toggle(it)
	m.sheet.Select(m.draw, m.selected())
	return nil
}

// enter expands a row; an expanded one it leaves for the original or the whole text, or folds.
func (m *Model) enter() pane.Action {
	it, ok := m.current()
	if ok && m.beside() {
		return m.jump(it)
	}
	to, open := uint64(0), ok && m.draw.isOpen(it)
	if open {
		to = m.book.target(it)
	}
	switch {
	case open && to == 0 && m.book.wasCut(it):
		return Whole{Event: m.book.seq(it)}
	case to == 0:
		return m.toggle()
	case m.book.side == sideCompactions && m.book.request == nil:
		return pane.Jump{Event: to}
	case m.book.request != nil || m.book.side == sideSent:
		m.show(sideBoth, nil)
	}
	m.goTo(to)
	return nil
}

// message goes to the next user message, or the one before.
func (m *Model) message(by int) pane.Action {
	for i := m.selected() + by; i >= 0 && i < m.draw.Len(); i += by {
		if m.book.isUsers(m.book.items[i]) {
			m.sheet.Select(m.draw, i)
			return nil
		}
	}
	if by < 0 {
		return note("this is the first user message")
	}
	return note("this is the newest user message")
}

// step goes to the request before or after.
func (m *Model) step(by int) pane.Action {
	if len(m.book.Requests) == 0 {
		return refusal("no request of this conversation was recorded")
	}
	r, why := m.book.stepTo(by, m.here())
	if r == nil {
		return note(why)
	}
	m.show(m.book.side, r)
	return Wanted{Event: r.sent.Event}
}

// leaveRequest goes back to the conversation as it is now.
func (m *Model) leaveRequest() {
	seq := m.here()
	if seq == 0 {
		seq = m.book.request.from
	}
	m.show(m.book.side, nil)
	m.goTo(seq)
}

// typed takes a key or a paste into the line of a search.
func (m *Model) typed(msg tea.Msg) pane.Action {
	s := m.search
	k, _ := msg.(tea.KeyPressMsg)
	switch {
	case key.Matches(k, m.keys.Cancel):
		from := s.from
		m.endSearch()
		m.sheet.Select(m.draw, from)
		return nil
	case key.Matches(k, m.keys.Open):
		if s.typing = false; s.mend != "" {
			m.note = Note{Text: s.mend, Bad: true}
		}
		return nil
	}
	before := s.field.Text()
	if !s.field.Update(msg, m.keys.Edit) {
		return pane.Ignored{}
	}
	if s.field.Text() == before {
		return nil
	}
	s.parse()
	m.draw.redraw()
	if i := s.match(s.from, 1, true); i >= 0 {
		m.sheet.Select(m.draw, i)
	}
	return nil
}

// endSearch searches for nothing.
func (m *Model) endSearch() {
	m.search.reset()
	m.draw.redraw()
}

// next goes to the next match, or with -1 to the one before.
func (m *Model) next(by int) pane.Action {
	if !m.search.on {
		return refusal("no search yet")
	}
	at := m.selected()
	i := m.search.match(at, by, false)
	if i < 0 {
		return refusal("no match for " + m.search.query.String())
	}
	switch {
	case by > 0 && i <= at:
		m.note = Note{Text: "continued from the top"}
	case by < 0 && i >= at:
		m.note = Note{Text: "continued from the bottom"}
	}
	m.sheet.Select(m.draw, i)
	return nil
}
