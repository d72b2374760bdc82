package edit_test

import (
	"testing"

	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestSpansHoldUnitsWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := compacttest.PlainLog(t)
		r := edit.Range{From: rapid.IntRange(-1, 6).Draw(t, "from"), To: rapid.IntRange(-1, 8).Draw(t, "to")}
		gone := taken(rapid.SliceOfN(rapid.IntRange(0, 6), 0, 3).Draw(t, "gone")...)
		spans := r.Spans(log, gone)
		in := func(seq uint64) int {
			for i, s := range spans {
				if s.Holds(seq) {
					return i + 1
				}
			}
			return 0
		}
		// ends are the spans that begin or end at an event that is sent; uncovered
		// tells of each gap whether one lies in it.
		ends, uncovered := map[uint64]bool{}, map[int]bool{}
		for _, u := range conversation.Units(log) {
			want := !u.Open
			for _, i := range u.Events {
				turn := log[i].Turn
				want = want && r.From <= turn && turn <= r.To && (gone == nil || !gone(turn))
			}
			for _, i := range u.Events {
				seq := log[i].Seq
				if got := in(seq) > 0; got != want {
					t.Fatalf("%v: event %d covered: %v, want %v", spans, seq, got, want)
				}
				ends[seq] = true
				for gap := 1; gap < len(spans); gap++ {
					if spans[gap-1].Last < seq && seq < spans[gap].First {
						uncovered[gap] = true
					}
				}
			}
		}
		for i, s := range spans {
			if s.First > s.Last || !ends[s.First] || !ends[s.Last] || i > 0 && (spans[i-1].Last >= s.First || !uncovered[i]) {
				t.Fatalf("%v: span %d is out of order, touches the one before or ends at nothing", spans, i)
			}
		}
	})
}

func TestRangesOfWellFormedLogsAreOneSpan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := conversationtest.Log(t)
		r, err := edit.ResolveRange(log, edit.RangeOptions{KeepLast: rapid.IntRange(0, 3).Draw(t, "keep")})
		if err != nil {
			t.SkipNow()
		}
		spans := r.Spans(log, nil)
		if len(spans) != 1 || spans[0].First != 1 || log[spans[0].Last-1].Turn != r.To {
			t.Fatalf("%v of %v", spans, r)
		}
	})
}
