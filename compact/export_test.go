package compact

import (
	"plimsoll/conversation"
	"plimsoll/conversation/names"
)

// Maskable is the bound of what masks could save, in tokens, up to least.
func (v View) Maskable(r Rules, m Meter, least float64) float64 { return v.maskable(r, m, least) }

// MayPay is whether masks may pay by a rule.
func (v View) MayPay(r Rules, m Meter, pays func(gain, behind float64) bool) bool {
	return v.mayPay(r, m, pays)
}

// Worth is what hiding items saves by the planner's estimate, and what stands
// behind the first of them, in tokens.
func Worth(r Rules, c Check, items []conversation.MaskItem) (gain, behind float64) {
	p := newPlanner(r, c)
	w := p.worth(items)
	return w.gain, w.behind
}

// MaskItemsRelaxed chooses as MaskItems, sparing neither the first nor the
// current turn.
func MaskItemsRelaxed(v View, r Rules, m Meter) []conversation.MaskItem {
	return maskItems(v, r, m, true)
}

// NamesIn is the index of names of results.
func NamesIn(said []conversation.Event, room float64) string { return namesIn(said, room) }

// NamesOf lists the names in a text, in its order.
func NamesOf(text string) []string {
	var out []string
	names.Scan(text, func(name string) { out = append(out, name) })
	return out
}
