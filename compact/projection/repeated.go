package projection

import (
	"slices"
	"strconv"

	"plimsoll/conversation"
)

// Results with the same text: one of them stands in full, those after it point
// to it. Rules:
//
//   - Without overlays the first one stands.
//   - Overlays that hide some of them leave the choice which one stands: the one
//     that makes them all take the least room. So hiding one never makes the view
//     longer because another one has to be shown in its place.
//   - What was said after the newest overlay on any of them has no say in that: a
//     longer log never changes what a shorter one showed. If none of the older
//     ones stands, the first newer one does.

// repeated is where the earlier result stands that a result says it repeats,
// if it does; -1 otherwise.
func repeated(events []conversation.Event, i int) int {
	b, ok := events[i].Body.(conversation.ToolResult)
	if !ok || b.Repeats == 0 {
		return -1
	}
	j := conversation.IndexOf(events, b.Repeats)
	if j < 0 || j >= i {
		return -1
	}
	if r, ok := events[j].Body.(conversation.ToolResult); !ok || r.Text != b.Text {
		return -1
	}
	return j
}

// rootOf is the first of the results that a result repeats, directly or through
// others; 0 if it repeats none.
func rootOf(events []conversation.Event, i int) uint64 {
	root := uint64(0)
	for i = repeated(events, i); i >= 0; i = repeated(events, i) {
		root = events[i].Seq
	}
	return root
}

// roots is rootOf for all results at once, by index, with the root itself for
// one that is repeated; nil if none is.
func roots(events []conversation.Event) []uint64 {
	var out []uint64
	for i := range events {
		j := repeated(events, i)
		if j < 0 {
			continue
		}
		if out == nil {
			out = make([]uint64, len(events))
		}
		if out[j] == 0 {
			out[j] = events[j].Seq
		}
		out[i] = out[j]
	}
	return out
}

// repeat shows a result that no overlay speaks of: as a pointer, if it repeats
// one that the view shows in full.
func (v *View) repeat(m *Message, events []conversation.Event, i int, root uint64) {
	stands, known := v.canonical[root]
	if !known {
		stands = root
	}
	if v.pointTo(m, events, i, stands, m.Size.Chars()) || v.ShowsInFull(stands, m.Text) {
		return
	}
	// Other views may share the map.
	v.canonical = cloned(v.canonical)
	v.canonical[root] = events[i].Seq
}

func cloned(m map[uint64]uint64) map[uint64]uint64 {
	out := make(map[uint64]uint64, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	return out
}

// pointTo shows a pointer in place of a result, if the view shows the target in
// full and the pointer is shorter than what else would stand there.
func (v *View) pointTo(m *Message, events []conversation.Event, i int, target uint64, chars int) bool {
	if !v.ShowsInFull(target, m.Text) {
		return false
	}
	b, _ := events[i].Body.(conversation.ToolResult) // others repeat nothing
	text := pointer(b, target)
	size := conversation.Measure(text)
	if size.Chars() >= chars {
		return false
	}
	m.Text, m.Size, m.State, m.Repeats = text, size, StateMasked, target
	m.Why = "the same as e" + strconv.FormatUint(target, 10) + " above"
	return true
}

// root is the first result with the text of result i, 0 if i has no part in a
// repetition.
func (r *decisions) root(i int) uint64 {
	if r.roots == nil {
		return 0
	}
	return r.roots[i]
}

func (r *decisions) repetitions() {
	r.roots = roots(r.events)
	for i, root := range r.roots {
		if root != 0 {
			if r.alike == nil {
				r.alike = map[uint64][]int{}
			}
			r.alike[root] = append(r.alike[root], i)
		}
	}
}

func (r *decisions) choose() {
	if r.alike == nil {
		return
	}
	r.canonical = make(map[uint64]uint64, len(r.alike))
	for root, group := range r.alike {
		r.canonical[root] = r.standing(group)
	}
}

const maxDigits = 20

type twin struct {
	seq   uint64
	chars int  // as its overlays have it
	bare  int  // of a pointer in its place, without the number pointed to
	fixed bool // shown like that whatever others do: pinned, or in the exact words of a source
	can   bool // stand in full
}

// standing is which of some results with one text stands in full, 0 if none of
// them can.
func (r *decisions) standing(group []int) uint64 {
	newest := uint64(0)
	for _, i := range group {
		newest = max(newest, r.by[i].touched())
	}
	var old []twin
	for _, i := range group {
		d, seq := &r.by[i], r.events[i].Seq
		if !d.shown() {
			continue
		}
		if seq > newest {
			if s := best(old, r.events[group[0]].Body); s != 0 {
				return s
			}
			return seq
		}
		b, _ := r.events[i].Body.(conversation.ToolResult) // only results repeat and are repeated
		f := form{size: b.Size}
		if !d.pinned {
			f = r.form(i)
		}
		old = append(old, twin{seq: seq, chars: f.size.Chars(), bare: pointerChars(b), fixed: d.pinned || f.exact, can: !f.exact})
	}
	return best(old, r.events[group[0]].Body)
}

// best is which of some results with this text has to stand in full so that all
// take the least room, the first such; 0 if they take less when none has to.
func best(results []twin, text conversation.Body) (stands uint64) {
	b, _ := text.(conversation.ToolResult)
	least := 0
	for _, r := range results {
		least += r.chars
	}
	before := least               // what those before one take as their overlays have them
	var behind [maxDigits + 1]int // what those behind it take, by the digits of its number
	for _, r := range slices.Backward(results) {
		before -= r.chars
		if cost := before + b.Size.Chars() + behind[decimals(r.seq)]; r.can && cost <= least {
			least, stands = cost, r.seq
		}
		for n := range behind {
			if r.fixed {
				behind[n] += r.chars
			} else {
				behind[n] += min(r.chars, r.bare+n)
			}
		}
	}
	return stands
}

func decimals(n uint64) int { return len(strconv.FormatUint(n, 10)) }
