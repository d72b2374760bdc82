package agent

import (
	"context"
	"slices"
	"time"

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

// compaction is what the agent knows about reducing its conversation.
type compaction struct {
	rules   compact.Rules
	deeds   []deed // wait for the next boundary, oldest first
	job     *job   // the summary that is being written, or waits for the user; nil if none does
	held    bool   // the owner waits for it
	rearmAt int    // size of a request, in tokens, from which on the model may ask again

	prepared []*job // summaries that are written and wait for a step, oldest first
	asked    int    // tokens of the request when a model was asked for one automatically, 0 not since the newest epoch

	look   bool         // the planner is asked once more before the next turn
	past   compact.Past // what the log says of earlier passes
	paused bool         // no model is asked by itself any more; the watcher was told
	former *party       // the model before one whose window is smaller, or unknown so far, until room was made
}

// deed is something to be done at a boundary.
type deed struct {
	what   compact.Deed // compact, undo, redo, rewind, or one to steer by
	wish   compact.Wish
	epoch  uint64   // to be taken back, 0 for the newest in force
	turn   int      // to rewind to, negative for the newest
	events []uint64 // to be pinned or masked
}

// betweenTurns reports whether a deed waits until no turn runs.
func (d deed) betweenTurns() bool { return d.what == deedRewind || d.what == deedRestore }

// Compact reduces what the model is sent: at once while idle, otherwise before
// the turn's next request. Compacted or CompactionFailed tells what came of it.
// A wish that is being carried out already is not carried out twice.
func (a *Agent) Compact(w compact.Wish) {
	a.inbox.put(func(context.Context) {
		c := &a.compaction
		if n := len(c.deeds); n > 0 {
			if last := &c.deeds[n-1]; last.what == compact.DeedCompact && sameWish(c.rules, last.wish, w) {
				last.wish.Review = last.wish.Review || w.Review
				return
			}
		} else if c.job != nil {
			if c.job.joins(w, c.rules) {
				c.job.told = true
				c.job.review = c.job.review || a.opts.Interactive && w.Review && !c.job.ended()
				return
			} // what replaces it has to be possible first
		}
		c.deeds = append(c.deeds, deed{what: compact.DeedCompact, wish: w})
	})
}

// UndoCompaction takes the compaction with this epoch back, 0 for the newest in
// force.
func (a *Agent) UndoCompaction(epoch uint64) {
	a.inbox.put(func(context.Context) {
		if epoch == 0 && len(a.compaction.deeds) == 0 { // what the user sees in force, not what is about to be
			if epoch = a.newestEpoch(); epoch == 0 {
				a.updates.Put(CompactionFailed{Err: unmade(compact.ErrNothingToUndo),
					Wish: compact.Wish{Source: conversation.SourceManual, Trigger: string(compact.DeedUndo)}})
				return
			}
		}
		a.order(deed{what: compact.DeedUndo, epoch: epoch})
	})
}

// newestEpoch is the newest compaction in force, 0 without one.
func (a *Agent) newestEpoch() uint64 {
	newest := uint64(0)
	for _, e := range compact.Epochs(a.log.Events()) {
		if e.InForce {
			newest = e.ID
		}
	}
	return newest
}

// RedoCompaction brings back the compaction that was taken back last, until
// another one is made.
func (a *Agent) RedoCompaction() {
	a.inbox.put(func(context.Context) { a.order(deed{what: compact.DeedRedo}) })
}

// order has something done at the next boundary.
func (a *Agent) order(d deed) { a.compaction.deeds = append(a.compaction.deeds, d) }

// settle does, while idle, what waits to be done, and takes in a summary that is
// written. It reports whether something did.
func (a *Agent) settle(ctx context.Context) bool {
	c := &a.compaction
	if c.look && len(c.deeds) == 0 && len(a.queue.messages) == 0 {
		c.look = false
		a.afterReply(ctx)
	}
	if len(c.deeds) == 0 && (c.job == nil || !c.job.ended()) && len(a.stale()) == 0 {
		return false
	}
	if len(c.deeds) > 0 {
		a.status(Status{Phase: PhaseCompacting})
	}
	a.boundary(ctx)
	if j := c.job; j != nil && j.waited {
		a.await(ctx, func() bool { return true })
	}
	a.rest()
	return true
}

// boundary is where nothing streams and no tool runs: a summary that is written
// is taken in, and what waits is done.
func (a *Agent) boundary(ctx context.Context) {
	c := &a.compaction
	for ctx.Err() == nil {
		if c.job != nil && c.job.ended() {
			a.land(ctx)
		}
		a.sweep(ctx)
		if !a.due() {
			return
		}
		d := c.deeds[0]
		c.deeds = c.deeds[1:]
		a.carryOut(ctx, d)
	}
}

// due reports whether something waits that can be done now.
func (a *Agent) due() bool {
	deeds := a.compaction.deeds
	return len(deeds) > 0 && (a.turn == nil || !deeds[0].betweenTurns())
}

func (a *Agent) carryOut(ctx context.Context, d deed) {
	switch d.what {
	case compact.DeedCompact:
		a.compact(ctx, d.wish)
	case deedRewind:
		a.rewind(ctx, d.turn)
	case compact.DeedUndo, compact.DeedRedo:
		a.revert(ctx, d)
	default:
		a.steer(ctx, d)
	}
}

// compact makes the compaction of a wish.
func (a *Agent) compact(ctx context.Context, w compact.Wish) {
	if err := a.flush(ctx); err != nil {
		a.refuse(ctx, w, err)
		return
	}
	pass, err := compact.NewPass(a.log.Events(), a.compaction.rules, a.situation(), w)
	switch {
	case err != nil:
		a.refuse(ctx, w, unmade(err))
	case pass.Job != nil && a.commitPrepared(ctx, w):
	case pass.Job != nil:
		a.summarise(ctx, w)
	default:
		if err := a.commit(ctx, &pass, w, nil); err != nil {
			a.refuse(ctx, w, err)
		}
	}
}

// summarise has the summary of a wish written.
func (a *Agent) summarise(ctx context.Context, w compact.Wish) {
	j := &job{wish: w, waited: w.Source != conversation.SourceManual || !a.beside()}
	j.work = func(now compact.Situation) (compact.Pass, error) {
		return compact.NewPass(a.log.Events(), a.compaction.rules, now, w)
	}
	if err := a.begin(ctx, j); err != nil {
		a.giveUp(ctx, j, err, nil)
	}
}

// beside reports whether summaries are written beside the conversation.
func (a *Agent) beside() bool { return a.compaction.rules.Auto.Background }

// commit puts a pass in force: its overlays, and what was spent on them, in one
// transaction.
func (a *Agent) commit(ctx context.Context, pass *compact.Pass, w compact.Wish, spent []conversation.Body) *Error {
	epoch := a.nextSeq() + uint64(len(spent))
	bodies := append(slices.Clone(spent), pass.Bodies(epoch)...)
	if _, err := a.append(ctx, bodies...); err != nil {
		return notMade(err)
	}
	p := pass.Preview()
	a.opts.Logger.Info("compaction", "outcome", "made", "source", w.Source, "trigger", w.Trigger, "preset", a.compaction.rules.Preset,
		"profile", p.Profile, "epoch", epoch, "overlays", len(bodies)-len(spent), "from_turn", p.Range.From, "to_turn", p.Range.To,
		"before", p.Before, "after", p.After)
	a.rearm()
	a.compaction.asked = 0
	a.dropOvertaken()
	a.updates.Put(Compacted{Epoch: epoch, Preview: p, Source: w.Source, Trimmed: pass.Leaves() && w.Source != conversation.SourceManual})
	return nil
}

// rearm says how long the conversation has to grow before the model may ask for
// the next compaction.
func (a *Agent) rearm() {
	a.compaction.rearmAt = a.meter.Reading().Used + a.compaction.rules.Rearm(a.meter.Window().Tokens)
}

// refuse tells that a wish was not carried out. What the model asked for is on
// record, because nobody sees it ask.
func (a *Agent) refuse(ctx context.Context, w compact.Wish, e *Error) {
	a.opts.Logger.Info("compaction", "outcome", "refused", "source", w.Source, "class", e.Class)
	if w.Source == conversation.SourceTool {
		a.fail(ctx, conversation.Attempt{
			Source: w.Source, Trigger: w.Trigger, Preset: string(a.compaction.rules.Preset), Profile: w.Profile,
			Outcome: conversation.OutcomeFailed, Why: e.Message, Before: a.meter.EstimatedTokens(),
		})
	}
	a.updates.Put(CompactionFailed{Err: e, Wish: w})
}

// fail records a compaction that came to nothing, with what was spent on it.
func (a *Agent) fail(ctx context.Context, attempt conversation.Attempt, spent ...conversation.Body) {
	if _, err := a.keep(ctx, append(slices.Clone(spent), attempt)...); err != nil {
		a.updates.Put(Failed{Err: AsError(err)})
	}
}

// situation is what a compaction made now depends on.
func (a *Agent) situation() compact.Situation {
	return compact.Situation{
		Meter: a.meter, Now: a.opts.Now(), Cold: a.cold(), Caps: a.settings.model.Caps, Answering: a.turn != nil,
	}
}

// cold reports whether the provider's cache no longer holds what was sent last,
// or that nobody knows: too long ago, by another model, or with another prompt.
func (a *Agent) cold() bool { return a.coldFor(a.settings.model) }

// coldFor is cold for a request to a model.
func (a *Agent) coldFor(m Model) bool {
	idle, gone := a.sinceReply(m)
	return gone || m.NoCache || m.Sheet().Cold(idle)
}

// sinceReply is how long ago the newest reply was reported, and whether what was
// sent for it is no longer the beginning of a request to m.
func (a *Agent) sinceReply(m Model) (idle time.Duration, gone bool) {
	at, gone := a.lastReply(m)
	if at.IsZero() {
		return 0, gone
	}
	return a.opts.Now().Sub(at), gone
}

// lastReply is when the newest reply was reported, the zero time if nothing was sent
// with the prompt in force yet, and whether what was sent for it is no longer the
// beginning of a request to m: it went to another model, with another prompt, or
// never.
func (a *Agent) lastReply(m Model) (at time.Time, gone bool) {
	system, tools := a.settings.promptSizes()
	for _, e := range slices.Backward(a.log.Events()) {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			return at, true // nothing was sent with it yet
		case conversation.Usage:
			if b.For != conversation.ForReply {
				continue
			}
			in := a.settings.instructions
			changed := in.SystemSize != system || !m.Caps.NoTools && in.ToolsSize != tools
			return e.Time, changed || b.Model != m.Name()
		}
	}
	return at, true
}

// tellCache tells from when on the provider's cache is cold, if that is new.
func (a *Agent) tellCache() {
	m := a.settings.model
	at, gone := a.lastReply(m)
	switch {
	case m.NoCache:
		at = time.Time{}
	case !at.IsZero() && !gone:
		at = at.Add(m.Sheet().Lives())
	}
	if !at.Equal(a.coldAt) {
		a.coldAt = at
		a.updates.Put(CacheCold{At: at})
	}
}

// sameWish reports whether two wishes ask for the same by some rules, whoever does.
func sameWish(r compact.Rules, a, b compact.Wish) bool {
	bound := func(x, y *compact.Bound) bool { return x == y || x != nil && y != nil && *x == *y }
	return r.ProfileOf(a) == r.ProfileOf(b) && a.Focus == b.Focus && a.KeepLast == b.KeepLast && bound(a.From, b.From) && bound(a.To, b.To)
}
