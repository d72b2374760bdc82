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
//   - What is asked for is done in the order it was asked for. Only taking back
//     and bringing back do not wait for a summary that is being written: it is
//     then no longer about what the model sees, and given up.
//   - One compaction at a time: the same wish again joins it, another replaces it.
//   - The overlays of one pass are one transaction. Where it cannot be stored,
//     nothing is in force and nothing waits to be.

// compaction is what the agent knows about reducing its conversation.
type compaction struct {
	rules   compact.Rules
	deeds   []deed // wait for the next boundary, oldest first
	job     *job   // the summary that is being written, nil if none is
	rearmAt int    // size of a request, in tokens, from which on the model may ask again
}

// deed is something to be done at a boundary.
type deed struct {
	what  compact.Deed // compact, undo or redo
	wish  compact.Wish
	epoch uint64 // to be taken back, 0 for the newest in force
}

// Compact reduces what the model is sent: at once while idle, otherwise before
// the turn's next request. Compacted or CompactionFailed tells what came of it.
// A wish that is being carried out already is not carried out twice.
func (a *Agent) Compact(w compact.Wish) {
	a.inbox.put(func(context.Context) {
		c := &a.compaction
		if n := len(c.deeds); n > 0 {
			if last := c.deeds[n-1]; last.what == compact.DeedCompact && sameWish(last.wish, w) {
				return
			}
		} else if c.job != nil {
			if !c.job.stopped && sameWish(c.job.wish, w) {
				return
			}
			c.job.stop(errReplaced)
		}
		c.deeds = append(c.deeds, deed{what: compact.DeedCompact, wish: w})
	})
}

// Preview works a wish out on what was said so far and answers with Previewed.
// It changes nothing.
func (a *Agent) Preview(w compact.Wish) {
	a.inbox.put(func(context.Context) {
		pass, err := compact.NewPass(a.log.Events(), a.compaction.rules, a.situation(), w)
		if err != nil {
			a.updates.Put(Previewed{Err: unmade(err)})
			return
		}
		a.updates.Put(Previewed{Preview: pass.Preview()})
	})
}

// UndoCompaction takes the compaction with this epoch back, 0 for the newest in
// force.
func (a *Agent) UndoCompaction(epoch uint64) {
	a.inbox.put(func(ctx context.Context) { a.order(ctx, deed{what: compact.DeedUndo, epoch: epoch}) })
}

// RedoCompaction brings back the compaction that was taken back last, until
// another one is made.
func (a *Agent) RedoCompaction() {
	a.inbox.put(func(ctx context.Context) { a.order(ctx, deed{what: compact.DeedRedo}) })
}

// order has something done at the next boundary. While a summary is written it
// is one.
func (a *Agent) order(ctx context.Context, d deed) {
	if a.compaction.job != nil && len(a.compaction.deeds) == 0 {
		a.carryOut(ctx, d)
		return
	}
	a.compaction.deeds = append(a.compaction.deeds, d)
}

// settle does, while idle, what waits to be done, and reports whether something
// did.
func (a *Agent) settle(ctx context.Context) bool {
	if len(a.compaction.deeds) == 0 {
		return false
	}
	a.status(Status{Phase: PhaseCompacting})
	a.boundary(ctx)
	a.rest()
	return true
}

// boundary is where nothing streams and no tool runs: what waits is done.
func (a *Agent) boundary(ctx context.Context) {
	c := &a.compaction
	for len(c.deeds) > 0 && ctx.Err() == nil {
		d := c.deeds[0]
		c.deeds = c.deeds[1:]
		a.carryOut(ctx, d)
	}
}

func (a *Agent) carryOut(ctx context.Context, d deed) {
	if d.what == compact.DeedCompact {
		a.compact(ctx, d.wish)
		return
	}
	a.revert(ctx, d)
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
	case pass.Job != nil:
		a.summarise(ctx, w)
	default:
		if err := a.commit(ctx, &pass, w, nil); err != nil {
			a.refuse(ctx, w, err)
		}
	}
}

// commit puts a pass in force: its overlays, and what was spent on them, in one
// transaction.
func (a *Agent) commit(ctx context.Context, pass *compact.Pass, w compact.Wish, spent []conversation.Body) *Error {
	epoch := a.nextSeq() + uint64(len(spent))
	bodies := append(slices.Clone(spent), pass.Bodies(epoch)...)
	if _, err := a.append(ctx, bodies...); err != nil {
		return notMade(err)
	}
	p := pass.Preview()
	a.opts.Logger.Info("compaction", "outcome", "made", "source", w.Source, "preset", a.compaction.rules.Preset, "profile", p.Profile,
		"epoch", epoch, "overlays", len(bodies)-len(spent), "from_turn", p.Range.From, "to_turn", p.Range.To, "before", p.Before, "after", p.After)
	a.rearm()
	a.updates.Put(Compacted{Epoch: epoch, Preview: p})
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
func (a *Agent) cold() bool {
	events := a.log.Events()
	system, tools := a.settings.promptSizes()
	for _, e := range slices.Backward(events) {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			return true // nothing was sent with it yet
		case conversation.Usage:
			if b.For != conversation.ForReply {
				continue
			}
			in := a.settings.instructions
			changed := in.SystemSize != system || !a.settings.model.Caps.NoTools && in.ToolsSize != tools
			return b.Model != a.settings.model.Name() || changed || a.opts.Now().Sub(e.Time) >= a.cacheLifetime()
		}
	}
	return true
}

// cacheLifetime is how long the cache of the model in use holds a prompt.
func (a *Agent) cacheLifetime() time.Duration {
	if a.opts.CacheLifetime != nil {
		if d := a.opts.CacheLifetime(a.settings.model); d > 0 {
			return d
		}
	}
	return DefaultCacheLifetime
}

// sameWish reports whether two wishes ask for the same, whoever does.
func sameWish(a, b compact.Wish) bool {
	bound := func(x, y *compact.Bound) bool { return x == y || x != nil && y != nil && *x == *y }
	return a.Profile == b.Profile && a.Focus == b.Focus && a.KeepLast == b.KeepLast && bound(a.From, b.From) && bound(a.To, b.To)
}
