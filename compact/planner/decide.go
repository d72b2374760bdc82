package planner

import "plimsoll/compact/preset"

// Plan decides what to do now. Below the load line it reads neither log nor texts
// while it does nothing.
func (c Check) Plan(r preset.Rules) Plan {
	if len(c.View.Messages) == 0 {
		return Plan{}
	}
	if !r.ActsByItself() {
		return c.afterRefusal(r)
	}
	p := newPlanner(&r, &c)
	if r.Auto.MinTurns > 0 && turnsSaid(c.Log) <= r.Auto.MinTurns && !p.over() && !c.AtOnce {
		return p.everyRequest() // layers that act whatever is used do not wait either
	}
	switch acts := r.Preset.Design().Acts; {
	case c.Refused && r.Waits():
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
	if plan := p.economy(); plan.Acts() {
		return plan
	}
	if plan := p.everyRequest(); plan.Acts() {
		return plan
	}
	return p.prepare()
}

// EvictNow is the step at the load line although that is not reached, without a
// summary: somebody asked for room.
func (c Check) EvictNow(r preset.Rules, trigger string) Plan {
	p := newPlanner(&r, &c)
	if p.window == 0 || len(c.View.Messages) == 0 {
		return Plan{}
	}
	target, _ := p.goals()
	return p.step(p.plan(trigger), target, false)
}

// afterRefusal is what rules do that act only where a server did not take a request.
func (c Check) afterRefusal(r preset.Rules) Plan {
	if !c.Refused || !r.Evicts() {
		return Plan{}
	}
	r.Summary.When = preset.SummaryNever
	p := newPlanner(&r, &c)
	return p.evict()
}
