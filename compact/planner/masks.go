package planner

import (
	"time"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Below the load line the planner masks only where that saves money: while the cache is
// cold, or where the savings of the next requests exceed the cost of caching the rest of
// the prefix again.

func (p *planner) withMasks(plan Plan, effect maskEffect) Plan {
	plan.Masks, plan.Gain, plan.Rewritten = nil, int(effect.gain), int(effect.rewritten)
	if len(effect.items) > 0 {
		plan.Masks = []conversation.Body{MaskOf(*p.rules, effect.items)}
	}
	return plan
}

// maskToSave returns a plan that masks old results to save money, below the load line.
func (p *planner) maskToSave() Plan {
	if !p.rules.Mask.Enabled || p.check.Moment == MomentReply || p.cooldown.isAfterUndo() {
		return Plan{}
	}
	least, trigger := float64(p.cooldown.stride), TriggerStride
	cold := p.check.Cold()
	switch {
	case p.check.IgnoreWaits:
		if effect := p.effectOf(p.itemsToMask(false)); len(effect.items) > 0 {
			return p.withMasks(p.newPlan(TriggerCold), effect)
		}
		return Plan{}
	case cold:
		least, trigger = float64(p.rules.Planner.ColdTokens), TriggerCold
	case p.check.Moment != MomentTurn:
		return Plan{}
	}
	effect := p.effectOf(p.itemsToMask(false))
	if effect.gain < least || !cold && !p.isWorthRewriting(effect.gain, effect.rewritten) || p.exactGain(effect.items) < least {
		return Plan{}
	}
	return p.withMasks(p.newPlan(trigger), effect)
}

// exactGain returns the tokens that masking items saves. It projects the masked view, because
// of several results with the same text one may still be shown in full.
func (p *planner) exactGain(items []conversation.MaskItem) float64 {
	m := p.check.Meter
	return float64(m.EstimatedTokens() - m.WithView(p.viewWithMask(items)).EstimatedTokens())
}

func (p *planner) isWorthRewriting(gain, rewritten float64) bool {
	s := p.check.Sheet
	return float64(p.rules.Planner.PayRequests)*s.Read*gain > (s.Write-s.Read)*rewritten
}

func (p *planner) itemsToMask(relaxed bool) []conversation.MaskItem {
	return MaskItems(&p.check.View, p.rules, p.check.Meter, relaxed)
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
	scale := p.check.Meter.TokenScale()
	if m.Repeats != 0 { // a pointer is shorter than a stub
		return scale.TextTokens(m.Size) - stubTokens(scale, m.Before, p.rules.Mask.Preview)
	}
	return savedByStub(scale, m.Size, p.rules.Mask.Preview)
}

func savedByStub(scale meter.TokenScale, size conversation.Size, preview int) float64 {
	return max(0, scale.TextTokens(size)-stubTokens(scale, size, preview))
}

func stubTokens(scale meter.TokenScale, size conversation.Size, preview int) float64 {
	shown := 1.0
	if most, chars := max(0, 2*preview), size.Chars(); most < chars {
		shown = float64(most) / float64(chars)
	}
	return shown*scale.TextTokens(size) + scale.TextTokens(conversation.Size{ASCII: projection.StubChars})
}

// MaskOf returns the overlay that masks items in the style of the rules' preset.
func MaskOf(r preset.Rules, items []conversation.MaskItem) conversation.Mask {
	return conversation.Mask{Style: r.Preset.Style(), Version: projection.StubVersion, Preview: r.Mask.Preview, Items: items}
}

func (p *planner) viewWithMask(items []conversation.MaskItem) projection.View {
	if len(items) == 0 {
		return p.check.View
	}
	return projection.Project(conversation.Extend(p.check.Log, time.Time{}, MaskOf(*p.rules, items)))
}
