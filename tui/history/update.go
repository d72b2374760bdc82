package history

import (
	"cmp"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/compact/projection"
	"plimsoll/tui/pane"
)

// A key goes to the field of the search, then to the list of keys, then to the rows.

// Update handles a message and returns what the parent has to do.
func (m *Model) Update(msg tea.Msg) pane.Action {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		m.asked, m.asking = m.asking, ""
		if m.search.typing {
			return m.updateSearchField(msg)
		}
		return m.runKey(msg)
	case tea.PasteMsg:
		if m.search.typing {
			return m.updateSearchField(msg)
		}
	case tea.MouseWheelMsg:
		m.list.Update(msg, m.paneContent, nil)
		return nil
	case tea.MouseClickMsg:
		return m.click(msg)
	}
	return pane.Ignored{}
}

// click moves the cursor. A click on the row with the cursor expands or folds it.
func (m *Model) click(msg tea.MouseClickMsg) pane.Action {
	at := m.list.At(m.draw, msg.Mouse().Y-m.frame().Top(m.list.Height))
	if m.list.Helping() || msg.Button != tea.MouseLeft || at < 0 {
		return nil
	}
	if at == m.selected() {
		return m.toggle()
	}
	m.list.Update(msg, m.paneContent, nil)
	return nil
}

// commands are the keys of the history, without those that move.
func (m *Model) commands() []pane.Command {
	k := m.keys
	return []pane.Command{
		{On: k.Close, Do: func() pane.Action { return pane.Closed{} }},
		{On: k.Cancel, Do: m.cancel},
		{On: k.Side, Do: m.nextSide},
		{On: k.Open, Do: m.expandOrGo},
		{On: k.Fold, Do: m.toggle},
		{On: k.PreviousRequest, Do: func() pane.Action { return m.showRequest(-1) }},
		{On: k.NextRequest, Do: func() pane.Action { return m.showRequest(1) }},
		{On: k.PreviousMessage, Do: func() pane.Action { return m.moveToUserMessage(-1) }},
		{On: k.NextMessage, Do: func() pane.Action { return m.moveToUserMessage(1) }},
		{On: k.Search, Do: func() pane.Action { m.search.startTyping(max(m.selected(), 0)); return nil }},
		{On: k.Next, Do: func() pane.Action { return m.nextMatch(1) }},
		{On: k.Previous, Do: func() pane.Action { return m.nextMatch(-1) }},
		{On: k.Pin, Do: m.onWritableRow(m.document.pin)},
		{On: k.Mask, Do: m.onWritableRow(m.document.mask)},
		{On: k.Undo, Do: m.onWritableRow(m.document.undo)},
		{On: k.Redo, Do: m.onWritableRow(m.document.redo)},
		{On: k.Resend, Do: m.onWritableRow(m.resend)},
		{On: k.Copy, Do: m.onRow(func(it item) pane.Action { return m.document.textOf(it) })},
		{On: k.Fork, Do: m.onRow(m.document.fork)},
		{On: k.Jump, Do: m.onRow(m.jumpToHistory)},
		{On: k.Preview, Do: func() pane.Action { return pane.Preview{} }},
	}
}

// onRow applies a command to the row with the cursor.
func (m *Model) onRow(do func(item) pane.Action) func() pane.Action {
	return func() pane.Action {
		if it, ok := m.currentRow(); ok {
			return do(it)
		}
		return refusal("no messages yet")
	}
}

// onWritableRow is onRow for commands that change the conversation. In a read-only conversation they return the reason.
func (m *Model) onWritableRow(do func(item) pane.Action) func() pane.Action {
	if why := m.document.ReadOnly; why != "" {
		return func() pane.Action { return refusal(why) }
	}
	return m.onRow(do)
}

// runKey runs the command of a key, or moves the cursor.
func (m *Model) runKey(k tea.KeyPressMsg) pane.Action {
	if m.list.Helping() || key.Matches(k, m.keys.Help) {
		if m.list.Update(k, m.paneContent, nil) == (pane.Ignored{}) { // any other key closes the list of keys
			m.list.Reset()
		}
		return nil
	}
	if action, done := pane.Press(k, m.commands()); done {
		return action
	}
	if m.draw.Len() > 0 && m.list.List.Update(m.draw, k, m.keys.Moves, 0) { // faster than m.list.Update, which needs the frame
		return nil
	}
	return m.list.Update(k, m.paneContent, nil)
}

