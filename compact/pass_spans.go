package compact

import "plimsoll/conversation"

// Rules that act by themselves choose events, not turns. What they share with a
// compaction by hand is how a summary is asked for and what counts as one.

// NewSummaryPass works out a summary of spans of whole units, which some rule
// chose from the view of the situation. The job is what r.Summary says; made is
// how the overlay came about. The error wraps ErrNoRange.
func NewSummaryPass(log []conversation.Event, r Rules, s Situation, spans []conversation.Span, made conversation.Made) (Pass, error) {
	if len(spans) == 0 {
		return Pass{}, noRange("no event may be covered now")
	}
	if r.Summary.Mode == ModeRawUnion {
		spans = withEarlier(log, spans)
	}
	spans = withoutGone(log, spans)
	pass := Pass{Spans: spans, Profile: ProfileHeavy, log: log, rules: r, now: s, made: made, before: s.Meter.view, evicts: true}
	pass.made.Preset, pass.made.Profile = string(r.Preset), ProfileHeavy
	pass.Range.From, pass.Range.To = conversation.TurnsOf(conversation.MessagesIn(log, spans))
	if r.Summary.Mode == ModeCumulative {
		for _, old := range SummaryRanges(log) {
			pass.Range.From = min(pass.Range.From, old.From)
		}
	}
	if err := pass.needSummary(r.Summary); err != nil {
		return Pass{}, err
	}
	return pass, nil
}

// withEarlier is spans with what the summaries shown so far stand for: all of it
// is told anew, from what was said.
func withEarlier(log []conversation.Event, spans []conversation.Span) []conversation.Span {
	for _, s := range summaries(log) {
		if s.shown {
			spans = conversation.JoinSpans(spans, s.Spans)
		}
	}
	return spans
}

// withoutGone is spans without what was taken back: brought back one day, it
// would be hidden by a text that never read it.
func withoutGone(log []conversation.Event, spans []conversation.Span) []conversation.Span {
	rewinds := conversation.TakenBack(log)
	if rewinds == nil {
		return spans
	}
	gone := map[uint64]bool{}
	for i, rewind := range rewinds {
		gone[log[i].Seq] = rewind != 0
	}
	return conversation.SpansWithout(log, spans, func(seq uint64) bool { return gone[seq] })
}

// DedupeItems chooses what identity dedup omits in a view, oldest first; nil
// unless r.Dedupe is enabled (ADA).
func DedupeItems(v View, r Rules) []conversation.MaskItem { return dedupeItems(v.Messages, r) }
