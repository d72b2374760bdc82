package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// Log is a conversation's events in memory. It assigns sequence numbers and
// turns. Adding is in two steps, because an event counts only once it is
// stored: Prepare, store, Commit. The zero value is an empty log. A Log is
// owned by one goroutine; slices returned by Events may be read by others
// because events are never changed.
type Log struct {
	events []Event
	users  int    // user messages committed
	rev    uint64 // Seq of the newest overlay
}

// NewLog returns a log of stored events. Events must be gapless from Seq 1;
// anything else is reported with the place where it breaks. The log shares the list,
// which nobody may change from now on; what it adds it adds to a list of its own.
func NewLog(events []Event) (*Log, error) {
	l := &Log{}
	for i := range events {
		if err := l.count(&events[i], i); err != nil {
			return nil, err
		}
	}
	l.events = slices.Clip(events)
	return l, nil
}

// Events is the log so far. Callers must not change it.
func (l *Log) Events() []Event { return l.events[:len(l.events):len(l.events)] }

// Len is the number of events, and the Seq of the newest one.
func (l *Log) Len() int { return len(l.events) }

// Revision is the Seq of the newest overlay, 0 without one.
func (l *Log) Revision() uint64 { return l.rev }

// Turns is the number of turns begun.
func (l *Log) Turns() int { return l.users }

// Turn is the turn the next event belongs to unless it is a user message.
func (l *Log) Turn() int { return max(0, l.users-1) }

// Prepare makes the bodies into the events that would follow, cleaned and
// measured. Nothing is added: store them, then Commit them.
func (l *Log) Prepare(now time.Time, bodies ...Body) []Event {
	out := make([]Event, 0, len(bodies))
	users := l.users
	for i, b := range bodies {
		b = normalize(b)
		if b.Kind() == KindUser {
			users++
		}
		out = append(out, Event{
			Seq:  uint64(len(l.events) + i + 1),
			Turn: max(0, users-1),
			Time: now.UTC().Truncate(time.Millisecond),
			Body: b,
		})
	}
	return out
}

// Commit adds events that are stored.
func (l *Log) Commit(events []Event) error {
	l.events = slices.Grow(l.events, len(events))
	for i := range events {
		if err := l.count(&events[i], len(l.events)); err != nil {
			return err
		}
		l.events = append(l.events, events[i])
	}
	return nil
}

// count takes in what an event says of the log, if it may follow so many others.
func (l *Log) count(e *Event, others int) error {
	if e.Body == nil {
		return fmt.Errorf("event %d has no body", e.Seq)
	}
	if e.Seq != uint64(others+1) {
		return fmt.Errorf("event %d follows event %d", e.Seq, others)
	}
	k := e.Body.Kind()
	if k == KindUser {
		l.users++
	}
	if k.IsOverlay() {
		l.rev = e.Seq
	}
	return nil
}

// normalize cleans and measures the text of a body once, so that projecting
// and metering never scan it again.
func normalize(b Body) Body {
	switch b := b.(type) {
	case UserMessage:
		b.normalize()
		return b
	case AssistantMessage:
		b.normalize()
		return b
	case ToolResult:
		b.normalize()
		return b
	case Renamed:
		b.Title = Clean(b.Title)
		return b
	case Notice:
		b.Text = Clean(b.Text)
		return b
	case TurnFailed:
		b.Message, b.Hint = Clean(b.Message), Clean(b.Hint)
		return b
	case Attempt:
		b.Why = Clean(b.Why)
		return b
	}
	return normalizeOverlay(b)
}

// normalizeOverlay cleans what an overlay says in words; other bodies are
// returned as they are.
func normalizeOverlay(b Body) Body {
	m, ok := OriginOf(b)
	if !ok {
		return b
	}
	m.Why = Clean(m.Why)
	if s, ok := b.(Summary); ok {
		s.Text, s.Appendix, s.Focus, s.Transcript = Clean(s.Text), Clean(s.Appendix), Clean(s.Focus), Clean(s.Transcript)
		b = s
	}
	return WithOrigin(b, m)
}

func (b *UserMessage) normalize() {
	b.Text = Clean(b.Text)
	b.Size = Measure(b.Text)
}

func (b *ToolResult) normalize() {
	b.Text, b.Detail = Clean(b.Text), Clean(b.Detail)
	b.Size = Measure(b.Text)
}

func (b *AssistantMessage) normalize() {
	b.Text, b.Reasoning, b.Error = Clean(b.Text), Clean(b.Reasoning), Clean(b.Error)
	b.Size, b.ReasoningSize = Measure(b.Text), Measure(b.Reasoning)
	b.Extras = cleanExtras(b.Extras)
	if len(b.Calls) == 0 {
		return
	}
	calls := make([]ToolCall, len(b.Calls))
	for i, c := range b.Calls {
		c.Name = Clean(c.Name)
		c.Arguments, _ = RepairArguments(Clean(c.Arguments))
		c.Size = Measure(c.Name).Plus(Measure(c.Arguments))
		c.Extra = cleanJSON(c.Extra)
		calls[i] = c
	}
	b.Calls = calls
}

// cleanExtras leaves out what is no JSON: it could be neither stored nor sent.
func cleanExtras(extras map[string]RawJSON) map[string]RawJSON {
	if len(extras) == 0 {
		return nil
	}
	out := make(map[string]RawJSON, len(extras))
	for name, raw := range extras {
		if raw = cleanJSON(raw); len(raw) > 0 {
			out[Clean(name)] = raw
		}
	}
	return out
}

// cleanJSON is raw as valid UTF-8, nothing if it is no JSON.
func cleanJSON(raw RawJSON) RawJSON {
	switch {
	case len(raw) == 0 || !json.Valid(raw):
		return nil
	case utf8.Valid(raw):
		return raw
	}
	return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
}
