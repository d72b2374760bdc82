package transcript

import (
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"plimsoll/compact/planner"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Overlays become lines here. Those of one compaction are one line, where the
// first of them stands in the log, whether they come at once or one by one. A
// revert makes no line: the lines of what it undoes, or redoes, say so.
// What is in force is decided as package conversation decides it.

// overlays is what is known of the overlays of the log.
type overlays struct {
	lines  []*epochItem          // in the order of the log
	epochs map[uint64]*epochItem // of them, those of compactions
	marks  []overlayMark         // in the order of the log
	turns  []turnStart           // ascending
	stale  bool                  // the lines do not say yet what is in force

	requests *requestsItem // of the turn, nil where the next one begins anew
	rewinds  []rewind      // in the order of the log
}

// overlayMark is one overlay of the log: a part of a line, or a revert.
type overlayMark struct {
	seq, epoch uint64
	at         time.Time
	line       *epochItem          // nil for a revert
	revert     conversation.Revert // for a revert
}

// turnStart is the event that a turn begins with.
type turnStart struct {
	seq  uint64
	turn int
}

// begin notes that a turn begins.
func (o *overlays) begin(e conversation.Event) {
	o.requests = nil
	if n := len(o.turns); n == 0 || e.Seq > o.turns[n-1].seq {
		o.turns = append(o.turns, turnStart{e.Seq, e.Turn})
	}
}

// turnOf is the turn of an event.
func (o *overlays) turnOf(seq uint64) int {
	i := sort.Search(len(o.turns), func(i int) bool { return o.turns[i].seq > seq })
	if i == 0 {
		return 0
	}
	return o.turns[i-1].turn
}

// leads is the event that a recall is about, 0 for other calls.
func (o *overlays) leads(c conversation.ToolCall) uint64 {
	if c.Name != conversation.ToolRecall {
		return 0
	}
	id, ok := conversation.ParseRecallID(subject(c, ""))
	switch {
	case !ok:
		return 0
	case !id.Turns:
		return id.First
	}
	for _, t := range o.turns {
		if uint64(t.turn) == id.First {
			return t.seq
		}
	}
	return 0
}

// add notes an overlay, and pushes the line that shows it where it begins one.
func (o *overlays) add(e conversation.Event, push func(item)) {
	made, _ := conversation.MadeOf(e.Body)
	if made.Epoch == 0 {
		made.Epoch = e.Seq
	}
	k := overlayMark{seq: e.Seq, epoch: made.Epoch, at: e.Time}
	switch b := e.Body.(type) {
	case conversation.Revert:
		k.revert = b
	case conversation.Pin:
		k.line = o.line(push, e, made, 0, "pinned "+numbers.Count(len(b.Events), "event"))
	case conversation.Unpin:
		k.line = o.line(push, e, made, 0, "unpinned "+numbers.Count(len(b.Events), "event"))
	case conversation.Rewind:
		k.line = o.line(push, e, made, 0, rewound(b))
		o.rewinds = append(o.rewinds, rewind{b, e.Seq, k.line})
	default:
		k.line = o.compaction(push, e, made)
		k.line.note(e, o)
		k.line.bump()
	}
	if k.line != nil {
		k.line.parts++
	}
	o.marks = append(o.marks, k)
	o.stale = true
}

// line begins a line; epoch is 0 for what is no compaction.
func (o *overlays) line(push func(item), e conversation.Event, made conversation.Made, epoch uint64, verb string) *epochItem {
	it := newEpochItem(e, made, epoch, verb)
	push(it)
	o.lines = append(o.lines, it)
	o.requests = nil
	return it
}

func newEpochItem(e conversation.Event, made conversation.Made, epoch uint64, verb string) *epochItem {
	return &epochItem{id: epoch, at: e.Time, made: made, verb: verb, from: math.MaxInt, to: -1}
}

// compaction is the line of the epoch that an overlay belongs to.
func (o *overlays) compaction(push func(item), e conversation.Event, made conversation.Made) *epochItem {
	if o.epochs == nil {
		o.epochs = map[uint64]*epochItem{}
	}
	switch {
	case o.epochs[made.Epoch] != nil:
	case made.Trigger == planner.TriggerRequest && automatic(made.Source):
		o.epochs[made.Epoch] = o.request(push, e, made)
	default:
		o.epochs[made.Epoch] = o.line(push, e, made, made.Epoch, "compacted")
	}
	return o.epochs[made.Epoch]
}

// note adds what an overlay does to the epoch's account.
func (it *epochItem) note(e conversation.Event, o *overlays) {
	switch b := e.Body.(type) {
	case conversation.Mask:
		for _, i := range b.Items {
			it.reach(o.turnOf(i.Event), o.turnOf(i.Event))
		}
		it.did.mask(b)
	case conversation.Cap:
		for _, i := range b.Items {
			it.reach(o.turnOf(i.Event), o.turnOf(i.Event))
		}
		it.did.capped += len(b.Items)
	case conversation.Drop:
		it.reachSpans(b.Spans, e.Seq, o)
		it.did.dropped = true
	case conversation.Summary:
		it.did.summary(b)
		if b.FromTurn < 0 || b.ToTurn < b.FromTurn {
			it.reachSpans(b.Spans, e.Seq, o)
			return
		}
		it.reach(b.FromTurn, b.ToTurn)
	}
}

// reach widens the turns that an epoch is about.
func (it *epochItem) reach(from, to int) { it.from, it.to = min(it.from, from), max(it.to, to) }

// reachSpans does so by spans of events, of those before the overlay.
func (it *epochItem) reachSpans(spans []conversation.Span, overlay uint64, o *overlays) {
	for _, s := range spans {
		if s.First <= s.Last && s.First < overlay {
			it.reach(o.turnOf(s.First), o.turnOf(min(s.Last, overlay-1)))
		}
	}
}

// judge tells the lines and the entries what is in force.
func (o *overlays) judge(entries []*entry) {
	if !o.stale {
		return
	}
	o.stale = false
	states := o.states()
	o.takeBack(entries, states)
	var newest *epochItem
	for _, it := range o.lines {
		if it.id != 0 && states[it].gone < it.parts {
			newest = it
		}
	}
	for _, it := range o.lines {
		state := states[it]
		state.newest = it == newest
		if state != it.state {
			it.state = state
			it.bump()
		}
	}
}

// states is what reverts did to the lines, newest first: one counts only while
// it is in force itself, and for what stands before it.
func (o *overlays) states() map[*epochItem]epochState {
	taken := map[uint64]time.Time{}    // epochs
	single := map[uint64]time.Time{}   // events
	returned := map[uint64]time.Time{} // epochs
	newest := func(m map[uint64]time.Time, key uint64, at time.Time) {
		if _, known := m[key]; !known && key != 0 {
			m[key] = at
		}
	}
	states := make(map[*epochItem]epochState, len(o.lines))
	for _, k := range slices.Backward(o.marks) {
		at, gone := single[k.seq]
		if !gone {
			at, gone = taken[k.epoch]
		}
		switch {
		case k.line != nil:
			back, redone := returned[k.line.id]
			states[k.line] = states[k.line].with(at, gone, back, redone)
		case gone:
		default:
			newest(returned, k.revert.Redoes, k.at)
			if k.revert.Epoch != 0 {
				newest(taken, k.revert.Epoch, k.at)
			} else {
				newest(single, k.revert.Event, k.at)
			}
		}
	}
	return states
}

// with adds what became of one more overlay of a line.
func (s epochState) with(at time.Time, gone bool, back time.Time, redone bool) epochState {
	switch {
	case gone:
		if s.gone == 0 || at.After(s.since) {
			s.since = at
		}
		s.gone++
	case redone && s.gone == 0:
		s.redone, s.since = true, back
	}
	return s
}

// deeds counts what a compaction did.
type deeds struct {
	results, arguments, capped, summaries int
	reasoning, calls, dropped, evicted    bool
}

func (d *deeds) mask(b conversation.Mask) {
	for _, i := range b.Items {
		switch i.Part {
		case conversation.PartResult:
			d.results++
		case conversation.PartArguments:
			d.arguments++
		case conversation.PartReasoning:
			d.reasoning = true
		}
	}
}

func (d *deeds) summary(b conversation.Summary) {
	switch {
	case b.Policies != nil:
	case b.Text == "":
		d.evicted = true
		return
	default:
		d.summaries++
		return
	}
	d.reasoning = d.reasoning || b.Policies.Reasoning != ""
	d.calls = d.calls || b.Policies.ToolCalls != ""
}

// words says what was done, "" if nothing is known.
func (d *deeds) words() string {
	var parts []string
	add := func(n int, noun, what string) {
		if n > 0 {
			parts = append(parts, numbers.Count(n, noun)+what)
		}
	}
	flag := func(is bool, what string) {
		if is {
			parts = append(parts, what)
		}
	}
	flag(d.reasoning, "reasoning stripped")
	add(d.arguments, "call", " without arguments")
	add(d.results, "result", " masked")
	flag(d.calls, "tool calls stripped")
	add(d.capped, "text", " capped")
	flag(d.evicted, "evicted, note")
	flag(d.summaries == 1, "1 summary")
	flag(d.summaries > 1, strconv.Itoa(d.summaries)+" summaries")
	flag(d.dropped, "oldest messages dropped")
	return strings.Join(parts, ", ")
}

// turnsFirst is how the account of a compaction begins.
var turnsFirst = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^turns? \d+(–\d+)?, `)
})

// what says what a compaction did: in the words of its account where it has
// the form that is known, counted otherwise.
func (it *epochItem) what() string {
	if at := turnsFirst().FindStringIndex(it.made.Why); at != nil {
		return it.made.Why[at[1]:]
	}
	if words := it.did.words(); words != "" {
		return words
	}
	return it.made.Why
}
