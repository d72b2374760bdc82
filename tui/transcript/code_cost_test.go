package transcript

import (
	"slices"
	"testing"

	"plimsoll/tui/transcript/markdown"
)

// Budget: 60 ms for rows that are not those of a block, however much of it they begin with.
func BenchmarkCodeRowsThatDoNotMatch(b *testing.B) {
	rows := slices.Repeat([]string{"  }"}, 20_000)
	lines := append(slices.Repeat([]string{"}"}, 10_000), "end")
	for b.Loop() {
		if found := codeRows(rows, []markdown.Code{{Lines: lines}}); len(found) > 0 {
			b.Fatal("rows of other text were found")
		}
	}
}
