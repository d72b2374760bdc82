package edit

import (
	"cmp"
	"slices"
	"time"

	"plimsoll/conversation"
)

// Where turns lie in a log, for any log: turns are what the events say they
// are, in whatever order they stand. A unit is in a span whole or not at all,
// and an open one never is: its results are still to come.

// Spans are the events of the turns of a range, as runs by Seq that begin and
// end at events the model is sent, usually one. Turns for which gone is true
// were taken back and are left out, as is a unit that is open or that reaches
// out of the range; gone may be nil. Nil if nothing is left.
func (r Range) Spans(log []conversation.Event, gone func(turn int) bool) []conversation.Span {
	const covered, left = 1, 2
	state := make([]uint8, len(log)) // 0 for events that belong to no unit
	for _, u := range conversation.Units(log) {
		outside := func(i int) bool {
			turn := log[i].Turn
			return !r.holds(turn) || gone != nil && gone(turn)
		}
		s := uint8(covered)
		if u.Open || slices.ContainsFunc(u.Events, outside) {
			s = left
		}
		for _, i := range u.Events {
			state[i] = s
		}
	}
	var spans []conversation.Span
	running := false
	for i, s := range state {
		switch seq := log[i].Seq; {
		case s == left:
			running = false
		case s == covered && running:
			spans[len(spans)-1].Last = seq
		case s == covered:
			spans = append(spans, conversation.Span{First: seq, Last: seq})
			running = true
		}
	}
	return spans
}

// turnStart is a turn and when it began.
type turnStart struct {
	turn int
	at   time.Time
}

// turnsBegun lists the turns of a log, ascending. A turn begins with its user
// message; where that one is damaged, with what is left of the turn. Without
// any user message there are no turns.
func turnsBegun(log []conversation.Event) []turnStart {
	var out []turnStart
	place := map[int]int{}  // turn -> index into out
	users := map[int]bool{} // turns with a user message
	for _, e := range log {
		isUser := false
		switch e.Body.(type) {
		case conversation.UserMessage:
			isUser = true
		case conversation.AssistantMessage, conversation.ToolResult:
		default:
			continue
		}
		i, seen := place[e.Turn]
		if !seen {
			i = len(out)
			place[e.Turn] = i
			out = append(out, turnStart{turn: e.Turn, at: e.Time})
		}
		if isUser && !users[e.Turn] {
			users[e.Turn] = true
			out[i].at = e.Time
		}
	}
	if len(users) == 0 {
		return nil
	}
	slices.SortFunc(out, func(a, b turnStart) int { return cmp.Compare(a.turn, b.turn) })
	return out
}
