package projection

import (
	"slices"
	"sort"
	"strconv"
	"unicode/utf8"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// activeSummary is a summary or note in force, with its Seq.
type activeSummary struct {
	seq uint64
	conversation.Summary
}

// decisions are the effects of the overlays of a log on each event.
type decisions struct {
	events      []conversation.Event
	perEvent    []decision // by index into events
	notes       []string
	pinnedCalls map[string]bool // calls of replies that are pinned

	units  []conversation.Unit // computed at the first use
	unitOf []int32             // by index into events, -1 for those in no unit

	roots      []uint64          // first result with the same text, by index; nil if no result repeats another
	sameText   map[uint64][]int  // indices of results with the same text, ascending, by the Seq of the first
	fullResult map[uint64]uint64 // Seq of the one that is shown in full, 0 if none can be
}

// decision says how one event is shown.
type decision struct {
	rewound   uint64 // Seq of the rewind that removes it, 0 without one
	pinned    bool
	summary   *activeSummary
	drop      uint64     // Seq of the drop that covers it
	leftOut   *masking   // leaves out the call and its result
	reasoning *masking   // strips reasoning
	masks     []*masking // of a result, without superseded ones (see withMask)
	calls     []callMask // of a reply's calls, the newest last
	caps      []callCap  // the newest last
}

// masking is one mask, or the policies of one summary, with its wording.
type masking struct {
	seq       uint64 // of the overlay
	style     conversation.Style
	words     *preset.Wording
	preview   int
	minChars  int
	fields    []string
	threshold int
}

type endLimits struct {
	seq        uint64
	head, tail int
}

type callMask struct {
	call string
	*masking
}

// callCap limits how much is shown of a call's arguments, or with call "" of a result.
type callCap struct {
	call string
	endLimits
}

func newMasking(seq uint64, style conversation.Style, preview int) *masking {
	return &masking{seq: seq, style: style, words: preset.WordingOf(style), preview: preview}
}

// hasSameText reports whether two masks without fields produce the same text.
func (m *masking) hasSameText(other *masking) bool {
	return m.style == other.style && m.preview == other.preview && m.minChars == other.minChars
}

// isExact reports whether a masking shows the exact text of a source, even where that is
// longer than the original.
func (m *masking) isExact() bool {
	return m.words.AlwaysReplaces
}

// withMask returns the masks of a result with one more, the oldest first. An exact mask
// replaces all earlier ones, so only the first can be exact. Of several masks with the
// same text it keeps the newest.
func withMask(masks []*masking, mask *masking) []*masking {
	n := len(masks)
	switch {
	case n == 0 || mask.isExact() || n == 1 && masks[0].hasSameText(mask):
		return []*masking{mask}
	case masks[n-1].hasSameText(mask):
		masks[n-1] = mask
		return masks
	}
	return append(masks, mask)
}

func (r *decisions) index(seq uint64) int { return conversation.IndexOf(r.events, seq) }

// eachEvent calls f once for every event of the spans that precedes the overlay.
func (r *decisions) eachEvent(overlay uint64, spans []conversation.Span, f func(i int)) {
	for _, s := range conversation.Disjoint(spans) {
		from := sort.Search(len(r.events), func(i int) bool { return r.events[i].Seq >= s.First })
		for i := from; i < len(r.events) && r.events[i].Seq <= s.Last && r.events[i].Seq < overlay; i++ {
			f(i)
		}
	}
}

func (r *decisions) addNote(seq uint64, text string) {
	r.notes = append(r.notes, "the summary of e"+strconv.FormatUint(seq, 10)+" "+text)
}

// isShown reports whether a message of its own shows the result.
func (d *decision) isShown() bool {
	return d.rewound == 0 && (d.pinned || d.summary == nil && d.drop == 0 && d.leftOut == nil)
}

// newestOverlay returns the Seq of the newest overlay that changes or covers a result, 0
// without one.
func (d *decision) newestOverlay() uint64 {
	seq := max(d.rewound, d.drop)
	if d.summary != nil {
		seq = max(seq, d.summary.seq)
	}
	if d.leftOut != nil {
		seq = max(seq, d.leftOut.seq)
	}
	if n := len(d.masks); n > 0 {
		seq = max(seq, d.masks[n-1].seq)
	}
	for _, c := range d.caps {
		seq = max(seq, c.seq)
	}
	return seq
}

// The effect of the overlays of a log is decided before any text is written. Rules:
//
//   - An overlay is in force unless a later revert that is itself in force undoes it or
//     its epoch.
//   - Within one kind of content the newest overlay in force decides, by its place in the
//     log, never by a clock.
//   - A summary is not in force if its events were rewound after it was made, or if it
//     names events that the log does not have: a part of it would be wrong.
//   - A unit is summarised, dropped, left out, pinned or rewound as a whole or not at all,
//     and except for pins only if it was complete when the overlay was made. So the
//     effect of an overlay never depends on later events.

// resolve returns the decision for every event, nil if no overlay is in force and every
// event is shown in full.
func resolve(events []conversation.Event) *decisions {
	active := conversation.OverlaysInForce(events)
	if len(active) == 0 {
		return nil
	}
	r := &decisions{events: events, perEvent: make([]decision, len(events))}
	// Rewinds come first, because they decide which summaries are in force.
	for i, rewind := range conversation.RewoundBy(events) {
		r.perEvent[i].rewound = rewind
	}
	r.findRepetitions()
	for _, i := range active {
		r.apply(events[i])
	}
	r.chooseFullResults()
	return r
}

// decisionBefore returns the decision of an event that an overlay names, nil if the event is not
// in the log or not before the overlay.
func (r *decisions) decisionBefore(overlay, seq uint64) *decision {
	if i := r.index(seq); i >= 0 && seq < overlay {
		return &r.perEvent[i]
	}
	return nil
}

func (r *decisions) apply(e conversation.Event) {
	switch b := e.Body.(type) {
	case conversation.Cap:
		r.applyCap(e.Seq, b)
	case conversation.Mask:
		r.applyMask(e.Seq, b)
	case conversation.Summary:
		if b.Policies != nil {
			r.applyPolicies(e.Seq, b)
		} else {
			r.applySummary(e.Seq, b)
		}
	case conversation.Drop:
		r.decideUnits(e.Seq, b.Spans, func(d *decision) { d.drop = e.Seq })
	case conversation.Pin:
		r.applyPin(e.Seq, b.Events, true)
	case conversation.Unpin:
		r.applyPin(e.Seq, b.Events, false)
	}
}

func (r *decisions) applyCap(seq uint64, b conversation.Cap) {
	for _, item := range b.Items {
		d := r.decisionBefore(seq, item.Event)
		if d == nil || item.Head < 0 || item.Tail < 0 {
			continue
		}
		d.caps = append(d.caps, callCap{item.Call, endLimits{seq: seq, head: item.Head, tail: item.Tail}})
	}
}

func (r *decisions) applyMask(seq uint64, b conversation.Mask) {
	shared := newMasking(seq, b.Style, b.Preview)
	for _, item := range b.Items {
		d := r.decisionBefore(seq, item.Event)
		if d == nil {
			continue
		}
		itemMask := shared
		if item.Fields != nil {
			itemMask = newMasking(seq, b.Style, b.Preview)
			itemMask.fields, itemMask.threshold = item.Fields, item.Threshold
		}
		switch item.Part {
		case conversation.PartResult:
			d.masks = withMask(d.masks, itemMask)
		case conversation.PartReasoning:
			d.reasoning = itemMask
		case conversation.PartArguments:
			d.calls = append(d.calls, callMask{item.Call, itemMask})
		}
	}
}

// applyPolicies applies an overlay of JP's RFD 064 that needs no model. In JP's own style the newest
// policy decides on calls and results together; in other styles only on those that it
// shortens, so that nothing grows.
func (r *decisions) applyPolicies(seq uint64, b conversation.Summary) {
	p := b.Policies
	mask := newMasking(seq, b.Style, p.Preview)
	mask.minChars = p.MinChars
	if p.Reasoning == conversation.ReasoningStrip {
		r.eachEvent(seq, b.Spans, func(i int) { r.perEvent[i].reasoning = mask })
	}
	switch p.ToolCalls {
	case conversation.ToolCallsStrip:
		r.eachEvent(seq, b.Spans, func(i int) { r.stripEvent(i, p, mask) })
	case conversation.ToolCallsOmit:
		if mask.isExact() {
			r.decideUnits(seq, b.Spans, func(d *decision) { d.leftOut = mask })
		} else {
			r.leaveOutUnits(seq, b.Spans, mask)
		}
	}
}

func (r *decisions) stripEvent(i int, p *conversation.Policies, mask *masking) {
	d := &r.perEvent[i]
	whole := mask.words.NewestPolicyDecides
	if whole {
		d.leftOut = nil
	}
	switch b := r.events[i].Body.(type) {
	case conversation.ToolResult:
		switch _, response := p.ForTool(b.Tool); {
		case response:
			d.masks = withMask(d.masks, mask)
		case whole:
			d.masks = nil
		}
	case conversation.AssistantMessage:
		if whole {
			d.calls = nil
		}
		for k := range b.Calls {
			if request, _ := p.ForTool(b.Calls[k].Name); request {
				d.calls = append(d.calls, callMask{b.Calls[k].ID, mask})
			}
		}
	}
}

// Pinned returns the events of a log that a pin shows in full whatever else covers them, by Seq.
func Pinned(log []conversation.Event) map[uint64]bool {
	pinned := map[uint64]bool{}
	if r := resolve(log); r != nil {
		for i := range r.perEvent {
			if r.perEvent[i].pinned {
				pinned[log[i].Seq] = true
			}
		}
	}
	return pinned
}

// The following decisions apply to whole units, so that no call is shown without its result.

func (r *decisions) findUnits() {
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

// applyPin sets or ends the pin of the units that contain events. Results that arrive later for
// a pinned reply are pinned, too.
func (r *decisions) applyPin(seq uint64, events []uint64, pinned bool) {
	r.findUnits()
	for _, e := range events {
		i := r.index(e)
		if i < 0 || e >= seq || r.unitOf[i] < 0 {
			continue
		}
		for _, j := range r.units[r.unitOf[i]].Events {
			r.perEvent[j].pinned = pinned
			reply, _ := r.events[j].Body.(conversation.AssistantMessage) // other messages have no calls
			for k := range reply.Calls {
				if r.pinnedCalls == nil {
					r.pinnedCalls = map[string]bool{}
				}
				r.pinnedCalls[reply.Calls[k].ID] = pinned
			}
		}
	}
}

func (r *decisions) applySummary(seq uint64, b conversation.Summary) {
	if !r.inLog(seq, b.Spans) {
		r.addNote(seq, "speaks of events that are not there; they are shown as they were said")
		return
	}
	if r.rewoundLater(seq, b.Spans) { // happens often, and needs no note for the user
		return
	}
	s := &activeSummary{seq: seq, Summary: b}
	r.decideUnits(seq, b.Spans, func(d *decision) { d.summary = s })
}

// rewoundLater reports whether a rewind after an overlay removes some of the events that
// it covers.
func (r *decisions) rewoundLater(seq uint64, spans []conversation.Span) bool {
	rewound := false
	r.eachEvent(seq, spans, func(i int) { rewound = rewound || r.perEvent[i].rewound > seq })
	return rewound
}

// inLog reports whether the log has the ends of spans, before the overlay.
func (r *decisions) inLog(seq uint64, spans []conversation.Span) bool {
	return !slices.ContainsFunc(spans, func(s conversation.Span) bool {
		return s.First > s.Last || s.Last >= seq || r.index(s.First) < 0 || r.index(s.Last) < 0
	})
}

// decideUnits changes the decisions of the units that spans cover completely and that were
// complete when the overlay was made.
func (r *decisions) decideUnits(seq uint64, spans []conversation.Span, rule func(*decision)) {
	r.eachUnit(seq, spans, func(members []int) {
		for _, i := range members {
			rule(&r.perEvent[i])
		}
	})
}

// eachUnit calls f for the units of decideUnits, from the newest to the oldest, with
// their events that precede the overlay.
func (r *decisions) eachUnit(seq uint64, spans []conversation.Span, f func(members []int)) {
	r.findUnits()
	covered := conversation.Disjoint(spans)
	first := func(u int) uint64 { return r.events[r.units[u].Events[0]].Seq }
	for _, s := range slices.Backward(covered) {
		from := sort.Search(len(r.units), func(u int) bool { return first(u) >= s.First })
		to := from + sort.Search(len(r.units)-from, func(k int) bool { return first(from+k) > s.Last })
		for u := to - 1; u >= from; u-- {
			members, complete := r.unitBefore(u, seq)
			if complete && !slices.ContainsFunc(members, func(i int) bool { return !covered.Contains(r.events[i].Seq) }) {
				f(members)
			}
		}
	}
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
		b, _ := r.events[results[i]].Body.(conversation.ToolResult) // a unit has only results after its reply
		return b.CallID
	})
}

