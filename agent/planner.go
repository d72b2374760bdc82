package agent

import (
	"plimsoll/compact"
	"plimsoll/conversation"
)

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
