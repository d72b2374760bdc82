package past

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// minBlobPrefix is how much of the name of a stored text has to be given.
const minBlobPrefix = 4

// passage is what an id stands for.
type passage struct {
	id     string // to recall it by
	events []int  // indices, ascending
	about  string // of several events; "" for a single one
}

// find looks for numbers with their letter, as stubs write them, then for the id of a call,
// for numbers alone, and for the name of a stored text. Of a call its result is meant, or the
// reply that made it.
func (l *log) find(id string) (passage, error) {
	number, isNumber := conversation.ParseRecallID(id)
	at, there := passage{}, false
	if isNumber {
		at, there = l.numbered(number)
	}
	if there && strings.ContainsAny(id[:1], "eEtT") {
		return at, nil
	}
	for i, e := range slices.Backward(l.events) {
		switch b := e.Body.(type) {
		case conversation.ToolResult:
			if b.CallID == id {
				return l.at(i), nil
			}
		case conversation.AssistantMessage:
			if slices.ContainsFunc(b.Calls, func(c conversation.ToolCall) bool { return c.ID == id }) {
				return l.at(i), nil
			}
		}
	}
	if there {
		return at, nil
	}
	for i, e := range slices.Backward(l.events) {
		r, _ := e.Body.(conversation.ToolResult) // others have no stored text
		if n := len(id); n >= minBlobPrefix && n <= len(r.Blob) && strings.EqualFold(r.Blob[:n], id) {
			return l.at(i), nil
		}
	}
	return passage{}, l.miss(id)
}

// numbered finds events and turns; false if there are none of these numbers.
func (l *log) numbered(id conversation.RecallID) (passage, bool) {
	if seq, one := id.Event(); one {
		i := conversation.IndexOf(l.events, seq)
		if i < 0 {
			return passage{}, false
		}
		return l.at(i), true
	}
	at := passage{id: id.String()}
	exists := false
	for i, e := range l.events {
		n := e.Seq
		if id.Turns {
			n = uint64(max(0, e.Turn))
		}
		if n < id.First || n > id.Last {
			continue
		}
		exists = true
		if conversation.IsMessage(e.Body) {
			at.events = append(at.events, i)
		}
	}
	at.about = numbers.Count(len(at.events), "message")
	return at, exists
}

// at is the passage of one event: of an overlay, the messages that it covers.
func (l *log) at(i int) passage {
	e := l.events[i]
	at := passage{id: fmt.Sprintf("e%d", e.Seq), events: []int{i}}
	if covered := spans(e.Body); covered != nil {
		at.events = l.within(covered)
		at.about = fmt.Sprintf("the messages that this %s covers", e.Body.Kind())
	}
	return at
}

// spans is the runs of events that an overlay shows in another way, nil for other bodies.
func spans(b conversation.Body) []conversation.Span {
	out := []conversation.Span{}
	switch b := b.(type) {
	case conversation.Summary:
		return append(out, b.Spans...)
	case conversation.Drop:
		return append(out, b.Spans...)
	case conversation.Cap:
		for _, item := range b.Items {
			out = append(out, conversation.Span{First: item.Event, Last: item.Event})
		}
		return out
	case conversation.Mask:
		for _, item := range b.Items {
			out = append(out, conversation.Span{First: item.Event, Last: item.Event})
		}
		return out
	}
	return nil
}

// within lists the messages of spans.
func (l *log) within(spans []conversation.Span) []int {
	covered := conversation.Disjoint(spans)
	var list []int
	for i, e := range l.events {
		if conversation.IsMessage(e.Body) && covered.Contains(e.Seq) {
			list = append(list, i)
		}
	}
	return list
}

// miss says that nothing has an id, and which ids are near.
func (l *log) miss(id string) error {
	if len(l.events) == 0 {
		return errors.New("nothing has been said yet")
	}
	last := l.events[len(l.events)-1]
	seq := last.Seq
	if n, ok := conversation.ParseRecallID(id); ok {
		if n.Turns {
			return fmt.Errorf("there is no turn %s; the turns are t0 to t%d", n, last.Turn)
		}
		seq = n.First
	}
	return fmt.Errorf("nothing has the id %s. Near it: %s", conversation.OneLine(id, 80), l.near(seq))
}

// nearMost is how many events before and behind one are near it.
const nearMost = 5

// near lists the messages near an event.
func (l *log) near(seq uint64) string {
	seq = min(seq, l.events[len(l.events)-1].Seq)
	var ids []string
	for _, e := range l.events {
		if e.Seq+nearMost > seq && e.Seq < seq+nearMost && conversation.IsMessage(e.Body) {
			ids = append(ids, fmt.Sprintf("e%d", e.Seq))
		}
	}
	return strings.Join(ids, ", ")
}
