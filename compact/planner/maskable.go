package planner

import (
	"math"
	"sort"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What masking could save is asked before every request, and mostly the answer
// is: too little. So the list of candidates that a view keeps is walked instead of
// the view.

// listed reports whether the list holds all that rules let become stubs.
func listed(v *projection.View, r *preset.Rules) bool {
	_, known := v.Candidates()
	return known && r.Mask.MinChars > projection.StubChars
}

// maskable is no less than what maskItems would save, in tokens. It does not say
// more than least; what it says below that is about right.
func maskable(v *projection.View, r *preset.Rules, m meter.Meter, least float64) float64 {
	if !listed(v, r) {
		return math.Inf(1)
	}
	sum := 0.0
	newOutline(v, r, m).each(func(_ *projection.Candidate, saved float64) bool {
		sum += saved
		return sum < least
	})
	return sum
}

// mayPay reports whether hiding what maskItems chooses may pay, and not always
// whether it does: what it saves and what stands behind the first of it, in
// tokens, by a rule that no greater savings speak against.
func mayPay(v *projection.View, r *preset.Rules, m meter.Meter, pays func(gain, behind float64) bool) bool {
	if !listed(v, r) {
		return true
	}
	o := newOutline(v, r, m)
	var gain float64 // of what follows
	var sure tally
	o.each(func(k *projection.Candidate, saved float64) bool {
		gain += saved
		sure.add(o, k, saved, 1)
		return true
	})
	all, may := m.Weigh(o.list.Shown), false
	// The first that is hidden is the first of the list, or a later one if that
	// one stays for a reason which the list does not know.
	o.each(func(k *projection.Candidate, saved float64) bool {
		may = pays(gain, all-m.Weigh(k.From)-gain)
		if k.Turn == o.first { // any of them may be the first, and which are hidden nobody knows
			return !may
		}
		certain := o.old(k) && !o.list.Pointers && sure.tokens > o.keep && sure.results > r.Mask.KeepResults
		gain -= saved
		sure.add(o, k, saved, -1)
		return !may && !certain
	})
	return may
}

// tally is how much is hidden at least by the results and arguments from one on.
type tally struct {
	tokens  float64
	results int
}

func (t *tally) add(o *outline, k *projection.Candidate, saved float64, n int) {
	if !o.old(k) {
		return
	}
	t.tokens += float64(n) * saved
	if k.Result {
		t.results += n
	}
}

// outline is a view's list, with what it means by rules and a meter.
type outline struct {
	selection
	list           *projection.Candidates
	keep           float64 // tokens of the newest results that stay
	first, current int     // turns
	spare          bool    // the current turn stays
}

func newOutline(v *projection.View, r *preset.Rules, m meter.Meter) *outline {
	o := &outline{selection: selection{view: v, rules: r, meter: m, window: float64(m.Window().Tokens)}}
	o.list, _ = v.Candidates()
	o.keep, o.first = o.selection.keep(), o.firstTurn()
	o.current, o.spare = o.currentTurn()
	return o
}

// old reports whether neither what the current turn is nor what recall brought
// back speaks for a result.
func (o *outline) old(k *projection.Candidate) bool { return k.Turn < o.current-1 }

// each calls f for what may be hidden and what that saves, in tokens, oldest
// first, until f says false. In the first turn it saves what it has, or nothing if
// it is within the bound: less is hidden of what the list has, and it is not known
// of what, so that only the sum tells.
func (o *outline) each(f func(k *projection.Candidate, saved float64) bool) {
	r, in := o.rules, o.meter.Scale()
	spared, total := float64(r.Mask.FirstTurnTokens), in.Weigh(o.list.Total)
	stay := sort.Search(len(o.list.List), func(i int) bool { return total-in.Weigh(o.list.List[i].Before) <= o.keep })
	var tools maskedTools
	for i := range o.list.List[:stay] {
		k := &o.list.List[i]
		if k.Size.Chars() < r.Mask.MinChars || o.spare && k.Turn == o.current || !tools.masks(r, k) {
			continue
		}
		saved := 0.0
		switch {
		case k.Turn == o.first:
			if saved = in.Weigh(k.Size); saved <= spared {
				spared -= saved
				saved = 0
			}
		case k.Result:
			saved = savedResult(in, k.Size, r.Mask.Preview)
		default:
			saved = savedArguments(in, k.Size)
		}
		if !f(k, saved) {
			return
		}
	}
}

// savedResult is about how many tokens a result is longer than its stub.
func savedResult(c meter.Scale, size conversation.Size, preview int) float64 {
	return max(0, c.Weigh(size)-stubTokens(c, size, preview))
}

// stubTokens is about how many tokens a result of some size has as a stub.
func stubTokens(c meter.Scale, size conversation.Size, preview int) float64 {
	shown := 1.0
	if most, chars := max(0, 2*preview), size.Chars(); most < chars {
		shown = float64(most) / float64(chars)
	}
	return shown*c.Weigh(size) + c.Weigh(conversation.Size{ASCII: projection.StubChars})
}

// savedArguments is how many tokens arguments are longer than none.
func savedArguments(c meter.Scale, size conversation.Size) float64 { return max(0, c.Weigh(size)-1) }

// maskedTools is what the rules say of tools, found once for each.
type maskedTools struct {
	names           []string
	results, inputs []bool
}

// mostKinds is how many tools are remembered.
const mostKinds = 32

// masks reports whether rules let a text become a stub.
func (t *maskedTools) masks(r *preset.Rules, k *projection.Candidate) bool {
	at := -1
	for i, name := range t.names {
		if name == k.Tool {
			at = i
			break
		}
	}
	if at < 0 {
		rule := r.Tools[k.Tool]
		at = len(t.names)
		t.names = append(t.names, k.Tool)
		t.results = append(t.results, !rule.Stays())
		t.inputs = append(t.inputs, rule.Request == preset.KeepStrip)
		if at >= mostKinds {
			t.names, t.results, t.inputs = t.names[1:], t.results[1:], t.inputs[1:]
			at--
		}
	}
	if k.Result {
		return t.results[at]
	}
	return t.inputs[at]
}
