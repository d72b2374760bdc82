package session

import (
	"slices"

	"plimsoll/compact/projection"

	"plimsoll/conversation"
)

// All original messages, each with its state in the view: the text comes from the log, the state from the message of the view
// that shows or replaces it.

// OriginalMessages returns all messages of a conversation without compaction, each with its State in the view.
func (snapshot *Snapshot) OriginalMessages() []projection.Message {
	states := StatesOf(snapshot.View)
	messages := projection.Project(withoutOverlays(snapshot.WithPartial)).Messages
	for i := range messages {
		if state, ok := states[messages[i].Events[0]]; ok {
			messages[i].State = state
		}
	}
	return messages
}

// StatesOf returns the state of each event in a view, by Seq.
func StatesOf(v projection.View) map[uint64]projection.State {
	states := map[uint64]projection.State{}
	for i := range v.Messages {
		for _, seq := range v.Messages[i].Events {
			states[seq] = v.Messages[i].State
		}
	}
	for _, a := range v.Absent {
		states[a.Event] = a.State
	}
	return states
}

// withoutOverlays returns the log without events that change how others are shown.
func withoutOverlays(events []conversation.Event) []conversation.Event {
	out := make([]conversation.Event, 0, len(events))
	for _, e := range events {
		if e.Body.Kind().IsOverlay() {
			continue
		}
		if result, ok := e.Body.(conversation.ToolResult); ok && result.Repeats != 0 {
			result.Repeats = 0
			e.Body = result
		}
		out = append(out, e)
	}
	return out
}

// StoredOnly returns those of a message's events that the log holds. An interrupted reply is not in the log yet.
func (snapshot *Snapshot) StoredOnly(events []uint64) []uint64 {
	newest := uint64(len(snapshot.Events))
	return slices.DeleteFunc(slices.Clone(events), func(seq uint64) bool { return seq > newest })
}
