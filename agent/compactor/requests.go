package compactor

import (
	"context"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// What the user asks of the compactor is put behind what waits, and made at the next
// place between two requests.

// Requests are what the user asks of a compactor.
type Requests struct{ c *Compactor }

// Changes are what a compactor is told of: the log, the rules and the model.
type Changes struct{ c *Compactor }

// Review takes a summary in that waits for the user, with the text he made of it, or
// gives it up. It does nothing where none waits any more.
func (r Requests) Review(text string, accept bool) {
	switch j := r.c.job; {
	case j == nil || j.state != stateInReview:
	case accept:
		r.c.accept(j, text)
	default:
		r.c.drop(j, ErrCancelled)
	}
}

// Compact asks for a compaction. One that is carried out already is not carried out
// twice.
func (r Requests) Compact(w edit.Request) {
	if n := len(r.c.operations); n > 0 {
		if last := &r.c.operations[n-1]; last.what == edit.OpCompact && sameRequest(r.c.Rules, last.request, w) {
			last.request.Review = last.request.Review || w.Review
			return
		}
	} else if r.c.job != nil {
		if r.c.job.serves(r.c.Rules, w) {
			r.c.job.joined = conversation.SourceManual
			r.c.job.review = r.c.job.review || r.c.Options.Interactive && w.Review && !r.c.job.ended()
			return
		} // what replaces it has to be possible first
	}
	r.c.operations.add(operation{what: edit.OpCompact, request: w})
}

// Undo undoes the compaction with an epoch, 0 for the newest in force.
func (r Requests) Undo(epoch uint64) {
	if epoch == 0 && len(r.c.operations) == 0 { // what the user sees in force, not what is about to be
		if epoch = r.c.manual.newestEpoch(); epoch == 0 {
			r.c.Updates.Put(updates.CompactionFailed{Err: unmade(edit.ErrNothingToUndo),
				Request: edit.Request{Source: conversation.SourceManual, Trigger: string(edit.OpUndo)}})
			return
		}
	}
	r.c.operations.add(operation{what: edit.OpUndo, epoch: epoch})
}

// Redo redoes the last undone compaction.
func (r Requests) Redo() { r.c.operations.add(operation{what: edit.OpRedo}) }

// Edit changes by hand how events are shown.
func (r Requests) Edit(what updates.Edit, events []uint64) {
	r.c.operations.add(operation{what: edit.Op(what), events: events})
}

// Rewinds reports whether there is a turn to rewind to; otherwise it tells.
func (r Requests) Rewinds(turn int) bool {
	first, _ := r.c.manual.turnToRewind(turn, r.c.operations.restores())
	if first < 0 {
		r.c.Updates.Put(updates.Failed{Err: noSuchTurn()})
	}
	return first >= 0
}

// Rewind undoes the turns from one on, negative for the newest.
func (r Requests) Rewind(turn int) { r.c.operations.add(operation{what: opRewind, turn: turn}) }

// Preview works a request out on the messages so far. It changes nothing.
func (r Requests) Preview(w edit.Request) (pass edit.Proposal, failure *llm.Error) {
	pass, err := edit.NewProposal(r.c.Log.Events(), r.c.Rules, r.c.Situation(), w)
	if err != nil {
		return pass, unmade(err)
	}
	return pass, nil
}

// Cancel gives up the summary that is being written or waits for the user.
func (r Requests) Cancel() { r.c.drop(r.c.job, ErrCancelled) }

// Held reports whether the owner waits for a summary.
func (c *Compactor) Held() bool { return c.held }

// Waits reports whether something waits to be done.
func (r Requests) Waits() bool { return len(r.c.operations) > 0 }

// Account adds up the context. What is returned reads nothing that the owner changes.
func (r Requests) Account() func() inspect.Breakdown {
	return r.c.schedule.account(r.c.schedule.Rules, meter.Window{})
}

// AccountBy is Account by other rules, and in a window of another size if that is known.
func (r Requests) AccountBy(rules preset.Rules, w meter.Window) func() inspect.Breakdown {
	return r.c.schedule.account(rules, w)
}

// RoomHint says how to go on after a server refused a request as too long.
func (r Requests) RoomHint(e *llm.Error) string { return r.c.schedule.roomHint(e) }

// RulesChanged takes other rules into account.
func (n Changes) RulesChanged() {
	n.c.schedule.refreshPast()
	n.c.dropStale()
}

// Note takes stored events into account.
func (n Changes) Note(events []conversation.Event) {
	for _, e := range events {
		if regards(e.Body) {
			n.c.schedule.refreshPast()
			return
		}
	}
}

// Rewound says that turns were left out.
func (n Changes) Rewound() { n.c.dropReverted() }

// Fits says that the conversation fits into the window of the model in use: the one before
// is not needed any more.
func (n Changes) Fits() { n.c.writers.previous, n.c.writers.heldWith = nil, "" }

// LeaveModel remembers the model in use if its window is larger than that of the next.
func (n Changes) LeaveModel(next meter.Window) { n.c.writers.previous = n.c.writers.largerThan(next) }

// ModelChanged takes another model into account.
func (n Changes) ModelChanged() {
	n.c.schedule.rearmAt = 0 // it was reckoned by another window
	n.c.dropStale()
}

// Replan has the planner asked once more before the next turn.
func (n Changes) Replan() { n.c.replan = true }

// Begin reads the stored log.
func (n Changes) Begin() {
	n.c.schedule.refreshPast()
	if s := &n.c.Settings; s.Changed.Model != "" && s.Changed.Name() != s.Model.Name() {
		n.c.writers.heldWith = s.Changed.Name()
	}
}

// End gives up what is not in force, and waits for the goroutine of a summary.
func (c *Compactor) End(ctx context.Context) {
	if j := c.job; j != nil {
		c.drop(j, context.Cause(ctx))
		<-j.done
		c.finish(ctx, j) // the view stays as it was
	}
	c.prepared.drop(errUnused, everyJob)
	c.recordStale(ctx)
}
