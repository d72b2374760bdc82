package compact

import "plimsoll/conversation"

// Rows lay what was said beside what the model is sent, event by event. They read
// the report of a view only.

// Row is one event that was said, and what stands for it in a view.
type Row struct {
	Event   int  // index into the log
	Message int  // index into the view's messages, -1 if nothing stands for it
	First   bool // the message is shown here: its other events are part of it
	State   State
	Why     string
	Overlay uint64 // Seq of the newest overlay that shaped it, 0 if none did
	// Before is the size of what was said; After of what is sent, which a message
	// that stands for several events has on its first row only.
	Before, After conversation.Size
}

// Rows lists a row for each message of the user, reply and result of a log, in its
// order, as a view of that log shows them.
func Rows(log []conversation.Event, v View) []Row {
	if len(log) == 0 {
		return nil
	}
	rows := make([]Row, 0, len(log))
	at := make([]int32, len(log)) // by index into the log: the row + 1
	for i := range log {
		if before, said := sizeSaid(log[i].Body); said {
			rows = append(rows, Row{Event: i, Message: -1, State: StateDropped, Before: before})
			at[i] = int32(len(rows))
		}
	}
	find := func(seq uint64) *Row {
		i := seq - log[0].Seq
		if seq < log[0].Seq || i >= uint64(len(at)) || at[i] == 0 {
			return nil
		}
		return &rows[at[i]-1]
	}
	for k := range v.Messages {
		m := &v.Messages[k]
		shown := false
		for _, seq := range m.Events {
			r := find(seq)
			if r == nil || r.Message >= 0 {
				continue
			}
			r.Message, r.State, r.Why, r.Overlay = k, m.State, m.Why, m.Overlay
			if !shown {
				shown, r.First, r.After = true, true, m.After()
			}
		}
	}
	for _, a := range v.Absent {
		if r := find(a.Event); r != nil && r.Message < 0 {
			r.State, r.Why, r.Overlay = a.State, a.Why, a.Overlay
		}
	}
	return rows
}

// sizeSaid is the size of what an event says to or by the model, reasoning aside;
// false for events that say nothing.
func sizeSaid(b conversation.Body) (conversation.Size, bool) {
	switch b := b.(type) {
	case conversation.UserMessage:
		return b.Size, true
	case conversation.ToolResult:
		return b.Size, true
	case conversation.AssistantMessage:
		s := b.Size
		for _, c := range b.Calls {
			s = s.Plus(c.Size)
		}
		return s, true
	}
	return conversation.Size{}, false
}
