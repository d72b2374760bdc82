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
func (a *Agent) ready(ctx context.Context) error {
	var own *job
	for tried := false; ; {
		before := a.compaction.job
		a.boundary(ctx)
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := a.hopeless(); err != nil {
			return err
		}
		if j := a.compaction.job; j != nil && (j.ended() || a.waitsFor(j)) {
			a.await(ctx, func() bool { return a.waitsFor(j) })
			if before = j; a.compaction.job != nil {
				continue // something else is to be done first, or it is not waited for any more
			}
		} else if j != nil && !a.over() {
			return nil
		}
		if before != nil && before.settled(own) {
			tried = true
		}
		plan := a.plan(a.moment(), false)
		held := plan.Note != nil && a.over() && a.beside() // then the note stands alone
		if a.compaction.job == nil && !tried && !held && a.wants(plan) {
			if tried = !a.write(ctx, plan); !tried {
				own = a.compaction.job
			}
			continue
		}
		a.act(ctx, plan)
		err := a.sendable()
		if err == nil && !a.tight() && !(plan.Hold && a.over()) {
			return nil
		}
		a.recover(ctx, cmp.Or(plan.Trigger, compact.TriggerHardLine), false) // also where the preset's source does nothing
		return a.sendable()
	}
}

// waitsFor reports whether the next request waits for a summary: whoever asked for
// it does, or the request does not fit and nothing else makes room first.
func (a *Agent) waitsFor(j *job) bool {
	return j.waited || a.over() && !a.compaction.rules.Evicts()
}

// afterReply makes room when a turn has ended, for the next one.
func (a *Agent) afterReply(ctx context.Context) {
	if !a.opts.Interactive {
		defer a.lastJob(ctx) // with the turn the program ends
	}
	if a.compaction.job != nil || ctx.Err() != nil || !a.plansAfterReply() {
		return
	}
	plan := a.plan(compact.MomentReply, false)
	if !a.wants(plan) || !a.write(ctx, plan) {
		a.act(ctx, plan)
	}
	if j := a.compaction.job; j != nil && j.waited {
		a.await(ctx, func() bool { return true })
	}
}

// plansAfterReply reports whether something may be done between turns. Where no
// user is there it is not known whether another turn comes: Plimsoll's own rules
// then wait for it, as they act before requests, too.
func (a *Agent) plansAfterReply() bool {
	r := a.compaction.rules
	return a.opts.Interactive || r.Preset != compact.PresetPlimsoll || r.Auto.Profile != ""
}

