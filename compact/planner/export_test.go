package planner

import (
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Maskable is the bound of what masks could save, in tokens, up to least.
func Maskable(v projection.View, r preset.Rules, m meter.Meter, least float64) float64 {
	return maskable(&v, &r, m, least)
}

// MayPay is whether masks may pay by a rule.
func MayPay(v projection.View, r preset.Rules, m meter.Meter, pays func(gain, behind float64) bool) bool {
	return mayPay(&v, &r, m, pays)
}

// Worth is what hiding items saves by the planner's estimate, and what stands
// behind the first of them, in tokens.
func Worth(r preset.Rules, c Check, items []conversation.MaskItem) (gain, behind float64) {
	p := newPlanner(&r, &c)
	w := p.worth(items)
	return w.gain, w.behind
}

// MaskItems chooses what a mask would hide now, oldest first.
func MaskItems(v projection.View, r preset.Rules, m meter.Meter) []conversation.MaskItem {
	return maskItems(&v, &r, m, false)
}
