package projection

import "plimsoll/conversation"

// Which summaries of a log count for those that follow. Rules:
//
//   - One that was undone, that speaks of events which are not there, or of
//     whose events a rewind undid some later, does not count.
//   - One that newer ones cover whole is not shown. It is shown again when they are
//     undone, so that ranges still grow over it (S64); but nothing is made
//     of its text any more, because theirs says the same and what came after.

// SummaryInForce is a text that counts.
type SummaryInForce struct {
	Seq uint64 // of its event
	conversation.Summary
	Shown bool // the view shows it
}

// Summaries are the texts that count, in the order of the log.
func Summaries(log []conversation.Event) []SummaryInForce {
	r := resolve(log)
	if r == nil {
		return nil
	}
	shown := map[uint64]bool{}
	for i := range r.by {
		if d := &r.by[i]; d.summary != nil && d.rewound == 0 {
			shown[d.summary.seq] = true
		}
	}
	var out []SummaryInForce
	for _, i := range conversation.OverlaysInForce(log) {
		seq := log[i].Seq
		if s, ok := log[i].Body.(conversation.Summary); ok && s.Policies == nil && r.there(seq, s.Spans) && !r.cutLater(seq, s.Spans) {
			out = append(out, SummaryInForce{seq, s, shown[seq]})
		}
	}
	return out
}

// WithEarlier is spans joined with those of the summaries that the view shows.
func WithEarlier(log []conversation.Event, spans []conversation.Span) conversation.Spans {
	all := conversation.Disjoint(spans)
	for _, s := range Summaries(log) {
		if s.Shown {
			all = conversation.JoinSpans(all, s.Spans)
		}
	}
	return all
}
