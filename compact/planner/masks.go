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

func (p *planner) withMasks(plan Plan, w maskValue) Plan {
	plan.Masks, plan.Gain, plan.Rewritten = nil, int(w.gain), int(w.rewritten)
	if len(w.items) > 0 {
		plan.Masks = []conversation.Body{MaskOf(*p.rules, w.items)}
	}
	return plan
}

// maskToSave returns a plan that masks to save money, below the load line.
func (p *planner) maskToSave() Plan {
	if !p.rules.Mask.Enabled || p.check.Moment == MomentReply || p.cooldown.afterUndo() {
		return Plan{}
	}
	least, trigger := float64(p.cooldown.stride), TriggerStride
	cold := p.check.Cold()
	switch {
	case p.check.IgnoreWaits:
		if w := p.valueOf(p.items(false)); len(w.items) > 0 {
			return p.withMasks(p.plan(TriggerCold), w)
		}
		return Plan{}
	case cold:
		least, trigger = float64(p.rules.Planner.ColdTokens), TriggerCold
	case p.check.Moment != MomentTurn:
		return Plan{}
	}
	w := p.valueOf(p.items(false))
	if w.gain < least || !cold && !p.pays(w.gain, w.rewritten) || p.exactGain(w.items) < least {
		return Plan{}
	}
	return p.withMasks(p.plan(trigger), w)
}

// exactGain returns the tokens that masking items saves, from the projected view: of
// results with the same text, one may still be shown in full.
func (p *planner) exactGain(items []conversation.MaskItem) float64 {
	m := p.check.Meter
	return float64(m.EstimatedTokens() - m.WithView(p.masked(items)).EstimatedTokens())
}

func (p *planner) pays(gain, rewritten float64) bool {
	s := p.check.Sheet
	return float64(p.rules.Planner.PayRequests)*s.Read*gain > (s.Write-s.Read)*rewritten
}

func (p *planner) items(relaxed bool) []conversation.MaskItem {
	return MaskItems(&p.check.View, p.rules, p.check.Meter, relaxed)
}

// maskValue is the estimated effect of masking items, in tokens.
type maskValue struct {
	items     []conversation.MaskItem
	gain      float64 // saved
	rewritten float64 // after the first item, to be cached again
}

// valueOf estimates the effect of masking items, which must be in the order of the view.
func (p *planner) valueOf(items []conversation.MaskItem) maskValue {
	w := maskValue{items: items}
	if len(items) == 0 {
		return w
	}
	next := 0
	for i := range p.check.View.Messages {
		m := &p.check.View.Messages[i]
		saved := 0.0
		for next < len(items) && items[next].Event <= m.Events[len(m.Events)-1] {
			saved += p.itemGain(m, items[next])
			next++
		}
		w.gain += saved
		if next > 0 {
			w.rewritten += p.check.Meter.TextTokens(m.After()) - saved
		}
	}
	return w
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
	in := p.check.Meter.TokenScale()
	if m.Repeats != 0 { // a pointer is shorter than a stub
		return in.TextTokens(m.Size) - stubTokens(in, m.Before, p.rules.Mask.Preview)
	}
	return savedResult(in, m.Size, p.rules.Mask.Preview)
}

func savedResult(c meter.TokenScale, size conversation.Size, preview int) float64 {
	return max(0, c.TextTokens(size)-stubTokens(c, size, preview))
}

func stubTokens(c meter.TokenScale, size conversation.Size, preview int) float64 {
	shown := 1.0
	if most, chars := max(0, 2*preview), size.Chars(); most < chars {
		shown = float64(most) / float64(chars)
	}
	return shown*c.TextTokens(size) + c.TextTokens(conversation.Size{ASCII: projection.StubChars})
}

// MaskOf returns the overlay that masks items in the style of the rules' preset.
func MaskOf(r preset.Rules, items []conversation.MaskItem) conversation.Mask {
	return conversation.Mask{Style: r.Preset.Style(), Version: projection.StubVersion, Preview: r.Mask.Preview, Items: items}
}

func (p *planner) masked(items []conversation.MaskItem) projection.View {
	if len(items) == 0 {
		return p.check.View
	}
	return projection.Project(conversation.Extend(p.check.Log, time.Time{}, MaskOf(*p.rules, items)))
}
