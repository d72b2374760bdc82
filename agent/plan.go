package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// Compaction by itself: the planner is asked before every request, also inside
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
// *Error, or the cause of ctx's end.
func (c *compactor) ready(ctx context.Context) error {
	var own *job
	for tried := false; ; {
		before := c.job
		c.boundary(ctx)
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := c.agent.hopeless(); err != nil {
			return err
		}
		if j := c.job; j != nil && (j.ended() || c.waitsFor(j)) {
			c.await(ctx, func() bool { return c.waitsFor(j) })
			if before = j; c.job != nil {
				continue // something else is to be done first, or it is not waited for any more
			}
		} else if j != nil && !c.over() {
			return nil
		}
		if before != nil && before.settled(own) {
			tried = true
		}
		plan := c.plan(c.moment(), false)
		held := plan.Note != nil && c.over() && c.beside() // then the note stands alone
		if c.job == nil && !tried && !held && c.wants(plan) {
			if tried = !c.write(ctx, plan); !tried {
				own = c.job
			}
			continue
		}
		c.act(ctx, plan)
		err := c.agent.sendable()
		if err == nil && !c.agent.tight() && !(plan.Hold && c.over()) {
			return nil
		}
		c.recover(ctx, cmp.Or(plan.Trigger, compact.TriggerHardLine), false) // also where the preset's source does nothing
		return c.agent.sendable()
	}
}

// waitsFor reports whether the next request waits for a summary: whoever asked for
// it does, or the request does not fit and nothing else makes room first.
func (c *compactor) waitsFor(j *job) bool {
	return j.blocking || c.over() && !c.rules.Evicts()
}

// afterReply makes room when a turn has ended, for the next one.
func (c *compactor) afterReply(ctx context.Context) {
	if !c.opts.Interactive {
		defer c.lastJob(ctx) // with the turn the program ends
	}
	if c.job != nil || ctx.Err() != nil || !c.plansAfterReply() {
		return
	}
	plan := c.plan(compact.MomentReply, false)
	if !c.wants(plan) || !c.write(ctx, plan) {
		c.act(ctx, plan)
	}
	if j := c.job; j != nil && j.blocking {
		c.await(ctx, func() bool { return true })
	}
}

// plansAfterReply reports whether something may be done between turns. Where no
// user is there it is not known whether another turn comes: Plimsoll's own rules
// then wait for it, as they act before requests, too.
func (c *compactor) plansAfterReply() bool {
	r := c.rules
	return c.opts.Interactive || r.Preset != compact.PresetPlimsoll || r.Auto.Profile != ""
}

// moment is when the planner looks, before a request.
func (c *compactor) moment() compact.Moment {
	events := c.log.Events()
	for i := len(events) - 1; i >= 0; i-- {
		switch events[i].Body.(type) {
		case conversation.AssistantMessage, conversation.ToolResult:
			return compact.MomentRequest
		case conversation.UserMessage:
			return compact.MomentTurn
		}
	}
	return compact.MomentTurn
}

// check is what the planner looks at. Refused says that the server did not take
// the request as it is.
func (c *compactor) check(moment compact.Moment, refused bool) compact.Check {
	m := c.settings.model
	idle, gone := c.sinceReply(m)
	return compact.Check{
		Moment: moment, Log: c.log.Events(), View: c.view, Meter: c.meter, Idle: idle, Gone: gone, Refused: refused,
		Sheet: m.Sheet(), Past: c.past, Prepares: !refused && c.prepares(),
	}
}

// plan asks the planner, and logs what it says.
func (c *compactor) plan(moment compact.Moment, refused bool) compact.Plan {
	look := c.check(moment, refused)
	plan := c.rules.Plan(look)
	r := c.meter.Reading()
	decision := plan.Trigger
	switch {
	case plan.Prepare:
		decision = "prepare"
	case !plan.Acts():
		decision = "nothing"
	}
	c.opts.Logger.Info("planner", "decision", decision, "moment", moment.String(), "used", r.Used, "estimated", r.Estimated,
		"window", r.Window.Tokens, "window_source", r.Window.Source, "load_line", r.LoadLine, "hard_line", r.HardLine,
		"refused", refused, "hold", plan.Hold, "masks", len(plan.Masks), "spans", len(plan.Spans), "gain", plan.Gain, "behind", plan.Behind,
		"idle", look.Idle, "cold", look.Gone || look.Sheet.Cold(look.Idle), "after_last", look.Past.After, "after_undo", look.Past.Undone, "failures", look.Past.Failures)
	return plan
}

