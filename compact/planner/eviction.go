package planner

import (
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// listsPart is the room for the lists of a note, as a part of that for the user's
// words: what was done, files, todos and errors.
const listsPart = 0.2

// assumedWindow is the window that the length of a note follows where it is not
// known.
const assumedWindow = 128_000

// room is what each part of a note may have, for a window of so many tokens, 0
// unknown.
func noteRoomIn(e preset.EvictRules, window int) summary.NoteRoom {
	if window <= 0 {
		window = assumedWindow
	}
	e = e.For(window)
	w := float64(window)
	return summary.NoteRoom{Lists: listsPart * e.Words * w, Words: e.Words * w, Index: e.Index * w}
}

// promptShare is what system prompt and tools usually take of a window at most.
const promptShare = 0.125

func promptTokens(r meter.Reading) float64 {
	return float64(r.Segments[projection.System] + r.Segments[projection.Tools])
}

// roomLeft is what system prompt and tools leave of a window, as a share of what they
// usually leave: at most 1.
func roomLeft(window int, r meter.Reading) float64 {
	w := float64(window)
	if w <= 0 {
		return 1
	}
	return max(0, min(1, (w-promptTokens(r))/((1-promptShare)*w)))
}

// eviction is what a step evicts.
type eviction struct {
	spans  []conversation.Span
	tokens float64 // of what goes
	note   float64 // of the note that stands, whose place the new one takes
	left   float64 // of a request without all that
}

// gains is the least that the eviction saves, with room for a note of so many
// tokens. A note grows by less than half of what it comes to stand for.
func (e eviction) gains(room float64) float64 { return e.tokens - min(max(room-e.note, 0), e.tokens/2) }

// oldestUnits is the oldest units of a view that a step evicts, so that a request with
// a note of so many tokens comes down to a target. Pins, the newest message of the
// user, open units and the newest protected tokens stay. It has no spans if nothing
// may go.
func oldestUnits(v projection.View, m meter.Meter, target, note, protected float64) eviction {
	messages := v.Messages
	m = m.WithView(v)
	e := eviction{note: m.Weigh(noteShown(messages))}
	e.left = float64(m.EstimatedTokens()) - e.note
	end, newest := protectedFrom(messages, m, protected), newestOfUser(messages)
	var s spans
	for i := 0; i < end && e.left+note > target; {
		next := unitAt(messages, i)
		if next > end {
			break
		}
		open := isOpen(messages[i:next])
		for k := i; k < next; k++ {
			switch msg := &messages[k]; {
			case msg.State == projection.StatePinned: // it stays also where spans hold it
			case k == newest, open, msg.State == projection.StateSummarised, isPart(msg):
				s.end()
			default:
				s.take(msg)
				tokens := m.Weigh(msg.After()) + m.Framing()
				if e.tokens == 0 {
					tokens += m.BoundTokens() // goes with the first change
				}
				e.tokens, e.left = e.tokens+tokens, e.left-tokens
			}
		}
		i = next
	}
	e.spans = s.taken
	return e
}

// isPart reports whether a message is what is left of units whose calls are left out.
// It is short, and need not hold the whole unit, which is what is evicted.
func isPart(m *projection.Message) bool { return m.Why == projection.WhyLeftOut }

// noteShown is about the size of the note that a view shows. Its text is not read
// for that, as this is asked before every request while a step is due.
func noteShown(messages []projection.Message) conversation.Size {
	for i := range messages {
		m := &messages[i]
		if m.State != projection.StateSummarised {
			continue
		}
		if at := strings.Index(m.Text, "\n"+summary.NoteTitle); at >= 0 {
			part := func(n int) int { return n * (len(m.Text) - at) / len(m.Text) }
			return conversation.Size{ASCII: part(m.Size.ASCII), CJK: part(m.Size.CJK), Other: part(m.Size.Other)}
		}
	}
	return conversation.Size{}
}
