package planner

import (
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// listsPart is the size limit of a note's lists (what was done, files, todos and errors),
// as a share of the limit for quotations of the user.
const listsPart = 0.2

// assumedWindow is the window in tokens that the length of a note is derived from if the
// window is unknown.
const assumedWindow = 128_000

// noteRoomIn returns the size limits of the parts of a note for a window of so many
// tokens, 0 unknown.
func noteRoomIn(e preset.EvictRules, window int) summary.NoteRoom {
	if window <= 0 {
		window = assumedWindow
	}
	e = e.Resolve(window)
	w := float64(window)
	return summary.NoteRoom{Lists: listsPart * e.Words * w, Words: e.Words * w, Index: e.Index * w}
}

// promptShare is the usual share of system prompt and tools in a window.
const promptShare = 0.125

func promptTokens(r meter.Reading) float64 {
	return float64(r.Segments[projection.System] + r.Segments[projection.Tools])
}

// roomLeft returns the tokens that system prompt and tools leave of a window, as a share
// of what they usually leave, at most 1.
func roomLeft(window int, r meter.Reading) float64 {
	w := float64(window)
	if w <= 0 {
		return 1
	}
	return max(0, min(1, (w-promptTokens(r))/((1-promptShare)*w)))
}

// eviction is a choice of units to evict.
type eviction struct {
	spans  []conversation.Span
	tokens float64 // of the evicted messages
	note   float64 // tokens of the present note, which the new one replaces
	left   float64 // tokens of the request without both
}

// leastGain returns the fewest tokens that the eviction saves with a note of at most room
// tokens. A note grows by less than half of the tokens that it replaces.
func (e eviction) leastGain(room float64) float64 {
	return e.tokens - min(max(room-e.note, 0), e.tokens/2)
}

// oldestUnits chooses the oldest units of a view to evict, so that a request with a note
// of so many tokens comes down to the target. Pins, the newest user message, units with
// open calls and the newest protected tokens stay. The result has no spans if nothing can
// be evicted.
func oldestUnits(v projection.View, m meter.Meter, target, note, protected float64) eviction {
	messages := v.Messages
	m = m.WithView(v)
	e := eviction{note: m.TextTokens(noteShown(messages))}
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
			case msg.State == projection.StatePinned: // stays even inside evicted spans
			case k == newest, open, msg.State == projection.StateSummarised, replacesCalls(msg):
				s.end()
			default:
				s.add(msg)
				tokens := m.TextTokens(msg.After()) + m.MessageOverhead()
				if e.tokens == 0 {
					tokens += m.BoundThinkingTokens() // reasoning that any earlier change drops
				}
				e.tokens, e.left = e.tokens+tokens, e.left-tokens
			}
		}
		i = next
	}
	e.spans = s.taken
	return e
}

// replacesCalls reports whether a message replaces tool calls that an overlay leaves out. It
// is short and may not contain the whole unit, and only whole units are evicted.
func replacesCalls(m *projection.Message) bool { return m.Why == projection.WhyLeftOut }

// noteShown estimates the size of the note in a view without measuring its text, because
// this is asked before every request while a step is due.
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
