package planner

import (
	"cmp"
	"slices"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Pointers are the messages of a view that point to an earlier result instead of
// repeating it. A result is not masked while a recent pointer needs it; old pointers are
// masked with it.
type Pointers struct {
	needed map[uint64]bool                    // results that recent pointers need in full, by Seq
	items  map[uint64][]conversation.MaskItem // masks of the old pointers to a result, by its Seq
	chars  map[uint64]int                     // code points of the old pointers to a result, by its Seq
}

// NewPointers returns an empty collection.
func NewPointers() Pointers {
	return Pointers{needed: map[uint64]bool{}, items: map[uint64][]conversation.MaskItem{}, chars: map[uint64]int{}}
}

// Add adds a message that points to a result; a recent one keeps the result in full.
func (p *Pointers) Add(m *projection.Message, recent bool) {
	if recent {
		p.needed[m.Repeats] = true
		return
	}
	item := conversation.MaskItem{Event: m.Events[0], Part: conversation.PartResult}
	p.items[m.Repeats] = append(p.items[m.Repeats], item)
	p.chars[m.Repeats] += m.Size.Chars()
}

// StubsAreShorter reports whether stubs for a result of so many code points and for its pointers
// are shorter. Otherwise the projection would still show one of them in full.
func (p *Pointers) StubsAreShorter(event uint64, chars, preview int) bool {
	n := len(p.items[event])
	return n == 0 || (n+1)*min(chars, 2*preview+projection.StubChars) < chars+p.chars[event]
}

// WithPointers returns mask items and those of the pointers to their results, in the order of the log.
func (p *Pointers) WithPointers(items []conversation.MaskItem) []conversation.MaskItem {
	var out []conversation.MaskItem
	for _, item := range items {
		out = append(out, item)
		if item.Part == conversation.PartResult {
			out = append(out, p.items[item.Event]...)
		}
	}
	slices.SortStableFunc(out, func(a, b conversation.MaskItem) int { return cmp.Compare(a.Event, b.Event) })
	return out
}
