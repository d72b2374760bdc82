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

// MaskItems chooses what a mask would hide now, oldest first.
func MaskItems(v projection.View, r preset.Rules, m meter.Meter) []conversation.MaskItem {
	return maskItems(&v, &r, m, false)
}
