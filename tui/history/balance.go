package history

import (
	"fmt"
	"strings"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// weigh is what compaction comes to in one line: said ~412k → sent ~61k · 14 masked.
// What every request has besides is named, so that it can be held against the gauge.
func (b *book) weigh() string {
	var said, sent conversation.Size
	count := map[compact.State]int{}
	back, summaries := 0, map[uint64]bool{} // a summary may stand in more than one place
	for i := range b.rows {
		r := &b.rows[i]
		said = said.Plus(r.Before)
		switch {
		case b.takenBack(r):
			back++
		case r.State == compact.StateSummarised:
			summaries[r.Overlay] = true
		default:
			count[r.State]++
		}
	}
	for i := range b.View.Messages {
		sent = sent.Plus(b.View.Messages[i].After())
	}
	parts := []string{"said " + pane.About(b.tokens(said)) + " → sent " + pane.About(b.tokens(sent))}
	if b.Prompt > 0 {
		parts[0] += " + " + pane.About(b.Prompt) + " prompt and tools"
	}
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(count[compact.StateMasked], "masked")
	add(count[compact.StateCapped], "capped")
	add(len(summaries), map[bool]string{true: "summary", false: "summaries"}[len(summaries) == 1])
	add(count[compact.StateDropped], "dropped")
	add(count[compact.StatePinned], "pinned")
	add(back, "taken back")
	return strings.Join(parts, " · ")
}