// moment is when the planner looks, before a request.
func (a *Agent) moment() compact.Moment {
	events := a.log.Events()
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
func (a *Agent) check(moment compact.Moment, refused bool) compact.Check {
	m := a.settings.model
	idle, gone := a.sinceReply(m)
	return compact.Check{
		Moment: moment, Log: a.log.Events(), View: a.view, Meter: a.meter, Idle: idle, Gone: gone, Refused: refused,
		Sheet: m.Sheet(), Past: a.compaction.past, Prepares: !refused && a.prepares(),
	}
}

// plan asks the planner, and logs what it says.
func (a *Agent) plan(moment compact.Moment, refused bool) compact.Plan {
	c := a.check(moment, refused)
	plan := a.compaction.rules.Plan(c)
	r := a.meter.Reading()
	decision := plan.Trigger
	switch {
	case plan.Prepare:
		decision = "prepare"
	case !plan.Acts():
		decision = "nothing"
	}
	a.opts.Logger.Info("planner", "decision", decision, "moment", moment.String(), "used", r.Used, "estimated", r.Estimated,
		"window", r.Window.Tokens, "window_source", r.Window.Source, "load_line", r.LoadLine, "hard_line", r.HardLine,
		"refused", refused, "hold", plan.Hold, "masks", len(plan.Masks), "spans", len(plan.Spans), "gain", plan.Gain, "behind", plan.Behind,
		"idle", c.Idle, "cold", c.Gone || c.Sheet.Cold(c.Idle), "after_last", c.Past.After, "after_undo", c.Past.Undone, "failures", c.Past.Failures)
	return plan
}

// over reports whether the next request must not be sent as it is.
func (a *Agent) over() bool {
	r := a.meter.Reading()
	return a.compaction.rules.ActsByItself() && r.HardLine > 0 && r.Used > r.HardLine
}

// wants reports whether a summary is to be written before a plan is carried out, or
// for one that is not due yet. What is written already is not written twice.
func (a *Agent) wants(plan compact.Plan) bool { return len(plan.Spans) > 0 && !a.offers(plan.Spans) }

// write has the summary of a plan written, and reports whether it is.
func (a *Agent) write(ctx context.Context, plan compact.Plan) bool {
	if plan.Prepare {
		plan.Trigger = compact.TriggerLoadLine
	}
	made := a.made(plan.Trigger)
	j := &job{plan: &plan, wish: compact.Wish{Source: made.Source, Trigger: made.Trigger, KeepLast: -1}}
	// JCL waits for its own; the others do not have to.
	j.waited = !a.beside() || a.compaction.rules.Preset == compact.PresetJCLI
	j.work = func(now compact.Situation) (compact.Pass, error) {
		return compact.NewSummaryPass(a.log.Events(), a.compaction.rules, now, plan.Spans, made)
	}
	a.compaction.asked = a.meter.Reading().Used
	if err := a.begin(ctx, j); err != nil {
		if plan.Prepare && errors.Is(err, compact.ErrNothingToGain) {
			a.opts.Logger.Info("compaction", "outcome", "not prepared", "why", err.Error()) // nothing is due, and nobody was asked
			return false
		}
		a.giveUp(ctx, j, err, nil)
		return false
	}
	a.logMicro(plan)
	return true
}

// logMicro logs that a plan hides old results, and how many, in the words of JCL.
func (a *Agent) logMicro(plan compact.Plan) {
	if n := plan.Hides(); n > 0 && a.compaction.rules.Preset == compact.PresetJCLI {
		a.opts.Logger.Info("micro_compact triggered", "compacted", n)
	}
}

// made is how an overlay of a trigger comes about.
func (a *Agent) made(trigger string) conversation.Made {
	made := conversation.Made{Source: conversation.SourceAuto, Trigger: trigger, Preset: string(a.compaction.rules.Preset)}
	if trigger == compact.TriggerOverflow {
		made.Source = conversation.SourceRecovery
	}
	return made
}

// act does what of a plan needs no model, or what a profile says.
func (a *Agent) act(ctx context.Context, plan compact.Plan) {
	switch {
	case plan.Wish != nil:
		a.compact(ctx, *plan.Wish)
	case plan.Note != nil:
		a.evict(ctx, plan)
	case len(plan.Masks) > 0:
		a.logMicro(plan)
		a.overlay(ctx, a.made(plan.Trigger), plan.Masks)
	case plan.Drops:
		a.recover(ctx, plan.Trigger, false)
	}
}

// recover goes down the ladder that needs no model.
func (a *Agent) recover(ctx context.Context, trigger string, refused bool) {
	made := a.made(trigger)
	made.Source = conversation.SourceRecovery
	if bodies := a.compaction.rules.Recover(a.check(compact.MomentRequest, refused)); len(bodies) > 0 {
		a.overlay(ctx, made, bodies)
	}
}

// overlay puts overlays in force as one epoch. Where they save nothing or cannot
// be stored nothing is changed.
func (a *Agent) overlay(ctx context.Context, made conversation.Made, bodies []conversation.Body) {
	w := compact.Wish{Source: made.Source, Trigger: made.Trigger}
	if err := a.flush(ctx); err != nil {
		a.refuse(ctx, w, err)
		return
	}
	pass, err := compact.NewOverlayPass(a.log.Events(), a.compaction.rules, a.situation(), made, bodies...)
	if err != nil {
		a.refuse(ctx, w, unmade(err))
		return
	}
	if err := a.commit(ctx, &pass, w, nil); err != nil {
		a.refuse(ctx, w, err)
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
	return a.compaction.rules.ActsByItself() && r.Window.Known() && r.Estimated && a.meter.Calibration().Samples > 0 &&
		r.Used > r.Window.Tokens-r.Window.Tokens/estimateSlack
}

// fits reports whether the next request can be sent as it is. Where nothing is
// done by itself the server says so.
func (a *Agent) fits() bool {
	r := a.meter.Reading()
	return !a.compaction.rules.ActsByItself() || !r.Window.Known() || r.Used <= a.mostSendable(r)
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
func (a *Agent) lookBack() {
	c := &a.compaction
	c.past = compact.PastOf(a.log.Events())
	if paused := c.rules.Exhausted(c.past); paused != c.paused {
		c.paused = paused
		a.updates.Put(Summaries{Paused: paused})
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
