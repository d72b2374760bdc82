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
//   - D17 applies a profile after a turn, in conversations with more than a minimum of
//     turns.
//   - ONE summarises all but the protected newest tokens after a turn, and drops the units
//     that cannot be summarised.
//   - ADA and JCL act before every request. Above its threshold JCL summarises
//     everything.

// applyProfile returns the plan of D17. Without a known window it never acts.
func (p *planner) applyProfile() Plan {
	if p.check.Moment != MomentReply || !p.due() || p.cooldown.afterUndo() {
		return Plan{}
	}
	if p.rules.Profiles[p.rules.Auto.Profile].Summarize && (!p.check.Past.mayAskModel(p.rules) || !p.cooldown.mayRetry()) {
		return Plan{}
	}
	plan := p.plan(TriggerThreshold)
	plan.Profile = p.rules.Auto.Profile
	return plan
}

func (p *planner) oneClaw() Plan {
	line, hold := p.reading.LoadLine, p.mustHold()
	mayAct := p.check.Moment == MomentReply || p.check.Refused || p.check.CacheInvalid // before a request only after a model change
	if !mayAct || !p.due() || !hold && p.cooldown.afterUndo() {
		return p.everyRequest()
	}
	plan := p.plan(TriggerThreshold)
	if p.check.Refused {
		plan.Trigger = TriggerOverflow
	}
	plan.Drops, plan.Hold = true, hold
	rule := BandRule{Protected: p.rules.ProtectedRatio * p.window, First: true}
	spans := BandSpans(p.check.View, p.check.Meter, rule)
	if p.check.Past.mayAskModel(p.rules) {
		plan.Spans = spans
	}
	// Protected messages are not dropped while the request can be sent.
	if len(spans) == 0 && !hold || len(plan.Spans) == 0 && len(DropSpans(p.check.View, p.check.Meter, float64(line))) == 0 {
		return Plan{Hold: hold, Used: p.reading.Used}
	}
	return plan
}

// jcli returns the plan of JCL: placeholders, and above the threshold a summary of
// everything but the last unit.
func (p *planner) jcli() Plan {
	plan := p.everyRequest()
	if p.check.Moment == MomentReply || !p.check.Past.mayAskModel(p.rules) {
		return plan
	}
	v := p.viewAfter(plan)
	if !p.aboveLoadLine(p.usedBy(v)) {
		return plan
	}
	if spans := BandSpans(v, p.check.Meter, BandRule{First: true}); len(spans) > 0 {
		plan.Trigger, plan.Used, plan.Spans = TriggerThreshold, p.reading.Used, spans
	}
	return plan
}

// everyRequest returns the plan of the layers that act before every request (JCL, ADA).
func (p *planner) everyRequest() Plan {
	if p.check.Moment == MomentReply {
		return Plan{}
	}
	plan := p.plan(TriggerRequest)
	if p.rules.Micro.Enabled {
		if items := p.effective(MicroItems(p.check.View, *p.rules)); len(items) > 0 {
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

// effective returns the items that a mask in the preset's style really masks. Masks of a
// source always do. Plimsoll's own mask no result that is hardly longer than a stub, and
// would be made again before every request.
func (p *planner) effective(items []conversation.MaskItem) []conversation.MaskItem {
	if len(items) == 0 || p.rules.Wording().AlwaysReplaces {
		return items
	}
	v := p.masked(items)
	masked := make(map[uint64]bool, len(items))
	for i := range v.Messages {
		if m := &v.Messages[i]; m.Role == projection.RoleTool && m.State == projection.StateMasked && m.Repeats == 0 {
			masked[m.Events[0]] = true
		}
	}
	return slices.DeleteFunc(items, func(i conversation.MaskItem) bool { return !masked[i.Event] })
}
