package history

import (
	"fmt"
	"strings"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// weigh is what compaction comes to in one line: said 412k → sent 61k · 14 masked.
func (b *book) weigh() string {
	var said, sent conversation.Size
	count := map[compact.State]int{}
	back := 0
	for i := range b.rows {
		r := &b.rows[i]
		said = said.Plus(r.Before)
		switch {
		case b.takenBack(r):
			back++
		case r.State == compact.StateSummarised && !r.First:
		default:
			count[r.State]++
		}
	}
	for i := range b.View.Messages {
		sent = sent.Plus(b.View.Messages[i].After())
	}
	parts := []string{"said " + pane.Tokens(b.tokens(said)) + " → sent " + pane.Tokens(b.tokens(sent))}
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(count[compact.StateMasked], "masked")
	add(count[compact.StateCapped], "capped")
	summaries := count[compact.StateSummarised]
	add(summaries, map[bool]string{true: "summary", false: "summaries"}[summaries == 1])
	add(count[compact.StateDropped], "dropped")
	add(count[compact.StatePinned], "pinned")
	add(back, "taken back")
	return strings.Join(parts, " · ")
}
