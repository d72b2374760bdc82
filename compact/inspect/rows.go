package inspect

import (
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// History rows compare each logged message with its form in a request. Rules:
//
//   - They use only the view's record of which events a message represents.
//   - Every sent message counts on one row, so that the sizes of all rows add up to the size of the view.
//   - If a pair of messages represents a range, the rows show the message with the summary, not the fixed
//     question or answer of the pair.

// HistoryRow is one logged message and its form in a view.
type HistoryRow struct {
	Event        int  // index into the log
	Message      int  // index into the view's messages, -1 if the view leaves it out
	ShowsMessage bool // the message is shown on this row; the rows of its other events refer to it
	State        projection.State
	Why          string
	Overlay      uint64 // Seq of the newest overlay that changed it, 0 without one
	// Before is the size of the logged message, After that of the sent one. A message that represents several events
	// has its size on its first row only, fixed question or answer included.
	Before, After conversation.Size
}

// HistoryRows returns a row for each user message, reply and tool result of a log, in log order, for a view of that
// log.
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
	rowOf []int32 // by log index: the row + 1, 0 for events without a row
}

func (t *rowBuilder) find(seq uint64) *HistoryRow {
	if len(t.log) == 0 {
		return nil
	}
	i := int(seq - t.log[0].Seq) // correct if the log has no gaps
	if i < 0 || i >= len(t.log) || t.log[i].Seq != seq {
		i = conversation.IndexOf(t.log, seq)
	}
	if i < 0 || t.rowOf[i] == 0 {
		return nil
	}
	return &t.rows[t.rowOf[i]-1]
}

// placeMessage assigns message k to those rows of its events that have no message yet. It returns false if there are
// none.
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
