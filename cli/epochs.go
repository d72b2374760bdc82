package cli

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
)

// What was compacted in a conversation, as `context` tells it.

// summarised is the newest summary in force as the model is shown it, with
// whatever summaries stand in one block with it, and the oldest event that none
// covers. Both are nil while nothing is summarised.
func (r *reading) summarised() (text *string, boundary *compactBoundary) {
	newest := uint64(0)
	for i := range r.view.Messages {
		m := &r.view.Messages[i]
		// Of a pair only one message stands for the events: the other is fixed words.
		if m.State == compact.StateSummarised && m.Before.Chars() > 0 && m.Overlay >= newest {
			text, newest = &m.Text, m.Overlay
		}
	}
	if text == nil {
		return nil, nil
	}
	return text, r.boundary()
}

// boundary is the oldest event of the conversation that no summary covers, nil
// if they cover all of it. What is pinned within a summary is covered; what was
// taken back is no part of the conversation.
func (r *reading) boundary() *compactBoundary {
	gone := map[uint64]bool{}
	for _, a := range r.view.Absent {
		gone[a.Event] = true
	}
	states, spans := statesOf(r.view), summarySpans(r.said)
	for _, e := range r.events {
		switch e.Body.(type) {
		case conversation.UserMessage, conversation.AssistantMessage, conversation.ToolResult:
		default:
			continue
		}
		state := states[e.Seq]
		pinned := state == compact.StatePinned && slices.ContainsFunc(spans, func(s conversation.Span) bool { return s.Holds(e.Seq) })
		if state != compact.StateSummarised && !pinned && !gone[e.Seq] {
			return &compactBoundary{Seq: e.Seq, Time: e.Time}
		}
	}
	return nil
}

// summarySpans are what the summaries in force cover.
func summarySpans(log []conversation.Event) []conversation.Span {
	var spans []conversation.Span
	for _, i := range conversation.InForce(log) {
		if s, ok := log[i].Body.(conversation.Summary); ok && s.Policies == nil {
			spans = append(spans, s.Spans...)
		}
	}
	return spans
}

// maxEpochs is how many compactions are told of one by one.
const maxEpochs = 10

// writeEpochs writes a line for each compaction, newest last.
func writeEpochs(b *strings.Builder, epochs []compact.Epoch) {
	if len(epochs) == 0 {
		return
	}
	b.WriteByte('\n')
	if more := len(epochs) - maxEpochs; more > 0 {
		fmt.Fprintf(b, "compacted   %s before these\n", plural(more, "time"))
		epochs = epochs[more:]
	}
	for _, e := range epochs {
		fmt.Fprintf(b, "compacted   %s\n", epochText(e))
	}
}

// epochText tells of a compaction on one line.
func epochText(e compact.Epoch) string {
	text := fmt.Sprintf("e%d  %s", e.ID, e.Time.Local().Format("2006-01-02 15:04"))
	if e.Made.Before > 0 {
		text += fmt.Sprintf("  ~%s -> ~%s", grouped(e.Made.Before), grouped(e.Made.After))
	}
	if why := plain.Line(e.Made.Why); why != "" {
		text += "  " + why
	}
	if !e.InForce {
		text += "  (undone)"
	}
	return text
}
