package projection

import (
	"maps"
	"slices"
	"sort"
	"strconv"

	"plimsoll/conversation"
)

// Of several results with the same text one is shown in full, and those after it are
// pointers to it. Rules:
//
//   - Without overlays the first one is shown in full.
//   - If overlays cover some of them, the one is shown in full that makes all of them
//     together shortest. So covering one never makes the view longer because another one
//     must be shown in its place.
//   - Results after the newest overlay on any of them do not count in that choice, so that
//     later events never change how earlier ones are shown. If no older one is shown in
//     full, the first newer one is.

// repeated returns the index of the earlier result that a result repeats, or -1.
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

// rootOf returns the Seq of the first result that a result repeats, directly or through
// others; 0 if it repeats none.
func rootOf(events []conversation.Event, i int) uint64 {
	root := uint64(0)
	for i = repeated(events, i); i >= 0; i = repeated(events, i) {
		root = events[i].Seq
	}
	return root
}

// roots returns rootOf for all events by index, and for a repeated result its own Seq; nil
// if no result is repeated.
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

// showRepeated shows a result that no overlay affects: as a pointer, if it repeats one
// that the view shows in full.
func (v *View) showRepeated(m *Message, events []conversation.Event, i int, root uint64) {
	full, known := v.fullResult[root]
	if !known {
		full = root
	}
	if v.pointTo(m, events, i, full, m.Size.Chars()) || v.ShowsInFull(full, m.Text) {
		return
	}
	chosen := maps.Clone(v.fullResult) // other views may share the map
	if chosen == nil {
		chosen = map[uint64]uint64{}
	}
	chosen[root] = events[i].Seq
	v.fullResult = chosen
}

// pointTo makes a result a pointer, if the view shows the target in full and the pointer
// is shorter than chars, the length of the result without it.
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

// ShowsInFull reports whether the view shows the result of an event with exactly this
// text, so that a pointer to it loses nothing.
func (v *View) ShowsInFull(seq uint64, text string) bool {
	i := sort.Search(len(v.Messages), func(i int) bool { return v.Messages[i].Events[0] >= seq })
	if i == len(v.Messages) {
		return false
	}
	m := &v.Messages[i]
	return m.Role == RoleTool && m.Events[0] == seq && m.Overlay == 0 && m.Repeats == 0 && m.Text == text
}

// root returns the Seq of the first result with the text of event i, 0 if no other result
// has that text.
func (r *decisions) root(i int) uint64 {
	if r.roots == nil {
		return 0
	}
	return r.roots[i]
}

func (r *decisions) findRepetitions() {
	r.roots = roots(r.events)
	for i, root := range r.roots {
		if root != 0 {
			if r.sameText == nil {
				r.sameText = map[uint64][]int{}
			}
			r.sameText[root] = append(r.sameText[root], i)
		}
	}
}

func (r *decisions) chooseFullResults() {
	if r.sameText == nil {
		return
	}
	r.fullResult = make(map[uint64]uint64, len(r.sameText))
	for root, group := range r.sameText {
		r.fullResult[root] = r.fullResultOf(group)
	}
}

const maxDigits = 20

// equalResult is one of several results with the same text.
type equalResult struct {
	seq          uint64
	chars        int  // code points in the form that its overlays give it
	pointerChars int  // code points of a pointer in its place, without the number
	fixed        bool // never a pointer: pinned, or in the exact text of a source
	canBeFull    bool // may be shown in full
}

// fullResultOf returns the Seq of the one of several results with the same text that is
// shown in full, 0 if none can be.
func (r *decisions) fullResultOf(group []int) uint64 {
	newest := uint64(0)
	for _, i := range group {
		newest = max(newest, r.perEvent[i].newestOverlay())
	}
	var old []equalResult
	for _, i := range group {
		d, seq := &r.perEvent[i], r.events[i].Seq
		if !d.isShown() {
			continue
		}
		if seq > newest {
			if s := bestFullResult(old, r.events[group[0]].Body); s != 0 {
				return s
			}
			return seq
		}
		b, _ := r.events[i].Body.(conversation.ToolResult) // only results repeat and are repeated
		f := shownResult{size: b.Size}
		if !d.pinned {
			f = r.formOf(i)
		}
		old = append(old, equalResult{seq: seq, chars: f.size.Chars(), pointerChars: pointerChars(b), fixed: d.pinned || f.exact, canBeFull: !f.exact})
	}
	return bestFullResult(old, r.events[group[0]].Body)
}

// bestFullResult returns the Seq of the result to show in full so that all results with this text
// together are shortest. Of equal ones it is the first; 0 if they are shorter without a full one.
func bestFullResult(results []equalResult, text conversation.Body) (full uint64) {
	b, _ := text.(conversation.ToolResult)
	least := 0
	for _, r := range results {
		least += r.chars
	}
	before := least              // code points of the results before r, in the form of their overlays
	var after [maxDigits + 1]int // code points of those after r, by the number of digits of its Seq
	for _, r := range slices.Backward(results) {
		before -= r.chars
		if cost := before + b.Size.Chars() + after[digitCount(r.seq)]; r.canBeFull && cost <= least {
			least, full = cost, r.seq
		}
		for n := range after {
			if r.fixed {
				after[n] += r.chars
			} else {
				after[n] += min(r.chars, r.pointerChars+n)
			}
		}
	}
	return full
}

func digitCount(n uint64) int { return len(strconv.FormatUint(n, 10)) }
