package config_test

import (
	"testing"

	"plimsoll/config"
)

// Budget: 3 ms, so that a full configuration file costs little of the 50 ms to the first frame.
func BenchmarkLoadExample(b *testing.B) {
	o := config.LoadOptions{File: exampleFile, Set: []string{"compaction.keep_last=4"}}
	for b.Loop() {
		if _, err := config.Load(o); err != nil {
			b.Fatal(err)
		}
	}
}
