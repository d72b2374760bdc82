package projection

import (
	"slices"
	"sort"

	"plimsoll/conversation"
)

// Decisions on whole units: what is pinned, summarised, dropped or left out. A call never stands without its result by them.

func (r *decisions) group() {
	if r.unitOf != nil {
		return
	}
	r.units = conversation.Units(r.events)
	r.unitOf = make([]int32, len(r.events))
	for i := range r.unitOf {
		r.unitOf[i] = -1
	}
	for u := range r.units {
		for _, i := range r.units[u].Events {
			r.unitOf[i] = int32(u)
		}
	}
}

// pin sets or ends the pin of the units that hold events. Results that a pinned
// reply is still waiting for are pinned with it.
func (r *decisions) pin(seq uint64, events []uint64, pinned bool) {
	r.group()
	for _, e := range events {
		i := r.index(e)
		if i < 0 || e >= seq || r.unitOf[i] < 0 {
			continue
		}
		for _, j := range r.units[r.unitOf[i]].Events {
			r.by[j].pinned = pinned
			reply, _ := r.events[j].Body.(conversation.AssistantMessage) // others have no calls
			for k := range reply.Calls {
				if r.pins == nil {
					r.pins = map[string]bool{}
				}
				r.pins[reply.Calls[k].ID] = pinned
			}
		}
	}
}

func (r *decisions) summarise(seq uint64, b conversation.Summary) {
	if !r.there(seq, b.Spans) {
		r.note(seq, "speaks of events that are not there; they are shown as they were said")
		return
	}
	if r.cutLater(seq, b.Spans) { // the usual case, and none to tell the user about
		return
	}
	s := &activeSummary{seq: seq, Summary: b}
	r.whole(seq, b.Spans, func(d *decision) { d.summary = s })
}

// cutLater reports whether a rewind behind an overlay leaves out some of what it
// covers.
func (r *decisions) cutLater(seq uint64, spans []conversation.Span) bool {
	cut := false
	r.each(seq, spans, func(i int) { cut = cut || r.by[i].rewound > seq })
	return cut
}

// there reports whether the log holds the ends of spans, before the overlay.
func (r *decisions) there(seq uint64, spans []conversation.Span) bool {
	for _, s := range spans {
		if s.First > s.Last || s.Last >= seq || r.index(s.First) < 0 || r.index(s.Last) < 0 {
			return false
		}
	}
	return true
}

// whole rules on the units that spans cover whole and that were complete when
// the overlay was made.
func (r *decisions) whole(seq uint64, spans []conversation.Span, rule func(*decision)) {
	r.eachUnit(seq, spans, func(members []int) {
		for _, i := range members {
			rule(&r.by[i])
		}
	})
}

// eachUnit calls f for the same units, from the newest to the oldest, with
// their events that precede the overlay.
func (r *decisions) eachUnit(seq uint64, spans []conversation.Span, f func(members []int)) {
	r.group()
	covered := conversation.Disjoint(spans)
	first := func(u int) uint64 { return r.events[r.units[u].Events[0]].Seq }
	for _, s := range slices.Backward(covered) {
		from := sort.Search(len(r.units), func(u int) bool { return first(u) >= s.First })
		to := from + sort.Search(len(r.units)-from, func(k int) bool { return first(from+k) > s.Last })
		for u := to - 1; u >= from; u-- {
			members, complete := r.unitBefore(u, seq)
			if complete && r.within(members, covered) {
				f(members)
			}
		}
	}
}

func (r *decisions) within(members []int, spans conversation.Spans) bool {
	for _, i := range members {
		if !spans.Holds(r.events[i].Seq) {
			return false
		}
	}
	return true
}

// unitBefore lists the events of a unit that precede an overlay, and reports
// whether all its calls were answered by then.
func (r *decisions) unitBefore(u int, seq uint64) (members []int, complete bool) {
	members = r.units[u].Events
	for len(members) > 0 && r.events[members[len(members)-1]].Seq >= seq {
		members = members[:len(members)-1]
	}
	if len(members) == 0 {
		return nil, false
	}
	reply, _ := r.events[members[0]].Body.(conversation.AssistantMessage) // others have no calls
	results := members[1:]
	return members, conversation.AllAnswered(reply.Calls, len(results), func(i int) string {
		b, _ := r.events[results[i]].Body.(conversation.ToolResult) // a unit holds nothing else behind a reply
		return b.CallID
	})
}
