package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"time"
	"unicode/utf8"
)

// Log is a conversation's events in memory. It assigns sequence numbers and
// turns. An event is added only after it is stored, so callers call Prepare,
// store the events, then call Commit. The zero value is an empty log. A Log is
// owned by one goroutine; other goroutines may read slices returned by Events,
// because events are never changed.
type Log struct {
	events []Event
	users  int    // user messages committed
	rev    uint64 // Seq of the newest overlay
}

// NewLog returns a log of stored events. Their Seq must be gapless from 1; the error
// names the first event that is not. The log shares the slice, which the caller must
// not change; appending to the log copies it.
func NewLog(events []Event) (*Log, error) {
	l := &Log{}
	for i := range events {
		if err := l.accept(&events[i], i); err != nil {
			return nil, err
		}
	}
	l.events = slices.Clip(events)
	return l, nil
}

// IndexOf returns the index of the event with a Seq, -1 if events has none.
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

// Newest returns the newest body of a kind in a log, false without one.
func Newest[T Body](events []Event) (body T, ok bool) {
	for _, e := range slices.Backward(events) {
		if body, ok = e.Body.(T); ok {
			break
		}
	}
	return body, ok
}

// Events returns the events so far. Callers must not change them.
func (l *Log) Events() []Event { return l.events[:len(l.events):len(l.events)] }

// Len returns the number of events, which is the Seq of the newest one.
func (l *Log) Len() int { return len(l.events) }

// Revision returns the Seq of the newest overlay, 0 without one.
func (l *Log) Revision() uint64 { return l.rev }

// Turns returns the number of turns that have begun.
func (l *Log) Turns() int { return l.users }

// Turn returns the turn of the next event, unless that is a user message, which begins a new turn.
func (l *Log) Turn() int { return max(0, l.users-1) }

// Prepare returns the events that would follow with these bodies, cleaned and
// measured. It adds nothing: store the events, then Commit them.
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

// Commit adds events that are stored. It fails at a nil body or a gap in their Seq.
func (l *Log) Commit(events []Event) error {
	l.events = slices.Grow(l.events, len(events))
	for i := range events {
		if err := l.accept(&events[i], len(l.events)); err != nil {
			return err
		}
		l.events = append(l.events, events[i])
	}
	return nil
}

// accept updates the turn count and the revision for an event that follows so many
// others. It fails for a nil body or a wrong Seq.
func (l *Log) accept(e *Event, others int) error {
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
	case MCPServer:
		b.Version, b.Error = Clean(b.Version), Clean(b.Error)
		return b
	case JobStarted:
		b.Command = CommandName(b.Command)
		return b
	case JobEnded:
		b.Command, b.How = CommandName(b.Command), Clean(b.How)
		return b
	case TaskStarted:
		b.Prompt = Clean(b.Prompt)
		return b
	case HookRan:
		b.Reason = Clean(b.Reason)
		var keep []string
		for _, text := range b.Keep {
			keep = append(keep, Clean(text))
		}
		b.Keep = keep
		return b
	}
	return normalizeOverlay(b)
}

// normalizeOverlay cleans the texts of an overlay; other bodies are returned unchanged.
func normalizeOverlay(b Body) Body {
	origin, ok := OriginOf(b)
	if !ok {
		return b
	}
	origin.Why = Clean(origin.Why)
	if s, ok := b.(Summary); ok {
		s.Text, s.Appendix, s.Focus, s.Transcript = Clean(s.Text), Clean(s.Appendix), Clean(s.Focus), Clean(s.Transcript)
		b = s
	}
	return WithOrigin(b, origin)
}

func (b *UserMessage) normalize() {
	b.Text = Clean(b.Text)
	b.Size = Measure(b.Text)
	b.Images, b.Size.Images = normalizeImages(b.Images)
}

func normalizeImages(images []Image) ([]Image, ImageSize) {
	images = slices.Clone(images)
	for i := range images {
		images[i].normalize()
	}
	return images, SizeOfImages(images)
}

func (b *ToolResult) normalize() {
	b.Text, b.Detail = Clean(b.Text), Clean(b.Detail)
	b.Size = Measure(b.Text)
	b.Images, b.Size.Images = normalizeImages(b.Images)
}

func (b *AssistantMessage) normalize() {
	b.Text, b.Reasoning, b.Error = Clean(b.Text), Clean(b.Reasoning), Clean(b.Error)
	b.Size, b.ReasoningSize = Measure(b.Text), Measure(b.Reasoning)
	b.Extras = cleanExtras(b.Extras)
	b.Calls = slices.Clone(b.Calls)
	for i := range b.Calls {
		c := &b.Calls[i]
		c.Name = Clean(c.Name)
		c.Arguments, _ = RepairArguments(Clean(c.Arguments))
		c.Size = Measure(c.Name).Plus(Measure(c.Arguments))
		c.Extra = cleanJSON(c.Extra)
	}
}

// cleanExtras removes values that are not JSON: they could be neither stored nor sent.
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

// cleanJSON returns raw as valid UTF-8; nil if it is not JSON.
func cleanJSON(raw RawJSON) RawJSON {
	switch {
	case len(raw) == 0 || !json.Valid(raw):
		return nil
	case utf8.Valid(raw):
		return raw
	}
	return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
}
