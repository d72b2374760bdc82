package catalog

import "testing"

// BenchmarkIndex is the price of the first look-up, budget 0.3 ms: a start pays it.
func BenchmarkIndex(b *testing.B) {
	for b.Loop() {
		if _, err := index(modelsJSON); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLookup is a look-up of a known id, budget 20 us.
func BenchmarkLookup(b *testing.B) {
	loaded()
	for b.Loop() {
		Lookup("anthropic", "claude-sonnet-5-5")
	}
}
