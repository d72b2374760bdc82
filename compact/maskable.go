package compact

import (
	"math"
	"sort"

	"plimsoll/conversation"
)

// What masking could save is asked before every request, and mostly the answer
// is: too little. So a view keeps a list of what could become stubs at all, which
// is walked instead of the view. What it says is a bound: it may hold what
// MaskItems leaves alone, and lacks nothing that MaskItems takes.

// bulk is a result or a call's arguments that are longer than any stub.
type bulk struct {
	turn   int
	tool   string
	size   conversation.Size
	before conversation.Size // of all results and arguments of the view before it
	from   conversation.Size // of all messages of the view before its own
	result bool
}

// leastBulk is how long a text is at least that a stub could save anything of,
// in code points.
const leastBulk = stubTokens * int(CharsPerToken)

// noteBulk notes what of a message could become a stub.
func (v *View) noteBulk(m *Message) {
	from := v.shown
	v.shown, v.points = from.Plus(m.After()), v.points || m.Repeats != 0
	if m.Role == RoleTool {
		if m.Size.Chars() > leastBulk && m.State != StateMasked && m.State != StatePinned && m.Repeats == 0 {
			v.bulks = append(v.bulks, bulk{turn: m.Turn, tool: m.Tool, size: m.Size, before: v.weighed, from: from, result: true})
		}
		v.weighed = v.weighed.Plus(m.Size)
	}
	for i := range m.Calls {
		c := &m.Calls[i]
		if c.Size.Chars() > leastBulk && m.State != StatePinned {
			v.bulks = append(v.bulks, bulk{turn: m.Turn, tool: c.Name, size: c.Size, before: v.weighed, from: from})
		}
		v.weighed = v.weighed.Plus(c.Size)
	}
}

// listed reports whether the list holds all that rules let become stubs.
func (v *View) listed(r Rules) bool { return v.tip != nil && r.Mask.MinChars > leastBulk }

// maskable is no less than what MaskItems would save, in tokens. It does not say
// more than least; what it says below that is about right.
func (v *View) maskable(r Rules, m Meter, least float64) float64 {
	if !v.listed(r) {
		return math.Inf(1)
	}
	sum := 0.0
	v.outline(r, m).each(func(_ *bulk, saved float64) bool {
		sum += saved
		return sum < least
	})
	return sum
}

// mayPay reports whether hiding what MaskItems chooses may pay, and not always
// whether it does: what it saves and what stands behind the first of it, in
// tokens, by a rule that no greater savings speak against.
func (v *View) mayPay(r Rules, m Meter, pays func(gain, behind float64) bool) bool {
	if !v.listed(r) {
		return true
	}
	o := v.outline(r, m)
	var gain float64 // of what follows
	var sure tally
	o.each(func(k *bulk, saved float64) bool {
		gain += saved
		sure.add(o, k, saved, 1)
		return true
	})
	all, may := m.Weigh(v.shown), false
	// The first that is hidden is the first of the list, or a later one if that
	// one stays for a reason which the list does not know.
	o.each(func(k *bulk, saved float64) bool {
		may = pays(gain, all-m.Weigh(k.from)-gain)
		if k.turn == o.first { // any of them may be the first, and which are hidden nobody knows
			return !may
		}
		certain := o.old(k) && !v.points && sure.tokens > o.keep && sure.results > r.Mask.KeepResults
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

func (t *tally) add(o *outline, k *bulk, saved float64, n int) {
	if !o.old(k) {
		return
	}
	t.tokens += float64(n) * saved
	if k.result {
		t.results += n
	}
}

// outline is a view's list, with what it means by rules and a meter.
type outline struct {
	selection
	keep           float64 // tokens of the newest results that stay
	first, current int     // turns
	spare          bool    // the current turn stays
}

func (v *View) outline(r Rules, m Meter) *outline {
	o := &outline{selection: selection{view: *v, rules: r, meter: m, window: float64(m.Window().Tokens)}}
	o.keep, o.first = o.selection.keep(), o.firstTurn()
	o.current, o.spare = o.currentTurn()
	return o
}

// old reports whether neither what the current turn is nor what recall brought
// back speaks for a result.
func (o *outline) old(k *bulk) bool { return k.turn < o.current-1 }

// each calls f for what may be hidden and what that saves, in tokens, oldest
// first, until f says false. In the first turn it saves what it has, or nothing if
// it is within the bound: less is hidden of what the list has, and it is not known
// of what, so that only the sum tells.
func (o *outline) each(f func(k *bulk, saved float64) bool) {
	r, in := &o.rules, o.meter.scale()
	spared, total := float64(r.Mask.FirstTurnTokens), in.weigh(o.view.weighed)
	stay := sort.Search(len(o.view.bulks), func(i int) bool { return total-in.weigh(o.view.bulks[i].before) <= o.keep })
	var tools maskedTools
	for i := range o.view.bulks[:stay] {
		k := &o.view.bulks[i]
		if k.size.Chars() < r.Mask.MinChars || o.spare && k.turn == o.current || !tools.masks(r, k) {
			continue
		}
		saved := 0.0
		switch {
		case k.turn == o.first:
			if saved = in.weigh(k.size); saved <= spared {
				spared -= saved
				saved = 0
			}
		case k.result:
			saved = in.savedResult(k.size, r.Mask.Preview)
		default:
			saved = in.savedArguments(k.size)
		}
		if !f(k, saved) {
			return
		}
	}
}

// savedResult is about how many tokens a result is longer than its stub.
func (c scale) savedResult(size conversation.Size, preview int) float64 {
	return max(0, c.weigh(size)-c.stub(size, preview))
}

// stub is about how many tokens a result of some size has as a stub.
func (c scale) stub(size conversation.Size, preview int) float64 {
	shown := 1.0
	if most, chars := max(0, 2*preview), size.Chars(); most < chars {
		shown = float64(most) / float64(chars)
	}
	return shown*c.weigh(size) + c.weigh(conversation.Size{ASCII: leastBulk})
}

// savedArguments is how many tokens arguments are longer than none.
func (c scale) savedArguments(size conversation.Size) float64 { return max(0, c.weigh(size)-1) }

// maskedTools is what the rules say of tools, found once for each.
type maskedTools struct {
	names           []string
	results, inputs []bool
}

// mostKinds is how many tools are remembered.
const mostKinds = 32

// masks reports whether rules let a text become a stub.
func (t *maskedTools) masks(r *Rules, k *bulk) bool {
	at := -1
	for i, name := range t.names {
		if name == k.tool {
			at = i
			break
		}
	}
	if at < 0 {
		rule := r.Tools[k.tool]
		at = len(t.names)
		t.names = append(t.names, k.tool)
		t.results = append(t.results, !rule.stays())
		t.inputs = append(t.inputs, rule.Request == KeepStrip)
		if at >= mostKinds {
			t.names, t.results, t.inputs = t.names[1:], t.results[1:], t.inputs[1:]
			at--
		}
	}
	if k.result {
		return t.results[at]
	}
	return t.inputs[at]
}
