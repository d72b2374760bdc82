package edit

import (
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Where the next range begins if it goes on from the last compaction (D17's
// AfterLastCompaction, S64's last). Rules:
//
//   - It is the turn after the last one that any compaction in force covers, as in
//     JP's own program (max(to_turn) + 1). The turn at which a compaction was made
//     does not matter: turns that keep_last spared are next.
//   - A mask by hand is no compaction. A summary counts only while its events exist.
//   - A turn that is covered in part is next again: a message follows the covered
//     ones, or for stubs and caps a result.

// AfterLastCompaction is the turn after the last one that the compactions in
// force cover, 0 without one.
func AfterLastCompaction(log []conversation.Event) int {
	byHand := map[uint64]bool{}
	for _, e := range conversation.Epochs(log) {
		byHand[e.ID] = e.IsManualMask()
	}
	texts := map[uint64]bool{}
	for _, s := range projection.Summaries(log) {
		texts[s.Seq] = true
	}
	next := 0
	for _, i := range conversation.OverlaysInForce(log) {
		if byHand[conversation.EpochOf(log[i])] {
			continue
		}
		switch b := log[i].Body.(type) {
		case conversation.Summary:
			if b.Policies != nil || texts[log[i].Seq] {
				next = max(next, turnAfter(log, conversation.Disjoint(b.Spans).Contains, false))
			}
		case conversation.Drop:
			next = max(next, turnAfter(log, conversation.Disjoint(b.Spans).Contains, false))
		case conversation.Mask, conversation.Cap:
			events := eventsOf(b)
			next = max(next, turnAfter(log, func(seq uint64) bool { return events[seq] }, true))
		}
	}
	return next
}

func eventsOf(overlay conversation.Body) map[uint64]bool {
	events := map[uint64]bool{}
	switch b := overlay.(type) {
	case conversation.Mask:
		for _, item := range b.Items {
			events[item.Event] = true
		}
	case conversation.Cap:
		for _, item := range b.Items {
			events[item.Event] = true
		}
	}
	return events
}

// NextBand is the turn at which the band of the next summary begins: after the
// newest one in force. 0 without a summary.
func NextBand(log []conversation.Event) int {
	var newest conversation.Summary
	for _, s := range projection.Summaries(log) {
		if len(s.Spans) > 0 && s.ToTurn >= newest.ToTurn {
			newest = s.Summary
		}
	}
	return turnAfter(log, conversation.Disjoint(newest.Spans).Contains, false)
}

// turnAfter is the turn after the last one with a covered message, or that turn itself
// where more follows in it: any message, or with results only a result. 0 if nothing is
// covered.
func turnAfter(log []conversation.Event, covered func(seq uint64) bool, results bool) int {
	next, more := 0, false
	for _, e := range log {
		_, result := e.Body.(conversation.ToolResult)
		switch {
		case !conversation.IsMessage(e.Body):
		case covered(e.Seq):
			next, more = max(next, e.Turn+1), false
		case e.Turn == next-1 && (result || !results):
			more = true
		}
	}
	if more {
		return next - 1
	}
	return next
}
