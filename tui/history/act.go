package history

import (
	"slices"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// What can be done about the row under the cursor. Nothing is changed here: each is
// an action for the parent, or a word on why it cannot be.

// say tells the reader something, and the parent that it is told.
func (m *Model) say(text string, bad bool) pane.Action {
	text = plain.Line(text)
	m.note, m.bad = text, bad
	return Note{Text: text, Bad: bad}
}

// changing is an act that changes the conversation, where that can be changed.
func (m *Model) changing(act func(item) pane.Action) func() pane.Action {
	return func() pane.Action {
		if m.book.ReadOnly != "" {
			return m.say(m.book.ReadOnly, true)
		}
		it, ok := m.current()
		if !ok {
			return m.say("nothing was said yet", true)
		}
		return act(it)
	}
}

// row is what was said of a row: of a message that stands for one event, that event.
func (m *Model) row(it item) *compact.Row {
	switch it.kind {
	case kindSaid:
		return &m.book.rows[it.at]
	case kindMessage:
		if events := m.book.messages[it.at].Events; len(events) == 1 {
			at := m.book.index(events[0])
			i, ok := slices.BinarySearchFunc(m.book.rows, at, func(r compact.Row, at int) int { return r.Event - at })
			if ok {
				return &m.book.rows[i]
			}
		}
	}
	return nil
}

// unit is the unit that an event belongs to, as indices into the log.
func (m *Model) unit(event int) []int {
	if m.units == nil {
		m.units = conversation.Units(m.book.Log)
	}
	for _, u := range m.units {
		if slices.Contains(u.Events, event) {
			return u.Events
		}
	}
	return []int{event}
}

// seqs are events by their numbers.
func (m *Model) seqs(events []int) []uint64 {
	out := make([]uint64, len(events))
	for i, at := range events {
		out[i] = m.book.Log[at].Seq
	}
	return out
}

// sayNotSaid is said of rows on which nothing can be done.
const sayNotSaid = "this is no message"

// noRow says why a row is nothing that was said.
func (m *Model) noRow(it item) pane.Action {
	if it.kind == kindMessage && len(m.book.messages[it.at].Events) > 1 {
		return m.say("this stands for several messages"+keyFor(m.keys.Open, "goes to what was said"), true)
	}
	return m.say(sayNotSaid, true)
}

func (m *Model) pin(it item) pane.Action {
	r := m.row(it)
	switch {
	case r == nil:
		return m.noRow(it)
	case m.book.takenBack(r):
		return m.say("it was taken back"+m.way(m.keys.Redo, "brings it back"), true)
	}
	return pane.Pin{Events: m.seqs(m.unit(r.Event)), Pinned: r.State != compact.StatePinned}
}

func (m *Model) mask(it item) pane.Action {
	r := m.row(it)
	if r == nil {
		return m.noRow(it)
	}
	switch {
	case m.book.takenBack(r):
		return m.say("it was taken back"+m.way(m.keys.Redo, "brings it back"), true)
	case r.State == compact.StatePinned:
		return m.say("it is pinned"+m.way(m.keys.Pin, "ends that"), true)
	case r.State == compact.StateSummarised || r.State == compact.StateDropped:
		return m.say("it is "+string(r.State)+" already"+m.way(m.keys.Undo, "takes that back"), true)
	}
	var results []uint64
	switch m.book.Log[r.Event].Body.(type) {
	case conversation.ToolResult:
		if r.State == compact.StateMasked {
			return m.say("it is masked already"+m.way(m.keys.Pin, "pins it as it was said")+m.way(m.keys.Undo, "takes the whole compaction back"), true)
		}
		results = []uint64{m.book.Log[r.Event].Seq}
	case conversation.AssistantMessage:
		results = m.results(m.unit(r.Event))
	}
	if len(results) == 0 {
		return m.say("only results of tools can be masked, and there is none here", true)
	}
	return pane.Mask{Events: results}
}

// results are the results of a unit.
func (m *Model) results(unit []int) []uint64 {
	var out []uint64
	for _, i := range unit {
		if _, ok := m.book.Log[i].Body.(conversation.ToolResult); ok {
			out = append(out, m.book.Log[i].Seq)
		}
	}
	return out
}

// undo takes the compaction back that shaped a row, or that a line tells of.
func (m *Model) undo(it item) pane.Action {
	overlay := uint64(0)
	switch it.kind {
	case kindEvent:
		overlay = m.book.Log[it.at].Seq
	case kindSaid:
		overlay = m.book.rows[it.at].Overlay
		if m.book.rows[it.at].State == compact.StatePinned {
			return m.say("it is pinned by hand"+m.way(m.keys.Pin, "ends that"), true)
		}
	case kindMessage:
		overlay = m.book.messages[it.at].Overlay
		if m.book.messages[it.at].State == compact.StatePinned {
			return m.say("it is pinned by hand"+m.way(m.keys.Pin, "ends that"), true)
		}
	}
	i := m.book.index(overlay)
	if overlay == 0 || i < 0 {
		return m.say("no compaction shaped this: it is sent as it was said", true)
	}
	return m.undoOf(i)
}

// undoOf takes back what an overlay of the log did, where that is a compaction.
func (m *Model) undoOf(i int) pane.Action {
	switch b := m.book.Log[i].Body.(type) {
	case conversation.Cap, conversation.Mask, conversation.Summary, conversation.Drop:
		if m.book.undone(i) {
			return m.say("this compaction was undone already"+m.way(m.keys.Redo, "redoes the one undone last"), true)
		}
		return pane.Undo{Epoch: conversation.EpochOf(m.book.Log[i])}
	case conversation.Rewind:
		if m.book.undone(i) {
			return m.say("these turns were brought back already", true)
		}
		return m.say("turns were taken back here"+m.way(m.keys.Redo, "brings them back"), true)
	case conversation.Pin:
		return m.say("a pin is ended on what it pins"+m.way(m.keys.Pin, "ends it there"), true)
	case conversation.Revert:
		if at := m.book.index(b.Redoes); b.Redoes != 0 && at >= 0 && at < i {
			return m.undoOf(at)
		}
		return m.say("something was taken back here"+m.way(m.keys.Redo, "redoes the compaction that was undone last"), true)
	}
	return m.say("this is no compaction", true)
}

// redo brings a compaction back; where a rewind hides a row, its turns.
func (m *Model) redo(it item) pane.Action {
	if r := m.row(it); r != nil && m.book.takenBack(r) {
		return pane.Restore{}
	}
	if it.kind == kindEvent {
		if _, ok := m.book.Log[it.at].Body.(conversation.Rewind); ok && !m.book.undone(it.at) {
			return pane.Restore{}
		}
	}
	return pane.Redo{}
}

// resend takes turns back, from that of a row on. It asks first: a second press in a row
// does it.
func (m *Model) resend(it item) pane.Action {
	if r := m.row(it); r != nil && m.book.takenBack(r) {
		return m.say("this turn was taken back"+m.way(m.keys.Redo, "brings it back"), true)
	}
	turn := 0
	switch e := m.book.event(it); {
	case it.kind == kindMessage:
		turn = m.book.messages[it.at].Turn
	case e == nil:
		return m.say(sayNotSaid, true)
	default:
		turn = e.Turn
	}
	if m.book.turn(turn) < 0 {
		return m.say("no message of the user begins this turn", true)
	}
	question := plain.Line(m.keys.Resend.Help().Key + " again takes " + m.turnsFrom(turn).String() + " back and puts the message into the composer")
	if m.was != question {
		return m.say(question, false)
	}
	return Resend{Turn: turn}
}

// turnsFrom is a turn and those behind it that were not taken back yet.
func (m *Model) turnsFrom(turn int) compact.Range {
	last := turn
	for i := range m.book.rows {
		if r := &m.book.rows[i]; !m.book.takenBack(r) {
			last = max(last, m.book.Log[r.Event].Turn)
		}
	}
	return compact.Range{From: turn, To: last}
}

// fork continues behind the unit under the cursor; on a message of the user before it.
func (m *Model) fork() pane.Action {
	it, ok := m.current()
	if !ok {
		return m.say("nothing was said yet", true)
	}
	e := m.book.event(it)
	if e == nil {
		return m.say(sayNotSaid, true)
	}
	at := m.book.index(e.Seq)
	if it.kind == kindMessage { // it may stand for several
		events := m.book.messages[it.at].Events
		at = max(at, m.book.index(events[len(events)-1]))
	}
	if _, users := e.Body.(conversation.UserMessage); users && m.book.Log[at].Seq == e.Seq {
		return Fork{Before: e.Seq}
	}
	unit := m.unit(at)
	behind := max(at, unit[len(unit)-1]) + 1
	for behind < len(m.book.Log) && m.book.Log[behind].Body.Kind() == conversation.KindUsage {
		behind++ // what a reply cost goes with it
	}
	return Fork{Before: m.book.Log[behind-1].Seq + 1}
}
