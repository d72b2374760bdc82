package compactor

import (
	"context"
	"slices"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// The commands of the user run in order of arrival: at once while idle, otherwise before the next request of the turn.

// Review accepts the summary in review with the user's text, or discards it. Without one it does nothing.
func (c *Compactor) Review(text string, accept bool) {
	switch j := c.job; {
	case j == nil || j.state != stateInReview:
	case accept:
		c.acceptReview(j, text)
	default:
		c.discard(j, ErrCancelled)
	}
}

// Compact requests a compaction. A request that equals the newest waiting one or the running one joins it.
func (c *Compactor) Compact(request edit.Request) {
	if n := len(c.operations); n > 0 {
		if last := &c.operations[n-1]; last.what == edit.OpCompact && sameRequest(c.journal.Rules(), last.request, request) {
			last.request.Review = last.request.Review || request.Review
			return
		}
	} else if c.job != nil {
		if c.job.answersRequest(c.journal.Rules(), request) {
			c.job.joinedBy = conversation.SourceManual
			c.job.needsReview = c.job.needsReview || c.journal.Interactive && request.Review && !c.job.ended()
			return
		} // the new request replaces it only once it is known to be possible
	}
	c.operations = append(c.operations, operation{what: edit.OpCompact, request: request})
}

// Undo undoes the compaction of an epoch, 0 for the newest in force.
func (c *Compactor) Undo(epoch uint64) {
	if epoch == 0 && len(c.operations) == 0 { // the user means the newest one on the screen
		for _, e := range conversation.Epochs(c.journal.Events()) {
			if e.InForce {
				epoch = e.ID
			}
		}
		if epoch == 0 {
			c.journal.Publish(updates.CompactionFailed{Err: proposalError(edit.ErrNothingToUndo),
				Request: edit.Request{Source: conversation.SourceManual, Trigger: string(edit.OpUndo)}})
			return
		}
	}
	c.operations = append(c.operations, operation{what: edit.OpUndo, epoch: epoch})
}

// Redo redoes the compaction that was undone last.
func (c *Compactor) Redo() { c.operations = append(c.operations, operation{what: edit.OpRedo}) }

// Edit requests a pin, an unpin, a mask or a restore by hand.
func (c *Compactor) Edit(what updates.Edit, events []uint64) {
	c.operations = append(c.operations, operation{what: edit.Op(what), events: events})
}

// CanRewind reports whether there is a turn to rewind to, and publishes the failure if not.
func (c *Compactor) CanRewind(turn int) bool {
	restores := slices.ContainsFunc(c.operations, func(d operation) bool { return d.what == opRestore })
	first, _ := c.turnToRewind(turn, restores)
	if first < 0 {
		c.journal.Publish(updates.Failed{Err: noSuchTurn()})
	}
	return first >= 0
}

// Rewind undoes the turns from one on, negative for the newest turn.
func (c *Compactor) Rewind(turn int) {
	c.operations = append(c.operations, operation{what: opRewind, turn: turn})
}

// Preview returns the proposal of a request on the current log. It changes nothing.
func (c *Compactor) Preview(request edit.Request) (proposal edit.Proposal, failure *llm.Error) {
	proposal, err := edit.NewProposal(c.journal.Events(), c.journal.Rules(), c.journal.CompactionInputs(), request)
	if err != nil {
		return proposal, proposalError(err)
	}
	return proposal, nil
}

// Cancel discards the summary that is being written or reviewed.
func (c *Compactor) Cancel() { c.discard(c.job, ErrCancelled) }

// Awaiting reports whether the turn waits for a summary.
func (c *Compactor) Awaiting() bool { return c.awaiting }

// HasOperations reports whether commands of the user wait.
func (c *Compactor) HasOperations() bool { return len(c.operations) > 0 }

// RulesChanged adapts to new rules.
func (c *Compactor) RulesChanged() {
	c.schedule.refreshHistory()
	c.dropStale()
}

// Observe updates the compactor's knowledge of earlier compactions from new events.
func (c *Compactor) Observe(events []conversation.Event) {
	affectsHistory := func(e conversation.Event) bool {
		k := e.Body.Kind()
		return k == conversation.KindAttempt || k == conversation.KindModel || k.IsOverlay()
	}
	if slices.ContainsFunc(events, affectsHistory) {
		c.schedule.refreshHistory()
	}
}

// ForgetPreviousModel stops the use of the previous model, because the conversation fits the current model's window.
func (c *Compactor) ForgetPreviousModel() { c.writers.previous, c.writers.recordedModel = nil, "" }

// RememberModel keeps the current model for summaries if its window is larger than that of the next one.
func (c *Compactor) RememberModel(next meter.Window) { c.writers.previous = c.writers.largerThan(next) }

// ModelChanged adapts to a new model.
func (c *Compactor) ModelChanged() {
	c.schedule.modelMayAskAt = 0 // it was computed for the old window
	c.dropStale()
}

// Replan makes the compactor ask the planner again before the next turn.
func (c *Compactor) Replan() { c.replan = true }

// Begin reads the log when a conversation is opened.
func (c *Compactor) Begin() {
	c.schedule.refreshHistory()
	if last := c.journal.RecordedModel(); last.Model != "" && last.Name() != c.journal.Model().Name() {
		c.writers.recordedModel = last.Name()
	}
}

// End discards all summaries that are not applied, and waits for the goroutine of the job.
func (c *Compactor) End(ctx context.Context) {
	if j := c.job; j != nil {
		c.discard(j, context.Cause(ctx))
		<-j.done
		c.finish(ctx, j) // the view stays as it was
	}
	for _, j := range c.prepared {
		j.end(errUnused)
	}
	c.recordStale(ctx)
}
