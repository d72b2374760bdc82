package planner

import "plimsoll/compact/preset"

// Plan decides what to compact now. Below the load line, while nothing is due, it reads
// neither the log nor any text.
func (c Check) Plan(r preset.Rules) Plan {
	if len(c.View.Messages) == 0 {
		return Plan{}
	}
	if !r.ActsAutomatically() {
		return c.afterRefusal(r)
	}
	p := newPlanner(&r, &c)
	if r.Auto.MinTurns > 0 && turnCount(c.Log) <= r.Auto.MinTurns && !p.mustHold() && !c.IgnoreWaits {
		return p.everyRequest() // the layers that act before every request do not wait for turns
	}
	switch acts := r.Preset.Design().Action; {
	case c.Refused && r.LeavesOverflowToRecovery():
		return Plan{Hold: true, Used: p.reading.Used}
	case r.Auto.Profile != "":
		if plan := p.applyProfile(); plan.Acts() {
			return plan
		}
		return p.everyRequest()
	case acts == preset.ActSummariseOld:
		return p.oneClaw()
	case acts == preset.ActSummariseAll:
		return p.jcli()
	case acts == preset.ActOnRepeats, acts == preset.ActDrop:
		return p.everyRequest()
	}
	if plan := p.evict(); plan.Acts() || plan.Hold {
		return plan
	}
	if plan := p.maskToSave(); plan.Acts() {
		return plan
	}
	if plan := p.everyRequest(); plan.Acts() {
		return plan
	}
	return p.prepare()
}

// EvictNow returns the step at the load line, without a summary, although the request may
// be below it: the user asked for free space.
func (c Check) EvictNow(r preset.Rules, trigger string) Plan {
	p := newPlanner(&r, &c)
	if p.window == 0 || len(c.View.Messages) == 0 {
		return Plan{}
	}
	target, _ := p.goals()
	return p.step(p.plan(trigger), target, false)
}

// afterRefusal returns the plan of rules that act only when a server refused a request.
func (c Check) afterRefusal(r preset.Rules) Plan {
	if !c.Refused || !r.EvictsAutomatically() {
		return Plan{}
	}
	r.Summary.When = preset.SummaryNever
	p := newPlanner(&r, &c)
	return p.evict()
}
