package tools

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll/conversation"
)

// How an id becomes an original: e41 or 41 is an event, t3 a turn, anything else
// the id of a tool call or the name of a stored text, whole or its beginning.

// minBlobPrefix is how much of the name of a stored text has to be given.
const minBlobPrefix = 4

func (a archived) find(id string) (original, error) {
	for _, e := range slices.Backward(a.events) {
		if r, ok := e.Body.(conversation.ToolResult); ok && r.CallID == id {
			return a.original(e)
		}
	}
	low := strings.ToLower(id)
	digits := strings.TrimLeft(low, "et")
	if n, err := strconv.ParseUint(digits, 10, 63); err == nil && len(low)-len(digits) <= 1 {
		if low[0] == 't' {
			return a.turn(int(n))
		}
		if i := slices.IndexFunc(a.events, func(e conversation.Event) bool { return e.Seq == n }); i >= 0 {
			return a.original(a.events[i])
		}
	}
	return a.blob(id)
}

// blob is the result whose full text is stored under a name that begins so.
func (a archived) blob(prefix string) (original, error) {
	if len(prefix) < minBlobPrefix {
		return original{}, a.miss(prefix)
	}
	found := -1
	for i, e := range a.events {
		r, ok := e.Body.(conversation.ToolResult)
		if !ok || !strings.HasPrefix(strings.ToLower(r.Blob), strings.ToLower(prefix)) {
			continue
		}
		if found >= 0 && a.events[found].Body.(conversation.ToolResult).Blob != r.Blob {
			return original{}, fmt.Errorf("several stored texts begin with %s: e%d, e%d. Give more of the name", prefix, a.events[found].Seq, e.Seq)
		}
		found = i
	}
	if found < 0 {
		return original{}, a.miss(prefix)
	}
	return a.original(a.events[found])
}

// original is the text of one event.
func (a archived) original(e conversation.Event) (original, error) {
	o := original{id: fmt.Sprintf("e%d", e.Seq)}
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		o.about, o.text = fmt.Sprintf("message of the user, turn %d", e.Turn), b.Text
	case conversation.AssistantMessage:
		o.about, o.text = fmt.Sprintf("reply, turn %d", e.Turn), replyText(b)
	case conversation.ToolResult:
		o.about, o.text = fmt.Sprintf("result of %s (%s), turn %d", a.callTitle(b), b.Status, e.Turn), b.Text
		if b.Blob != "" {
			text, err := a.archive.Blob(a.ctx, b.Blob)
			if err != nil {
				return original{}, fmt.Errorf("the full text of e%d cannot be read: %w", e.Seq, err)
			}
			o.text = text
		} else if b.Total > 0 {
			o.note = fmt.Sprintf(" (of %s characters only these were kept)", grouped(b.Total))
		}
	case conversation.Notice:
		o.about, o.text = fmt.Sprintf("notice, turn %d", e.Turn), b.Text
	default:
		return original{}, fmt.Errorf("e%d is a record of %s without text. %s", e.Seq, e.Body.Kind(), a.near(e.Seq))
	}
	return o, nil
}

// replyText is a reply with the calls it made.
func replyText(m conversation.AssistantMessage) string {
	parts := []string{}
	if m.Text != "" {
		parts = append(parts, m.Text)
	}
	for _, c := range m.Calls {
		parts = append(parts, "["+c.Name+" "+c.Arguments+"]")
	}
	return strings.Join(parts, "\n\n")
}

// turn is everything said and returned in one turn.
func (a archived) turn(n int) (original, error) {
	o := original{id: fmt.Sprintf("t%d", n), about: fmt.Sprintf("turn %d", n)}
	var b strings.Builder
	for _, e := range a.events {
		if e.Turn != n {
			continue
		}
		switch e.Body.(type) {
		case conversation.UserMessage, conversation.AssistantMessage, conversation.ToolResult:
		default:
			continue
		}
		part, err := a.original(e)
		if err != nil {
			return original{}, err
		}
		fmt.Fprintf(&b, "--- %s: %s%s\n%s\n\n", part.id, part.about, part.note, part.text)
	}
	if b.Len() == 0 {
		return original{}, a.miss(o.id)
	}
	o.text = strings.TrimRight(b.String(), "\n")
	return o, nil
}

// miss says that nothing has an id, and which ids come close.
func (a archived) miss(id string) error {
	if len(a.events) == 0 {
		return errors.New("nothing has been said yet")
	}
	last := a.events[len(a.events)-1]
	number, err := strconv.ParseUint(strings.TrimLeft(strings.ToLower(id), "et"), 10, 63)
	if err == nil && strings.HasPrefix(strings.ToLower(id), "t") {
		return fmt.Errorf("there is no turn %s; the turns are t0 to t%d", id, last.Turn)
	}
	if err == nil {
		return fmt.Errorf("there is no event %s; the events are e%d to e%d. %s", id, a.events[0].Seq, last.Seq, a.near(number))
	}
	var calls []string
	for _, e := range a.events {
		if r, ok := e.Body.(conversation.ToolResult); ok {
			calls = append(calls, r.CallID)
			if r.Blob != "" {
				calls = append(calls, r.Blob)
			}
		}
	}
	if near := nearest(id, calls, 3); len(near) > 0 {
		return fmt.Errorf("nothing has the id %s. Close to it: %s", id, strings.Join(near, ", "))
	}
	return fmt.Errorf("nothing has the id %s. %s", id, a.near(last.Seq))
}

// near names the events with text closest to seq.
func (a archived) near(seq uint64) string {
	type candidate struct {
		distance uint64
		text     string
	}
	var list []candidate
	for _, e := range a.events {
		name := ""
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			name = "message of the user"
		case conversation.AssistantMessage:
			name = "reply"
		case conversation.ToolResult:
			name = "result of " + b.Tool
		default:
			continue
		}
		list = append(list, candidate{max(e.Seq, seq) - min(e.Seq, seq), fmt.Sprintf("e%d (%s, turn %d)", e.Seq, name, e.Turn)})
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return int(x.distance) - int(y.distance) })
	var names []string
	for _, c := range clip(list, 5) {
		names = append(names, c.text)
	}
	if len(names) == 0 {
		return "No event with text is there yet"
	}
	return "Close to it: " + strings.Join(names, ", ") + ". recall without id lists the results that were cut"
}
