package show

import (
	"plimsoll/cli/session"
	"plimsoll/compact/projection"
)

// Summarised returns the text of the newest summary in the view, and the oldest event after all summaries. Both are nil without a
// summary.
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
	return text, oldestAfterSummaries(snapshot)
}

// oldestAfterSummaries returns the oldest event after those that summaries cover, nil if there is none. It skips undone turns.
func oldestAfterSummaries(snapshot *session.Snapshot) *compactBoundary {
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
