package compactor

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"plimsoll/compact/edit"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// The planner is asked before every request, also inside a tool loop, and after every reply that ends a turn; never
// in the middle of a stream. Rules:
//
//   - A compaction that needs no model is made at once. A summary is written in the background. Under rules that evict, no
//     request waits for it: at the hard line the note is committed without a summary (summaries.go). Under other rules
//     a request above that line waits.
//   - If a request is still above the hard line, ApplyLadder reduces it without a model. If it is too long even then,
//     it is not sent.
//   - Whatever fails, no message is lost and the conversation goes on.
//   - Every decision is logged with its numbers.

// CompactBeforeRequest shortens the next request, with one new summary at most. The error says why the request is not sent:
// an *Error, or the cause of ctx's end.
func (c *Compactor) CompactBeforeRequest(ctx context.Context) error {
	defer c.tellHooks(ctx)
	var ownJob *job // the summary that this request started
	hasTried := false
	for {
		last, busy, err := c.awaitNeededSummary(ctx)
		switch {
		case err != nil:
			return err
		case busy: // an operation runs first, or the request no longer needs the summary
			continue
		case c.job != nil && !c.journal.OverHardLine():
			return nil
		}
		hasTried = hasTried || last.isLastTry(ownJob)
		plan := c.plan(ctx, c.journal.Moment(), false)
		if err := context.Cause(ctx); err != nil {
			return err
		}
		// Above the hard line, rules with background summaries commit the note without one.
		notesAlone := plan.Note != nil && c.journal.OverHardLine() && c.journal.Rules().Auto.Background
		switch {
		case hasTried || c.job != nil || notesAlone || !c.needsSummary(plan):
			return c.makeRequestFit(ctx, plan)
		case c.startPlannedSummary(ctx, plan):
			ownJob = c.job
		default:
			hasTried = true
		}
	}
}

// awaitNeededSummary runs what waits for a boundary, then waits for the summary that is being written if the next
// request needs it. last is that summary, nil without one; busy says that a summary is still open after the wait.
func (c *Compactor) awaitNeededSummary(ctx context.Context) (last *job, busy bool, err error) {
	last = c.job
	c.RunDueOperations(ctx)
	if err := context.Cause(ctx); err != nil {
		return nil, false, err
	}
	if err := c.journal.CheckNewestMessageFits(); err != nil {
		return nil, false, err
	}
	j := c.job
	if j == nil || !j.ended() && !c.requestWaitsFor(j) {
		return last, false, nil
	}
	c.awaitSummary(ctx, func() bool { return c.requestWaitsFor(j) })
	return j, c.job != nil, nil
}

// makeRequestFit applies a plan. If the request still does not fit, ApplyLadder reduces it, even under presets that
// would do nothing here.
func (c *Compactor) makeRequestFit(ctx context.Context, plan planner.Plan) error {
	c.applyPlan(ctx, plan)
	err := c.journal.CheckFits()
	if err == nil && !c.journal.NearlyFull() && !(plan.BlocksRequest && c.journal.OverHardLine()) {
		return nil
	}
	c.ApplyLadder(ctx, cmp.Or(plan.Trigger, planner.TriggerHardLine), false)
	return c.journal.CheckFits()
}

// requestWaitsFor reports whether the next request waits for a summary: because the job is blocking, or because the
// request is above the hard line and the rules do not evict.
func (c *Compactor) requestWaitsFor(j *job) bool {
	return j.blocking || c.journal.OverHardLine() && !c.journal.Rules().EvictsAutomatically()
}

// CompactAfterTurn shortens the request of the next turn when a turn has ended.
func (c *Compactor) CompactAfterTurn(ctx context.Context) {
	defer c.tellHooks(ctx)
	if !c.journal.Interactive {
		defer c.finishLastJob(ctx) // the program ends with the turn
	}
	// Without a user it is unknown whether another turn follows. Plimsoll's own rules then wait: they also act before requests.
	r := c.journal.Rules()
	plansNow := c.journal.Interactive || !r.Preset.Design().OwnFeatures || r.Auto.Profile != ""
	if c.job != nil || ctx.Err() != nil || !plansNow {
		return
	}
	plan := c.plan(ctx, planner.MomentReply, false)
	if !c.needsSummary(plan) || !c.startPlannedSummary(ctx, plan) {
		c.applyPlan(ctx, plan)
	}
	if j := c.job; j != nil && j.blocking {
		c.awaitSummary(ctx, func() bool { return true })
	}
}

// needsSummary reports whether a plan needs a summary that is not prepared yet.
func (c *Compactor) needsSummary(plan planner.Plan) bool {
	return len(plan.Spans) > 0 && !c.hasPrepared(plan.Spans)
}

