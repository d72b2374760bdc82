package agent

import (
	"context"
	"encoding/json"

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
//   - The overlays of one pass are one transaction. Where it cannot be stored,
//     nothing is in force and nothing waits to be.

// boundary is where nothing streams and no tool runs: a summary that is written
// is taken in, and what waits is done.
func (c *compactor) boundary(ctx context.Context) {
	for ctx.Err() == nil {
		if c.job != nil && c.job.ended() {
			c.applySummary(ctx)
		}
		c.recordStale(ctx)
		if !c.operations.due(c.inTurn) {
			return
		}
		c.execute(ctx, c.operations.take())
	}
}

func (c *compactor) execute(ctx context.Context, d operation) {
	switch d.what {
	case edit.OpCompact:
		c.compact(ctx, d.wish)
	case opRewind:
		c.rewind(ctx, d.turn)
	case edit.OpUndo, edit.OpRedo:
		c.revert(ctx, d)
	default:
		c.applyEdit(ctx, d)
	}
}

// compact makes the compaction that was asked for.
func (c *compactor) compact(ctx context.Context, w edit.Request) {
	if err := c.flush(ctx); err != nil {
		c.records.refuse(ctx, w, err)
		return
	}
	pass, err := edit.NewProposal(c.log.Events(), c.rules, c.situation(), w)
	switch {
	case err != nil:
		c.records.refuse(ctx, w, unmade(err))
	case pass.Job != nil && c.commitPrepared(ctx, w, pass.Spans):
	case pass.Job != nil:
		c.startRequested(ctx, w)
	default:
		if err := c.commit(ctx, &pass, w, nil); err != nil {
			c.records.refuse(ctx, w, err)
		}
	}
}

// startRequested has the summary written that was asked for.
func (c *compactor) startRequested(ctx context.Context, w edit.Request) {
	j := &job{wish: w, blocking: w.Source != conversation.SourceManual || !c.inBackground()}
	j.work = func(now edit.Inputs) (edit.Proposal, error) {
		return edit.NewProposal(c.log.Events(), c.rules, now, w)
	}
	if err := c.start(ctx, j); err != nil {
		j.end(err)
		c.records.giveUp(ctx, j, nil)
	}
}

// asksToCompact is the compaction that calls which ran ask for, nil if they ask for none.
func asksToCompact(calls []*call) *edit.Request {
	var asked *edit.Request
	for _, c := range calls {
		if c.Name == conversation.ToolCompact && c.outcome.Status == conversation.ResultOK {
			asked = &edit.Request{
				Focus: focusOf(c.Arguments), KeepLast: -1, Source: conversation.SourceTool, Trigger: "compact tool",
			}
		}
	}
	return asked
}

// focusOf is what the arguments of compact ask to preserve.
func focusOf(arguments string) string {
	var args struct {
		Focus any `json:"focus"`
	}
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return ""
	}
	text, _ := args.Focus.(string)
	return llm.OneLine(text)
}

// applyEdit does by hand what an operation says, and tells what came of it.
func (c *compactor) applyEdit(ctx context.Context, d operation) {
	edited := updates.Edited{What: updates.Edit(d.what), Events: d.events}
	if made, err := c.manual.overlay(ctx, d); err != nil {
		edited.Err = err
	} else {
		edited.Before, edited.After = made.Before, made.After
		c.dropStale()
	}
	c.opts.Logger.Info("steered", "what", edited.What, "events", len(edited.Events), "failed", edited.Err != nil, "before", edited.Before, "after", edited.After)
	c.updates.Put(edited)
}

// rewind undoes turns, between two turns.
func (c *compactor) rewind(ctx context.Context, turn int) {
	if err := c.flush(ctx); err != nil {
		c.updates.Put(updates.Failed{Err: err})
		return
	}
	first, text := c.manual.turnToRewind(turn, false)
	if first < 0 {
		c.updates.Put(updates.Failed{Err: noSuchTurn()})
		return
	}
	made := conversation.Made{Epoch: c.nextSeq(), Source: conversation.SourceManual, Trigger: string(opRewind)}
	if _, err := c.append(ctx, conversation.Rewind{Made: made, Turn: first}); err != nil {
		c.updates.Put(updates.Failed{Err: llm.AsError(err)})
		return
	}
	c.dropReverted()
	c.queue.giveBack(text)
}

// Undoing a compaction, and redoing it, is one more overlay with its own
// epoch. It costs no request, but it breaks the cached prefix like
// any other.

// revert undoes the compaction of an operation, or redoes one.
func (c *compactor) revert(ctx context.Context, d operation) {
	w := edit.Request{Source: conversation.SourceManual, Trigger: string(d.what)}
	if err := c.flush(ctx); err != nil {
		c.records.refuse(ctx, w, err)
		return
	}
	now := edit.Inputs{Meter: c.meter, Now: c.opts.Now()}
	r, err := edit.NewReversal(c.log.Events(), c.rules, now,
		edit.ReversalRequest{Redo: d.what == edit.OpRedo, Epoch: d.epoch}, c.nextSeq())
	if err != nil {
		c.records.refuse(ctx, w, unmade(err))
		return
	}
	if _, err := c.append(ctx, r.Body); err != nil {
		c.records.refuse(ctx, w, notMade(err))
		return
	}
	done := updates.Compacted{Epoch: r.Epoch, Undone: !r.Redo, Redone: r.Redo, Source: conversation.SourceManual,
		Preview: edit.Preview{Profile: r.Profile, Range: r.Range, Before: r.Before, After: r.After}}
	c.opts.Logger.Info("compaction", "outcome", d.what, "epoch", done.Epoch, "before", done.Preview.Before, "after", done.Preview.After)
	c.schedule.rearm()
	c.dropReverted()
	c.updates.Put(done)
}

// evictForModel makes room for the model, which asked for it where rules want no model
// to be asked.
func (c *compactor) evictForModel(ctx context.Context, w edit.Request) {
	plan := c.schedule.check(c.moment(), false).EvictNow(c.rules, w.Trigger)
	if plan.Note == nil {
		c.records.refuse(ctx, w, unmade(edit.ErrNothingToGain))
		return
	}
	made := c.schedule.made(w.Trigger)
	made.Source = w.Source
	c.overlay(ctx, made, plan.Alone().Masks)
}
