package conversation

import "sort"

// Messages are the events that the model is sent: messages of the user, replies and tool results.

// IndexOf is the index of the event with a Seq, -1 if there is none.
func IndexOf(events []Event, seq uint64) int {
	if i := seq - 1; i < uint64(len(events)) && events[i].Seq == seq {
		return int(i)
	}
	i := sort.Search(len(events), func(i int) bool { return events[i].Seq >= seq })
	if i < len(events) && events[i].Seq == seq {
		return i
	}
	return -1
}

// IsMessage reports whether a body becomes a message.
func IsMessage(b Body) bool {
	switch b.(type) {
	case UserMessage, AssistantMessage, ToolResult:
		return true
	}
	return false
}

// MessagesIn lists the messages of spans, without what a rewind leaves out. No other overlay
// matters (S64: the raw-stream invariant).
func MessagesIn(log []Event, spans []Span) []Event {
	gone, covered := TakenBack(log), Disjoint(spans)
	var out []Event
	for i := range log {
		if e := &log[i]; IsMessage(e.Body) && covered.Holds(e.Seq) && (gone == nil || gone[i] == 0) {
			out = append(out, *e)
		}
	}
	return out
}

// TurnsOf is the first and the last turn of events, 0 and 0 for none.
func TurnsOf(events []Event) (from, to int) {
	for i, e := range events {
		if i == 0 || e.Turn < from {
			from = e.Turn
		}
		to = max(to, e.Turn)
	}
	return from, to
}

// MessageSize is the size of a message with its calls, reasoning aside; false for
// bodies that are no messages.
func MessageSize(b Body) (Size, bool) {
	switch b := b.(type) {
	case UserMessage:
		return b.Size, true
	case ToolResult:
		return b.Size, true
	case AssistantMessage:
		s := b.Size
		for _, c := range b.Calls {
			s = s.Plus(c.Size)
		}
		return s, true
	}
	return Size{}, false
}
