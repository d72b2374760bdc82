package agent

import (
	"context"
	"encoding/json"
	"errors"
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

	operations operations
	job        *job // the summary that is being written, or waits for the user; nil if none does
	held       bool // the owner waits for it

	prepared preparedSummaries

	replan  bool // the planner is asked once more before the next turn
	planner *planner
	writers *writers
	records *records
	manual  manualEdits
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

// operations wait for the next boundary, oldest first.
type operations []operation

// add has something done at the next boundary.
func (o *operations) add(d operation) { *o = append(*o, d) }

// due reports whether something waits that can be done now.
func (o operations) due(inTurn bool) bool {
	return len(o) > 0 && (!inTurn || !o[0].betweenTurns())
}

// take takes the oldest.
func (o *operations) take() operation {
	first := (*o)[0]
	*o = (*o)[1:]
	return first
}

// restores reports whether turns that were undone are about to be redone.
func (o operations) restores() bool {
	return slices.ContainsFunc(o, func(d operation) bool { return d.what == opRestore })
}

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
			if c.job.serves(c.rules, w) {
				c.job.joined = conversation.SourceManual
				c.job.review = c.job.review || a.opts.Interactive && w.Review && !c.job.ended()
				return
			} // what replaces it has to be possible first
		}
		c.operations.add(operation{what: compact.DeedCompact, wish: w})
	})
}

// UndoCompaction takes the compaction with this epoch back, 0 for the newest in
// force.
func (a *Agent) UndoCompaction(epoch uint64) {
	a.inbox.put(func(context.Context) {
		if epoch == 0 && len(a.compactor.operations) == 0 { // what the user sees in force, not what is about to be
			if epoch = a.compactor.manual.newestEpoch(); epoch == 0 {
				a.updates.Put(CompactionFailed{Err: unmade(compact.ErrNothingToUndo),
					Wish: compact.Wish{Source: conversation.SourceManual, Trigger: string(compact.DeedUndo)}})
				return
			}
		}
		a.compactor.operations.add(operation{what: compact.DeedUndo, epoch: epoch})
	})
}

// RedoCompaction brings back the compaction that was taken back last, until
// another one is made.
func (a *Agent) RedoCompaction() {
	a.inbox.put(func(context.Context) { a.compactor.operations.add(operation{what: compact.DeedRedo}) })
}

// runPending does, while idle, what waits to be done, and takes in a summary that is
// written. It reports whether something did.
func (c *compactor) runPending(ctx context.Context) bool {
	if c.replan && len(c.operations) == 0 && len(c.queue.messages) == 0 {
		c.replan = false
		c.makeRoomAfterTurn(ctx)
	}
	if len(c.operations) == 0 && (c.job == nil || !c.job.ended()) && len(c.prepared.stale()) == 0 {
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
		if !c.operations.due(c.inTurn) {
			return
		}
		c.execute(ctx, c.operations.take())
	}
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
		c.records.refuse(ctx, w, err)
		return
	}
	pass, err := compact.NewPass(c.log.Events(), c.rules, c.situation(), w)
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
func (c *compactor) startRequested(ctx context.Context, w compact.Wish) {
	j := &job{wish: w, blocking: w.Source != conversation.SourceManual || !c.inBackground()}
	j.work = func(now compact.Situation) (compact.Pass, error) {
		return compact.NewPass(c.log.Events(), c.rules, now, w)
	}
	if err := c.start(ctx, j); err != nil {
		j.end(err)
		c.records.giveUp(ctx, j, nil)
	}
}

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
	c.planner.rearm()
	c.planner.askedAt = 0
	c.dropStale()
	c.updates.Put(Compacted{Epoch: epoch, Preview: p, Source: w.Source, Trimmed: pass.Leaves() && w.Source != conversation.SourceManual})
	return nil
}

// windowChanged takes another window into account.
func (c *compactor) windowChanged(w compact.Window) {
	c.planner.rearmAt = 0 // it was reckoned by another window
	c.dropStale()
	switch p := c.writers.previous; {
	case p != nil && w.Tokens >= p.model.Window.Tokens:
		c.writers.previous = nil
	case p != nil && !c.inTurn && c.log.Len() > 0:
		c.replan = true // as when it is known at once
	}
}

