package conversation_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/conversation"
)

// Disjoint keeps the set of events, whatever the order and overlaps of the spans.
func TestDisjointSpansContainTheSameEvents(t *testing.T) {
	t.Parallel()
	seq := rapid.OneOf(rapid.Uint64Range(0, 40), rapid.Uint64Range(math.MaxUint64-5, math.MaxUint64))
	span := rapid.Custom(func(t *rapid.T) conversation.Span {
		return conversation.Span{First: seq.Draw(t, "first"), Last: seq.Draw(t, "last")}
	})
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.SliceOfN(span, 0, 12).Draw(t, "spans")
		made := conversation.Disjoint(given)
		for i := 1; i < len(made); i++ {
			if made[i].First <= made[i-1].Last || made[i].First-1 == made[i-1].Last {
				t.Fatalf("span %v touches span %v", made[i], made[i-1])
			}
		}
		at := seq.Draw(t, "seq")
		want := false
		for _, s := range given {
			want = want || s.First <= at && at <= s.Last
		}
		if got := made.Contains(at); got != want {
			t.Fatalf("Disjoint spans %v of %v: Contains is %v for event %d", made, given, got, at)
		}
		if made.ContainsAny([]uint64{at}) != want || made.ContainsAny(nil) {
			t.Fatal("ContainsAny differs from Contains")
		}
	})
}
