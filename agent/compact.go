package agent

import (
	"context"
	"slices"

	"plimsoll/compact"
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

// compactor reduces what the model is sent, between the requests of the turn loop.
type compactor struct {
	*journal
	display *display
	inbox   *inbox
	lane    *lane
	queue   *queue
	windows *windowKeeper
	setIdle func() // tells that nothing goes on, unless something waits

	operations []operation // wait for the next boundary, oldest first
	job        *job        // the summary that is being written, or waits for the user; nil if none does
	held       bool        // the owner waits for it
	rearmAt    int         // size of a request, in tokens, from which on the model may ask again

	prepared []*job // summaries that are written and wait for a step, oldest first
	askedAt  int    // tokens of the request when a model was asked for one automatically, 0 not since the newest epoch

	replan   bool         // the planner is asked once more before the next turn
	past     compact.Past // what the log says of earlier passes
	paused   bool         // no model is asked automatically any more; the watcher was told
	previous *modelClient // the model before one whose window is smaller, or unknown so far, until room was made
}

// operation is something to be done at a boundary.
type operation struct {
	what   compact.Deed // compact, undo, redo, rewind, or one to steer by
	wish   compact.Wish
	epoch  uint64   // to undo, 0 for the newest in force
	turn   int      // to rewind to, negative for the newest
	events []uint64 // to be pinned or masked
}

// betweenTurns reports whether an operation waits until no turn runs.
func (d operation) betweenTurns() bool { return d.what == opRewind || d.what == opRestore }

// Compact reduces what the model is sent: at once while idle, otherwise before
// the turn's next request. Compacted or CompactionFailed tells what came of it.
// A request that is carried out already is not carried out twice.
func (a *Agent) Compact(w compact.Wish) {
	a.inbox.put(func(context.Context) {
		c := a.compactor
		if n := len(c.operations); n > 0 {
			if last := &c.operations[n-1]; last.what == compact.DeedCompact && sameWish(c.rules, last.wish, w) {
				last.wish.Review = last.wish.Review || w.Review
				return
			}
		} else if c.job != nil {
			if c.serves(c.job, w) {
				c.job.joined = conversation.SourceManual
				c.job.review = c.job.review || a.opts.Interactive && w.Review && !c.job.ended()
				return
			} // what replaces it has to be possible first
		}
		c.operations = append(c.operations, operation{what: compact.DeedCompact, wish: w})
	})
}

// UndoCompaction takes the compaction with this epoch back, 0 for the newest in
// force.
func (a *Agent) UndoCompaction(epoch uint64) {
	a.inbox.put(func(context.Context) {
		if epoch == 0 && len(a.compactor.operations) == 0 { // what the user sees in force, not what is about to be
			if epoch = a.compactor.newestEpoch(); epoch == 0 {
				a.updates.Put(CompactionFailed{Err: unmade(compact.ErrNothingToUndo),
					Wish: compact.Wish{Source: conversation.SourceManual, Trigger: string(compact.DeedUndo)}})
				return
			}
		}
		a.compactor.enqueue(operation{what: compact.DeedUndo, epoch: epoch})
	})
}

// newestEpoch is the newest compaction in force, 0 without one.
func (c *compactor) newestEpoch() uint64 {
	newest := uint64(0)
	for _, e := range conversation.Epochs(c.log.Events()) {
		if e.InForce {
			newest = e.ID
		}
	}
	return newest
}

// RedoCompaction brings back the compaction that was taken back last, until
// another one is made.
func (a *Agent) RedoCompaction() {
	a.inbox.put(func(context.Context) { a.compactor.enqueue(operation{what: compact.DeedRedo}) })
}

// enqueue has something done at the next boundary.
func (c *compactor) enqueue(d operation) { c.operations = append(c.operations, d) }

// runPending does, while idle, what waits to be done, and takes in a summary that is
// written. It reports whether something did.
func (c *compactor) runPending(ctx context.Context) bool {
	if c.replan && len(c.operations) == 0 && len(c.queue.messages) == 0 {
		c.replan = false
		c.makeRoomAfterTurn(ctx)
	}
	if len(c.operations) == 0 && (c.job == nil || !c.job.ended()) && len(c.stalePrepared()) == 0 {
		return false
	}
	if len(c.operations) > 0 {
		c.display.status(Status{Phase: PhaseCompacting})
	}
	c.boundary(ctx)
	if j := c.job; j != nil && j.blocking {
		c.await(ctx, func() bool { return true })
	}
	c.setIdle()
	return true
}

// boundary is where nothing streams and no tool runs: a summary that is written
// is taken in, and what waits is done.
func (c *compactor) boundary(ctx context.Context) {
	for ctx.Err() == nil {
		if c.job != nil && c.job.ended() {
			c.applySummary(ctx)
		}
		c.recordStale(ctx)
		if !c.due() {
			return
		}
		d := c.operations[0]
		c.operations = c.operations[1:]
		c.execute(ctx, d)
	}
}

// due reports whether something waits that can be done now.
func (c *compactor) due() bool {
	operations := c.operations
	return len(operations) > 0 && (!c.inTurn || !operations[0].betweenTurns())
}

func (c *compactor) execute(ctx context.Context, d operation) {
	switch d.what {
	case compact.DeedCompact:
		c.compact(ctx, d.wish)
	case opRewind:
		c.rewind(ctx, d.turn)
	case compact.DeedUndo, compact.DeedRedo:
		c.revert(ctx, d)
	default:
		c.steer(ctx, d)
	}
}

// compact makes the compaction that was asked for.
func (c *compactor) compact(ctx context.Context, w compact.Wish) {
	if err := c.flush(ctx); err != nil {
		c.refuse(ctx, w, err)
		return
	}
	pass, err := compact.NewPass(c.log.Events(), c.rules, c.situation(), w)
	switch {
	case err != nil:
		c.refuse(ctx, w, unmade(err))
	case pass.Job != nil && c.commitPrepared(ctx, w, pass.Spans):
	case pass.Job != nil:
		c.startRequested(ctx, w)
	default:
		if err := c.commit(ctx, &pass, w, nil); err != nil {
			c.refuse(ctx, w, err)
		}
	}
}

// startRequested has the summary written that was asked for.
func (c *compactor) startRequested(ctx context.Context, w compact.Wish) {
	j := &job{wish: w, blocking: w.Source != conversation.SourceManual || !c.inBackground()}
	j.work = func(now compact.Situation) (compact.Pass, error) {
		return compact.NewPass(c.log.Events(), c.rules, now, w)
	}
	if err := c.start(ctx, j); err != nil {
		j.end(err)
		c.giveUp(ctx, j, nil)
	}
}

// inBackground reports whether summaries are written beside the conversation.
func (c *compactor) inBackground() bool { return c.rules.Auto.Background }

// commit puts a pass in force: its overlays, and what was spent on them, in one
// transaction. The summaries in it are applied then.
func (c *compactor) commit(ctx context.Context, pass *compact.Pass, w compact.Wish, spent []conversation.Body, summaries ...*job) *Error {
	epoch := c.nextSeq() + uint64(len(spent))
	bodies := append(slices.Clone(spent), pass.Bodies(epoch)...)
	if _, err := c.append(ctx, bodies...); err != nil {
		return notMade(err)
	}
	for _, j := range summaries {
		j.on(eventCommitted)
	}
	p := pass.Preview()
	c.opts.Logger.Info("compaction", "outcome", "made", "source", w.Source, "trigger", w.Trigger, "preset", c.rules.Preset,
		"profile", p.Profile, "epoch", epoch, "overlays", len(bodies)-len(spent), "from_turn", p.Range.From, "to_turn", p.Range.To,
		"before", p.Before, "after", p.After)
	c.rearm()
	c.askedAt = 0
	c.dropStale()
	c.updates.Put(Compacted{Epoch: epoch, Preview: p, Source: w.Source, Trimmed: pass.Leaves() && w.Source != conversation.SourceManual})
	return nil
}

// windowChanged takes another window into account.
func (c *compactor) windowChanged(w compact.Window) {
	c.rearmAt = 0 // it was reckoned by another window
	c.dropStale()
	switch p := c.previous; {
	case p != nil && w.Tokens >= p.model.Window.Tokens:
		c.previous = nil
	case p != nil && !c.inTurn && c.log.Len() > 0:
		c.replan = true // as when it is known at once
	}
}

// rearm says how long the conversation has to grow before the model may ask for
// the next compaction.
func (c *compactor) rearm() {
	c.rearmAt = c.meter.Reading().Used + c.rules.Rearm(c.meter.Window().Tokens)
}

// refuse tells that a compaction was not made. What the model asked for is on
// record, because nobody sees it ask.
func (c *compactor) refuse(ctx context.Context, w compact.Wish, e *Error) {
	c.opts.Logger.Info("compaction", "outcome", "refused", "source", w.Source, "class", e.Class)
	if w.Source == conversation.SourceTool {
		c.fail(ctx, conversation.Attempt{
			Source: w.Source, Trigger: w.Trigger, Preset: string(c.rules.Preset), Profile: w.Profile,
			Outcome: conversation.OutcomeFailed, Why: e.Message, Before: c.meter.EstimatedTokens(),
		})
	}
	c.updates.Put(CompactionFailed{Err: e, Wish: w})
}

// fail records a failed compaction, with what was spent on it.
func (c *compactor) fail(ctx context.Context, attempt conversation.Attempt, spent ...conversation.Body) {
	if _, err := c.keep(ctx, append(slices.Clone(spent), attempt)...); err != nil {
		c.updates.Put(Failed{Err: AsError(err)})
	}
}

// situation is what a compaction made now depends on.
func (c *compactor) situation() compact.Situation {
	return compact.Situation{
		Meter: c.meter, Now: c.opts.Now(), Cold: c.cold(), Caps: c.settings.model.Caps, Answering: c.inTurn,
	}
}

// sameWish reports whether two wishes ask for the same by some rules, whoever does.
func sameWish(r compact.Rules, a, b compact.Wish) bool {
	bound := func(x, y *compact.Bound) bool { return x == y || x != nil && y != nil && *x == *y }
	return r.ProfileOf(a) == r.ProfileOf(b) && a.Focus == b.Focus && a.KeepLast == b.KeepLast && bound(a.From, b.From) && bound(a.To, b.To)
}
