package review_test

import (
	"strings"
	"testing"

	"plimsoll/tui/review"
)

// A letter into the longest summary there may be, 20,000 tokens, and the view of it.
// Budget: 3 ms.
func BenchmarkTyping(b *testing.B) {
	text := strings.Repeat("The test shares a port between runs, so that the second of them fails on CI.\n", 1040)
	m := show(review.Content{Text: text, Covers: 200_000}, 200, 60)
	press(m, "e ctrl+end")
	for b.Loop() {
		press(m, "a")
		m.View()
	}
}
