package inspect

import (
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Rows lay what was said beside what the model is sent, event by event. Rules:
//
//   - They read the report of a view only: which events a message stands for.
//   - Everything that is sent for something that was said counts on one row, so
//     that the sizes of all rows add up to what is sent.
//   - Of a pair that stands for a range, the rows name the message that tells of
//     it, and not the fixed words beside it.

// HistoryRow is one event that was said, and what stands for it in a view.
type HistoryRow struct {
	Event        int  // index into the log
	Message      int  // index into the view's messages, -1 if nothing stands for it
	ShowsMessage bool // the message is shown here: its other events are part of it
	State        projection.State
	Why          string
	Overlay      uint64 // Seq of the newest overlay that shaped it, 0 if none did
	// Before is the size of what was said; After of what is sent, which a message
	// that stands for several events has on its first row only, with the fixed
	// words beside it.
	Before, After conversation.Size
}

// HistoryRows lists a row for each message of the user, reply and result of a log, in its
// order, as a view of that log shows them.
func HistoryRows(log []conversation.Event, v projection.View) []HistoryRow {
	t := rowBuilder{log: log, rows: make([]HistoryRow, 0, len(log)), rowOf: make([]int32, len(log))}
	for i := range log {
		if before, said := conversation.MessageSize(log[i].Body); said {
			t.rows = append(t.rows, HistoryRow{Event: i, Message: -1, State: projection.StateDropped, Before: before})
			t.rowOf[i] = int32(len(t.rows))
		}
	}
	for k := range v.Messages {
		if m := &v.Messages[k]; !t.placeMessage(k, m) {
			t.addMessage(k, m, v.Messages)
		}
	}
	for _, a := range v.Absent {
		if r := t.find(a.Event); r != nil && r.Message < 0 {
			r.State, r.Why, r.Overlay = a.State, a.Why, a.Overlay
		}
	}
	return t.rows
}

type rowBuilder struct {
	log   []conversation.Event
	rows  []HistoryRow
	rowOf []int32 // by index into the log: the row + 1, 0 for events without one
}

func (t *rowBuilder) find(seq uint64) *HistoryRow {
	if len(t.log) == 0 {
		return nil
	}
	i := int(seq - t.log[0].Seq) // of a log that lacks nothing, wherever it begins
	if i < 0 || i >= len(t.log) || t.log[i].Seq != seq {
		i = conversation.IndexOf(t.log, seq)
	}
	if i < 0 || t.rowOf[i] == 0 {
		return nil
	}
	return &t.rows[t.rowOf[i]-1]
}

// placeMessage puts message k on the rows of its events that no message stands for yet;
// false if there are none.
func (t *rowBuilder) placeMessage(k int, m *projection.Message) bool {
	shown := false
	for _, seq := range m.Events {
		r := t.find(seq)
		if r == nil || r.Message >= 0 {
			continue
		}
		r.fill(k, m)
		if !shown {
			shown, r.ShowsMessage, r.After = true, true, m.After()
		}
	}
	return shown
}

func (t *rowBuilder) addMessage(k int, m *projection.Message, messages []projection.Message) {
	counted := false
	for _, seq := range m.Events {
		r := t.find(seq)
		if r == nil {
			continue
		}
		if !counted {
			counted, r.After = true, r.After.Plus(m.After())
		}
		if m.Before.Chars() > 0 && messages[r.Message].Before.Chars() == 0 {
			r.fill(k, m)
		}
	}
}

func (r *HistoryRow) fill(k int, m *projection.Message) {
	r.Message, r.State, r.Why, r.Overlay = k, m.State, m.Why, m.Overlay
}
