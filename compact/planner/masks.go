package planner

import (
	"time"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Masks are made below the load line only where they pay: while the cache is cold,
// or where what they save in the next requests is more than writing the rest of the
// prefix anew.

func (p *planner) with(plan Plan, w worth) Plan {
	plan.Masks, plan.Gain, plan.Behind = nil, int(w.gain), int(w.behind)
	if len(w.items) > 0 {
		plan.Masks = []conversation.Body{MaskOf(*p.rules, w.items)}
	}
	return plan
}

// economy masks where it pays although nothing forces it.
func (p *planner) economy() Plan {
	if !p.rules.Mask.Enabled || p.check.Moment == MomentReply || p.rests.held() {
		return Plan{}
	}
	least, trigger := float64(p.rests.stride), TriggerStride
	cold := p.check.Cold()
	switch {
	case p.check.AtOnce:
		if w := p.worth(p.items(false)); len(w.items) > 0 {
			return p.with(p.plan(TriggerCold), w)
		}
		return Plan{}
	case cold:
		least, trigger = float64(p.rules.Planner.ColdTokens), TriggerCold
	case p.check.Moment != MomentTurn:
		return Plan{}
	}
	w := p.worth(p.items(false))
	if w.gain < least || !cold && !p.pays(w.gain, w.behind) || p.frees(w.items) < least {
		return Plan{}
	}
	return p.with(p.plan(trigger), w)
}

// frees is how many tokens hiding items really saves. Of results with one text,
// one may go on standing in full for the others.
func (p *planner) frees(items []conversation.MaskItem) float64 {
	m := p.check.Meter
	return float64(m.EstimatedTokens() - m.WithView(p.masked(items)).EstimatedTokens())
}

func (p *planner) pays(gain, behind float64) bool {
	s := p.check.Sheet
	return float64(p.rules.Planner.PayRequests)*s.Read*gain > (s.Write-s.Read)*behind
}

func (p *planner) items(relaxed bool) []conversation.MaskItem {
	return MaskItems(&p.check.View, p.rules, p.check.Meter, relaxed)
}

// worth is what hiding items comes to, in tokens.
type worth struct {
	items  []conversation.MaskItem
	gain   float64 // that goes
	behind float64 // behind the first of them that stays
}

// worth estimates what hiding items, which are in order, saves.
func (p *planner) worth(items []conversation.MaskItem) worth {
	w := worth{items: items}
	if len(items) == 0 {
		return w
	}
	next := 0
	for i := range p.check.View.Messages {
		m := &p.check.View.Messages[i]
		saved := 0.0
		for next < len(items) && items[next].Event <= m.Events[len(m.Events)-1] {
			saved += p.saves(m, items[next])
			next++
		}
		w.gain += saved
		if next > 0 {
			w.behind += p.check.Meter.Weigh(m.After()) - saved
		}
	}
	return w
}

func (p *planner) saves(m *projection.Message, item conversation.MaskItem) float64 {
	if item.Part == conversation.PartArguments {
		for _, c := range m.Calls {
			if c.ID == item.Call {
				return max(0, p.check.Meter.Weigh(c.Size)-1)
			}
		}
		return 0
	}
	in := p.check.Meter.Scale()
	if m.Repeats != 0 { // a pointer is shorter than a stub
		return in.Weigh(m.Size) - stubTokens(in, m.Before, p.rules.Mask.Preview)
	}
	return savedResult(in, m.Size, p.rules.Mask.Preview)
}

func savedResult(c meter.Scale, size conversation.Size, preview int) float64 {
	return max(0, c.Weigh(size)-stubTokens(c, size, preview))
}

func stubTokens(c meter.Scale, size conversation.Size, preview int) float64 {
	shown := 1.0
	if most, chars := max(0, 2*preview), size.Chars(); most < chars {
		shown = float64(most) / float64(chars)
	}
	return shown*c.Weigh(size) + c.Weigh(conversation.Size{ASCII: projection.StubChars})
}

// MaskOf is the overlay that hides items in the words of the rules' preset.
func MaskOf(r preset.Rules, items []conversation.MaskItem) conversation.Mask {
	return conversation.Mask{Style: r.Preset.Style(), Version: projection.StubVersion, Preview: r.Mask.Preview, Items: items}
}

func (p *planner) masked(items []conversation.MaskItem) projection.View {
	if len(items) == 0 {
		return p.check.View
	}
	return projection.Project(conversation.Extend(p.check.Log, time.Time{}, MaskOf(*p.rules, items)))
}
