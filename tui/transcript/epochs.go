package transcript

import (
	"sort"
	"strconv"

	"plimsoll/compact/planner"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Overlays become lines here. Those of one compaction are one line, where the
// first of them stands in the log, whether they come at once or one by one; so are the compactions
// that some presets make before each request of a turn. A
// revert makes no line: the lines of what it undoes, or redoes, say so.
// Turns that a rewind undid are folded away; unfolded they are as they were, without colour.
// What is in force, and what a rewind takes, is decided by package conversation.

// overlays is what is known of the overlays of the log.
type overlays struct {
	events []conversation.Event  // in the order of the log
	lines  []*epochItem          // likewise
	of     map[uint64]*epochItem // compactions by epoch, rewinds by event
	turns  []turnStart           // ascending
	stale  bool                  // the lines do not say yet what is in force

	requests *epochItem // of the turn, nil where the next one begins anew
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
	o.events, o.stale = append(o.events, e), true
	epoch := conversation.EpochOf(e)
	if o.of == nil {
		o.of = map[uint64]*epochItem{}
	}
	var it *epochItem
	switch b := e.Body.(type) {
	case conversation.Revert:
		return
	case conversation.Pin:
		it = o.line(e, "pinned "+numbers.Count(len(b.Events), "event"), push)
	case conversation.Unpin:
		it = o.line(e, "unpinned "+numbers.Count(len(b.Events), "event"), push)
	case conversation.Rewind:
		it = o.line(e, rewound(b), push)
		o.of[e.Seq] = it
	default:
		if it = o.of[epoch]; it == nil || !it.compaction {
			it = o.compaction(e, push)
			o.of[epoch] = it
		}
		if _, dropped := b.(conversation.Drop); dropped && automatic(it.made.Source) {
			it.verb = "trimmed" // as the snackbar said
		}
	}
	it.overlays = append(it.overlays, overlay{e.Seq, epoch})
	it.bump()
}

// line begins a line.
func (o *overlays) line(e conversation.Event, verb string, push func(item)) *epochItem {
	made, _ := conversation.OriginOf(e.Body)
	made.Epoch = conversation.EpochOf(e)
	it := &epochItem{at: e.Time, made: made, verb: verb}
	push(it)
	o.lines, o.requests = append(o.lines, it), nil
	return it
}

// compaction is the line of a compaction that begins with an event. One before a request joins those before it, if only
// calls and replies came between.
func (o *overlays) compaction(e conversation.Event, push func(item)) *epochItem {
	made, _ := conversation.OriginOf(e.Body)
	beforeRequest := made.Trigger == planner.TriggerRequest && automatic(made.Source)
	it := o.requests
	if it == nil || !beforeRequest {
		it = o.line(e, "compacted", push)
		it.compaction, it.small = true, beforeRequest
	}
	if beforeRequest {
		o.requests = it
	}
	it.passes++
	it.saved += max(0, made.Before-made.After)
	return it
}

// judge tells the lines and the entries what is in force.
func (o *overlays) judge(entries []*entry) {
	if !o.stale {
		return
	}
	o.stale = false
	states, force, newest := map[*epochItem]epochState{}, map[uint64]bool{}, (*epochItem)(nil)
	for _, i := range conversation.OverlaysInForce(o.events) {
		force[o.events[i].Seq] = true
	}
	for _, it := range o.lines {
		var s epochState
		for _, part := range it.overlays {
			switch {
			case !force[part.seq]:
				s.gone++
			case it.compaction:
				s.undoes, newest = part.epoch, it
			}
		}
		states[it] = s
	}
	o.takeBack(entries, force, states)
	for _, it := range o.lines {
		state := states[it]
		state.newest = it == newest
		if state != it.state {
			it.state = state
			it.bump()
		}
	}
}

// takeBack folds away what the rewinds in force took back, and counts the turns
// in the state of their lines.
func (o *overlays) takeBack(entries []*entry, force map[uint64]bool, states map[*epochItem]epochState) {
	var rewinds []conversation.Event
	for _, at := range o.events {
		if at.Body.Kind() == conversation.KindRewind && force[at.Seq] {
			rewinds = append(rewinds, at)
		}
	}
	for _, e := range entries {
		e.gone = false
		for _, at := range rewinds {
			if b, _ := at.Body.(conversation.Rewind); e.seq == 0 || e.seq >= at.Seq || !b.Removes(e.turn, e.seq) {
				continue
			}
			e.gone = true
			line := o.of[at.Seq]
			s := states[line]
			switch it := e.item.(type) {
			case *userItem:
				s.turns++
			case *toolItem:
				s.edits = s.edits || it.change != nil && it.result.Status == conversation.ResultOK
			}
			states[line] = s
			break
		}
	}
}

// placeOf is where what an event says stands.
func placeOf(e conversation.Event) placed {
	switch e.Body.(type) {
	case conversation.UserMessage, conversation.AssistantMessage, conversation.ToolResult, conversation.TurnFailed:
		return placed{e.Seq, e.Turn}
	}
	return placed{}
}

// rewound says what a rewind took back.
func rewound(b conversation.Rewind) string {
	switch {
	case b.Reply != 0:
		return "sent again without the reply that broke off"
	case b.Turn <= 0:
		return "went back to the beginning"
	}
	return "rewound to turn " + strconv.Itoa(b.Turn-1)
}
