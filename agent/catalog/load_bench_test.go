package catalog

import "testing"

// BenchmarkParse is the price of the first look-up, budget 5 ms; a start that
// looks nothing up does not pay it.
func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := parse(modelsJSON); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLookup is a look-up of a known id, budget 1 us.
func BenchmarkLookup(b *testing.B) {
	loaded()
	for b.Loop() {
		Lookup("anthropic", "claude-sonnet-5-5")
	}
}
