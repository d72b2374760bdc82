package planner

import "plimsoll/compact/preset"

// Plan decides what to compact now. Below the load line, while no compaction is due, it reads
// neither the log nor any text, because it runs before every request.
func (c Check) Plan(r preset.Rules) Plan {
	if len(c.View.Messages) == 0 {
		return Plan{}
	}
	if !r.ActsAutomatically() {
		return c.planAfterRefusal(r)
	}
	p := newPlanner(&r, &c)
	if r.Auto.MinTurns > 0 && turnCount(c.Log) <= r.Auto.MinTurns && !p.aboveHardLine() && !c.IgnoreWaits {
		return p.planEveryRequest() // the layers that act before every request do not wait for turns
	}
	switch action := r.Preset.Design().Action; {
	case c.Refused && r.LeavesOverflowToRecovery():
		return Plan{BlocksRequest: true, Used: p.reading.Used}
	case r.Auto.Profile != "":
		if plan := p.planProfile(); plan.Acts() {
			return plan
		}
		return p.planEveryRequest()
	case action == preset.ActSummariseOld:
		return p.planOneClaw()
	case action == preset.ActSummariseAll:
		return p.planJCLI()
	case action == preset.ActOnRepeats, action == preset.ActDrop:
		return p.planEveryRequest()
	}
	if plan := p.planEviction(); plan.Acts() || plan.BlocksRequest {
		return plan
	}
	if plan := p.maskToSave(); plan.Acts() {
		return plan
	}
	if plan := p.planEveryRequest(); plan.Acts() {
		return plan
	}
	return p.planPreparation()
}

// EvictNow returns the plan of an eviction at the load line, without a summary, even if the request
// is below that line. It is for a user who asks for free space.
func (c Check) EvictNow(r preset.Rules, trigger string) Plan {
	p := newPlanner(&r, &c)
	if p.window == 0 || len(c.View.Messages) == 0 {
		return Plan{}
	}
	atLine, _ := p.evictionTargets()
	return p.evictTo(p.newPlan(trigger), atLine, false)
}

// planAfterRefusal returns the plan of rules that act only when a server refused a request.
func (c Check) planAfterRefusal(r preset.Rules) Plan {
	if !c.Refused || !r.EvictsAutomatically() {
		return Plan{}
	}
	r.Summary.When = preset.SummaryNever
	p := newPlanner(&r, &c)
	return p.planEviction()
}
