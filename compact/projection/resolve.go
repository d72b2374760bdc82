package projection

import (
	"slices"
	"sort"
	"strconv"

	"plimsoll/compact/preset"
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
//   - A unit is summarised, dropped, left out, pinned or taken back as a whole or
//     not at all, and but for pins only if it was complete when the overlay was
//     made; so what an overlay hides never depends on what is said later.

// ruling is how one event is shown.
type ruling struct {
	gone    uint64 // Seq of the rewind that took it back, 0 if none did
	pinned  bool
	summary *activeSummary
	drop    uint64     // Seq of the drop that covers it
	omit    *masking   // the pair of call and result is left out
	thought *masking   // reasoning is left out
	masks   []*masking // over a result, as covered leaves them
	calls   []callMask // of a reply's calls, the newest last
	caps    []callCap  // the newest last
}

// touched is the newest overlay that speaks of a result's text or hides the
// result, 0 if none does.
func (d *ruling) touched() uint64 {
	seq := max(d.gone, d.drop)
	if d.summary != nil {
		seq = max(seq, d.summary.seq)
	}
	if d.omit != nil {
		seq = max(seq, d.omit.seq)
	}
	if n := len(d.masks); n > 0 {
		seq = max(seq, d.masks[n-1].seq)
	}
	for _, c := range d.caps {
		seq = max(seq, c.seq)
	}
	return seq
}

// shown reports whether a result stands for itself.
func (d *ruling) shown() bool {
	return d.gone == 0 && (d.pinned || d.summary == nil && d.drop == 0 && d.omit == nil)
}

// activeSummary is a text that stands for a range.
type activeSummary struct {
	seq uint64
	conversation.Summary
}

// masking is how a part is hidden.
type masking struct {
	seq       uint64 // of the overlay
	style     conversation.Style
	words     *preset.Wording
	preview   int
	minChars  int
	fields    []string
	threshold int
	self      [1]*masking
}

func newMasking(seq uint64, style conversation.Style, preview int) *masking {
	m := &masking{seq: seq, style: style, words: preset.WordingOf(style), preview: preview}
	m.self[0] = m
	return m
}

// alone is the masking as a list of its own.
func (m *masking) alone() []*masking { return m.self[:] }

// letter reports whether a masking holds to the letter of a source, also where
// what it shows is longer than what it hides.
func (m *masking) letter() bool {
	return m.words.Exact
}

// callMask hides the arguments of one call.
type callMask struct {
	call string
	*masking
}

// callCap is how much is shown of a text: of a call's arguments, or with "" of
// a result.
type callCap struct {
	call string
	cut
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
	pins   map[string]bool // calls of replies that are pinned

	units  []conversation.Unit // made when first needed
	unitOf []int32             // by index into events, -1 for those in no unit

	roots  []uint64          // what repetitions finds; nil if no result repeats another
	alike  map[uint64][]int  // results with one text, ascending, by the first of them
	stands map[uint64]uint64 // which of them stands in full, 0 if none can
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
	for i, rewind := range conversation.TakenBack(events) {
		r.by[i].gone = rewind
	}
	r.repetitions()
	for _, i := range active {
		r.apply(events[i])
	}
	r.choose()
	return r
}

// index is where an event stands, -1 if the log does not hold it.
func (r *rulings) index(seq uint64) int { return conversation.IndexOf(r.events, seq) }

// before is the ruling of an event that an overlay may speak of, nil if it
// names one that comes after itself or is not there.
func (r *rulings) before(overlay, seq uint64) *ruling {
	if i := r.index(seq); i >= 0 && seq < overlay {
		return &r.by[i]
	}
	return nil
}

// each calls f for the events of spans that precede the overlay, once.
func (r *rulings) each(overlay uint64, spans []conversation.Span, f func(i int)) {
	for _, s := range conversation.Disjoint(spans) {
		from := sort.Search(len(r.events), func(i int) bool { return r.events[i].Seq >= s.First })
		for i := from; i < len(r.events) && r.events[i].Seq <= s.Last && r.events[i].Seq < overlay; i++ {
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

func (r *rulings) cap(seq uint64, b conversation.Cap) {
	for _, item := range b.Items {
		d := r.before(seq, item.Event)
		if d == nil || item.Head < 0 || item.Tail < 0 {
			continue
		}
		d.caps = append(d.caps, callCap{item.Call, cut{seq: seq, head: item.Head, tail: item.Tail}})
	}
}

func (r *rulings) mask(seq uint64, b conversation.Mask) {
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
func (r *rulings) policies(seq uint64, b conversation.Summary) {
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
		if how.letter() {
			r.whole(seq, b.Spans, func(d *ruling) { d.omit = how })
		} else {
			r.leaveOut(seq, b.Spans, how)
		}
	}
}

// strip rules on one event by what its tool's calls are stripped of.
func (r *rulings) strip(i int, p *conversation.Policies, how *masking) {
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

// argumentsOf is what hides the arguments of a call, nil if nothing does.
func (d *ruling) argumentsOf(call string) *masking {
	for _, m := range slices.Backward(d.calls) {
		if m.call == call {
			return m.masking
		}
	}
	return nil
}

// note tells the user what could not be applied.
func (r *rulings) note(seq uint64, text string) {
	r.notes = append(r.notes, "the summary of e"+strconv.FormatUint(seq, 10)+" "+text)
}
