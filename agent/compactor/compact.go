package compactor

import (
	"context"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
)

// A compaction is made between requests: at once while idle, otherwise before
// the turn's next request. Rules:
//
//   - What is asked for is done in the order it was asked for. What needs no model
//     does not wait for a summary that is being written: if that is then no longer
//     about what the model sees, it is given up.
//   - The overlays of one proposal are one transaction. Where it cannot be stored,
//     nothing is in force and nothing waits to be.

// Boundary is where nothing streams and no tool runs: a summary that is written
// is taken in, and what waits is done.
func (c *Compactor) Boundary(ctx context.Context) {
	for ctx.Err() == nil {
		if c.job != nil && c.job.ended() {
			c.applySummary(ctx)
		}
		c.recordStale(ctx)
		if !c.operations.due(c.journal.InTurn()) {
			return
		}
		c.execute(ctx, c.operations.take())
	}
}

func (c *Compactor) execute(ctx context.Context, d operation) {
	switch d.what {
	case edit.OpCompact:
		c.compact(ctx, d.request)
	case opRewind:
		c.rewind(ctx, d.turn)
	case edit.OpUndo, edit.OpRedo:
		c.revert(ctx, d)
	default:
		c.applyEdit(ctx, d)
	}
}

// compact makes the compaction that was asked for.
func (c *Compactor) compact(ctx context.Context, w edit.Request) {
	if err := c.journal.Flush(ctx); err != nil {
		c.records.refuse(ctx, w, err)
		return
	}
	proposal, err := edit.NewProposal(c.journal.Events(), c.journal.Rules(), c.journal.Situation(), w)
	switch {
	case err != nil:
		c.records.refuse(ctx, w, unmade(err))
	case proposal.Job != nil && c.commitPrepared(ctx, w, proposal.Spans):
	case proposal.Job != nil:
		c.startRequested(ctx, w)
	default:
		if err := c.commit(ctx, &proposal, w, nil); err != nil {
			c.records.refuse(ctx, w, err)
		}
	}
}

// startRequested has the summary written that was asked for.
func (c *Compactor) startRequested(ctx context.Context, w edit.Request) {
	j := &job{request: w, blocking: w.Source != conversation.SourceManual || !c.journal.InBackground()}
	j.work = func(now edit.Inputs) (edit.Proposal, error) {
		return edit.NewProposal(c.journal.Events(), c.journal.Rules(), now, w)
	}
	if err := c.start(ctx, j); err != nil {
		j.end(err)
		c.records.giveUp(ctx, j, nil)
	}
}

// applyEdit does by hand what an operation says, and tells what came of it.
func (c *Compactor) applyEdit(ctx context.Context, d operation) {
	edited := updates.Edited{What: updates.Edit(d.what), Events: d.events}
	if made, err := c.manual.overlay(ctx, d); err != nil {
		edited.Err = err
	} else {
		edited.Before, edited.After = made.Before, made.After
		c.dropStale()
	}
	c.journal.Logger().Info("steered", "what", edited.What, "events", len(edited.Events), "failed", edited.Err != nil, "before", edited.Before, "after", edited.After)
	c.journal.Tell(edited)
}

// rewind undoes turns, between two turns.
func (c *Compactor) rewind(ctx context.Context, turn int) {
	if err := c.journal.Flush(ctx); err != nil {
		c.journal.Tell(updates.Failed{Err: err})
		return
	}
	first, text := c.manual.turnToRewind(turn, false)
	if first < 0 {
		c.journal.Tell(updates.Failed{Err: noSuchTurn()})
		return
	}
	made := conversation.Made{Epoch: c.journal.NextSeq(), Source: conversation.SourceManual, Trigger: string(opRewind)}
	if _, err := c.journal.Append(ctx, conversation.Rewind{Made: made, Turn: first}); err != nil {
		c.journal.Tell(updates.Failed{Err: llm.AsError(err)})
		return
	}
	c.dropReverted()
	c.loop.GiveBack(text)
}

// Undoing a compaction, and redoing it, is one more overlay with its own
// epoch. It costs no request, but it breaks the cached prefix like
// any other.

// revert undoes the compaction of an operation, or redoes one.
func (c *Compactor) revert(ctx context.Context, d operation) {
	w := edit.Request{Source: conversation.SourceManual, Trigger: string(d.what)}
	if err := c.journal.Flush(ctx); err != nil {
		c.records.refuse(ctx, w, err)
		return
	}
	now := edit.Inputs{Meter: c.journal.Meter(), Now: c.journal.Now()}
	r, err := edit.NewReversal(c.journal.Events(), c.journal.Rules(), now,
		edit.ReversalRequest{Redo: d.what == edit.OpRedo, Epoch: d.epoch}, c.journal.NextSeq())
	if err != nil {
		c.records.refuse(ctx, w, unmade(err))
		return
	}
	if _, err := c.journal.Append(ctx, r.Body); err != nil {
		c.records.refuse(ctx, w, notMade(err))
		return
	}
	done := updates.Compacted{Epoch: r.Epoch, Undone: !r.Redo, Redone: r.Redo, Source: conversation.SourceManual,
		Preview: edit.Preview{Profile: r.Profile, Range: r.Range, Before: r.Before, After: r.After}}
	c.journal.Logger().Info("compaction", "outcome", d.what, "epoch", done.Epoch, "before", done.Preview.Before, "after", done.Preview.After)
	c.schedule.rearm()
	c.dropReverted()
	if done.Undone {
		done.Next = c.schedule.check(c.journal.Moment(), false).Forecast(c.journal.Rules()).At
	}
	c.journal.Tell(done)
}

// evictForModel makes room for the model, which asked for it where rules want no model
// to be asked.
func (c *Compactor) evictForModel(ctx context.Context, w edit.Request) {
	plan := c.schedule.check(c.journal.Moment(), false).EvictNow(c.journal.Rules(), w.Trigger)
	if plan.Note == nil {
		c.records.refuse(ctx, w, unmade(edit.ErrNothingToGain))
		return
	}
	made := c.schedule.made(w.Trigger)
	made.Source = w.Source
	c.overlay(ctx, made, plan.Alone().Masks)
}
