package session

import (
	"slices"

	"plimsoll/compact/projection"

	"plimsoll/conversation"
)

// Everything that was said, with how the model sees it now. What a row says is
// the log's; its state is that of the message of the view that stands for it.

// AsSaid is all messages of a conversation as they were said, each with its
// State in the view.
func (r *Snapshot) OriginalMessages() []projection.Message {
	states := StatesOf(r.View)
	said := projection.Project(withoutOverlays(r.WithPartial)).Messages
	for i := range said {
		if state, ok := states[said[i].Events[0]]; ok {
			said[i].State = state
		}
	}
	return said
}

// StatesOf tells how a view shows each event.
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

// withoutOverlays is a log in which nothing is shown otherwise than it was said.
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

// Stored are the events of a message that the log holds: a reply that was
// arriving when the program ended has none yet.
func (r *Snapshot) StoredOnly(events []uint64) []uint64 {
	newest := uint64(len(r.Events))
	return slices.DeleteFunc(slices.Clone(events), func(seq uint64) bool { return seq > newest })
}
