package edit

import (
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// ProposeSummary works out a summary of spans of whole units, which some rule
// chose from the view of the situation. The job is what r.Summary says; made is
// how the overlay came about. The error wraps ErrNoRange.
func ProposeSummary(log []conversation.Event, r preset.Rules, s Inputs, spans []conversation.Span, made conversation.Made) (Proposal, error) {
	if len(spans) == 0 {
		return Proposal{}, noRange("no event may be covered now")
	}
	if r.Summary.Mode == preset.ModeRawUnion {
		spans = projection.WithEarlier(log, spans)
	}
	spans = conversation.WithoutRewound(log, spans)
	p := Proposal{Spans: spans, Profile: preset.ProfileHeavy, log: log, rules: r, now: s, made: made, before: s.Meter.View(), evicts: true}
	p.made.Preset, p.made.Profile = string(r.Preset), preset.ProfileHeavy
	p.Range.From, p.Range.To = conversation.TurnsOf(conversation.MessagesIn(log, spans))
	if r.Summary.Mode == preset.ModeCumulative {
		for _, old := range SummaryRanges(log) {
			p.Range.From = min(p.Range.From, old.From)
		}
	}
	if err := p.needSummary(r.Summary); err != nil {
		return Proposal{}, err
	}
	return p, nil
}
