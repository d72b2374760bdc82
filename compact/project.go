package compact

import (
	"fmt"

	"plimsoll/conversation"
)

// Project returns what the model is sent for a log: every user message, reply
// and result in order, with where each came from. It is pure and total: any
// log has a view. Events that change how earlier ones are shown but that this
// build cannot apply leave the view as it was said, and a note says so.
func Project(events []conversation.Event) View {
	v := View{Messages: make([]Message, 0, len(events)), tip: new(int)}
	return v.Extend(events)
}

// Extend returns the view with events appended to the log it was projected
// from: the same as Project of the longer log, at the cost of the new events.
// The receiver stays as it was; a view is extended by one goroutine at a time.
func (v View) Extend(events []conversation.Event) View {
	if v.tip == nil || *v.tip != len(v.Messages) {
		// Another view grew on this array, or this one was not projected here.
		v.Messages = append(make([]Message, 0, len(v.Messages)+len(events)), v.Messages...)
		v.tip = new(int)
	}
	for _, e := range events {
		v.Through = e.Seq
		if k := e.Body.Kind(); k.Overlay() {
			v.Revision = e.Seq
			v.Notes = append(v.Notes[:len(v.Notes):len(v.Notes)],
				fmt.Sprintf("event %d (%s) comes from a newer Plimsoll and is not applied", e.Seq, k))
			continue
		}
		m, ok := message(e)
		if !ok {
			continue
		}
		v.Messages = append(v.Messages, m)
		m.AddTo(&v.Sizes)
	}
	*v.tip = len(v.Messages)
	return v
}

// message is an event as the model is sent it; false for events that are not.
func message(e conversation.Event) (Message, bool) {
	m := Message{Turn: e.Turn, State: StateVerbatim}
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		m.Role, m.Text, m.Size = RoleUser, b.Text, b.Size
	case conversation.AssistantMessage:
		m.Role, m.Text, m.Size = RoleAssistant, b.Text, b.Size
		m.Reasoning, m.ReasoningSize = b.Reasoning, b.ReasoningSize
		m.Calls, m.Extras = b.Calls, b.Extras
	case conversation.ToolResult:
		m.Role, m.Text, m.Size = RoleTool, b.Text, b.Size
		m.CallID, m.Tool = b.CallID, b.Tool
		if b.Total > 0 {
			m.State = StateCapped
			m.Why = fmt.Sprintf("cut on arrival: %d characters", b.Total)
			m.Before = conversation.Size{ASCII: b.Total}
			m.Events = []uint64{e.Seq}
			return m, true
		}
	default:
		return Message{}, false
	}
	m.Before = m.Size
	m.Events = []uint64{e.Seq}
	return m, true
}

// Clone returns a view that shares nothing growable with v, for another
// goroutine to extend.
func (v View) Clone() View {
	v.tip = nil
	return v
}
