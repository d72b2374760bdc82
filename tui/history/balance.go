package history

import (
	"fmt"
	"math"
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// weigh counts what compaction comes to: what is hidden of the messages, by state.
// Messages cost tokens beyond their text, as the gauge counts them.
func (b *book) weigh() {
	tokens := 0.0
	count := map[projection.State]int{}
	back, notes, summaries := 0, 0, map[uint64]bool{} // a summary may stand in more than one place
	for i := range b.rows {
		r := &b.rows[i]
		tokens += framed(r.Before, b.Log[r.Event].Body)
		b.twofold = b.twofold || r.State != projection.StateVerbatim && r.State != projection.StatePinned && !b.takenBack(r)
		switch {
		case b.takenBack(r):
			back++
		case projection.OnlyNoted(r.State, r.Why):
			notes++
		case r.State == projection.StateSummarised:
			summaries[r.Overlay] = true
		default:
			count[r.State]++
		}
	}
	for i := range b.View.Messages {
		m := &b.View.Messages[i]
		tokens -= meter.Estimate(m.After()) + meter.FramingTokens*float64(1+len(m.Calls))
	}
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(count[projection.StateMasked], "masked")
	add(count[projection.StateCapped], "capped")
	add(notes, "evicted")
	add(len(summaries), map[bool]string{true: "summary", false: "summaries"}[len(summaries) == 1])
	add(count[projection.StateDropped], "dropped")
	add(count[projection.StatePinned], "pinned")
	add(back, "undone")
	b.hidden, b.states = int(math.Round(tokens*b.Factor)), strings.Join(parts, " · ")
}

// framed is the uncalibrated tokens of what an event says, with what its message and
// its calls cost beyond their text.
func framed(size conversation.Size, body conversation.Body) float64 {
	units := 1
	if reply, ok := body.(conversation.AssistantMessage); ok {
		units += len(reply.Calls)
	}
	return meter.Estimate(size) + meter.FramingTokens*float64(units)
}

// balance is what compaction comes to in one line: said ~412k → sent ~61k + ~10k
// prompt and tools · 14 masked. What is sent adds up to what the gauge shows, and
// the originals are that and what is hidden.
func (b *book) balance() string {
	sent := max(0, b.Used-b.Prompt)
	out := "said " + pane.About(max(0, sent+b.hidden)) + " → sent " + pane.About(sent)
	if b.Prompt > 0 {
		out += " + " + pane.About(b.Prompt) + " prompt and tools"
	}
	if b.states != "" {
		out += " · " + b.states
	}
	return out
}
