package past

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/words"
)

// minBlobPrefix is how much of the name of a stored text has to be given.
const minBlobPrefix = 4

// passage is what an id stands for.
type passage struct {
	id     string // to recall it by
	events []int  // indices, ascending
	about  string // of several events; "" for a single one
}

func (l *log) find(id string) (passage, error) {
	number, isNumber := conversation.ParseRecallID(id)
	if isNumber && strings.ContainsAny(id[:1], "eEtT") { // as stubs write it: no id of a call comes before that
		if at, ok := l.numbered(number); ok {
			return at, nil
		}
	}
	for i, e := range slices.Backward(l.events) {
		if r, ok := e.Body.(conversation.ToolResult); ok && r.CallID == id {
			return l.at(i), nil
		}
	}
	if isNumber {
		if at, ok := l.numbered(number); ok {
			return at, nil
		}
	}
	for i, e := range slices.Backward(l.events) {
		reply, _ := e.Body.(conversation.AssistantMessage) // others have no calls
		if slices.ContainsFunc(reply.Calls, func(c conversation.ToolCall) bool { return c.ID == id }) {
			return l.at(i), nil
		}
	}
	return l.blob(id)
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
	one := func(seq uint64) conversation.Span { return conversation.Span{First: seq, Last: seq} }
	out := []conversation.Span{}
	switch b := b.(type) {
	case conversation.Summary:
		return append(out, b.Spans...)
	case conversation.Drop:
		return append(out, b.Spans...)
	case conversation.Cap:
		for _, item := range b.Items {
			out = append(out, one(item.Event))
		}
		return out
	case conversation.Mask:
		for _, item := range b.Items {
			out = append(out, one(item.Event))
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
		if conversation.IsMessage(e.Body) && covered.Holds(e.Seq) {
			list = append(list, i)
		}
	}
	return list
}

// blob is the result whose full text is stored under a name that begins so.
func (l *log) blob(prefix string) (passage, error) {
	found, name := -1, ""
	for i, e := range l.events {
		r, ok := e.Body.(conversation.ToolResult)
		if !ok || len(prefix) < minBlobPrefix || len(r.Blob) < len(prefix) || !strings.EqualFold(r.Blob[:len(prefix)], prefix) {
			continue
		}
		if found >= 0 && name != r.Blob {
			return passage{}, fmt.Errorf("several stored texts begin with %s: e%d, e%d. Give more of the name", prefix, l.events[found].Seq, e.Seq)
		}
		found, name = i, r.Blob
	}
	if found < 0 {
		return passage{}, l.miss(prefix)
	}
	return l.at(found), nil
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
	var names []string
	for _, e := range l.events {
		switch b := e.Body.(type) {
		case conversation.AssistantMessage:
			for _, c := range b.Calls {
				names = append(names, c.ID)
			}
		case conversation.ToolResult:
			if b.Blob != "" {
				names = append(names, b.Blob)
			}
		}
	}
	near := append(words.Nearest(id, names, 3), l.near(seq)...)
	return fmt.Errorf("nothing has the id %s. Near it: %s", conversation.OneLine(id, 80), conversation.OneLine(strings.Join(near, ", "), 300))
}

// nearMost is how many events before and behind one are near it.
const nearMost = 5

// near lists the messages near an event.
func (l *log) near(seq uint64) []string {
	at, _ := slices.BinarySearchFunc(l.events, seq, func(e conversation.Event, seq uint64) int {
		if e.Seq < seq {
			return -1
		}
		return 1
	})
	var ids []string
	for _, e := range l.events[max(0, at-nearMost):min(len(l.events), at+nearMost)] {
		if conversation.IsMessage(e.Body) {
			ids = append(ids, fmt.Sprintf("e%d", e.Seq))
		}
	}
	return ids
}
