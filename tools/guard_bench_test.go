package tools_test

import (
	"testing"

	"plimsoll/tools/shell"
)

// BenchmarkShortCommand runs a command that does nothing. Budget: 10 ms, of which
// its guard and the look for what it left take less than half.
func BenchmarkShortCommand(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		if _, err := shell.Run(b.Context(), dir, ":"); err != nil {
			b.Fatal(err)
		}
	}
}
