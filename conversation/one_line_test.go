package conversation

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// OneLine reads as little as it can; what it gives is that of the plain way, which
// joins the words and then cuts.
func TestOneLineIsTheWordsJoinedAndCut(t *testing.T) {
	t.Parallel()
	plainly := func(text string, n int) string {
		text = strings.TrimSpace(text)
		text = text[:min(len(text), 8*(n+1))]
		text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
		if utf8.RuneCountInString(text) > n {
			return text[:charOffset(text, max(n-1, 0))] + "…"
		}
		return text
	}
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{"a", "bc", " ", "\n", "\t ", "漢", "é", "\xff", "\xe6\xbc", "\uFFFD", "\u00a0", "\u2028", "🙂", "\x00"}))
		text, n := strings.Join(pieces.Draw(t, "text"), ""), rapid.IntRange(0, 12).Draw(t, "n")
		if got, want := OneLine(text, n), plainly(text, n); got != want {
			t.Fatalf("%q at %d: %q, want %q", text, n, got, want)
		}
	})
}
