package projection

import (
	"plimsoll/conversation"
)

// What the overlays of a log come to, before any text is made:
//
//   - An overlay is in force unless a later revert that is itself in force takes
//     it, or its epoch, back.
//   - Within one kind of content the newest overlay in force decides, by its
//     place in the log, never by a clock.
//   - A summary whose events were rewound after it was made, or that names
//     events the log does not hold, is not in force: half of it would be wrong.
//   - A unit is summarised, dropped, left out, pinned or rewound as a whole or
//     not at all, and but for pins only if it was complete when the overlay was
//     made; so what an overlay hides never depends on what is said later.

// resolve gives every event its decision. The result is nil when every event is
// shown as it was said.
func resolve(events []conversation.Event) *decisions {
	active := conversation.InForce(events)
	if len(active) == 0 {
		return nil
	}
	r := &decisions{events: events, by: make([]decision, len(events))}
	// What is rewound comes first, because it decides which summaries hold.
	for i, rewind := range conversation.TakenBack(events) {
		r.by[i].rewound = rewind
	}
	r.repetitions()
	for _, i := range active {
		r.apply(events[i])
	}
	r.choose()
	return r
}

// before is the decision of an event that an overlay may speak of, nil if it
// names one that comes after itself or is not there.
func (r *decisions) before(overlay, seq uint64) *decision {
	if i := r.index(seq); i >= 0 && seq < overlay {
		return &r.by[i]
	}
	return nil
}

func (r *decisions) apply(e conversation.Event) {
	switch b := e.Body.(type) {
	case conversation.Cap:
		r.cap(e.Seq, b)
	case conversation.Mask:
		r.mask(e.Seq, b)
	case conversation.Summary:
		if b.Policies != nil {
			r.policies(e.Seq, b)
		} else {
			r.summarise(e.Seq, b)
		}
	case conversation.Drop:
		r.whole(e.Seq, b.Spans, func(d *decision) { d.drop = e.Seq })
	case conversation.Pin:
		r.pin(e.Seq, b.Events, true)
	case conversation.Unpin:
		r.pin(e.Seq, b.Events, false)
	}
}

func (r *decisions) cap(seq uint64, b conversation.Cap) {
	for _, item := range b.Items {
		d := r.before(seq, item.Event)
		if d == nil || item.Head < 0 || item.Tail < 0 {
			continue
		}
		d.caps = append(d.caps, callCap{item.Call, cut{seq: seq, head: item.Head, tail: item.Tail}})
	}
}

func (r *decisions) mask(seq uint64, b conversation.Mask) {
	shared := newMasking(seq, b.Style, b.Preview)
	for _, item := range b.Items {
		d := r.before(seq, item.Event)
		if d == nil {
			continue
		}
		how := shared
		if item.Fields != nil {
			how = newMasking(seq, b.Style, b.Preview)
			how.fields, how.threshold = item.Fields, item.Threshold
		}
		switch item.Part {
		case conversation.PartResult:
			d.masks = covered(d.masks, how)
		case conversation.PartReasoning:
			d.thought = how
		case conversation.PartArguments:
			d.calls = append(d.calls, callMask{item.Call, how})
		}
	}
}

// policies applies the form of S64 that needs no model. In JP's own style the
// newest policy decides on calls and results together; otherwise it decides
// only on what it reduces, so that nothing grows by it.
func (r *decisions) policies(seq uint64, b conversation.Summary) {
	p := b.Policies
	how := newMasking(seq, b.Style, p.Preview)
	how.minChars = p.MinChars
	if p.Reasoning == conversation.ReasoningStrip {
		r.each(seq, b.Spans, func(i int) { r.by[i].thought = how })
	}
	switch p.ToolCalls {
	case conversation.ToolCallsStrip:
		r.each(seq, b.Spans, func(i int) { r.strip(i, p, how) })
	case conversation.ToolCallsOmit:
		if how.exact() {
			r.whole(seq, b.Spans, func(d *decision) { d.omit = how })
		} else {
			r.leaveOut(seq, b.Spans, how)
		}
	}
}

func (r *decisions) strip(i int, p *conversation.Policies, how *masking) {
	d := &r.by[i]
	whole := how.words.WholePolicies
	if whole {
		d.omit = nil
	}
	switch b := r.events[i].Body.(type) {
	case conversation.ToolResult:
		switch _, response := p.For(b.Tool); {
		case response:
			d.masks = covered(d.masks, how)
		case whole:
			d.masks = nil
		}
	case conversation.AssistantMessage:
		if whole {
			d.calls = nil
		}
		for k := range b.Calls {
			if request, _ := p.For(b.Calls[k].Name); request {
				d.calls = append(d.calls, callMask{b.Calls[k].ID, how})
			}
		}
	}
}

// Pinned are the events of a log that are shown as they were said whatever else covers them, by Seq.
func Pinned(log []conversation.Event) map[uint64]bool {
	pinned := map[uint64]bool{}
	if r := resolve(log); r != nil {
		for i := range r.by {
			if r.by[i].pinned {
				pinned[log[i].Seq] = true
			}
		}
	}
	return pinned
}
