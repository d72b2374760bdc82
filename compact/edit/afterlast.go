package edit

import (
	"slices"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Where the next range begins if it goes on from the last compaction (D17's
// AfterLastCompaction, S64's last). Rules:
//
//   - It is the turn after the last one that any compaction in force covers, as in
//     JP's own program (max(to_turn) + 1). The turn at which a compaction was made
//     does not matter: turns that keep_last spared are next.
//   - What is masked by hand is no compaction, nor is a summary that shows nothing
//     because its events are gone.
//   - A turn counts as covered only where nothing of it is left behind the overlay:
//     nothing that is sent, or for stubs and caps no result.

// AfterLastCompaction is the turn after the last one that the compactions in
// force cover, 0 without one.
func AfterLastCompaction(log []conversation.Event) int {
	hand := map[uint64]bool{}
	for _, e := range conversation.Epochs(log) {
		hand[e.ID] = e.Manual()
	}
	texts, next := map[uint64]bool{}, 0
	for _, s := range projection.Summaries(log) {
		texts[s.Seq] = true
	}
	for _, i := range conversation.InForce(log) {
		o := log[i]
		if !o.Body.Kind().Reduces() || hand[conversation.EpochOf(o)] {
			continue
		}
		if s, ok := o.Body.(conversation.Summary); ok && s.Policies == nil && !texts[o.Seq] {
			continue
		}
		next = max(next, behindCovered(log, o.Body))
	}
	return next
}

// behindCovered is the turn after the last one that an overlay covers whole, 0
// if it covers nothing.
func behindCovered(log []conversation.Event, overlay conversation.Body) int {
	spans, events := coveredBy(overlay)
	covered := conversation.MessagesIn(log, spans)
	if len(events) > 0 {
		covered = slices.DeleteFunc(conversation.MessagesIn(log, allOf(log)), func(e conversation.Event) bool { return !events[e.Seq] })
	}
	if len(covered) == 0 {
		return 0
	}
	_, turn := conversation.TurnsOf(covered)
	end := covered[len(covered)-1].Seq
	for _, e := range log {
		_, result := e.Body.(conversation.ToolResult)
		if e.Seq > end && e.Turn == turn && conversation.IsMessage(e.Body) && (len(events) == 0 || result) {
			return turn
		}
	}
	return turn + 1
}

// coveredBy is what an overlay shows otherwise: spans, or single events.
func coveredBy(overlay conversation.Body) (spans []conversation.Span, events map[uint64]bool) {
	events = map[uint64]bool{}
	switch b := overlay.(type) {
	case conversation.Summary:
		return b.Spans, nil
	case conversation.Drop:
		return b.Spans, nil
	case conversation.Mask:
		for _, item := range b.Items {
			events[item.Event] = true
		}
	case conversation.Cap:
		for _, item := range b.Items {
			events[item.Event] = true
		}
	}
	return nil, events
}

// allOf is the span of a whole log.
func allOf(log []conversation.Event) []conversation.Span {
	if len(log) == 0 {
		return nil
	}
	return []conversation.Span{{First: log[0].Seq, Last: log[len(log)-1].Seq}}
}
