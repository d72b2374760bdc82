package planner

import (
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// listsShare is the size limit of a note's lists (what was done, files, todos and errors), as a share of the limit for
// quotations of the user.
const listsShare = 0.2

// assumedWindow is used for an unknown window when the length of a note is computed, in tokens.
const assumedWindow = 128_000

// promptShare is the share of a window that system prompt and tools usually take.
const promptShare = 0.125

func promptTokens(r meter.Reading) float64 {
	return float64(r.Segments[projection.System] + r.Segments[projection.Tools])
}

// shareLeftByPrompt divides the tokens that system prompt and tools leave of this window by those that they usually leave. It
// returns at most 1.
func shareLeftByPrompt(window int, r meter.Reading) float64 {
	w := float64(window)
	if w <= 0 {
		return 1
	}
	return max(0, min(1, (w-promptTokens(r))/((1-promptShare)*w)))
}

// eviction is a choice of units to evict.
type eviction struct {
	spans     []conversation.Span
	tokens    float64 // of the evicted messages
	note      float64 // tokens of the present note, which the new note replaces
	remaining float64 // tokens of the request without the evicted messages and the present note
}

// chooseEviction chooses the oldest units of a view to evict, so that a request with a note of so many tokens comes down to the
// target. Pins, the newest user message, units with open calls and the newest protected tokens stay. The result has no spans if
// nothing can be evicted.
func chooseEviction(v projection.View, m meter.Meter, target, note, protected float64) eviction {
	messages := v.Messages
	m = m.WithView(v)
	e := eviction{note: m.TextTokens(shownNoteSize(messages))}
	e.remaining = float64(m.EstimatedTokens()) - e.note
	end, newest := firstProtected(messages, m, protected), newestUserMessage(messages)
	var s spanBuilder
	for i := 0; i < end && e.remaining+note > target; {
		next := projection.UnitEnd(messages, i)
		if next > end {
			break
		}
		open := hasOpenCall(messages[i:next])
		for k := i; k < next; k++ {
			switch msg := &messages[k]; {
			case msg.State == projection.StatePinned: // stays even inside evicted spans
			case k == newest, open, msg.State == projection.StateSummarised:
				s.endSpan()
			case msg.Why == projection.WhyLeftOut: // a message about left-out calls may stand for only a part of a unit
				s.endSpan()
			default:
				s.addMessage(msg)
				tokens := m.TextTokens(msg.After()) + m.MessageOverhead()
				if e.tokens == 0 {
					tokens += m.BoundThinkingTokens() // reasoning that any change of an earlier message drops
				}
				e.tokens, e.remaining = e.tokens+tokens, e.remaining-tokens
			}
		}
		i = next
	}
	e.spans = s.built
	return e
}

// shownNoteSize estimates the size of the note in a view. It does not measure the text, because the planner calls it before
// every request while an eviction is due.
func shownNoteSize(messages []projection.Message) conversation.Size {
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