// cancel ends the search, leaves a request, folds the row, or closes the history: the first of these that applies.
func (m *Model) cancel() pane.Action {
	it, ok := m.currentRow()
	switch {
	case m.search.isActive:
		m.endSearch()
	case m.document.request != nil:
		m.leaveRequest()
	case ok && m.draw.isOpen(it):
		return m.toggle()
	default:
		return pane.Closed{}
	}
	return nil
}

// nextSide shows the next side, or leaves a request.
func (m *Model) nextSide() pane.Action {
	switch {
	case m.document.request != nil:
		m.leaveRequest()
	case m.document.side != sideCompactions:
		seq := m.cursorEvent()
		m.show((m.document.side+1)%sides, nil)
		m.goTo(seq)
	}
	return nil
}

// jumpToHistory goes from the list of compactions to one of them in the history.
func (m *Model) jumpToHistory(it item) pane.Action {
	if m.document.side != sideCompactions {
		return note("this is the place")
	}
	return pane.Jump{Event: m.document.seq(it)}
}

// toggle expands or folds the row with the cursor.
func (m *Model) toggle() pane.Action {
	it, ok := m.currentRow()
	if !ok {
		return nil
	}
	id := m.document.id(it)
	m.draw.expanded[id] = !m.draw.expanded[id]
	m.draw.redraw()
	m.list.Select(m.draw, m.selected())
	return nil
}

// expandOrGo expands a row. From an expanded row it goes to the original or the whole text; without these it folds the row.
func (m *Model) expandOrGo() pane.Action {
	it, ok := m.currentRow()
	if ok && m.showsDetailsBeside() {
		return m.jumpToHistory(it)
	}
	to, open := uint64(0), ok && m.draw.isOpen(it)
	if open {
		to = m.document.enterTarget(it)
	}
	switch {
	case open && to == 0 && m.document.isCutResult(it):
		return ShowWhole{Event: m.document.seq(it)}
	case to == 0:
		return m.toggle()
	case m.document.side == sideCompactions && m.document.request == nil:
		return pane.Jump{Event: to}
	case m.document.request != nil || m.document.side == sideSent:
		m.show(sideBoth, nil)
	}
	m.goTo(to)
	return nil
}

// moveToUserMessage moves the cursor to the next user message, or the previous one.
func (m *Model) moveToUserMessage(by int) pane.Action {
	for i := m.selected() + by; i >= 0 && i < m.draw.Len(); i += by {
		if m.document.role(m.document.items[i]) == projection.RoleUser {
			m.list.Select(m.draw, i)
			return nil
		}
	}
	if by < 0 {
		return note("this is the first user message")
	}
	return note("this is the newest user message")
}

func (m *Model) showRequest(by int) pane.Action {
	if len(m.document.Requests) == 0 {
		return refusal("no request of this conversation was recorded")
	}
	r, why := m.document.stepTo(by, m.cursorEvent())
	if r == nil {
		return note(why)
	}
	m.show(m.document.side, r)
	return RebuildRequest{Event: r.sent.Event}
}

// leaveRequest goes back to the current conversation.
func (m *Model) leaveRequest() {
	seq := cmp.Or(m.cursorEvent(), m.document.request.from)
	m.show(m.document.side, nil)
	m.goTo(seq)
}

// updateSearchField handles a key or a paste in the field of the search.
func (m *Model) updateSearchField(msg tea.Msg) pane.Action {
	s := m.search
	k, _ := msg.(tea.KeyPressMsg)
	switch {
	case key.Matches(k, m.keys.Cancel):
		from := s.from
		m.endSearch()
		m.list.Select(m.draw, from)
		return nil
	case key.Matches(k, m.keys.Open):
		if s.typing = false; s.invalid != "" {
			return refusal(s.invalid)
		}
		return nil
	}
	switch before := s.field.Text(); {
	case !s.field.Update(msg, m.keys.Edit):
		return pane.Ignored{}
	case s.field.Text() == before:
		return nil
	}
	s.parseField()
	m.draw.redraw()
	if i := s.nextMatch(s.from, 1, true); i >= 0 {
		m.list.Select(m.draw, i)
	}
	return nil
}

func (m *Model) endSearch() {
	m.search.reset()
	m.draw.redraw()
}

// nextMatch moves the cursor to the next match, or to the previous one.
func (m *Model) nextMatch(by int) pane.Action {
	if !m.search.isActive {
		return refusal("no search yet")
	}
	at := m.selected()
	i := m.search.nextMatch(at, by, false)
	if i < 0 {
		return refusal("no match for " + m.search.query.String())
	}
	m.list.Select(m.draw, i)
	switch {
	case by > 0 && i <= at:
		return note("continued from the top")
	case by < 0 && i >= at:
		return note("continued from the bottom")
	}
	return nil
}
