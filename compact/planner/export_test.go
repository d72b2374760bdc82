package planner

import (
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
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

// MaskItemsRelaxed chooses as MaskItems, sparing neither the first nor the
// current turn.
func MaskItemsRelaxed(v projection.View, r preset.Rules, m meter.Meter) []conversation.MaskItem {
	return maskItems(&v, &r, m, true)
}

// EvictedSpans is what a step evicts so that a request comes down to a target,
// whose note has no room and whose newest quarter is protected.
func EvictedSpans(v projection.View, m meter.Meter, target float64) []conversation.Span {
	return oldestUnits(v, m, target, 0, preset.DefaultProtectedRatio*float64(m.Window().Tokens)).spans
}

// NoteOn is the note on spans and on what was evicted before, in a window of so many
// tokens.
func NoteOn(r preset.Rules, log []conversation.Event, v projection.View, spans []conversation.Span, window int) string {
	return summary.Note(log, v, projection.WithEarlier(log, spans), noteRoomIn(r.Evict, window))
}
