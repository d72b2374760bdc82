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

// Review takes a summary in that waits for the user, with the text he made of it, or
// gives it up. It does nothing where none waits any more.
func (c *Compactor) Review(text string, accept bool) {
	switch j := c.job; {
	case j == nil || j.state != stateInReview:
	case accept:
		c.accept(j, text)
	default:
		c.drop(j, ErrCancelled)
	}
}

// Compact asks for a compaction. One that is carried out already is not carried out
// twice.
func (c *Compactor) Compact(w edit.Request) {
	if n := len(c.operations); n > 0 {
		if last := &c.operations[n-1]; last.what == edit.OpCompact && sameRequest(c.journal.Rules(), last.request, w) {
			last.request.Review = last.request.Review || w.Review
			return
		}
	} else if c.job != nil {
		if c.job.serves(c.journal.Rules(), w) {
			c.job.joined = conversation.SourceManual
			c.job.review = c.job.review || c.journal.Interactive() && w.Review && !c.job.ended()
			return
		} // what replaces it has to be possible first
	}
	c.operations.add(operation{what: edit.OpCompact, request: w})
}

// Undo undoes the compaction with an epoch, 0 for the newest in force.
func (c *Compactor) Undo(epoch uint64) {
	if epoch == 0 && len(c.operations) == 0 { // what the user sees in force, not what is about to be
		if epoch = c.manual.newestEpoch(); epoch == 0 {
			c.journal.Tell(updates.CompactionFailed{Err: unmade(edit.ErrNothingToUndo),
				Request: edit.Request{Source: conversation.SourceManual, Trigger: string(edit.OpUndo)}})
			return
		}
	}
	c.operations.add(operation{what: edit.OpUndo, epoch: epoch})
}

// Redo redoes the last undone compaction.
func (c *Compactor) Redo() { c.operations.add(operation{what: edit.OpRedo}) }

// Edit changes by hand how events are shown.
func (c *Compactor) Edit(what updates.Edit, events []uint64) {
	c.operations.add(operation{what: edit.Op(what), events: events})
}

// Rewinds reports whether there is a turn to rewind to; otherwise it tells.
func (c *Compactor) Rewinds(turn int) bool {
	first, _ := c.manual.turnToRewind(turn, c.operations.restores())
	if first < 0 {
		c.journal.Tell(updates.Failed{Err: noSuchTurn()})
	}
	return first >= 0
}

// Rewind undoes the turns from one on, negative for the newest.
func (c *Compactor) Rewind(turn int) { c.operations.add(operation{what: opRewind, turn: turn}) }

// Preview works a request out on the messages so far. It changes nothing.
func (c *Compactor) Preview(w edit.Request) (proposal edit.Proposal, failure *llm.Error) {
	proposal, err := edit.NewProposal(c.journal.Events(), c.journal.Rules(), c.journal.Situation(), w)
	if err != nil {
		return proposal, unmade(err)
	}
	return proposal, nil
}

// Cancel gives up the summary that is being written or waits for the user.
func (c *Compactor) Cancel() { c.drop(c.job, ErrCancelled) }

// Held reports whether the owner waits for a summary.
func (c *Compactor) Held() bool { return c.held }

// Waits reports whether something waits to be done.
func (c *Compactor) Waits() bool { return len(c.operations) > 0 }

// Account adds up the context. What is returned reads nothing that the owner changes.
func (c *Compactor) Account() func() inspect.Breakdown {
	return c.schedule.account(c.schedule.journal.Rules(), meter.Window{})
}

// AccountBy is Account by other rules, and in a window of another size if that is known.
func (c *Compactor) AccountBy(rules preset.Rules, w meter.Window) func() inspect.Breakdown {
	return c.schedule.account(rules, w)
}

// RoomHint says how to go on after a server refused a request as too long.
func (c *Compactor) RoomHint(e *llm.Error) string { return c.schedule.roomHint(e) }

// RulesChanged takes other rules into account.
func (c *Compactor) RulesChanged() {
	c.schedule.refreshPast()
	c.dropStale()
}

// Note takes stored events into account.
func (c *Compactor) Note(events []conversation.Event) {
	for _, e := range events {
		if regards(e.Body) {
			c.schedule.refreshPast()
			return
		}
	}
}

// Rewound says that turns were left out.
func (c *Compactor) Rewound() { c.dropReverted() }

// Fits says that the conversation fits into the window of the model in use: the one before
// is not needed any more.
func (c *Compactor) Fits() { c.writers.previous, c.writers.heldWith = nil, "" }

// LeaveModel remembers the model in use if its window is larger than that of the next.
func (c *Compactor) LeaveModel(next meter.Window) { c.writers.previous = c.writers.largerThan(next) }

// ModelChanged takes another model into account.
func (c *Compactor) ModelChanged() {
	c.schedule.rearmAt = 0 // it was reckoned by another window
	c.dropStale()
}

// Replan has the planner asked once more before the next turn.
func (c *Compactor) Replan() { c.replan = true }

// Begin reads the stored log.
func (c *Compactor) Begin() {
	c.schedule.refreshPast()
	if last := c.journal.HeldWith(); last.Model != "" && last.Name() != c.journal.Model().Name() {
		c.writers.heldWith = last.Name()
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
