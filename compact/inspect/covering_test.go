package inspect_test

import (
	"testing"

	"pgregory.net/rapid"
)

// checkUntil checks a property until it has met every case that it has to meet:
// missing says which it has not, "" for none. What is rare needs some rounds.
func checkUntil(t *testing.T, missing func() string, property func(*rapid.T)) {
	t.Helper()
	const rounds = 60
	for range rounds {
		rapid.Check(t, property)
		if t.Failed() || missing() == "" {
			return
		}
	}
	t.Errorf("in %d rounds there never was: %s", rounds, missing())
}

// unseen is the first of some kinds that was not counted, "" if all were.
func unseen[K ~string](counted map[K]int, kinds ...K) func() string {
	return func() string {
		for _, k := range kinds {
			if counted[k] == 0 {
				return string(k)
			}
		}
		return ""
	}
}
