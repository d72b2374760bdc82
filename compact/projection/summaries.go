package projection

import "plimsoll/conversation"

// Further compactions must respect the summaries in force. Rules:
//
//   - A summary is not in force if it was undone, if it names events that the log does
//     not have, or if a later rewind undid some of its events.
//   - A summary that newer ones cover completely is not shown. It is shown again when they
//     are undone, so ranges still grow over it (JP's RFD 064). Its text is not read any more,
//     because the newer ones include its content.

// SummaryInForce is a summary or note in force.
type SummaryInForce struct {
	Seq uint64 // of its event
	conversation.Summary
	Shown bool // the view shows it
}

// Summaries returns the summaries and notes in force, in the order of the log.
func Summaries(log []conversation.Event) []SummaryInForce {
	r := resolve(log)
	if r == nil {
		return nil
	}
	shown := map[uint64]bool{}
	for i := range r.perEvent {
		if d := &r.perEvent[i]; d.summary != nil && d.rewound == 0 {
			shown[d.summary.seq] = true
		}
	}
	var out []SummaryInForce
	for _, i := range conversation.OverlaysInForce(log) {
		seq := log[i].Seq
		if s, ok := log[i].Body.(conversation.Summary); ok && s.Policies == nil && r.inLog(seq, s.Spans) && !r.rewoundLater(seq, s.Spans) {
			out = append(out, SummaryInForce{seq, s, shown[seq]})
		}
	}
	return out
}

// WithEarlier returns spans joined with those of the summaries that the view shows.
func WithEarlier(log []conversation.Event, spans []conversation.Span) conversation.Spans {
	all := conversation.Disjoint(spans)
	for _, s := range Summaries(log) {
		if s.Shown {
			all = conversation.JoinSpans(all, s.Spans)
		}
	}
	return all
}
