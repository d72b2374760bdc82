package recall

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// minBlobPrefix is how many leading characters identify the name of a stored text.
const minBlobPrefix = 4

// passage is the part of the log that an id names.
type passage struct {
	id     string // argument of recall for this passage
	events []int  // indices, ascending
	about  string // describes several events; "" for a single one
}

// find resolves an id: first a number with a letter, as stubs write it (e41, t3), then the id
// of a call, a number alone, and the name of a stored text. The id of a call names its result,
// or the reply with the call if it has no result.
func (l *log) find(id string) (passage, error) {
	number, isNumber := conversation.ParseRecallID(id)
	at, found := passage{}, false
	if isNumber {
		at, found = l.numbered(number)
	}
	if found && strings.ContainsAny(id[:1], "eEtT") {
		return at, nil
	}
	for i, e := range slices.Backward(l.events) {
		switch b := e.Body.(type) {
		case conversation.ToolResult:
			if b.CallID == id {
				return l.passageAt(i), nil
			}
		case conversation.AssistantMessage:
			if slices.ContainsFunc(b.Calls, func(c conversation.ToolCall) bool { return c.ID == id }) {
				return l.passageAt(i), nil
			}
		}
	}
	if found {
		return at, nil
	}
	for i, e := range slices.Backward(l.events) {
		r, _ := e.Body.(conversation.ToolResult) // others have no stored text
		if n := len(id); n >= minBlobPrefix && n <= len(r.Blob) && strings.EqualFold(r.Blob[:n], id) {
			return l.passageAt(i), nil
		}
	}
	return passage{}, l.notFound(id)
}

// numbered resolves the numbers of events or turns; false if the log has none of them.
func (l *log) numbered(id conversation.RecallID) (passage, bool) {
	if seq, one := id.Event(); one {
		i := conversation.IndexOf(l.events, seq)
		if i < 0 {
			return passage{}, false
		}
		return l.passageAt(i), true
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

// passageAt returns the passage of event i; the passage of an overlay is the messages it covers.
func (l *log) passageAt(i int) passage {
	e := l.events[i]
	at := passage{id: fmt.Sprintf("e%d", e.Seq), events: []int{i}}
	if covered := conversation.SpansOf(e.Body); covered != nil {
		at.events = l.within(covered)
		at.about = fmt.Sprintf("the messages that this %s covers", e.Body.Kind())
	}
	return at
}

// within returns the indices of the messages in spans.
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

// notFound returns the error for an unknown id; it names the ids near it.
func (l *log) notFound(id string) error {
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
	return fmt.Errorf("nothing has the id %s. Near it: %s", conversation.OneLine(id, 80), l.nearbyIDs(seq))
}

// nearMost is the distance in the log below which events count as near.
const nearMost = 5

func (l *log) nearbyIDs(seq uint64) string {
	seq = min(seq, l.events[len(l.events)-1].Seq)
	var ids []string
	for _, e := range l.events {
		if e.Seq+nearMost > seq && e.Seq < seq+nearMost && conversation.IsMessage(e.Body) {
			ids = append(ids, fmt.Sprintf("e%d", e.Seq))
		}
	}
	return strings.Join(ids, ", ")
}
