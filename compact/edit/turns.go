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
