package edit

import (
	"errors"
	"slices"

	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A summary that was prepared is no overlay: it joins a step that evicts what it
// covers, as one epoch. Rules:
//
//   - Its text stands for what it was written from, a note for the rest of the step.
//     The newest of the overlays has the note, which speaks of all.
//   - Notes that were put over its events meanwhile do not matter: what it says of
//     them holds. Nor do summaries of other events. Any other overlay behind it does.

// ErrNotEvicted says that a step leaves something standing that a summary covers.
var ErrNotEvicted = errors.New("the step leaves a part of what the summary covers")

// Stands reports whether spans of events are shown as they were at an overlay of a
// log, or evicted since: behind it there are only notes, and summaries of other
// events.
func Stands(log []conversation.Event, seq uint64, spans []conversation.Span) bool {
	for _, e := range slices.Backward(log) {
		if e.Seq <= seq {
			return true
		}
		if !e.Body.Kind().Overlay() || isNote(e.Body) {
			continue
		}
		if s, ok := e.Body.(conversation.Summary); !ok || s.Policies != nil || meet(spans, s.Spans) {
			return false
		}
	}
	return true
}

// isNote reports whether an overlay evicts events behind a note, without a text.
func isNote(b conversation.Body) bool {
	s, ok := b.(conversation.Summary)
	return ok && s.Policies == nil && s.Text == "" && preset.WordingOf(s.Style).Notes
}

// Covers reports whether a proposal covers any of the events of spans.
func (p *Proposal) Covers(spans []conversation.Span) bool { return meet(p.Spans, spans) }

func meet(a, b []conversation.Span) bool {
	return slices.ContainsFunc(a, func(x conversation.Span) bool {
		return slices.ContainsFunc(b, func(y conversation.Span) bool { return x.First <= y.Last && y.First <= x.Last })
	})
}

// EvictWith is the step of a note on a log, in one epoch with the texts of proposals
// that were prepared for it. More says that the step may evict what a text covers
// besides. The error wraps ErrNotEvicted or ErrNothingToGain.
func EvictWith(log []conversation.Event, r preset.Rules, s Inputs, made conversation.Made, note conversation.Body, more bool, prepared ...*Proposal) (Proposal, error) {
	step, _ := note.(conversation.Summary) // by the planner
	p := Proposal{Profile: preset.ProfileHeavy, log: log, rules: r, now: s, made: made, before: s.Meter.View(), evicts: true}
	p.made.Preset, p.made.Profile = string(r.Preset), preset.ProfileHeavy
	covered := conversation.Disjoint(projection.WithEarlier(log, step.Spans))
	var texts []conversation.Summary
	for _, one := range prepared {
		text, ok := one.text()
		held := ok && holdsAll(log, covered, text.Spans)
		if !ok || !held && !(more && one.Covers(step.Spans)) {
			return Proposal{}, ErrNotEvicted
		}
		text.Appendix, p.asked = "", one.asked
		p.Spans, texts = conversation.JoinSpans(p.Spans, text.Spans), append(texts, text)
		if !held {
			step = planner.Evicted(log, s.Meter.View(), conversation.JoinSpans(step.Spans, p.Spans), p.noteRoom())
		}
	}
	rest := conversation.SpansWithout(log, step.Spans, conversation.Disjoint(p.Spans).Holds)
	p.Spans = conversation.JoinSpans(p.Spans, step.Spans)
	p.Range.From, p.Range.To = conversation.TurnsOf(conversation.MessagesIn(log, p.Spans))
	if err := p.apply(withNote(log, texts, step, rest)...); err != nil {
		return Proposal{}, err
	}
	return p, nil
}

// withNote is the overlays of texts and of the note of a step, which stands for the
// rest and is the newest. Where nothing is left for it the last text has it.
func withNote(log []conversation.Event, texts []conversation.Summary, step conversation.Summary, rest []conversation.Span) []conversation.Body {
	var bodies []conversation.Body
	for i, text := range texts {
		if len(rest) == 0 && i == len(texts)-1 {
			text.Appendix = step.Appendix
		}
		bodies = append(bodies, text)
	}
	if len(rest) > 0 {
		step.Spans = rest
		step.FromTurn, step.ToTurn = conversation.TurnsOf(conversation.MessagesIn(log, rest))
		bodies = append(bodies, step)
	}
	return bodies
}

func (p *Proposal) text() (conversation.Summary, bool) {
	i := p.writtenAt()
	if i < 0 {
		return conversation.Summary{}, false
	}
	s, ok := p.bodies[i].(conversation.Summary)
	return s, ok
}

// holdsAll reports whether spans hold every event of others that the model was sent.
func holdsAll(log []conversation.Event, held conversation.Spans, others []conversation.Span) bool {
	for _, e := range conversation.MessagesIn(log, others) {
		if !held.Holds(e.Seq) {
			return false
		}
	}
	return true
}
