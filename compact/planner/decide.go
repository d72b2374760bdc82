package planner

import "plimsoll/compact/preset"

// Plan decides what to compact now. It runs before every request, so while no compaction is due it reads neither the log nor any
// text. A layer is a rule of a published design that acts on every request (J-CLI, adachsoft).
func (c Check) Plan(r preset.Rules) Plan {
	if len(c.View.Messages) == 0 {
		return Plan{}
	}
	if !r.ActsAutomatically() {
		return c.planAfterRefusal(r)
	}
	p := newPlanner(&r, &c)
	if r.Auto.MinTurns > 0 && turnCount(c.Log) <= r.Auto.MinTurns && !p.aboveHardLine() && !c.IgnoreWaits {
		return p.planLayers() // the layers act before every request and do not wait for turns
	}
	switch action := r.Preset.Design().Action; {
	case c.Refused && r.LeavesRefusalToRecovery():
		return Plan{BlocksRequest: true, Used: p.reading.Used}
	case r.Auto.Profile != "":
		if plan := p.planProfile(); plan.Acts() {
			return plan
		}
		return p.planLayers()
	case action == preset.ActSummariseOld:
		return p.planOneClaw()
	case action == preset.ActSummariseAll:
		return p.planJCLI()
	case action == preset.ActOnRepeats, action == preset.ActDrop:
		return p.planLayers()
	}
	if plan := p.planEviction(); plan.Acts() || plan.BlocksRequest {
		return plan
	}
	if plan := p.maskToSave(); plan.Acts() {
		return plan
	}
	if plan := p.planLayers(); plan.Acts() {
		return plan
	}
	return p.planSummaryAhead()
}

// EvictNow returns the plan of an eviction at the load line, without a summary, even if the request is below that line. It is for
// a user who asks for free space.
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
