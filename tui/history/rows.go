package history

import (
	"slices"

	"plimsoll/compact/projection"

	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// What is known of a row: the event and the unit it stands for, its tokens before and after, the call it answers, and
// where it leads.

// callsBack is how many events are searched for the call of a result.
const callsBack = 400

// row is the original of a row: of a message that stands for one event, that event.
func (b *book) row(it item) *inspect.Row {
	switch it.kind {
	case kindSaid:
		return &b.rows[it.at]
	case kindMessage:
		if events := b.messages[it.at].Events; len(events) == 1 {
			at := b.index(events[0])
			i, ok := slices.BinarySearchFunc(b.rows, at, func(r inspect.Row, at int) int { return r.Event - at })
			if ok {
				return &b.rows[i]
			}
		}
	}
	return nil
}

// unit is the unit that an event belongs to, as indices into the log.
func (b *book) unit(event int) []int {
	if b.units == nil {
		b.units = conversation.Units(b.Log)
	}
	for _, u := range b.units {
		if slices.Contains(u.Events, event) {
			return u.Events
		}
	}
	return []int{event}
}

// seqs are events by their numbers.
func (b *book) seqs(events []int) []uint64 {
	out := make([]uint64, len(events))
	for i, at := range events {
		out[i] = b.Log[at].Seq
	}
	return out
}

// results are the results of a unit.
func (b *book) results(unit []int) []uint64 {
	var out []uint64
	for _, i := range unit {
		if _, ok := b.Log[i].Body.(conversation.ToolResult); ok {
			out = append(out, b.Log[i].Seq)
		}
	}
	return out
}

// same reports whether a row is sent as the original.
func (b *book) same(r *inspect.Row) bool {
	if r.Message < 0 || !r.First {
		return false
	}
	s := &b.View.Messages[r.Message]
	if len(s.Events) != 1 {
		return false
	}
	switch original := b.Log[r.Event].Body.(type) {
	case conversation.UserMessage:
		return s.Text == original.Text
	case conversation.ToolResult:
		return s.Text == original.Text
	case conversation.AssistantMessage:
		return s.Text == original.Text && slices.EqualFunc(s.Calls, original.Calls, func(sent, said conversation.ToolCall) bool {
			return sent.Arguments == said.Arguments
		})
	}
	return false
}

// ownText reports whether a row has a text of its own in what is sent.
func (b *book) ownText(r *inspect.Row) bool { return r.Message >= 0 && r.First && !b.same(r) }

// otherCalls is a reply that is sent as it was said but for its calls, and those.
func (b *book) otherCalls(r *inspect.Row) (conversation.AssistantMessage, []conversation.ToolCall, bool) {
	reply, ok := b.Log[r.Event].Body.(conversation.AssistantMessage)
	if !ok || !b.ownText(r) || len(reply.Calls) == 0 {
		return reply, nil, false
	}
	s := &b.View.Messages[r.Message]
	return reply, s.Calls, len(s.Events) == 1 && s.Text == reply.Text
}

// answered reports whether the results of all calls of a reply follow it at once.
func (b *book) answered(seq uint64, calls []conversation.ToolCall) bool {
	at := b.index(seq)
	for _, e := range b.Log[at+1 : min(len(b.Log), at+1+2*len(calls)+2)] {
		if len(calls) == 0 {
			break
		}
		if result, ok := e.Body.(conversation.ToolResult); ok && result.CallID == calls[0].ID {
			calls = calls[1:]
		}
	}
	return len(calls) == 0
}

// change is the tokens before and after, once if they are the same.
func change(before, after int) string {
	if before == after {
		return pane.Tokens(after)
	}
	return pane.Tokens(before) + " → " + pane.Tokens(after)
}

// tokensOf is the tokens of a row before and after, "" where nothing of its own is
// sent.
func (b *book) tokensOf(r *inspect.Row) string {
	before := b.tokens(r.Before)
	switch {
	case r.Message < 0:
		return change(before, 0)
	case !r.First:
		return ""
	}
	parts := b.View.Messages[r.Message:][:b.spanOf(r.Message)]
	if len(parts[0].Events) == 1 {
		return change(before, b.tokens(r.After))
	}
	return change(b.sum(parts))
}

// sum is the tokens that messages stand for, and those they have.
func (b *book) sum(parts []projection.Message) (before, after int) {
	var x, y conversation.Size
	for i := range parts {
		x, y = x.Plus(parts[i].Before), y.Plus(parts[i].After())
	}
	return b.tokens(x), b.tokens(y)
}

// spanOf is how many messages of the view stand for the same events as one.
func (b *book) spanOf(message int) int {
	view := book{messages: b.View.Messages}
	return len(view.parts(message))
}

// altered reports whether a message is not what its event said, or not all of it.
func altered(msg *projection.Message, e *conversation.Event) bool {
	switch b := e.Body.(type) {
	case conversation.ToolResult:
		return msg.Text != b.Text || b.Total > 0 || b.Blob != "" || b.Detail != ""
	case conversation.AssistantMessage:
		return msg.State != projection.StateVerbatim && msg.State != projection.StatePinned || b.Reasoning != ""
	}
	return msg.State != projection.StateVerbatim && msg.State != projection.StatePinned
}

// call is the call that a result answers; false if it is not near.
func (b *book) call(seq uint64, id string) (conversation.ToolCall, bool) {
	at := b.index(seq)
	for i := at - 1; i >= 0 && i >= at-callsBack; i-- {
		reply, ok := b.Log[i].Body.(conversation.AssistantMessage)
		if !ok {
			continue
		}
		for _, c := range reply.Calls {
			if c.ID == id {
				return c, true
			}
		}
	}
	return conversation.ToolCall{}, false
}

// about is what the call of a result was about, "" if nobody knows.
func (b *book) about(seq uint64, id string) string {
	c, ok := b.call(seq, id)
	if !ok {
		return ""
	}
	return subject(c)
}

// isUsers reports whether a row is a message of the user.
func (b *book) isUsers(it item) bool {
	switch it.kind {
	case kindSaid:
		_, ok := b.Log[b.rows[it.at].Event].Body.(conversation.UserMessage)
		return ok
	case kindMessage:
		return b.messages[it.at].Role == projection.RoleUser
	}
	return false
}

// holdsResult reports whether a row shows the result of its event when expanded.
func (b *book) holdsResult(it item) bool {
	return it.kind == kindSaid || it.kind == kindMessage && len(b.messages[it.at].Events) == 1
}

// target is what a link leads to.
type target struct {
	turn bool // a turn is meant, not an event
	n    uint64
}

// String is the target as recall takes it: t3, e41.
func (t target) String() string {
	return conversation.RecallID{Turns: t.turn, First: t.n, Last: t.n}.String()
}

// holds reports whether a target is in the log.
func (b *book) holds(t target) bool {
	if !t.turn {
		return b.index(t.n) >= 0
	}
	return t.n < uint64(len(b.Log)) && b.turn(int(t.n)) >= 0
}

// recalled is what a result of the recall tool contains.
func (b *book) recalled(e *conversation.Event) (target, bool) {
	result, ok := e.Body.(conversation.ToolResult)
	if !ok || result.Tool != conversation.ToolRecall || result.Status != conversation.ResultOK {
		return target{}, false
	}
	c, ok := b.call(e.Seq, result.CallID)
	if !ok {
		return target{}, false
	}
	text, ok := conversation.RecallTarget(c.Arguments)
	if !ok {
		return target{}, false
	}
	id, ok := conversation.ParseRecallID(text)
	t := target{turn: id.Turns, n: id.First}
	return t, ok && b.holds(t)
}

// leads is where Enter goes from a row that is expanded: of a summary the first turn
// it covers, of what the model recalled the original, of a result that is not repeated
// the one it points to. It is false if that is nowhere, or the row itself.
func (b *book) leads(it item) (target, bool) {
	switch it.kind {
	case kindSaid:
		r := &b.rows[it.at]
		if r.Message >= 0 && b.View.Messages[r.Message].Repeats != 0 {
			return target{n: b.View.Messages[r.Message].Repeats}, true
		}
	case kindMessage:
		msg := &b.messages[it.at]
		if msg.Repeats != 0 {
			return target{n: msg.Repeats}, true
		}
		if msg.State == projection.StateSummarised || msg.State == projection.StateDropped && len(msg.Events) > 0 {
			return target{n: msg.Events[0]}, len(msg.Events) > 0
		}
	case kindEvent:
		if s, ok := b.Log[it.at].Body.(conversation.Summary); ok {
			return target{turn: true, n: uint64(max(s.FromTurn, 0))}, b.turn(s.FromTurn) >= 0
		}
	}
	e := b.event(it)
	if e == nil {
		return target{}, false
	}
	return b.recalled(e)
}