// over reports whether the next request must not be sent as it is.
func (c *compactor) over() bool {
	r := c.meter.Reading()
	return c.rules.ActsByItself() && r.HardLine > 0 && r.Used > r.HardLine
}

// wants reports whether a summary is to be written before a plan is carried out, or
// for one that is not due yet. What is written already is not written twice.
func (c *compactor) wants(plan compact.Plan) bool {
	return len(plan.Spans) > 0 && !c.offers(plan.Spans)
}

// write has the summary of a plan written, and reports whether it is.
func (c *compactor) write(ctx context.Context, plan compact.Plan) bool {
	if plan.Prepare {
		plan.Trigger = compact.TriggerLoadLine
	}
	made := c.made(plan.Trigger)
	j := &job{plan: &plan, wish: compact.Wish{Source: made.Source, Trigger: made.Trigger, KeepLast: -1}}
	// JCL waits for its own; the others do not have to.
	j.blocking = !c.beside() || c.rules.Preset == compact.PresetJCLI
	j.work = func(now compact.Situation) (compact.Pass, error) {
		return compact.NewSummaryPass(c.log.Events(), c.rules, now, plan.Spans, made)
	}
	c.asked = c.meter.Reading().Used
	if err := c.begin(ctx, j); err != nil {
		if plan.Prepare && errors.Is(err, compact.ErrNothingToGain) {
			c.opts.Logger.Info("compaction", "outcome", "not prepared", "why", err.Error()) // nothing is due, and nobody was asked
			return false
		}
		j.end(err)
		c.giveUp(ctx, j, nil)
		return false
	}
	c.logMicro(plan)
	return true
}

// logMicro logs that a plan hides old results, and how many, in the words of JCL.
func (c *compactor) logMicro(plan compact.Plan) {
	if n := plan.Hides(); n > 0 && c.rules.Preset == compact.PresetJCLI {
		c.opts.Logger.Info("micro_compact triggered", "compacted", n)
	}
}

// made is how an overlay of a trigger comes about.
func (c *compactor) made(trigger string) conversation.Made {
	made := conversation.Made{Source: conversation.SourceAuto, Trigger: trigger, Preset: string(c.rules.Preset)}
	if trigger == compact.TriggerOverflow {
		made.Source = conversation.SourceRecovery
	}
	return made
}

// act does what of a plan needs no model, or what a profile says.
func (c *compactor) act(ctx context.Context, plan compact.Plan) {
	switch {
	case plan.Wish != nil:
		c.compact(ctx, *plan.Wish)
	case plan.Note != nil:
		c.evict(ctx, plan)
	case len(plan.Masks) > 0:
		c.logMicro(plan)
		c.overlay(ctx, c.made(plan.Trigger), plan.Masks)
	case plan.Drops:
		c.recover(ctx, plan.Trigger, false)
	}
}

// recover goes down the ladder that needs no model.
func (c *compactor) recover(ctx context.Context, trigger string, refused bool) {
	made := c.made(trigger)
	made.Source = conversation.SourceRecovery
	if bodies := c.rules.Recover(c.check(compact.MomentRequest, refused)); len(bodies) > 0 {
		c.overlay(ctx, made, bodies)
	}
}

