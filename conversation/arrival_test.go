package conversation_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/conversation"
)

func TestArrivalCapDescribesTheRest(t *testing.T) {
	t.Parallel()
	text := "see plan.go " + strings.Repeat("x ", 100) + "then band.go, plan.go and newPlanner"
	marker := fmt.Sprintf("\n\n[... content truncated, showing first 20 characters of %d total ...]", len(text))
	for name, c := range map[string]struct {
		text, recall string
		names        bool
		want         string
	}{
		"marker only":                 {text, "e7", false, text[:20] + marker},
		"marker and rest":             {text, "e7", true, text[:20] + marker + "\n[The rest: recall e7 with offset 20, or with a query. Names in the rest: band.go newPlanner]"},
		"without recall id":           {text, "", true, text[:20] + marker + "\n[Names in the rest: band.go newPlanner]"},
		"without names":               {strings.Repeat("x", len(text)), "e7", true, strings.Repeat("x", 20) + marker + "\n[The rest: recall e7 with offset 20, or with a query.]"},
		"without recall id and names": {strings.Repeat("x", len(text)), "", true, strings.Repeat("x", 20) + marker},
		"not cut":                     {"band.go", "e7", true, "band.go"},
	} {
		got, total := conversation.ArrivalCap{Chars: 20, DescribesRest: c.names}.Apply(c.text, c.recall)
		if want := map[bool]int{true: len(text)}[name != "not cut"]; got != c.want || total != want {
			t.Errorf("%s: got %q of %d, want %q of %d", name, got, total, c.want, want)
		}
	}
}

func TestArrivalCapAddsOneLineToThePlainCut(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"a_b.go", "x/y/z.go", " ", "\n", "]", "\n[", "漢字", "\n\n[... content truncated, showing first 3 characters of 9 total ...]",
		"[The rest: recall e1 with offset 3, or with a query.]", "\xff", "\x00", "newThing"})
	rapid.Check(t, func(t *rapid.T) {
		text := conversation.Clean(strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), ""))
		most := rapid.IntRange(0, 80).Draw(t, "max")
		limit := conversation.ArrivalCap{Chars: most, DescribesRest: rapid.Bool().Draw(t, "names")}
		cut, total := limit.Apply(text, rapid.SampledFrom([]string{"", "e41"}).Draw(t, "recall"))
		plain, want := conversation.Cut(text, most)
		if total != want || !strings.HasPrefix(cut, plain) {
			t.Fatalf("%q of %d does not start with the plain cut %q of %d", cut, total, plain, want)
		}
		if line := strings.TrimPrefix(cut, plain); strings.Count(line, "\n") > 1 || strings.Count(line, "]") > 1 || strings.ContainsFunc(line, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) {
			t.Fatalf("the line after the marker is %q", line)
		}
	})
}
