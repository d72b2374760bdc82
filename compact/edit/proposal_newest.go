package edit

import (
	"slices"

	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// Where a compaction is made between a message and its answer, the request that
// follows has to be one that can be answered. Rules:
//
//   - The newest message of the user and the last unit stay: what the model is
//     about to read is never read for it, and no request ends with its own words.
//   - A text that stands for a range stands in one place. Where the newest message
//     parts a range, the side that weighs more is covered.

// leaveNewest takes out of the proposal what a request in the middle of a turn is
// about.
func (pass *Proposal) leaveNewest(summarize bool) {
	newest, last := newestMessage(pass.log), lastUnit(pass.log)
	spans := conversation.SpansWithout(pass.log, pass.Spans, func(seq uint64) bool { return seq == newest || last[seq] })
	if summarize {
		older, newer := partedAt(spans, newest)
		spans = older
		if meter.CoveredTokens(pass.before, newer) > meter.CoveredTokens(pass.before, older) {
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
