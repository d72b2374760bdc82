package catalog

import "testing"

// BenchmarkIndex measures the first look-up, which every start of the program makes. Budget: 0.3 ms.
func BenchmarkIndex(b *testing.B) {
	for b.Loop() {
		if _, err := index(modelsJSON); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLookup measures a look-up of a known id. Budget: 20 us.
func BenchmarkLookup(b *testing.B) {
	loaded()
	for b.Loop() {
		Lookup("anthropic", "claude-sonnet-5-5")
	}
}
