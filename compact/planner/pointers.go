package planner

import (
	"cmp"
	"slices"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Pointers are the messages of a view that point to a result instead of
// repeating it. A result stays while one that is not old enough points to it;
// those that are old go with it.
type Pointers struct {
	held  map[uint64]bool                    // results that stay
	from  map[uint64][]conversation.MaskItem // what goes with others
	chars map[uint64]int                     // how long that is
}

// NewPointers knows none yet.
func NewPointers() Pointers {
	return Pointers{held: map[uint64]bool{}, from: map[uint64][]conversation.MaskItem{}, chars: map[uint64]int{}}
}

// See takes a message that points to a result; a young one keeps that in place.
func (p *Pointers) See(m *projection.Message, young bool) {
	if young {
		p.held[m.Repeats] = true
		return
	}
	item := conversation.MaskItem{Event: m.Events[0], Part: conversation.PartResult}
	p.from[m.Repeats] = append(p.from[m.Repeats], item)
	p.chars[m.Repeats] += m.Size.Chars()
}

// Gains reports whether a result of so many code points and those that point to
// it are shorter as stubs. Otherwise it would go on standing in full.
func (p *Pointers) Gains(event uint64, chars, preview int) bool {
	n := len(p.from[event])
	return n == 0 || (n+1)*min(chars, 2*preview+projection.StubChars) < chars+p.chars[event]
}

// With is what is hidden, and the pointers to it.
func (p *Pointers) With(items []conversation.MaskItem) []conversation.MaskItem {
	var out []conversation.MaskItem
	for _, item := range items {
		out = append(out, item)
		if item.Part == conversation.PartResult {
			out = append(out, p.from[item.Event]...)
		}
	}
	slices.SortStableFunc(out, func(a, b conversation.MaskItem) int { return cmp.Compare(a.Event, b.Event) })
	return out
}