// An overlay may leave out tool calls. In JP's style the calls and results are left out and
// the reply's text stays. In other styles a line replaces the whole unit, because models
// that read about work without seeing it invent work. The unit is left out only if the
// line, for this unit alone, would be no longer than the unit was when the overlay was
// made, so that the view never grows.

func (r *decisions) leaveOutUnits(seq uint64, spans []conversation.Span, mask *masking) {
	var line run // reused for each unit
	r.eachUnit(seq, spans, func(members []int) {
		line = run{kind: omitRun, events: line.events[:0], tools: line.tools[:0]}
		if r.lineIsShorter(&line, members, seq) {
			for _, i := range members {
				r.perEvent[i].leftOut = mask
			}
		}
	})
}

// lineIsShorter reports whether a unit has calls, and is at least as long as the line that
// would replace it. It fills line, which is an empty run.
func (r *decisions) lineIsShorter(line *run, members []int, seq uint64) bool {
	hasWork, room := false, 0
	for _, i := range members {
		m, ok := MessageOf(&r.events[i])
		if !ok {
			continue
		}
		d := &r.perEvent[i]
		hasWork = hasWork || m.isWork()
		line.add(&m)
		line.events = append(line.events, r.events[i].Seq)
		line.addTools(m.Calls)
		switch {
		case d.leftOut != nil && d.leftOut.isExact() && m.Role == RoleTool:
		case d.leftOut != nil && d.leftOut.isExact():
			room += m.Size.Length()
		case m.Role == RoleTool:
			room += r.leastSavedChars(i, seq)
		default:
			reduceReply(&m, d)
			room += m.After().Length()
		}
	}
	return hasWork && utf8.RuneCountInString(line.omitText()) <= room
}

func (m *Message) isWork() bool { return m.Role == RoleTool || len(m.Calls) > 0 }

// leastSavedChars returns the fewest code points that an overlay saves by reducing a result. If
// others have the same text, one of these may have to be shown in full in its place, and
// the number in the pointers to it may be longer. Results after the overlay do not count.
func (r *decisions) leastSavedChars(i int, overlay uint64) int {
	chars, group := r.formOf(i).size.Length(), r.sameText[r.root(i)]
	alike := sort.Search(len(group), func(k int) bool { return r.events[group[k]].Seq >= overlay })
	if alike < 2 {
		return chars
	}
	b, _ := r.events[i].Body.(conversation.ToolResult) // only results repeat and are repeated
	return min(chars, pointerChars(b)) - alike*(digitCount(overlay)-digitCount(r.events[i].Seq))
}
