package edit

import (
	"maps"
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// ProposeOverlays is a proposal of overlays that some rule chose from the view of the
// situation. What made says of why is put behind what they do. The error wraps
// ErrNothingToGain.
func ProposeOverlays(log []conversation.Event, r preset.Rules, s Inputs, made conversation.Made, bodies ...conversation.Body) (Proposal, error) {
	p := Proposal{log: log, rules: r, now: s, made: made, before: s.Meter.View()}
	p.made.Preset = string(r.Preset)
	p.Range.From, p.Range.To = p.turnsTouched(bodies)
	if err := p.apply(bodies...); err != nil {
		return Proposal{}, err
	}
	if made.Why != "" {
		p.made.Why += "; " + made.Why
	}
	return p, nil
}

func (p *Proposal) turnsTouched(bodies []conversation.Body) (from, to int) {
	touched := map[uint64]bool{}
	var spans []conversation.Span
	for _, b := range bodies {
		maps.Copy(touched, eventsOf(b))
		switch b := b.(type) {
		case conversation.Summary:
			spans = conversation.JoinSpans(spans, b.Spans)
		case conversation.Drop:
			spans = conversation.JoinSpans(spans, b.Spans)
		}
	}
	var found []conversation.Event
	covered := conversation.Disjoint(spans)
	for _, e := range p.log {
		if touched[e.Seq] || covered.Holds(e.Seq) && conversation.IsMessage(e.Body) {
			found = append(found, e)
		}
	}
	return conversation.TurnsOf(found)
}

// Rebase is a proposal that needs no model any more, on a log that has grown since it
// was worked out, with masks in the same epoch before it. It is for the caller
// to see that no overlay has joined the log. The error wraps ErrNothingToGain.
func (p *Proposal) Rebase(log []conversation.Event, s Inputs, masks ...conversation.Body) (Proposal, error) {
	now := *p
	now.log, now.now, now.before = log, s, s.Meter.View()
	bodies := slices.Clone(p.bodies)
	if text, ok := p.text(); ok && preset.WordingOf(text.Style).Notes && p.evictedSince(log) {
		text.Appendix = summary.Note(log, now.before, now.told(), now.noteRoom())
		bodies[p.writtenAt()] = text
	}
	if err := now.apply(append(slices.Clone(masks), bodies...)...); err != nil {
		return Proposal{}, err
	}
	return now, nil
}

// evictedSince reports whether a longer log than that of the proposal has overlays that
// the note of the proposal does not speak of.
func (p *Proposal) evictedSince(log []conversation.Event) bool {
	return slices.ContainsFunc(log[min(len(p.log), len(log)):], func(e conversation.Event) bool { return e.Body.Kind().Overlay() })
}

// Progresses reports whether a proposal that needs no model any more saves as much
// as the planner wants of one.
func (p *Proposal) Progresses() bool {
	saved := p.made.Before - p.made.After
	return saved > 0 && float64(saved) >= p.rules.Planner.ProgressRatio*float64(p.made.Before)
}

// Leaves reports whether the oldest messages are left out by it.
func (p *Proposal) Leaves() bool {
	return slices.ContainsFunc(p.bodies, func(b conversation.Body) bool { return b.Kind() == conversation.KindDrop })
}
