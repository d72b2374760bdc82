package conversation

import (
	"cmp"
	"slices"
	"sort"
)

// Spans are runs of events in ascending order that neither overlap nor touch,
// so that whether they hold an event is found by halving. A reduction of a long
// conversation may have tens of thousands of them.
type Spans []Span

// Disjoint is the same events as spans, ascending and each once. The argument
// is not changed.
func Disjoint(spans []Span) Spans {
	if len(spans) < 2 {
		return spans
	}
	sorted := slices.DeleteFunc(slices.Clone(spans), func(s Span) bool { return s.First > s.Last })
	slices.SortFunc(sorted, func(a, b Span) int { return cmp.Compare(a.First, b.First) })
	out := sorted[:0]
	for _, s := range sorted {
		if n := len(out); n > 0 && (s.First <= out[n-1].Last || s.First-1 == out[n-1].Last) {
			out[n-1].Last = max(out[n-1].Last, s.Last)
			continue
		}
		out = append(out, s)
	}
	return out
}

// Holds reports whether an event is in one of the spans.
func (s Spans) Holds(seq uint64) bool {
	k := sort.Search(len(s), func(k int) bool { return s[k].Last >= seq })
	return k < len(s) && s[k].First <= seq
}

// HoldsAny reports whether one of the events is in one of the spans.
func (s Spans) HoldsAny(seqs []uint64) bool { return slices.ContainsFunc(seqs, s.Holds) }

// JoinSpans is the spans of both lists, ascending, those that touch joined.
func JoinSpans(a, b []Span) []Span { return Disjoint(slices.Concat(a, b)) }

// SpansWithout is spans without some of their events. What is never sent does not
// part a span.
func SpansWithout(log []Event, spans []Span, stays func(seq uint64) bool) []Span {
	var out []Span
	covered, running := Disjoint(spans), false
	for i := range log {
		seq := log[i].Seq
		switch {
		case !IsMessage(log[i].Body):
		case !covered.Holds(seq) || stays(seq):
			running = false
		case running:
			out[len(out)-1].Last = seq
		default:
			out, running = append(out, Span{First: seq, Last: seq}), true
		}
	}
	return out
}

// WithoutRewound is spans without what was rewound: once redone, it
// would be hidden by a text that never read it.
func WithoutRewound(log []Event, spans []Span) []Span {
	rewinds := TakenBack(log)
	if rewinds == nil {
		return spans
	}
	gone := map[uint64]bool{}
	for i, rewind := range rewinds {
		gone[log[i].Seq] = rewind != 0
	}
	return SpansWithout(log, spans, func(seq uint64) bool { return gone[seq] })
}
