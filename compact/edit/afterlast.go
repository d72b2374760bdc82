package edit

import (
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A range may start where the last compaction ended (the bound "last"; AfterLastCompaction
// in JP's RFD D17). This file finds that turn. Rules:
//
//   - It is the turn after the last one that any compaction in force covers, as in
//     JP's own program (max(to_turn) + 1). The turn in which a compaction was made
//     does not matter: turns that keep_last left alone come next.
//   - A manual mask is not a compaction. A summary counts only while its events exist.
//   - A partly covered turn is the next turn itself: messages follow the covered ones
//     in it, or tool results where the overlay is a mask or a cap.

// AfterLastCompaction returns the turn after the last one that the compactions in
// force cover, or 0 without a compaction.
func AfterLastCompaction(log []conversation.Event) int {
	manual := map[uint64]bool{} // by the ID of the epoch
	for _, e := range conversation.Epochs(log) {
		manual[e.ID] = e.IsManualMask()
	}
	textInForce := map[uint64]bool{} // by the Seq of the summary
	for _, s := range projection.Summaries(log) {
		textInForce[s.Seq] = true
	}
	next := 0
	for _, i := range conversation.OverlaysInForce(log) {
		if manual[conversation.EpochOf(log[i])] {
			continue
		}
		onlyResults := true
		switch b := log[i].Body.(type) {
		case conversation.Summary:
			if b.Policies == nil && !textInForce[log[i].Seq] {
				continue
			}
			onlyResults = false
		case conversation.Drop:
			onlyResults = false
		}
		next = max(next, turnAfter(log, conversation.Disjoint(conversation.SpansOf(log[i].Body)).Contains, onlyResults))
	}
	return next
}

// NextSummaryTurn returns the turn at which the next summary begins: the one after
// the newest summary in force, or 0 without a summary.
func NextSummaryTurn(log []conversation.Event) int {
	var newest conversation.Summary
	for _, s := range projection.Summaries(log) {
		if len(s.Spans) > 0 && s.ToTurn >= newest.ToTurn {
			newest = s.Summary
		}
	}
	return turnAfter(log, conversation.Disjoint(newest.Spans).Contains, false)
}

// turnAfter returns the turn after the last one with a covered message. It returns that
// turn itself where uncovered messages follow in it; with onlyResults only tool results
// count. It returns 0 if no message is covered.
func turnAfter(log []conversation.Event, covered func(seq uint64) bool, onlyResults bool) int {
	next, hasUncovered := 0, false
	for _, e := range log {
		_, result := e.Body.(conversation.ToolResult)
		switch {
		case !conversation.IsMessage(e.Body):
		case covered(e.Seq):
			next, hasUncovered = max(next, e.Turn+1), false
		case e.Turn == next-1 && (result || !onlyResults):
			hasUncovered = true
		}
	}
	if hasUncovered {
		return next - 1
	}
	return next
}