// startPlannedSummary starts the summary of a plan, and reports whether it was started.
func (c *Compactor) startPlannedSummary(ctx context.Context, plan planner.Plan) bool {
	if plan.Prepare {
		plan.Trigger = planner.TriggerLoadLine
	}
	origin := c.originOf(plan.Trigger)
	j := &job{plan: &plan, request: edit.Request{Source: origin.Source, Trigger: origin.Trigger, KeepLast: -1}}
	if plan.Prepare {
		j.request.Trigger = planner.TriggerPrepare
	}
	j.blocking = !c.journal.Rules().Auto.Background || c.journal.Rules().Preset.Design().AbsoluteLoadLine
	j.propose = func(now edit.Inputs) (edit.Proposal, error) {
		return edit.ProposeSummary(c.journal.Events(), c.journal.Rules(), now, plan.Spans, origin)
	}
	c.schedule.summaryStartedAt = c.journal.Reading().Used
	if err := c.startJob(ctx, j); err != nil {
		if plan.Prepare && errors.Is(err, edit.ErrNothingToGain) {
			c.journal.Logger.Info("compaction", "outcome", "not prepared", "why", err.Error()) // no eviction is due, and no model was asked
			return false
		}
		j.end(err)
		c.recordGivenUp(ctx, j, nil)
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

// RunWhileIdle runs the waiting operations and applies a written summary, while no turn runs. It reports whether it
// changed anything.
func (c *Compactor) RunWhileIdle(ctx context.Context) bool {
	if c.replan && len(c.operations) == 0 && !c.loop.HasQueued() {
		c.replan = false
		c.CompactAfterTurn(ctx)
	}
	if len(c.operations) == 0 && (c.job == nil || !c.job.ended()) && !slices.ContainsFunc(c.prepared, (*job).isStale) {
		return false
	}
	if len(c.operations) > 0 {
		c.loop.ShowCompacting()
	}
	c.RunDueOperations(ctx)
	if j := c.job; j != nil && j.blocking {
		c.awaitSummary(ctx, func() bool { return true })
	}
	c.tellHooks(ctx)
	c.loop.ShowIdle()
	return true
}

// The model asks for a compaction with the tool compact (J-CLI). The tool only answers; the compaction is made before
// the next request, when the reply and its results are complete. Rules:
//
//   - At most one in a turn, and none before the conversation has grown since the last one: a model that asks again
//     and again causes no costs.
//   - It summarizes what no summary covers yet: older turns first, else the beginning of this turn.
//   - Under rules without summaries the oldest units are evicted, with a note in their place.
//   - Whatever fails, the turn goes on.

// CompactForModel makes the compaction that the model asked for. again says that the model already asked in this turn.
func (c *Compactor) CompactForModel(ctx context.Context, request edit.Request, again bool) {
	if again {
		c.journal.Logger.Info("compaction", "outcome", "refused", "source", request.Source, "why", "asked again in the turn")
		return
	}
	profile, e := c.schedule.profileForModel()
	if e != nil {
		c.reportRefusal(ctx, request, e)
		return
	}
	request.Profile = profile
	if j := c.job; j != nil && j.state.open() && request.Focus == "" {
		j.blocking = true // this summary is as good
		j.joinedBy = cmp.Or(j.joinedBy, conversation.SourceTool)
		return
	}
	switch {
	case c.journal.Rules().EvictsAutomatically() && c.journal.Rules().Summary.When == preset.SummaryNever:
		if _, failure := c.allowsRequest(ctx, request, edit.Preview{Before: c.journal.Reading().Used}); failure != nil {
			c.reportRefusal(ctx, request, failure)
			break
		}
		c.evictForModel(ctx, request)
	case !c.commitPrepared(ctx, request, nil):
		c.compact(ctx, c.schedule.chooseRange(request))
	}
	c.schedule.delayModelRequests()
}

// MakeShorter shortens a refused request by the rules. Rules that evict do so at once, even where nothing else is
// automatic; under other rules the request waits for a summary. same reports whether the model is still that of the
// request.
func (c *Compactor) MakeShorter(ctx context.Context, same, fits func() bool) {
	if c.journal.Rules().EvictsAutomatically() {
		if !fits() {
			c.applyPlan(ctx, c.plan(ctx, c.journal.Moment(), true))
		}
		return
	}
	c.finishJob(ctx, same)
	if !c.journal.Rules().ActsAutomatically() || ctx.Err() != nil || fits() {
		return
	}
	plan := c.plan(ctx, c.journal.Moment(), true)
	if len(plan.Spans) == 0 || !c.startPlannedSummary(ctx, plan) {
		c.applyPlan(ctx, plan.WithoutSummary())
	}
	c.finishJob(ctx, same)
}

// finishLastJob finishes the summary when no turn follows: above the load line it waits for it and applies it, else it
// discards it.
func (c *Compactor) finishLastJob(ctx context.Context) {
	if j := c.job; j != nil && j.waitsForEviction(c.journal.Rules()) && !j.ended() {
		if r := c.journal.Reading(); r.Used <= r.LoadLine {
			c.discard(j, errNotNeeded)
		}
	}
	c.finishJob(ctx, func() bool { return true })
}

// finishJob waits until no summary is being written or needed is false. Operations that arrive meanwhile are run.
func (c *Compactor) finishJob(ctx context.Context, needed func() bool) {
	for c.job != nil && ctx.Err() == nil && needed() {
		c.awaitSummary(ctx, needed)
		c.RunDueOperations(ctx)
	}
}
