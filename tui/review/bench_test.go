package review_test

import (
	"strings"
	"testing"

	"plimsoll/tui/review"
)

// A letter into the longest summary there may be, 20,000 tokens, and the view of it.
// Budget: 3 ms.
func BenchmarkTyping(b *testing.B) {
	benchmarkTyping(b, "The test shares a port between runs, so that the second of them fails on CI.\n", 80<<10)
}

// A letter into the longest text that pastes can make, 256 KB. Budget: 16 ms.
func BenchmarkTypingIntoAPaste(b *testing.B) {
	for name, line := range map[string]string{
		"lines": "The test shares a port between runs, so that the second of them fails on CI.\n", "one line": "words of one line ", "wide": "测试在两次运行之间共享一个端口",
	} {
		b.Run(name, func(b *testing.B) { benchmarkTyping(b, line, 256<<10) })
	}
}

func benchmarkTyping(b *testing.B, line string, size int) {
	m := show(review.Content{Text: strings.Repeat(line, size/len(line)), Covers: 200_000}, 200, 60)
	press(m, "e ctrl+end")
	for b.Loop() {
		press(m, "a")
		m.View()
	}
}