// sameWish reports whether two wishes ask for the same by some rules, whoever does.
func sameWish(r compact.Rules, a, b compact.Wish) bool {
	bound := func(x, y *compact.Bound) bool { return x == y || x != nil && y != nil && *x == *y }
	return r.ProfileOf(a) == r.ProfileOf(b) && a.Focus == b.Focus && a.KeepLast == b.KeepLast && bound(a.From, b.From) && bound(a.To, b.To)
}

// The model asks for a compaction with the tool compact (JCL). The tool only
// answers; the compaction is made before the next request, when the reply and
// its results are complete. Rules:
//
//   - At most one in a turn, and none before the conversation has grown since
//     the last one: a model that asks again and again is not paid for.
//   - It summarises what no summary covers yet: older turns first, and where
//     there are none the beginning of this one.
//   - Where the rules want no summaries the oldest units are evicted behind a note.
//   - Whatever comes of it, the turn goes on.

// asksToCompact is what calls that ran ask for, nil if there is none.
func asksToCompact(calls []*call) *compact.Wish {
	var asked *compact.Wish
	for _, c := range calls {
		if c.Name == conversation.ToolCompact && c.outcome.Status == conversation.ResultOK {
			asked = &compact.Wish{
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
	return oneLine(text)
}

// handleCompactCall carries out what the model asked for.
func (c *compactor) handleCompactCall(ctx context.Context, t *turn) {
	if t.asked == nil || ctx.Err() != nil {
		return
	}
	w := *t.asked
	t.asked = nil
	if t.compacted {
		c.opts.Logger.Info("compaction", "outcome", "refused", "source", w.Source, "why", "asked again in the turn")
		return
	}
	t.compacted = true
	profile, e := c.planner.profileForModel()
	if e != nil {
		c.records.refuse(ctx, w, e)
		return
	}
	w.Profile = profile
	if j := c.job; j != nil && j.state.open() && w.Focus == "" {
		j.blocking = true // it comes to the same
		if j.joined == "" {
			j.joined = conversation.SourceTool
		}
		return
	}
	switch {
	case c.rules.Evicts() && c.rules.Summary.When == compact.SummaryNever:
		c.evictForModel(ctx, w)
	case !c.commitPrepared(ctx, w, nil):
		c.compact(ctx, c.planner.widen(w))
	}
	c.planner.rearm()
}

// profileForModel is the profile by which the model's request is carried out, or why it is
// not.
func (p *planner) profileForModel() (profile string, e *Error) {
	rules := p.rules
	profile, found := rules.Summarising()
	refuse := func(why, hint string) (string, *Error) {
		return "", &Error{Class: BadRequest, Message: "the model asked for a compaction, but " + why, Hint: hint}
	}
	switch {
	case !rules.Enabled:
		return refuse("compaction is turned off", "set compaction.enabled to true, or compact by hand")
	case !found:
		return refuse("no profile makes summaries", "give a profile the policy summary: {policy: summarize}")
	case p.meter.Reading().Used < p.rearmAt:
		return refuse("the conversation has hardly grown since the last one", nothingChanged)
	}
	return profile, nil
}

// widen is the model's request with a range that holds something, if one does.
func (p *planner) widen(w compact.Wish) compact.Wish {
	log, rules := p.log.Events(), p.rules
	if rules.Preset.Design().Additions && rules.Profiles[w.Profile].Summary.Mode == compact.ModeBands {
		if band := compact.NextBand(log); band > 0 {
			from := compact.AtTurn(band)
			w.From = &from
		}
	}
	// The turns that stay, then all but this one, then what is done of this one.
	for _, keep := range []int{-1, 1, 0} {
		tried := w
		tried.KeepLast = keep
		if _, err := compact.NewPass(log, rules, p.situation(), tried); !errors.Is(err, compact.ErrNoRange) {
			return tried
		}
	}
	return w
}
