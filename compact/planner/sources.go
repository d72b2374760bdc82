package planner

import (
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// When the presets of the sources act:
//
//   - All of them measure a request as the gauge does, system prompt and tools
//     included, against its load line.
//   - D17 applies a profile when a turn has ended, in conversations of more turns
//     than a number.
//   - ONE summarises when a turn has ended, all but the protected newest; what
//     cannot be summarised is left out.
//   - ADA and JCL act before every request, JCL above its threshold with a summary
//     of everything.

// applyProfile is D17. Without a window it never acts.
func (p *planner) applyProfile() Plan {
	if p.check.Moment != MomentReply || !p.due() || p.rests.held() {
		return Plan{}
	}
	if p.rules.Profiles[p.rules.Auto.Profile].Summarize && (!p.check.Past.asks(p.rules) || !p.rests.mayTry()) {
		return Plan{}
	}
	plan := p.plan(TriggerThreshold)
	plan.Profile = p.rules.Auto.Profile
	return plan
}

func (p *planner) oneClaw() Plan {
	soft, over := p.reading.LoadLine, p.over()
	due := p.check.Moment == MomentReply || p.check.Refused || p.check.Gone // before sending where the model was changed
	if !due || !p.due() || !over && p.rests.held() {
		return p.everyRequest()
	}
	plan := p.plan(TriggerThreshold)
	if p.check.Refused {
		plan.Trigger = TriggerOverflow
	}
	plan.Drops, plan.Hold = true, over
	rule := BandRule{Protected: p.rules.ProtectedRatio * p.window, First: true}
	spans := BandSpans(p.check.View, p.check.Meter, rule)
	if p.check.Past.asks(p.rules) {
		plan.Spans = spans
	}
	// What is protected is not left out either as long as it can be sent.
	if len(spans) == 0 && !over || len(plan.Spans) == 0 && len(DropSpans(p.check.View, p.check.Meter, float64(soft))) == 0 {
		return Plan{Hold: over, Used: p.reading.Used}
	}
	return plan
}

// jcli is JCL: placeholders, and above the threshold a summary of everything but
// what is being answered.
func (p *planner) jcli() Plan {
	plan := p.everyRequest()
	if p.check.Moment == MomentReply || !p.check.Past.asks(p.rules) {
		return plan
	}
	v := p.after(plan)
	if !p.above(p.usedBy(v)) {
		return plan
	}
	if spans := BandSpans(v, p.check.Meter, BandRule{First: true}); len(spans) > 0 {
		plan.Trigger, plan.Used, plan.Spans = TriggerThreshold, p.reading.Used, spans
	}
	return plan
}

// everyRequest is the layers that act whenever something is sent (JCL, ADA).
func (p *planner) everyRequest() Plan {
	if p.check.Moment == MomentReply {
		return Plan{}
	}
	plan := p.plan(TriggerRequest)
	if p.rules.Micro.Enabled {
		if items := p.shortened(MicroItems(p.check.View, *p.rules)); len(items) > 0 {
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

// shortened is the items that a mask in the preset's words makes shorter. Those
// of a source replace whatever they are put over; Plimsoll's own leave what is
// hardly longer than a stub, and would be made again before every request.
func (p *planner) shortened(items []conversation.MaskItem) []conversation.MaskItem {
	if len(items) == 0 || p.rules.Wording().Exact {
		return items
	}
	v := p.masked(items)
	hidden := make(map[uint64]bool, len(items))
	for i := range v.Messages {
		if m := &v.Messages[i]; m.Role == projection.RoleTool && m.State == projection.StateMasked && m.Repeats == 0 {
			hidden[m.Events[0]] = true
		}
	}
	return slices.DeleteFunc(items, func(i conversation.MaskItem) bool { return !hidden[i.Event] })
}
