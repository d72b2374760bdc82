package compact

import (
	"sort"
	"strconv"

	"plimsoll/conversation"
)

// What the overlays of a log come to, before any text is made:
//
//   - An overlay is in force unless a later revert that is itself in force takes
//     it, or its epoch, back.
//   - Within one kind of content the newest overlay in force decides, by its
//     place in the log, never by a clock.
//   - A summary whose events were taken back after it was made, or that names
//     events the log does not hold, is not in force: half of it would be wrong.
//   - A unit is summarised, dropped or left out as a whole or not at all, and
//     only if it was complete when the overlay was made; so what an overlay hides
//     never depends on what is said later.

// ruling is how one event is shown.
type ruling struct {
	gone    uint64 // Seq of the rewind that took it back, 0 if none did
	pinned  bool
	summary *summaryInForce
	drop    uint64   // Seq of the drop that covers it
	omit    *masking // the pair of call and result is left out
	thought *masking // reasoning is left out
	result  *masking
	args    *masking            // of every call of a reply
	calls   map[string]*masking // of single calls of a reply; stronger than args
	caps    map[string]cut      // by call, "" for the text of a result
}

// summaryInForce is a text that stands for a range.
type summaryInForce struct {
	seq uint64
	conversation.Summary
}

// masking is how a part is hidden.
type masking struct {
	seq       uint64 // of the overlay
	style     conversation.Style
	preview   int
	minChars  int
	fields    []string
	threshold int
}

// cut is how much of a text is shown.
type cut struct {
	seq        uint64
	head, tail int
}

// rulings resolves the overlays of a log; nil if none is in force.
type rulings struct {
	events []conversation.Event
	by     []ruling // by index into events
	notes  []string

	units   []conversation.Unit // made when first needed
	grouped bool
}

// resolve gives every event its ruling. The result is nil when every event is
// shown as it was said.
func resolve(events []conversation.Event) *rulings {
	active := conversation.InForce(events)
	if len(active) == 0 {
		return nil
	}
	r := &rulings{events: events, by: make([]ruling, len(events))}
	// What is taken back comes first, because it decides which summaries hold.
	for _, i := range active {
		if b, ok := events[i].Body.(conversation.Rewind); ok {
			r.rewind(events[i].Seq, b)
		}
	}
	for _, i := range active {
		r.apply(events[i])
	}
	return r
}

// index is where an event stands, -1 if the log does not hold it.
func (r *rulings) index(seq uint64) int {
	if i := int(seq) - 1; i >= 0 && i < len(r.events) && r.events[i].Seq == seq {
		return i
	}
	i := sort.Search(len(r.events), func(i int) bool { return r.events[i].Seq >= seq })
	if i < len(r.events) && r.events[i].Seq == seq {
		return i
	}
	return -1
}

// before is the ruling of an event that an overlay may speak of, nil if it
// names one that comes after itself or is not there.
func (r *rulings) before(overlay, seq uint64) *ruling {
	if i := r.index(seq); i >= 0 && seq < overlay {
		return &r.by[i]
	}
	return nil
}

// each calls f for the events of spans that precede the overlay.
func (r *rulings) each(overlay uint64, spans []conversation.Span, f func(i int)) {
	for _, s := range spans {
		last := min(s.Last, overlay-1)
		from := sort.Search(len(r.events), func(i int) bool { return r.events[i].Seq >= s.First })
		for i := from; i < len(r.events) && r.events[i].Seq <= last; i++ {
			f(i)
		}
	}
}

func (r *rulings) apply(e conversation.Event) {
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
		r.whole(e.Seq, b.Spans, func(d *ruling) { d.drop = e.Seq })
	case conversation.Pin:
		r.pin(e.Seq, b.Events, true)
	case conversation.Unpin:
		r.pin(e.Seq, b.Events, false)
	}
}

func (r *rulings) rewind(seq uint64, b conversation.Rewind) {
	for i, e := range r.events {
		if e.Seq >= seq {
			return
		}
		if e.Turn >= b.Turn && sent(e.Body) && r.by[i].gone == 0 {
			r.by[i].gone = seq
		}
	}
}

// sent reports whether a body becomes a message.
func sent(b conversation.Body) bool {
	switch b.(type) {
	case conversation.UserMessage, conversation.AssistantMessage, conversation.ToolResult:
		return true
	}
	return false
}

func (r *rulings) cap(seq uint64, b conversation.Cap) {
	for _, item := range b.Items {
		d := r.before(seq, item.Event)
		if d == nil || item.Head < 0 || item.Tail < 0 {
			continue
		}
		if d.caps == nil {
			d.caps = map[string]cut{}
		}
		d.caps[item.Call] = cut{seq: seq, head: item.Head, tail: item.Tail}
	}
}

func (r *rulings) mask(seq uint64, b conversation.Mask) {
	shared := &masking{seq: seq, style: b.Style, preview: b.Preview}
	for _, item := range b.Items {
		d := r.before(seq, item.Event)
		if d == nil {
			continue
		}
		how := shared
		if item.Fields != nil {
			how = &masking{seq: seq, style: b.Style, preview: b.Preview, fields: item.Fields, threshold: item.Threshold}
		}
		switch item.Part {
		case conversation.PartResult:
			d.result = how
		case conversation.PartReasoning:
			d.thought = how
		case conversation.PartArguments:
			if d.calls == nil {
				d.calls = map[string]*masking{}
			}
			d.calls[item.Call] = how
		}
	}
}

