package edit

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

func newestMessage(log []conversation.Event) uint64 {
	for _, e := range slices.Backward(log) {
		if _, ok := e.Body.(conversation.UserMessage); ok {
			return e.Seq
		}
	}
	return 0
}

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