// overlay puts overlays in force as one epoch. Where they save nothing or cannot
// be stored nothing is changed.
func (c *compactor) overlay(ctx context.Context, made conversation.Made, bodies []conversation.Body) {
	w := compact.Wish{Source: made.Source, Trigger: made.Trigger}
	if err := c.flush(ctx); err != nil {
		c.refuse(ctx, w, err)
		return
	}
	pass, err := compact.NewOverlayPass(c.log.Events(), c.rules, c.situation(), made, bodies...)
	if err != nil {
		c.refuse(ctx, w, unmade(err))
		return
	}
	if err := c.commit(ctx, &pass, w, nil); err != nil {
		c.refuse(ctx, w, err)
	}
}

// unsure is how far above the window a request may seem to be as long as no
// report has said how the model counts.
const unsure = 1.25

// estimateSlack is the part of the window, one in so many, by which an estimate is
// off as often as not.
const estimateSlack = 64

// tight reports whether the next request seems to fit by less than estimates are off
// by: then more room is made if that is possible, and it is sent if not.
func (a *Agent) tight() bool {
	r := a.meter.Reading()
	return a.rules.ActsByItself() && r.Window.Known() && r.Estimated && a.meter.Calibration().Samples > 0 &&
		r.Used > r.Window.Tokens-r.Window.Tokens/estimateSlack
}

// fits reports whether the next request can be sent as it is. Where nothing is
// done by itself the server says so.
func (a *Agent) fits() bool {
	r := a.meter.Reading()
	return !a.rules.ActsByItself() || !r.Window.Known() || r.Used <= a.mostSendable(r)
}

// sendable is why the next request cannot be sent, nil if it can.
func (a *Agent) sendable() error {
	if a.fits() {
		return nil
	}
	return a.tooLong()
}

// hopeless is why the next request cannot be sent whatever is left out of it: the
// newest message alone, with the prompt, is too long. Nil if it can.
func (a *Agent) hopeless() error {
	if a.fits() || a.newestFits() {
		return nil
	}
	return a.tooLong()
}

// newestFits reports whether the newest message of the user fits, with the prompt
// alone.
func (a *Agent) newestFits() bool {
	r := a.meter.Reading()
	return a.newestMessage()+r.Segments[compact.System]+r.Segments[compact.Tools] <= a.mostSendable(r)
}

// mostSendable is how many tokens a request may seem to have.
func (a *Agent) mostSendable(r compact.Reading) int {
	if a.meter.Calibration().Samples == 0 {
		return int(unsure * float64(r.Window.Tokens))
	}
	return r.Window.Tokens
}

// newestMessage is about how many tokens the newest message of the user has.
func (a *Agent) newestMessage() int {
	for _, m := range slices.Backward(a.view.Messages) {
		if m.Role == compact.RoleUser && m.State == compact.StateVerbatim {
			return int(a.meter.Weigh(m.After()))
		}
	}
	return 0
}

// tooLong is a request that is not sent.
func (a *Agent) tooLong() error {
	r, model := a.meter.Reading(), a.settings.model
	hint := "send a shorter message or fewer files: the long one stays in the conversation, and can be left out of the next request; "
	if a.newestFits() { // what must stay does not
		hint = "unpin what is pinned (/unpin), go back to an earlier message (/rewind), begin a new conversation, "
	}
	return &Error{
		Class: Overflow,
		Message: fmt.Sprintf("the request was not sent: it has about %d tokens, and the window of %s has %d (your newest message about %d, system prompt and tools %d)",
			r.Used, model.Name(), r.Window.Tokens, a.newestMessage(), r.Segments[compact.System]+r.Segments[compact.Tools]),
		Hint: hint + model.larger(),
	}
}

// larger says how a larger window is had. One that a server told may have changed.
func (m Model) larger() string {
	if told(m.Window) && m.BaseURL != "" { // otherwise there is no server
		return "or choose a model with a larger window (/model); if the server's is larger by now, say so with --window"
	}
	return "or choose a model with a larger window (/model)"
}

// lookBack notes what the log says of earlier passes, and tells if that ends or
// begins the asking of a model.
func (c *compactor) lookBack() {
	c.past = compact.PastOf(c.log.Events())
	if paused := c.rules.Exhausted(c.past); paused != c.paused {
		c.paused = paused
		c.updates.Put(Summaries{Paused: paused})
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
