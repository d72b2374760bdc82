package conversation

import (
	"cmp"
	"slices"
	"sort"
)

// Spans are ranges of events in ascending order that neither overlap nor touch,
// so that Contains can use binary search. A compaction of a long conversation
// may have tens of thousands of them.
type Spans []Span

// Disjoint returns spans sorted, with overlapping and adjacent ones merged. The
// argument is not changed.
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

// Contains reports whether an event is in one of the spans.
func (s Spans) Contains(seq uint64) bool {
	k := sort.Search(len(s), func(k int) bool { return s[k].Last >= seq })
	return k < len(s) && s[k].First <= seq
}

// ContainsAny reports whether one of the events is in one of the spans.
func (s Spans) ContainsAny(seqs []uint64) bool { return slices.ContainsFunc(seqs, s.Contains) }

// ContainsMessages reports whether the spans contain all messages of others, except rewound ones.
func (s Spans) ContainsMessages(log []Event, others []Span) bool {
	return !slices.ContainsFunc(MessagesIn(log, others), func(e Event) bool { return !s.Contains(e.Seq) })
}

// SpansOf returns the events that an overlay shortens or hides, nil for other bodies.
func SpansOf(overlay Body) []Span {
	var out []Span
	switch b := overlay.(type) {
	case Summary:
		return b.Spans
	case Drop:
		return b.Spans
	case Cap:
		for _, item := range b.Items {
			out = append(out, Span{First: item.Event, Last: item.Event})
		}
	case Mask:
		for _, item := range b.Items {
			out = append(out, Span{First: item.Event, Last: item.Event})
		}
	}
	return out
}

// JoinSpans returns the union of two lists of spans.
func JoinSpans(a, b []Span) Spans { return Disjoint(slices.Concat(a, b)) }

// SpansWithout returns the messages in spans, except those for which stays is true, as
// spans. An event that is not a message does not split a span.
func SpansWithout(log []Event, spans []Span, stays func(seq uint64) bool) []Span {
	var out []Span
	covered, running := Disjoint(spans), false
	for i := range log {
		seq := log[i].Seq
		switch {
		case !IsMessage(log[i].Body):
		case !covered.Contains(seq) || stays(seq):
			running = false
		case running:
			out[len(out)-1].Last = seq
		default:
			out, running = append(out, Span{First: seq, Last: seq}), true
		}
	}
	return out
}

// SpansWithoutRewound returns spans without rewound messages. A summary of the spans was not
// made from these messages, so it must not hide them if the rewind is undone.
func SpansWithoutRewound(log []Event, spans []Span) []Span {
	rewinds := RewoundBy(log)
	if rewinds == nil {
		return spans
	}
	rewound := map[uint64]bool{}
	for i, rewind := range rewinds {
		rewound[log[i].Seq] = rewind != 0
	}
	return SpansWithout(log, spans, func(seq uint64) bool { return rewound[seq] })
}

// MessagesIn lists the messages of spans, without rewound ones. It ignores all other overlays
// (JP's RFD 064: the raw-stream invariant).
func MessagesIn(log []Event, spans []Span) []Event {
	rewinds, covered := RewoundBy(log), Disjoint(spans)
	most := 0 // events in the spans
	for _, s := range covered {
		most = max(0, min(most+int(s.Last-s.First)+1, len(log)))
	}
	out := make([]Event, 0, most)
	for i := range log {
		if e := &log[i]; IsMessage(e.Body) && covered.Contains(e.Seq) && (rewinds == nil || rewinds[i] == 0) {
			out = append(out, *e)
		}
	}
	return out
}

// TurnRange returns the first and the last turn of events, 0 and 0 without events.
func TurnRange(events []Event) (from, to int) {
	for i, e := range events {
		if i == 0 || e.Turn < from {
			from = e.Turn
		}
		to = max(to, e.Turn)
	}
	return from, to
}

// MessageSize returns the size of a message with its calls, without reasoning; false
// for bodies that are not messages.
func MessageSize(b Body) (Size, bool) {
	switch b := b.(type) {
	case UserMessage:
		return b.Size, true
	case ToolResult:
		return b.Size, true
	case AssistantMessage:
		s := b.Size
		for _, c := range b.Calls {
			s = s.Plus(c.Size)
		}
		return s, true
	}
	return Size{}, false
}
