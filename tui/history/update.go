package history

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// A key goes to what is on top: the line one types a search in, the help, then the
// rows. A word in passing stands until the next key.

// Update takes a key, a paste or the mouse.
func (m *Model) Update(msg tea.Msg) pane.Action {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		m.was, m.note = m.note, ""
		switch {
		case m.search.typing:
			return m.typed(msg)
		case m.help >= 0:
			return m.pressHelp(msg)
		}
		return m.press(msg)
	case tea.PasteMsg:
		if m.search.typing {
			return m.typed(msg)
		}
	case tea.MouseWheelMsg:
		if m.help < 0 {
			m.list.Update(rows{m}, msg, m.keys.Moves, 0)
		}
		return nil
	case tea.MouseClickMsg:
		m.click(msg)
		return nil
	}
	return pane.Ignored{}
}

// click moves the cursor; on the row that has it, it expands or folds.
func (m *Model) click(msg tea.MouseClickMsg) {
	top := m.frame().Top(m.height)
	at := m.list.At(rows{m}, msg.Mouse().Y-top)
	if m.help >= 0 || msg.Button != tea.MouseLeft || at < 0 {
		return
	}
	if at == m.list.Selected(rows{m}) {
		m.toggle()
		return
	}
	m.list.Update(rows{m}, msg, m.keys.Moves, top)
}

// deed is what a key does.
type deed struct {
	on key.Binding
	do func() pane.Action
}

// deeds are the keys of the history but for those that move.
func (m *Model) deeds() []deed {
	k := m.keys
	return []deed{
		{k.Close, func() pane.Action { return pane.Closed{} }},
		{k.Cancel, m.cancel},
		{k.Help, func() pane.Action { m.help = 0; return nil }},
		{k.Side, m.turn},
		{k.Open, m.enter},
		{k.Fold, func() pane.Action { return m.toggle() }},
		{k.Back, m.back},
		{k.PreviousRequest, func() pane.Action { return m.step(-1) }},
		{k.NextRequest, func() pane.Action { return m.step(1) }},
		{k.PreviousMessage, func() pane.Action { return m.message(-1) }},
		{k.NextMessage, func() pane.Action { return m.message(1) }},
		{k.Search, m.startSearch},
		{k.Next, func() pane.Action { return m.next(1) }},
		{k.Previous, func() pane.Action { return m.next(-1) }},
		{k.Pin, m.changing(m.pin)},
		{k.Mask, m.changing(m.mask)},
		{k.Undo, m.changing(m.undo)},
		{k.Redo, m.changing(m.redo)},
		{k.Resend, m.changing(m.resend)},
		{k.Copy, m.copy},
		{k.CopyBody, m.copyBody},
		{k.Fork, m.fork},
	}
}

func (m *Model) press(k tea.KeyPressMsg) pane.Action {
	for _, d := range m.deeds() {
		if key.Matches(k, d.on) {
			return d.do()
		}
	}
	if i := digit(k); i >= 0 {
		return m.follow(i)
	}
	if m.list.Update(rows{m}, k, m.keys.Moves, 0) {
		return nil
	}
	return pane.Ignored{}
}

// digit is the link that a key stands for, -1 for none.
func digit(k tea.KeyPressMsg) int {
	if len(k.Text) == 1 && k.Text[0] >= '1' && k.Text[0] <= '9' {
		return int(k.Text[0] - '1')
	}
	return -1
}

// cancel ends what was begun last, and then the history.
func (m *Model) cancel() pane.Action {
	it, ok := m.current()
	switch {
	case m.search.on:
		m.endSearch()
	case m.request != nil:
		m.leaveRequest()
	case ok && m.open[m.book.mark(it)]:
		return m.toggle()
	default:
		return pane.Closed{}
	}
	return nil
}

// turn shows the next side, or the conversation as it is now in place of a request.
func (m *Model) turn() pane.Action {
	if m.request != nil {
		m.leaveRequest()
		return nil
	}
	m.turnTo((m.side + 1) % sides)
	return nil
}

// toggle expands or folds the row under the cursor.
func (m *Model) toggle() pane.Action {
	it, ok := m.current()
	if !ok {
		return nil
	}
	name := m.book.mark(it)
	m.open[name] = !m.open[name]
	var wanted pane.Action
	if e := m.book.event(it); m.open[name] && m.holdsResult(it) && m.fullWanted(e) {
		m.full[e.Seq] = whole{}
		m.redraw()
		wanted = FullWanted{Event: e.Seq}
	}
	m.list.Select(rows{m}, m.list.Selected(rows{m}))
	return wanted
}

// holdsResult reports whether a row shows the result of its event when expanded.
func (m *Model) holdsResult(it item) bool {
	return it.kind == kindSaid || it.kind == kindMessage && len(m.book.messages[it.at].Events) == 1
}

// enter expands a row; an expanded one it leaves for where that leads, or folds.
func (m *Model) enter() pane.Action {
	it, ok := m.current()
	if !ok {
		return nil
	}
	if !m.open[m.book.mark(it)] {
		return m.toggle()
	}
	if t, ok := m.leads(it); ok && m.leave(t) {
		return nil
	}
	return m.toggle()
}

// follow goes where a link of the row under the cursor leads.
func (m *Model) follow(i int) pane.Action {
	at := m.list.Selected(rows{m})
	if at < 0 {
		return nil
	}
	links := m.drawn(at, m.width).links
	if i >= len(links) {
		return m.say("no link here has that number"+keyFor(m.keys.Open, "expands a summary, and shows its links"), true)
	}
	m.leave(links[i])
	return nil
}

// leave goes to a target, and remembers where it came from. It is false where the
// target is the row itself.
func (m *Model) leave(t target) bool {
	seq := t.n
	if t.turn {
		i := m.book.turn(int(t.n))
		if i < 0 {
			return false
		}
		seq = m.book.Log[m.book.rows[i].Event].Seq
	}
	it, _ := m.current()
	from := m.book.seq(it)
	if seq == from && it.kind == kindSaid {
		return false
	}
	m.jumps = append(m.jumps, from)
	if m.request != nil || m.side == sideSent {
		m.request, m.side, m.search.stale = nil, sideBoth, true
		m.redraw()
		m.lay()
	}
	m.goTo(seq)
	return true
}

// back goes to where the newest jump began.
func (m *Model) back() pane.Action {
	if len(m.jumps) == 0 {
		return m.say("no jump was made", false)
	}
	last := len(m.jumps) - 1
	m.goTo(m.jumps[last])
	m.jumps = m.jumps[:last]
	return nil
}

// message goes to the next message of the user, or the one before.
func (m *Model) message(by int) pane.Action {
	for i := m.list.Selected(rows{m}) + by; i >= 0 && i < len(m.book.items); i += by {
		if m.isUsers(m.book.items[i]) {
			m.list.Select(rows{m}, i)
			return nil
		}
	}
	if by < 0 {
		return m.say("this is the first message of the user", false)
	}
	return m.say("this is the newest message of the user", false)
}

func (m *Model) isUsers(it item) bool {
	switch it.kind {
	case kindSaid:
		_, ok := m.book.Log[m.book.rows[it.at].Event].Body.(conversation.UserMessage)
		return ok
	case kindMessage:
		return m.book.messages[it.at].Role == compact.RoleUser
	}
	return false
}
