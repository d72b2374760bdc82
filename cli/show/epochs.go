package show

import (
	"fmt"
	"strings"

	"plimsoll/compact/projection"

	"plimsoll/cli/session"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// The compactions of a conversation in the output of `context`.

// Summarised returns the text of the newest active summary in the view, which can include older ones, and the oldest event
// that no summary covers. Both are nil without a summary.
func Summarised(snapshot *session.Snapshot) (text *string, boundary *compactBoundary) {
	newest := uint64(0)
	for i := range snapshot.View.Messages {
		m := &snapshot.View.Messages[i]
		// A summary can be a pair of messages. Only one of them replaces events: the other has fixed text.
		if m.State == projection.StateSummarised && m.Before.Chars() > 0 && m.Overlay >= newest {
			text, newest = &m.Text, m.Overlay
		}
	}
	if text == nil {
		return nil, nil
	}
	return text, oldestAfter(snapshot)
}

// oldestAfter is the oldest event after those that summaries cover, nil if there is none. Undone turns are skipped.
func oldestAfter(snapshot *session.Snapshot) *compactBoundary {
	covered := uint64(0)
	for i := range snapshot.View.Messages {
		if m := &snapshot.View.Messages[i]; m.State == projection.StateSummarised {
			covered = max(covered, m.Events[len(m.Events)-1])
		}
	}
	states := session.StatesOf(snapshot.View)
	for _, a := range snapshot.View.Absent {
		delete(states, a.Event)
	}
	for _, e := range snapshot.Events {
		if _, inView := states[e.Seq]; inView && e.Seq > covered {
			return &compactBoundary{Seq: e.Seq, Time: e.Time}
		}
	}
	return nil
}

// maxEpochs is how many compactions are listed one by one.
const maxEpochs = 10

// writeEpochs writes a line for each compaction, newest last.
func writeEpochs(b *strings.Builder, epochs []conversation.Epoch) {
	if len(epochs) == 0 {
		return
	}
	b.WriteByte('\n')
	if more := len(epochs) - maxEpochs; more > 0 {
		fmt.Fprintf(b, "compacted   %s before these\n", numbers.Count(more, "time"))
		epochs = epochs[more:]
	}
	for _, e := range epochs {
		fmt.Fprintf(b, "compacted   %s\n", epochText(e))
	}
}

// epochText describes a compaction on one line.
func epochText(e conversation.Epoch) string {
	text := fmt.Sprintf("e%d  %s", e.ID, e.Time.Local().Format("2006-01-02 15:04"))
	if e.Origin.Before > 0 {
		text += fmt.Sprintf("  ~%s -> ~%s", numbers.Grouped(e.Origin.Before), numbers.Grouped(e.Origin.After))
	}
	if why := plain.Line(e.Origin.Why); why != "" {
		text += "  " + why
	}
	if !e.InForce {
		text += "  (undone)"
	}
	return text
}
