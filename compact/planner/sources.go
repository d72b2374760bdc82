package planner

import (
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// The presets of published designs (sources) act as follows:
//
//   - All of them compare the tokens of the whole request, with system prompt and tools,
//     with the load line.
//   - The preset jp-auto applies a profile after a turn, in conversations with more than
//     a minimum of turns.
//   - The preset oneclaw summarises all but the protected newest tokens after a turn,
//     and drops the units that cannot be summarised.
//   - The presets adachsoft and jcli act before every request. Above its
//     threshold jcli summarises everything.

// planProfile returns the plan that applies a profile after a turn (JP's RFD D17). It needs a known window.
func (p *planner) planProfile() Plan {
	if p.check.Moment != MomentReply || !p.isDue() || p.cooldown.isAfterUndo() {
		return Plan{}
	}
	if p.rules.Profiles[p.rules.Auto.Profile].Summarize && (!p.check.History.mayAskModel(p.rules) || !p.cooldown.mayRetry()) {
		return Plan{}
	}
	plan := p.newPlan(TriggerThreshold)
	plan.Profile = p.rules.Auto.Profile
	return plan
}

func (p *planner) planOneClaw() Plan {
	line, blocks := p.reading.LoadLine, p.aboveHardLine()
	mayAct := p.check.Moment == MomentReply || p.check.Refused || p.check.CacheInvalid // before a request only after a model change
	if !mayAct || !p.isDue() || !blocks && p.cooldown.isAfterUndo() {
		return p.planLayers()
	}
	plan := p.newPlan(TriggerThreshold)
	if p.check.Refused {
		plan.Trigger = TriggerOverflow
	}
	plan.Drops, plan.BlocksRequest = true, blocks
	rule := SummaryLimits{Protected: p.rules.ProtectedRatio * p.window, CoversFirst: true}
	spans := SpansToSummarise(p.check.View, p.check.Meter, rule)
	if p.check.History.mayAskModel(p.rules) {
		plan.Spans = spans
	}
	// Protected messages are not dropped while the request can be sent.
	if len(spans) == 0 && !blocks || len(plan.Spans) == 0 && len(DropSpans(p.check.View, p.check.Meter, float64(line))) == 0 {
		return Plan{BlocksRequest: blocks, Used: p.reading.Used}
	}
	return plan
}

// planJCLI returns the plan of the preset jcli: placeholders for old results, and above
// the threshold a summary of everything but the last unit.
func (p *planner) planJCLI() Plan {
	plan := p.planLayers()
	if p.check.Moment == MomentReply || !p.check.History.mayAskModel(p.rules) {
		return plan
	}
	v := p.viewAfter(plan)
	if !p.aboveLoadLine(p.usedWith(v)) {
		return plan
	}
	if spans := SpansToSummarise(v, p.check.Meter, SummaryLimits{CoversFirst: true}); len(spans) > 0 {
		plan.Trigger, plan.Used, plan.Spans = TriggerThreshold, p.reading.Used, spans
	}
	return plan
}

// planLayers returns the plan of the layers that act before every request (J-CLI, adachsoft).
func (p *planner) planLayers() Plan {
	if p.check.Moment == MomentReply {
		return Plan{}
	}
	plan := p.newPlan(TriggerRequest)
	if p.rules.Micro.Enabled {
		if items := p.effectiveItems(MicroItems(p.check.View, *p.rules)); len(items) > 0 {
			plan.Masks = append(plan.Masks, MaskOf(*p.rules, items))
		}
	}
	if p.rules.Dedupe.Enabled {
		if items := dedupeItems(p.check.View.Messages, *p.rules); len(items) > 0 {
			mask := MaskOf(*p.rules, items)
			mask.Style = preset.DedupeStyle
			plan.Masks = append(plan.Masks, mask)
		}
	}
	if len(plan.Masks) == 0 {
		return Plan{}
	}
	return plan
}

// effectiveItems returns the items that a mask in the preset's style really shortens. Masks of
// a source replace every item. Plimsoll's masks leave a result that is hardly longer than a
// stub, so the planner would choose that result again before every request.
func (p *planner) effectiveItems(items []conversation.MaskItem) []conversation.MaskItem {
	if len(items) == 0 || p.rules.Wording().AlwaysReplaces {
		return items
	}
	v := p.viewWithMask(items)
	masked := make(map[uint64]bool, len(items))
	for i := range v.Messages {
		if m := &v.Messages[i]; m.Role == projection.RoleTool && m.State == projection.StateMasked && m.Repeats == 0 {
			masked[m.Events[0]] = true
		}
	}
	return slices.DeleteFunc(items, func(i conversation.MaskItem) bool { return !masked[i.Event] })
}
