package projection

import (
	"slices"
	"sort"
	"strconv"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// activeSummary is a text that stands for a range.
type activeSummary struct {
	seq uint64
	conversation.Summary
}

// decisions resolves the overlays of a log; nil if none is in force.
type decisions struct {
	events []conversation.Event
	by     []decision // by index into events
	notes  []string
	pins   map[string]bool // calls of replies that are pinned

	units  []conversation.Unit // made when first needed
	unitOf []int32             // by index into events, -1 for those in no unit

	roots     []uint64          // what repetitions finds; nil if no result repeats another
	alike     map[uint64][]int  // results with one text, ascending, by the first of them
	canonical map[uint64]uint64 // which of them stands in full, 0 if none can
}

// decision is how one event is shown.
type decision struct {
	rewound uint64 // Seq of the rewind that leaves it out, 0 if none does
	pinned  bool
	summary *activeSummary
	drop    uint64     // Seq of the drop that covers it
	omit    *masking   // the pair of call and result is left out
	thought *masking   // reasoning is left out
	masks   []*masking // over a result, as covered leaves them
	calls   []callMask // of a reply's calls, the newest last
	caps    []callCap  // the newest last
}

type masking struct {
	seq       uint64 // of the overlay
	style     conversation.Style
	words     *preset.Wording
	preview   int
	minChars  int
	fields    []string
	threshold int
	self      [1]*masking
}

type cut struct {
	seq        uint64
	head, tail int
}

type callMask struct {
	call string
	*masking
}

// callCap is how much is shown of a text: of a call's arguments, or with "" of
// a result.
type callCap struct {
	call string
	cut
}

func newMasking(seq uint64, style conversation.Style, preview int) *masking {
	m := &masking{seq: seq, style: style, words: preset.WordingOf(style), preview: preview}
	m.self[0] = m
	return m
}

func (m *masking) list() []*masking { return m.self[:] }

// shows reports whether two masks without fields show the same.
func (m *masking) shows(n *masking) bool {
	return m.style == n.style && m.preview == n.preview && m.minChars == n.minChars
}

// exact reports whether a masking shows the exact text of a source, also where
// what it shows is longer than what it hides.
func (m *masking) exact() bool {
	return m.words.Exact
}

// covered is the masks over a result with one more, the oldest first. Only the
// first can be one that is exact: what such a mask covers does not
// matter. The newest of several that show the same is enough.
func covered(masks []*masking, how *masking) []*masking {
	n := len(masks)
	switch {
	case n == 0 || how.exact() || n == 1 && masks[0].shows(how):
		return how.list()
	case masks[n-1].shows(how):
		masks[n-1] = how // a list of several belongs to this result alone
		return masks
	}
	return append(masks, how)
}

func (r *decisions) index(seq uint64) int { return conversation.IndexOf(r.events, seq) }

// each calls f for the events of spans that precede the overlay, once.
func (r *decisions) each(overlay uint64, spans []conversation.Span, f func(i int)) {
	for _, s := range conversation.Disjoint(spans) {
		from := sort.Search(len(r.events), func(i int) bool { return r.events[i].Seq >= s.First })
		for i := from; i < len(r.events) && r.events[i].Seq <= s.Last && r.events[i].Seq < overlay; i++ {
			f(i)
		}
	}
}

func (r *decisions) note(seq uint64, text string) {
	r.notes = append(r.notes, "the summary of e"+strconv.FormatUint(seq, 10)+" "+text)
}

func (d *decision) argumentsOf(call string) *masking {
	for _, m := range slices.Backward(d.calls) {
		if m.call == call {
			return m.masking
		}
	}
	return nil
}

// shown reports whether a result stands for itself.
func (d *decision) shown() bool {
	return d.rewound == 0 && (d.pinned || d.summary == nil && d.drop == 0 && d.omit == nil)
}

// touched is the newest overlay that speaks of a result's text or hides the
// result, 0 if none does.
func (d *decision) touched() uint64 {
	seq := max(d.rewound, d.drop)
	if d.summary != nil {
		seq = max(seq, d.summary.seq)
	}
	if d.omit != nil {
		seq = max(seq, d.omit.seq)
	}
	if n := len(d.masks); n > 0 {
		seq = max(seq, d.masks[n-1].seq)
	}
	for _, c := range d.caps {
		seq = max(seq, c.seq)
	}
	return seq
}
