package compactor

import (
	"cmp"
	"context"
	"errors"

	"plimsoll/compact/edit"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// Automatic compaction: the planner is asked before every request, also inside
// a tool loop, and after every reply that ends a turn; never in the middle of a
// stream. Rules:
//
//   - What needs no model is done at once. A summary is written in the
//     background. Where rules evict, no request waits for it: at the hard line the
//     note stands alone (summaries.go). Under other rules one above that line waits.
//   - What is above the hard line then goes down the ladder, which needs no model.
//     What is too long even then is not sent.
//   - Whatever comes of it, no message is lost and the conversation goes on.
//   - Every decision is logged with its numbers.

// Ready makes room for the next request. The error says why it is not sent: an
// *Error, or the cause of ctx's end. It asks a model for one summary at most.
func (c *Compactor) Ready(ctx context.Context) error {
	var own *job // the summary that is asked for here
	tried := false
	for {
		last, busy, err := c.settleSummary(ctx)
		switch {
		case err != nil:
			return err
		case busy: // something else goes first, or nothing waits for the summary any more
			continue
		case c.job != nil && !c.journal.Over():
			return nil
		}
		tried = tried || last.isLastTry(own)
		plan := c.schedule.plan(c.journal.Moment(), false)
		switch {
		case tried || !c.asksFirst(plan):
			return c.makeFit(ctx, plan)
		case c.write(ctx, plan):
			own = c.job
		default:
			tried = true
		}
	}
}

// settleSummary does what waits for a moment between two requests, and waits for the
// summary that is being written if the next request needs it. Last is that summary,
// nil if there was none; busy says that one is still there after a wait for it.
func (c *Compactor) settleSummary(ctx context.Context) (last *job, busy bool, err error) {
	last = c.job
	c.Boundary(ctx)
	if err := context.Cause(ctx); err != nil {
		return nil, false, err
	}
	if err := c.journal.CannotFit(); err != nil {
		return nil, false, err
	}
	j := c.job
	if j == nil || !j.ended() && !c.waitsFor(j) {
		return last, false, nil
	}
	c.await(ctx, func() bool { return c.waitsFor(j) })
	return j, c.job != nil, nil
}

// asksFirst reports whether a plan waits for a summary that is to be written before.
// Above the hard line a note stands alone.
func (c *Compactor) asksFirst(plan planner.Plan) bool {
	alone := plan.Note != nil && c.journal.Over() && c.journal.InBackground()
	return c.job == nil && !alone && c.needsSummary(plan)
}

// makeFit carries a plan out, and goes down the ladder where the request then still
// does not fit, also where the preset's source does nothing.
func (c *Compactor) makeFit(ctx context.Context, plan planner.Plan) error {
	c.applyPlan(ctx, plan)
	err := c.journal.Sendable()
	if err == nil && !c.journal.Tight() && !(plan.Hold && c.journal.Over()) {
		return nil
	}
	c.ApplyLadder(ctx, cmp.Or(plan.Trigger, planner.TriggerHardLine), false)
	return c.journal.Sendable()
}

// waitsFor reports whether the next request waits for a summary: whoever asked for
// it does, or the request does not fit and nothing else makes room first.
func (c *Compactor) waitsFor(j *job) bool {
	return j.blocking || c.journal.Over() && !c.journal.Rules().Evicts()
}

// MakeRoomAfterTurn makes room when a turn has ended, for the next one.
func (c *Compactor) MakeRoomAfterTurn(ctx context.Context) {
	if !c.journal.Interactive() {
		defer c.lastJob(ctx) // with the turn the program ends
	}
	if c.job != nil || ctx.Err() != nil || !c.schedule.plansAfterReply() {
		return
	}
	plan := c.schedule.plan(planner.MomentReply, false)
	if !c.needsSummary(plan) || !c.write(ctx, plan) {
		c.applyPlan(ctx, plan)
	}
	if j := c.job; j != nil && j.blocking {
		c.await(ctx, func() bool { return true })
	}
}

// needsSummary reports whether a summary is to be written before a plan is carried out, or
// for one that is not due yet. What is written already is not written twice.
func (c *Compactor) needsSummary(plan planner.Plan) bool {
	return len(plan.Spans) > 0 && !c.prepared.covers(plan.Spans)
}

// write has the summary of a plan written, and reports whether it is.
func (c *Compactor) write(ctx context.Context, plan planner.Plan) bool {
	if plan.Prepare {
		plan.Trigger = planner.TriggerLoadLine
	}
	made := c.made(plan.Trigger)
	j := &job{plan: &plan, request: edit.Request{Source: made.Source, Trigger: made.Trigger, KeepLast: -1}}
	if plan.Prepare {
		j.request.Trigger = planner.TriggerPrepare
	}
	j.blocking = !c.journal.InBackground() || c.journal.Rules().Preset.Design().Absolute
	j.work = func(now edit.Inputs) (edit.Proposal, error) {
		return edit.ProposeSummary(c.journal.Events(), c.journal.Rules(), now, plan.Spans, made)
	}
	c.schedule.askedAt = c.journal.Reading().Used
	if err := c.start(ctx, j); err != nil {
		if plan.Prepare && errors.Is(err, edit.ErrNothingToGain) {
			c.journal.Logger().Info("compaction", "outcome", "not prepared", "why", err.Error()) // nothing is due, and nobody was asked
			return false
		}
		j.end(err)
		c.records.giveUp(ctx, j, nil)
		return false
	}
	c.logMicro(plan)
	return true
}

// applyPlan does what of a plan needs no model, or what a profile says.
func (c *Compactor) applyPlan(ctx context.Context, plan planner.Plan) {
	switch made := c.made(plan.Trigger); {
	case plan.Profile != "":
		c.compact(ctx, edit.RequestOf(plan))
	case plan.Note != nil:
		c.evict(ctx, plan, made)
	case len(plan.Masks) > 0:
		c.logMicro(plan)
		c.overlay(ctx, made, plan.Masks)
	case plan.Drops:
		c.ApplyLadder(ctx, plan.Trigger, false)
	}
}

// RunPending does, while idle, what waits to be done, and takes in a summary that is
// written. It reports whether something did.
func (c *Compactor) RunPending(ctx context.Context) bool {
	if c.replan && len(c.operations) == 0 && !c.loop.Messages() {
		c.replan = false
		c.MakeRoomAfterTurn(ctx)
	}
	if len(c.operations) == 0 && (c.job == nil || !c.job.ended()) && len(c.prepared.stale()) == 0 {
		return false
	}
	if len(c.operations) > 0 {
		c.loop.Compacting()
	}
	c.Boundary(ctx)
	if j := c.job; j != nil && j.blocking {
		c.await(ctx, func() bool { return true })
	}
	c.loop.Rest()
	return true
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

// Answer carries out what the model asked for. Again says that it asked in this turn before.
func (c *Compactor) Answer(ctx context.Context, w edit.Request, again bool) {
	if again {
		c.journal.Logger().Info("compaction", "outcome", "refused", "source", w.Source, "why", "asked again in the turn")
		return
	}
	profile, e := c.schedule.profileForModel()
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
	case c.journal.Rules().Evicts() && c.journal.Rules().Summary.When == preset.SummaryNever:
		c.evictForModel(ctx, w)
	case !c.commitPrepared(ctx, w, nil):
		c.compact(ctx, c.schedule.widen(w))
	}
	c.schedule.rearm()
}

// MakeShorter makes a request shorter as the rules do: where they evict at once, also
// where nothing else is automatic, otherwise with a summary that it waits for.
func (c *Compactor) MakeShorter(ctx context.Context, same, fits func() bool) {
	if c.journal.Rules().Evicts() {
		if !fits() {
			c.applyPlan(ctx, c.schedule.plan(c.journal.Moment(), true))
		}
		return
	}
	c.finishJob(ctx, same)
	if !c.journal.Rules().ActsByItself() || ctx.Err() != nil || fits() {
		return
	}
	plan := c.schedule.plan(c.journal.Moment(), true)
	if len(plan.Spans) == 0 || !c.write(ctx, plan) {
		c.applyPlan(ctx, plan.WithoutSummary())
	}
	c.finishJob(ctx, same)
}

// lastJob ends the summary that is being written when no turn follows: where the
// load line was reached it is waited for, and put in force.
func (c *Compactor) lastJob(ctx context.Context) {
	if j := c.job; j != nil && j.waitsForStep(c.journal.Rules()) && !j.ended() {
		if r := c.journal.Reading(); r.Used <= r.LoadLine {
			c.drop(j, errNeedless)
		}
	}
	c.finishJob(ctx, func() bool { return true })
}

// finishJob waits until no summary is being written any more, whatever else is
// asked for meanwhile, or it is not needed.
func (c *Compactor) finishJob(ctx context.Context, needed func() bool) {
	for c.job != nil && ctx.Err() == nil && needed() {
		c.await(ctx, needed)
		c.Boundary(ctx)
	}
}
