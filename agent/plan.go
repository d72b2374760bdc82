package agent

import (
	"cmp"
	"context"
	"errors"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// Automatic compaction: the planner is asked before every request, also inside
// a tool loop, and after every reply that ends a turn; never in the middle of a
// stream. Rules:
//
//   - What needs no model is done at once. A summary is written beside the
//     conversation. Where rules evict, no request waits for it: at the hard line the
//     note stands alone (prepare.go). Under other rules one above that line waits.
//   - What is above the hard line then goes down the ladder, which needs no model.
//     What is too long even then is not sent.
//   - Whatever comes of it, no message is lost and the conversation goes on.
//   - Every decision is logged with its numbers.

// ready makes room for the next request. The error says why it is not sent: an
// *Error, or the cause of ctx's end. It asks a model for one summary at most.
func (c *compactor) ready(ctx context.Context) error {
	var own *job // the summary that is asked for here
	tried := false
	for {
		last, busy, err := c.settleSummary(ctx)
		switch {
		case err != nil:
			return err
		case busy: // something else goes first, or nothing waits for the summary any more
			continue
		case c.job != nil && !c.over():
			return nil
		}
		tried = tried || last.isLastTry(own)
		plan := c.planner.plan(c.moment(), false)
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
func (c *compactor) settleSummary(ctx context.Context) (last *job, busy bool, err error) {
	last = c.job
	c.boundary(ctx)
	if err := context.Cause(ctx); err != nil {
		return nil, false, err
	}
	if err := c.cannotFit(); err != nil {
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
func (c *compactor) asksFirst(plan compact.Plan) bool {
	alone := plan.Note != nil && c.over() && c.inBackground()
	return c.job == nil && !alone && c.needsSummary(plan)
}

// makeFit carries a plan out, and goes down the ladder where the request then still
// does not fit, also where the preset's source does nothing.
func (c *compactor) makeFit(ctx context.Context, plan compact.Plan) error {
	c.applyPlan(ctx, plan)
	err := c.sendable()
	if err == nil && !c.tight() && !(plan.Hold && c.over()) {
		return nil
	}
	c.applyLadder(ctx, cmp.Or(plan.Trigger, compact.TriggerHardLine), false)
	return c.sendable()
}

// waitsFor reports whether the next request waits for a summary: whoever asked for
// it does, or the request does not fit and nothing else makes room first.
func (c *compactor) waitsFor(j *job) bool {
	return j.blocking || c.over() && !c.rules.Evicts()
}

// makeRoomAfterTurn makes room when a turn has ended, for the next one.
func (c *compactor) makeRoomAfterTurn(ctx context.Context) {
	if !c.opts.Interactive {
		defer c.lastJob(ctx) // with the turn the program ends
	}
	if c.job != nil || ctx.Err() != nil || !c.planner.plansAfterReply() {
		return
	}
	plan := c.planner.plan(compact.MomentReply, false)
	if !c.needsSummary(plan) || !c.write(ctx, plan) {
		c.applyPlan(ctx, plan)
	}
	if j := c.job; j != nil && j.blocking {
		c.await(ctx, func() bool { return true })
	}
}

// needsSummary reports whether a summary is to be written before a plan is carried out, or
// for one that is not due yet. What is written already is not written twice.
func (c *compactor) needsSummary(plan compact.Plan) bool {
	return len(plan.Spans) > 0 && !c.prepared.covers(plan.Spans)
}

// write has the summary of a plan written, and reports whether it is.
func (c *compactor) write(ctx context.Context, plan compact.Plan) bool {
	if plan.Prepare {
		plan.Trigger = compact.TriggerLoadLine
	}
	made := c.planner.made(plan.Trigger)
	j := &job{plan: &plan, wish: compact.Wish{Source: made.Source, Trigger: made.Trigger, KeepLast: -1}}
	j.blocking = !c.inBackground() || c.rules.Preset.Design().Absolute
	j.work = func(now compact.Situation) (compact.Pass, error) {
		return compact.NewSummaryPass(c.log.Events(), c.rules, now, plan.Spans, made)
	}
	c.planner.askedAt = c.meter.Reading().Used
	if err := c.start(ctx, j); err != nil {
		if plan.Prepare && errors.Is(err, compact.ErrNothingToGain) {
			c.opts.Logger.Info("compaction", "outcome", "not prepared", "why", err.Error()) // nothing is due, and nobody was asked
			return false
		}
		j.end(err)
		c.records.giveUp(ctx, j, nil)
		return false
	}
	c.planner.logMicro(plan)
	return true
}

// applyPlan does what of a plan needs no model, or what a profile says.
func (c *compactor) applyPlan(ctx context.Context, plan compact.Plan) {
	switch {
	case plan.Wish != nil:
		c.compact(ctx, *plan.Wish)
	case plan.Note != nil:
		c.evict(ctx, plan)
	case len(plan.Masks) > 0:
		c.planner.logMicro(plan)
		c.overlay(ctx, c.planner.made(plan.Trigger), plan.Masks)
	case plan.Drops:
		c.applyLadder(ctx, plan.Trigger, false)
	}
}

// applyLadder goes down the ladder that needs no model.
func (c *compactor) applyLadder(ctx context.Context, trigger string, refused bool) {
	made := c.planner.made(trigger)
	made.Source = conversation.SourceRecovery
	if bodies := c.rules.Recover(c.planner.check(compact.MomentRequest, refused)); len(bodies) > 0 {
		c.overlay(ctx, made, bodies)
	}
}

// overlay puts overlays in force as one epoch. Where they save nothing or cannot
// be stored nothing is changed.
func (c *compactor) overlay(ctx context.Context, made conversation.Made, bodies []conversation.Body) {
	w := compact.Wish{Source: made.Source, Trigger: made.Trigger}
	if err := c.flush(ctx); err != nil {
		c.records.refuse(ctx, w, err)
		return
	}
	pass, err := compact.NewOverlayPass(c.log.Events(), c.rules, c.situation(), made, bodies...)
	if err != nil {
		c.records.refuse(ctx, w, unmade(err))
		return
	}
	if err := c.commit(ctx, &pass, w, nil); err != nil {
		c.records.refuse(ctx, w, err)
	}
}

// regards reports whether an event says something of earlier passes.
func regards(b conversation.Body) bool {
	switch b.Kind() {
	case conversation.KindAttempt, conversation.KindModel:
		return true
	}
	return b.Kind().Overlay()
}

// planner decides what is to be done about the context, by the rules and by what the log
// says of earlier compactions. It changes nothing.
type planner struct {
	*journal
	writing func() bool // a summary is being written, or waits for the user

	past    compact.Past // what the log says of earlier passes
	paused  bool         // no model is asked automatically any more; the watcher was told
	askedAt int          // tokens of the request when a model was asked for a summary automatically, 0 not since the newest epoch
	rearmAt int          // size of a request, in tokens, from which on the model may ask again
}

// check is what the planner looks at. Refused says that the server did not take
// the request as it is.
func (p *planner) check(moment compact.Moment, refused bool) compact.Check {
	m := p.settings.model
	idle, gone := p.sinceReply(m)
	return compact.Check{
		Moment: moment, Log: p.log.Events(), View: p.view, Meter: p.meter, Idle: idle, Gone: gone, Refused: refused,
		Sheet: m.Sheet(), Past: p.past, Prepares: !refused && p.prepares(),
	}
}

// plan asks the planner, and logs what it says.
func (p *planner) plan(moment compact.Moment, refused bool) compact.Plan {
	look := p.check(moment, refused)
	plan := p.rules.Plan(look)
	r := p.meter.Reading()
	decision := plan.Trigger
	switch {
	case plan.Prepare:
		decision = "prepare"
	case !plan.Acts():
		decision = "nothing"
	}
	p.opts.Logger.Info("planner", "decision", decision, "moment", moment.String(), "used", r.Used, "estimated", r.Estimated,
		"window", r.Window.Tokens, "window_source", r.Window.Source, "load_line", r.LoadLine, "hard_line", r.HardLine,
		"refused", refused, "hold", plan.Hold, "masks", len(plan.Masks), "spans", len(plan.Spans), "gain", plan.Gain, "behind", plan.Behind,
		"idle", look.Idle, "cold", look.Gone || look.Sheet.Cold(look.Idle), "after_last", look.Past.After, "after_undo", look.Past.Undone, "failures", look.Past.Failures)
	return plan
}

// logMicro logs that a plan hides old results, and how many, under the name that the design gives that.
func (p *planner) logMicro(plan compact.Plan) {
	name := p.rules.Preset.Design().MaskLog
	if n := plan.Hides(); n > 0 && name != "" {
		p.opts.Logger.Info(name+" triggered", "compacted", n)
	}
}

// made is how an overlay of a trigger comes about.
func (p *planner) made(trigger string) conversation.Made {
	made := conversation.Made{Source: conversation.SourceAuto, Trigger: trigger, Preset: string(p.rules.Preset)}
	if trigger == compact.TriggerOverflow {
		made.Source = conversation.SourceRecovery
	}
	return made
}

// refreshPast notes what the log says of earlier passes, and tells if that ends or
// begins the asking of a model.
func (p *planner) refreshPast() {
	p.past = compact.PastOf(p.log.Events())
	if paused := p.rules.Exhausted(p.past); paused != p.paused {
		p.paused = paused
		p.updates.Put(Summaries{Paused: paused})
	}
}

// plansAfterReply reports whether something may be done between turns. Where no
// user is there it is not known whether another turn comes: Plimsoll's own rules
// then wait for it, as they act before requests, too.
func (p *planner) plansAfterReply() bool {
	r := p.rules
	return p.opts.Interactive || !r.Preset.Design().Additions || r.Auto.Profile != ""
}

// prepares reports whether a summary may be prepared.
func (p *planner) prepares() bool {
	return p.opts.Interactive && p.inBackground() && !p.writing() &&
		(p.askedAt == 0 || p.meter.Reading().Used >= p.askedAt+p.rules.Rearm(p.meter.Window().Tokens))
}

// holds reports whether a request that has to get below the hard line would still be
// above it with a pass.
func (p *planner) holds(plan compact.Plan, pass *compact.Pass) bool {
	hard := p.meter.Reading().HardLine
	return plan.Hold && hard > 0 && pass.Preview().After > hard
}

// rearm says how long the conversation has to grow before the model may ask for
// the next compaction.
func (p *planner) rearm() {
	p.rearmAt = p.meter.Reading().Used + p.rules.Rearm(p.meter.Window().Tokens)
}