// policies applies the form of S64 that needs no model. In JP's own style the
// newest policy decides on calls and results together; otherwise it decides
// only on what it reduces, so that nothing grows by it.
func (r *rulings) policies(seq uint64, b conversation.Summary) {
	p := b.Policies
	how := &masking{seq: seq, style: b.Style, preview: p.Preview, minChars: p.MinChars}
	if p.Reasoning == conversation.ReasoningStrip {
		r.each(seq, b.Spans, func(i int) { r.by[i].thought = how })
	}
	switch p.ToolCalls {
	case conversation.ToolCallsStrip:
		r.each(seq, b.Spans, func(i int) { r.strip(i, p, how) })
	case conversation.ToolCallsOmit:
		r.whole(seq, b.Spans, func(d *ruling) { d.omit = how })
	}
}

// strip rules on one event by what its tool's calls are stripped of.
func (r *rulings) strip(i int, p *conversation.Policies, how *masking) {
	d := &r.by[i]
	letter := how.style == conversation.StyleJP
	if letter {
		d.omit = nil
	}
	switch b := r.events[i].Body.(type) {
	case conversation.ToolResult:
		switch _, response := p.For(b.Tool); {
		case response:
			d.result = how
		case letter:
			d.result = nil
		}
	case conversation.AssistantMessage:
		if letter {
			d.args, d.calls = nil, nil
		}
		for _, c := range b.Calls {
			if request, _ := p.For(c.Name); request {
				if d.calls == nil {
					d.calls = map[string]*masking{}
				}
				d.calls[c.ID] = how
			}
		}
	}
}

// summarise puts a summary in force for its units, if it holds.
func (r *rulings) summarise(seq uint64, b conversation.Summary) {
	if why := r.unsound(seq, b); why != "" {
		if why != takenBack {
			r.notes = append(r.notes, why)
		}
		return
	}
	s := &summaryInForce{seq: seq, Summary: b}
	r.whole(seq, b.Spans, func(d *ruling) { d.summary = s })
}

// takenBack is why a summary does not hold that a rewind cut: the usual case,
// and none to tell the user about.
const takenBack = "taken back"

// unsound says why a summary does not hold, "" if it does.
func (r *rulings) unsound(seq uint64, b conversation.Summary) string {
	for _, s := range b.Spans {
		if s.First > s.Last || s.Last >= seq || r.index(s.First) < 0 || r.index(s.Last) < 0 {
			return "the summary of e" + strconv.FormatUint(seq, 10) + " speaks of events that are not there; they are shown as they were said"
		}
	}
	cutLater := false
	r.each(seq, b.Spans, func(i int) { cutLater = cutLater || r.by[i].gone > seq })
	if cutLater {
		return takenBack
	}
	return ""
}

// whole rules on the units that spans cover whole and that were complete when
// the overlay was made.
func (r *rulings) whole(seq uint64, spans []conversation.Span, rule func(*ruling)) {
	r.group()
	for _, s := range spans {
		from := sort.Search(len(r.units), func(u int) bool { return r.events[r.units[u].Events[0]].Seq >= s.First })
		for u := from; u < len(r.units) && r.events[r.units[u].Events[0]].Seq <= s.Last; u++ {
			members, complete := r.unitBefore(u, seq)
			if !complete || !r.within(members, spans) {
				continue
			}
			for _, i := range members {
				rule(&r.by[i])
			}
		}
	}
}

// within reports whether spans hold all of a unit.
func (r *rulings) within(members []int, spans []conversation.Span) bool {
	for _, i := range members {
		if !holds(spans, r.events[i].Seq) {
			return false
		}
	}
	return len(members) > 0
}

func holds(spans []conversation.Span, seq uint64) bool {
	for _, s := range spans {
		if s.Holds(seq) {
			return true
		}
	}
	return false
}

// unitBefore lists the events of a unit that precede an overlay, and reports
// whether all its calls were answered by then.
func (r *rulings) unitBefore(u int, seq uint64) (members []int, complete bool) {
	members = r.units[u].Events
	for len(members) > 0 && r.events[members[len(members)-1]].Seq >= seq {
		members = members[:len(members)-1]
	}
	if len(members) == 0 {
		return nil, false
	}
	reply, _ := r.events[members[0]].Body.(conversation.AssistantMessage) // others have no calls
	for _, c := range reply.Calls {
		if !r.answered(c.ID, members[1:]) {
			return members, false
		}
	}
	return members, true
}

func (r *rulings) answered(call string, results []int) bool {
	for _, i := range results {
		if b, ok := r.events[i].Body.(conversation.ToolResult); ok && b.CallID == call {
			return true
		}
	}
	return false
}

// group finds the units, once.
func (r *rulings) group() {
	if !r.grouped {
		r.units, r.grouped = conversation.Units(r.events), true
	}
}

// pin sets or ends the pin of the units that hold events.
func (r *rulings) pin(seq uint64, events []uint64, pinned bool) {
	r.group()
	wanted := map[uint64]bool{}
	for _, e := range events {
		wanted[e] = e < seq
	}
	for _, u := range r.units {
		for _, i := range u.Events {
			if wanted[r.events[i].Seq] {
				for _, j := range u.Events {
					r.by[j].pinned = pinned
				}
				break
			}
		}
	}
}
