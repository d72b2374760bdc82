package planner

import (
	"time"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Below the load line the planner masks only where that saves money: while the cache is
// cold, or where the savings of the next requests exceed the cost of caching the rest of
// the prefix again.

// maskToSave returns a plan that masks old results to save money, below the load line.
func (p *planner) maskToSave() Plan {
	if !p.rules.Mask.Enabled || p.check.Moment == MomentReply || p.cooldown.isAfterUndo() {
		return Plan{}
	}
	least, trigger := p.cooldown.stride, TriggerStride
	cold := p.check.Cold()
	switch {
	case cold:
		least, trigger = p.rules.Planner.ColdTokens, TriggerCold
	case p.check.Moment != MomentTurn:
		return Plan{}
	}
	effect := p.effectOf(MaskItems(&p.check.View, p.rules, p.check.Meter, false))
	switch {
	case len(effect.items) == 0:
		return Plan{}
	case p.check.IgnoreWaits:
	case effect.gain < float64(least) || !cold && !p.isWorthRewriting(effect.gain, effect.rewritten):
		return Plan{}
	case p.check.Meter.EstimatedTokens()-p.tokensOf(p.viewWithMask(effect.items)) < least:
		return Plan{} // of several results with the same text one may still be shown in full
	}
	plan := p.newPlan(trigger)
	plan.Masks, plan.Gain, plan.Rewritten = []conversation.Body{MaskOf(*p.rules, effect.items)}, int(effect.gain), int(effect.rewritten)
	return plan
}

func (p *planner) isWorthRewriting(gain, rewritten float64) bool {
	s := p.check.Sheet
	return float64(p.rules.Planner.PayRequests)*s.Read*gain > (s.Write-s.Read)*rewritten
}

// maskEffect is the estimated effect of masking items, in tokens.
type maskEffect struct {
	items     []conversation.MaskItem
	gain      float64 // tokens saved
	rewritten float64 // tokens after the first item, which the provider must cache again
}

// effectOf estimates the effect of masking items, which must be in the order of the view.
func (p *planner) effectOf(items []conversation.MaskItem) maskEffect {
	effect := maskEffect{items: items}
	if len(items) == 0 {
		return effect
	}
	next := 0
	for i := range p.check.View.Messages {
		m := &p.check.View.Messages[i]
		saved := 0.0
		for next < len(items) && items[next].Event <= m.Events[len(m.Events)-1] {
			saved += p.itemGain(m, items[next])
			next++
		}
		effect.gain += saved
		if next > 0 {
			effect.rewritten += p.check.Meter.TextTokens(m.After()) - saved
		}
	}
	return effect
}

func (p *planner) itemGain(m *projection.Message, item conversation.MaskItem) float64 {
	if item.Part == conversation.PartArguments {
		for _, c := range m.Calls {
			if c.ID == item.Call {
				return max(0, p.check.Meter.TextTokens(c.Size)-1)
			}
		}
		return 0
	}
	shown := p.check.Meter.TextTokens(m.Size)
	if m.Repeats != 0 { // a pointer is shorter than a stub
		return shown - p.stubTokens(m.Before)
	}
	return max(0, shown-p.stubTokens(m.Size))
}

// stubTokens estimates the tokens of a stub in place of a result.
func (p *planner) stubTokens(size conversation.Size) float64 {
	size.Images = conversation.ImageSize{}
	shown := 1.0
	if most, chars := max(0, 2*p.rules.Mask.Preview), size.Chars(); most < chars {
		shown = float64(most) / float64(chars)
	}
	return shown*p.check.Meter.TextTokens(size) + p.check.Meter.TextTokens(conversation.Size{ASCII: projection.StubChars})
}

// MaskOf returns the overlay that masks items in the style of the rules' preset.
func MaskOf(r preset.Rules, items []conversation.MaskItem) conversation.Mask {
	return conversation.Mask{Style: r.Preset.Style(), Version: projection.StubVersion, Preview: r.Mask.Preview, Items: items}
}

func (p *planner) viewWithMask(items []conversation.MaskItem) projection.View {
	return projection.Project(conversation.Extend(p.check.Log, time.Time{}, MaskOf(*p.rules, items)))
}
