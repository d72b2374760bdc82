package edit

import (
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// NextBand is the turn at which the band of the next summary begins: behind the
// newest one in force, or with its last turn where that was covered in part. 0
// without a summary.
func NextBand(log []conversation.Event) int {
	var newest conversation.Summary
	for _, s := range projection.Summaries(log) {
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
