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

// The planner is asked before every request, also inside a tool loop, and after every reply that ends a turn; never
// in the middle of a stream. Rules:
//
//   - A step without a model is made at once. A summary is written in the background. Under rules that evict, no
//     request waits for it: at the hard line the note is committed alone (summaries.go). Under other rules a request
//     above that line waits.
//   - A request that is still above the hard line goes down the ladder, which needs no model. If it is too long even
//     then, it is not sent.
//   - Whatever fails, no message is lost and the conversation goes on.
//   - Every decision is logged with its numbers.

// Ready makes room for the next request, with one new summary at most. The error says why the request is not sent:
// an *Error, or the cause of ctx's end.
func (c *Compactor) Ready(ctx context.Context) error {
	var own *job // the summary that this request started
	tried := false
	for {
		last, busy, err := c.settleSummary(ctx)
		switch {
		case err != nil:
			return err
		case busy: // an operation goes first, or the request no longer needs the summary
			continue
		case c.job != nil && !c.journal.OverHardLine():
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

// settleSummary runs what waits for a boundary, then waits for the summary that is being written if the next
// request needs it. last is that summary, nil without one; busy says that a summary is still open after the wait.
func (c *Compactor) settleSummary(ctx context.Context) (last *job, busy bool, err error) {
	last = c.job
	c.Boundary(ctx)
	if err := context.Cause(ctx); err != nil {
		return nil, false, err
	}
	if err := c.journal.CheckNewestFits(); err != nil {
		return nil, false, err
	}
	j := c.job
	if j == nil || !j.ended() && !c.waitsFor(j) {
		return last, false, nil
	}
	c.await(ctx, func() bool { return c.waitsFor(j) })
	return j, c.job != nil, nil
}

// asksFirst reports whether a summary has to be started before a plan is applied. Above the hard line a note goes
// alone.
func (c *Compactor) asksFirst(plan planner.Plan) bool {
	alone := plan.Note != nil && c.journal.OverHardLine() && c.journal.InBackground()
	return c.job == nil && !alone && c.needsSummary(plan)
}

// makeFit applies a plan. If the request still does not fit, it goes down the ladder, even under rules of a source
// that do nothing here.
func (c *Compactor) makeFit(ctx context.Context, plan planner.Plan) error {
	c.applyPlan(ctx, plan)
	err := c.journal.CheckFits()
	if err == nil && !c.journal.NearlyFull() && !(plan.Hold && c.journal.OverHardLine()) {
		return nil
	}
	c.ApplyLadder(ctx, cmp.Or(plan.Trigger, planner.TriggerHardLine), false)
	return c.journal.CheckFits()
}

// waitsFor reports whether the next request waits for a summary: because whoever asked for it waits, or because the
// request does not fit and nothing else makes room first.
func (c *Compactor) waitsFor(j *job) bool {
	return j.blocking || c.journal.OverHardLine() && !c.journal.Rules().EvictsAutomatically()
}

// MakeRoomAfterTurn makes room for the next turn when a turn has ended.
func (c *Compactor) MakeRoomAfterTurn(ctx context.Context) {
	if !c.journal.Interactive() {
		defer c.lastJob(ctx) // the program ends with the turn
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

// needsSummary reports whether a plan needs a summary that is not prepared yet.
func (c *Compactor) needsSummary(plan planner.Plan) bool {
	return len(plan.Spans) > 0 && !c.prepared.covers(plan.Spans)
}

// write starts the summary of a plan, and reports whether it did.
func (c *Compactor) write(ctx context.Context, plan planner.Plan) bool {
	if plan.Prepare {
		plan.Trigger = planner.TriggerLoadLine
	}
	origin := c.originOf(plan.Trigger)
	j := &job{plan: &plan, request: edit.Request{Source: origin.Source, Trigger: origin.Trigger, KeepLast: -1}}
	if plan.Prepare {
		j.request.Trigger = planner.TriggerPrepare
	}
	j.blocking = !c.journal.InBackground() || c.journal.Rules().Preset.Design().AbsoluteLoadLine
	j.work = func(now edit.Inputs) (edit.Proposal, error) {
		return edit.ProposeSummary(c.journal.Events(), c.journal.Rules(), now, plan.Spans, origin)
	}
	c.schedule.askedAt = c.journal.Reading().Used
	if err := c.start(ctx, j); err != nil {
		if plan.Prepare && errors.Is(err, edit.ErrNothingToGain) {
			c.journal.Logger().Info("compaction", "outcome", "not prepared", "why", err.Error()) // no step is due, and no model was asked
			return false
		}
		j.end(err)
		c.records.giveUp(ctx, j, nil)
		return false
	}
	c.logMicro(plan)
	return true
}

// applyPlan applies the part of a plan that needs no summary: a profile, a note, masks, or the drop of the oldest
// messages.
func (c *Compactor) applyPlan(ctx context.Context, plan planner.Plan) {
	switch origin := c.originOf(plan.Trigger); {
	case plan.Profile != "":
		c.compact(ctx, edit.RequestOf(plan))
	case plan.Note != nil:
		c.evict(ctx, plan, origin)
	case len(plan.Masks) > 0:
		c.logMicro(plan)
		c.applyOverlays(ctx, origin, plan.Masks)
	case plan.Drops:
		c.ApplyLadder(ctx, plan.Trigger, false)
	}
}

// RunPending runs, while idle, the operations that wait, and applies a written summary. It reports whether it did
// anything.
func (c *Compactor) RunPending(ctx context.Context) bool {
	if c.replan && len(c.operations) == 0 && !c.loop.HasQueued() {
		c.replan = false
		c.MakeRoomAfterTurn(ctx)
	}
	if len(c.operations) == 0 && (c.job == nil || !c.job.ended()) && len(c.prepared.stale()) == 0 {
		return false
	}
	if len(c.operations) > 0 {
		c.loop.ShowCompacting()
	}
	c.Boundary(ctx)
	if j := c.job; j != nil && j.blocking {
		c.await(ctx, func() bool { return true })
	}
	c.loop.ShowIdle()
	return true
}

// The model asks for a compaction with the tool compact (JCL). The tool only answers; the compaction is made before
// the next request, when the reply and its results are complete. Rules:
//
//   - At most one in a turn, and none before the conversation has grown since the last one: a model that asks again
//     and again causes no costs.
//   - It summarizes what no summary covers yet: older turns first, else the beginning of this turn.
//   - Under rules without summaries the oldest units are evicted, with a note in their place.
//   - Whatever fails, the turn goes on.

// CompactForModel makes the compaction that the model asked for; again says that it already asked in this turn.
func (c *Compactor) CompactForModel(ctx context.Context, w edit.Request, again bool) {
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
		j.blocking = true // this summary is as good
		if j.joined == "" {
			j.joined = conversation.SourceTool
		}
		return
	}
	switch {
	case c.journal.Rules().EvictsAutomatically() && c.journal.Rules().Summary.When == preset.SummaryNever:
		c.evictForModel(ctx, w)
	case !c.commitPrepared(ctx, w, nil):
		c.compact(ctx, c.schedule.widen(w))
	}
	c.schedule.rearm()
}

// MakeShorter shortens a refused request by the rules. Rules that evict do so at once, even where nothing else is
// automatic; under other rules the request waits for a summary. same reports whether the model is still that of the
// request.
func (c *Compactor) MakeShorter(ctx context.Context, same, fits func() bool) {
	if c.journal.Rules().EvictsAutomatically() {
		if !fits() {
			c.applyPlan(ctx, c.schedule.plan(c.journal.Moment(), true))
		}
		return
	}
	c.finishJob(ctx, same)
	if !c.journal.Rules().ActsAutomatically() || ctx.Err() != nil || fits() {
		return
	}
	plan := c.schedule.plan(c.journal.Moment(), true)
	if len(plan.Spans) == 0 || !c.write(ctx, plan) {
		c.applyPlan(ctx, plan.WithoutSummary())
	}
	c.finishJob(ctx, same)
}

// lastJob finishes the summary when no turn follows: above the load line it waits for it and applies it, else it
// discards it.
func (c *Compactor) lastJob(ctx context.Context) {
	if j := c.job; j != nil && j.waitsForStep(c.journal.Rules()) && !j.ended() {
		if r := c.journal.Reading(); r.Used <= r.LoadLine {
			c.discard(j, errNeedless)
		}
	}
	c.finishJob(ctx, func() bool { return true })
}

// finishJob waits until no summary is being written or needed is false. Operations that arrive meanwhile are run.
func (c *Compactor) finishJob(ctx context.Context, needed func() bool) {
	for c.job != nil && ctx.Err() == nil && needed() {
		c.await(ctx, needed)
		c.Boundary(ctx)
	}
}
