package compact

import (
	"slices"

	"plimsoll/conversation"
)

// Where a compaction is made between a message and its answer, the request that
// follows has to be one that can be answered. Rules:
//
//   - The newest message of the user and the last unit stay: what the model is
//     about to read is never read for it, and no request ends with its own words.
//   - A text that stands for a range stands in one place. Where the newest message
//     parts a range, the side that weighs more is covered.

// leaveNewest takes out of the pass what a request in the middle of a turn is
// about.
func (pass *Pass) leaveNewest(summarize bool) {
	newest, last := newestMessage(pass.log), lastUnit(pass.log)
	spans := conversation.SpansWithout(pass.log, pass.Spans, func(seq uint64) bool { return seq == newest || last[seq] })
	if summarize {
		older, newer := partedAt(spans, newest)
		spans = older
		if CoveredTokens(pass.before, newer) > CoveredTokens(pass.before, older) {
			spans = newer
		}
	}
	pass.Spans = spans
	if len(spans) > 0 {
		pass.Range.From, pass.Range.To = conversation.TurnsOf(conversation.MessagesIn(pass.log, spans))
	}
}

// newestMessage is the Seq of the newest message of the user, 0 without one.
func newestMessage(log []conversation.Event) uint64 {
	for _, e := range slices.Backward(log) {
		if _, ok := e.Body.(conversation.UserMessage); ok {
			return e.Seq
		}
	}
	return 0
}

// lastUnit is the Seq of every event of the newest unit.
func lastUnit(log []conversation.Event) map[uint64]bool {
	units := conversation.Units(log)
	if len(units) == 0 {
		return nil
	}
	seqs := map[uint64]bool{}
	for _, i := range units[len(units)-1].Events {
		seqs[log[i].Seq] = true
	}
	return seqs
}

// partedAt is the spans before an event and those behind it; none of them holds
// it.
func partedAt(spans []conversation.Span, seq uint64) (older, newer []conversation.Span) {
	for i, s := range spans {
		if s.First > seq {
			return spans[:i], spans[i:]
		}
	}
	return spans, nil
}

// NextBand is the turn at which the band of the next summary begins: behind the
// newest one in force, or with its last turn where that was covered in part. 0
// without a summary.
func NextBand(log []conversation.Event) int {
	var newest conversation.Summary
	for _, s := range summaries(log) {
		if len(s.Spans) > 0 && s.ToTurn >= newest.ToTurn {
			newest = s.Summary
		}
	}
	if len(newest.Spans) == 0 {
		return 0
	}
	end := newest.Spans[len(newest.Spans)-1].Last
	for _, e := range log {
		if e.Seq > end && e.Turn <= newest.ToTurn && conversation.IsMessage(e.Body) {
			return newest.ToTurn
		}
	}
	return newest.ToTurn + 1
}

// AtTurn is the bound that names a turn.
func AtTurn(turn int) Bound { return Bound{form: boundTurn, turn: max(0, turn)} }

// Summarising is the name of a profile that makes summaries: the default one,
// the built-in one, or else the first by name. It reports false without any.
func (r Rules) Summarising() (name string, ok bool) {
	for _, name := range []string{r.DefaultProfile, ProfileHeavy} {
		if r.Profiles[name].Summarize {
			return name, true
		}
	}
	for n, p := range r.Profiles {
		if p.Summarize && (!ok || n < name) {
			name, ok = n, true
		}
	}
	return name, ok
}

// Rearm is how many tokens a request has to grow by after a compaction before
// another one may follow by itself, for a window of so many tokens, 0 unknown:
// one stride, and so that it is felt.
func (r Rules) Rearm(window int) int {
	return max(r.stride(window), int(r.Planner.GrowthRatio*float64(window)))
}

// stride is how many tokens have to come together before masking them is worth
// a break of the prefix, for a window of so many tokens, 0 unknown.
func (r Rules) stride(window int) int {
	if window <= 0 {
		return r.Mask.Stride
	}
	return min(r.Mask.Stride, int(r.Planner.StrideRatio*float64(window)))
}

// ShowsInFull reports whether the view shows a result with this very text, so
// that a pointer to it tells as much.
func (v View) ShowsInFull(seq uint64, text string) bool { return v.showsInFull(seq, text) }

// WithRules returns the meter with the load line and the hard line that rules
// say.
func (m Meter) WithRules(r Rules) Meter {
	m.options = m.options.With(r)
	return m
}
