package transcript

import (
	"plimsoll/compact/planner"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// Overlays become lines here. All overlays of one compaction share one line, at the
// position of the first of them in the log; so do the compactions that some presets
// make before each request of a turn. A revert adds no line: it updates the lines of the
// overlays that it undoes or redoes. Rewound turns are folded away; unfolded, they are
// shown without colour. Package conversation decides which overlays are in force and
// which events a rewind removes.

// overlays holds the overlays of the log and their lines.
type overlays struct {
	events []conversation.Event  // in the order of the log
	lines  []*epochItem          // in the order of the log
	lineOf map[uint64]*epochItem // compactions by epoch, rewinds by sequence number
	stale  bool                  // an overlay was added since updateStates

	summaryCost *float64 // of the summaries since the newest compaction

	requests  *epochItem // line that the next compaction before a request joins; nil if it begins a new line
	filesBack bool       // files were brought back since the newest message of the user
}

// add records an overlay, and pushes a new line unless it joins an existing one.
func (o *overlays) add(e conversation.Event, push func(item)) {
	o.events, o.stale = append(o.events, e), true
	epoch := conversation.EpochOf(e)
	if o.lineOf == nil {
		o.lineOf = map[uint64]*epochItem{}
	}
	var it *epochItem
	switch b := e.Body.(type) {
	case conversation.Revert:
		return
	case conversation.Pin:
		it = o.addLine(e, "pinned "+numbers.Count(len(b.Events), "event"), push)
	case conversation.Unpin:
		it = o.addLine(e, "unpinned "+numbers.Count(len(b.Events), "event"), push)
	case conversation.Rewind:
		it = o.addLine(e, rewindVerb(b), push)
		o.lineOf[e.Seq], it.filesBack = it, o.filesBack
	default:
		if it = o.lineOf[epoch]; it == nil || !it.isCompaction {
			it = o.compactionLine(e, push)
			o.lineOf[epoch] = it
		}
		if _, dropped := b.(conversation.Drop); dropped && automatic(it.made.Source) {
			it.verb = "Trimmed" // the word that the snackbar uses
		}
		it.cover(b)
	}
	it.overlays = append(it.overlays, overlay{e.Seq, epoch})
	it.bump()
}

func (o *overlays) addLine(e conversation.Event, verb string, push func(item)) *epochItem {
	made, _ := conversation.OriginOf(e.Body)
	made.Epoch = conversation.EpochOf(e)
	it := &epochItem{at: e.Time, made: made, verb: verb, to: -1}
	push(it)
	o.lines, o.requests = append(o.lines, it), nil
	return it
}

// compactionLine returns the line for a new compaction. A compaction before a request joins the line of the previous one
// if only replies and tool results are between them.
func (o *overlays) compactionLine(e conversation.Event, push func(item)) *epochItem {
	made, _ := conversation.OriginOf(e.Body)
	beforeRequest := made.Trigger == planner.TriggerRequest && automatic(made.Source)
	it := o.requests
	if it == nil || !beforeRequest {
		it = o.addLine(e, "Compacted", push)
		it.isCompaction, it.isQuiet = true, beforeRequest
		it.costUSD, o.summaryCost = o.summaryCost, nil
	}
	if beforeRequest {
		o.requests = it
	}
	it.compactions++
	if beforeRequest {
		it.verb = "compacted"
		it.saved += max(0, made.Before-made.After)
	}
	return it
}

// updateStates recomputes which overlays are in force, for the lines and the entries.
func (o *overlays) updateStates(entries []*entry) {
	if !o.stale {
		return
	}
	o.stale = false
	states, force, newest := map[*epochItem]epochState{}, map[uint64]bool{}, (*epochItem)(nil)
	redone := map[uint64]bool{}
	for _, e := range o.events {
		if b, revert := e.Body.(conversation.Revert); revert {
			redone[b.Redoes] = true
		}
	}
	for _, i := range conversation.OverlaysInForce(o.events) {
		force[o.events[i].Seq] = true
	}
	for _, it := range o.lines {
		var s epochState
		for _, part := range it.overlays {
			switch {
			case !force[part.seq]:
				s.undone++
			case it.isCompaction:
				s.undoes, newest = part.epoch, it
			}
		}
		states[it] = s
	}
	o.markRewound(entries, force, states)
	for _, it := range o.lines {
		state := states[it]
		state.newest = it == newest
		state.redone = it.isCompaction && state.undone == 0 && redone[it.made.Epoch]
		if state != it.state {
			it.state = state
			it.bump()
		}
	}
}

// markRewound marks the entries that a rewind in force removed, and counts their turns
// in the states of the rewinds' lines.
func (o *overlays) markRewound(entries []*entry, force map[uint64]bool, states map[*epochItem]epochState) {
	var rewinds []conversation.Event
	for _, at := range o.events {
		if at.Body.Kind() == conversation.KindRewind && force[at.Seq] {
			rewinds = append(rewinds, at)
		}
	}
	for _, e := range entries {
		e.rewound = false
		for _, at := range rewinds {
			if b, _ := at.Body.(conversation.Rewind); e.seq == 0 || e.seq >= at.Seq || !b.Removes(e.turn, e.seq) {
				continue
			}
			e.rewound = true
			line := o.lineOf[at.Seq]
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

// logPositionOf returns the position of an event that a rewind can remove, or zero for other events.
func logPositionOf(e conversation.Event) logPosition {
	switch e.Body.(type) {
	case conversation.UserMessage, conversation.AssistantMessage, conversation.ToolResult, conversation.TurnFailed:
		return logPosition{e.Seq, e.Turn}
	}
	return logPosition{}
}

func rewindVerb(b conversation.Rewind) string {
	switch {
	case b.Reply != 0:
		return "sent again without the reply that broke off"
	case b.Turn <= 0:
		return "undid every turn"
	}
	return "undid the turns after " + pane.Turn(b.Turn-1)
}

// addCost counts the cost of a summary for the compaction that follows.
func (o *overlays) addCost(u conversation.Usage) {
	if u.Purpose != conversation.PurposeSummary || u.CostUSD == nil {
		return
	}
	sum := *u.CostUSD
	if o.summaryCost != nil {
		sum += *o.summaryCost
	}
	o.summaryCost = &sum
}
