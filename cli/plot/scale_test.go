package plot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTicksAreFewAndRound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		low, high float64
		want      []string
	}{
		{0.6, 2.15, []string{"0.6", "0.7", "0.8", "0.9", "1.0", "1.2", "1.5", "2.0"}},
		{0.92, 0.92, []string{"0.80", "0.85", "0.90", "0.95", "1.00", "1.05"}},
		{0.01, 100, []string{"0.01", "0.1", "1", "10", "100"}},
	} {
		s := costScale(c.low, c.high)
		if diff := cmp.Diff(c.want, s.labels(1)); diff != "" {
			t.Errorf("%v to %v (-want +got):\n%s", c.low, c.high, diff)
		}
	}
	s := keptScale(0.62, 1)
	if diff := cmp.Diff([]string{"60", "70", "80", "90", "100"}, s.labels(100)); diff != "" {
		t.Errorf("shares (-want +got):\n%s", diff)
	}
}

func TestScaleShowsWhatItWasMadeFor(t *testing.T) {
	t.Parallel()
	check := func(t *rapid.T, s scale, low, high float64) {
		if a, b := s.at(low), s.at(high); a < 0 || b > 1 || a > b {
			t.Fatalf("%v to %v stand at %v and %v", low, high, a, b)
		}
		if len(s.ticks) < 2 || !s.roomy() {
			t.Fatalf("%v to %v has the ticks %v", s.low, s.high, s.ticks)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		share, cost := rapid.Float64Range(0, 1), rapid.OneOf(rapid.Float64Range(minCost, maxCost), rapid.Float64Range(minCost, 3))
		a, b := share.Draw(t, "a"), share.Draw(t, "b")
		check(t, keptScale(min(a, b), max(a, b)), min(a, b), max(a, b))
		a, b = cost.Draw(t, "a"), cost.Draw(t, "b")
		check(t, costScale(min(a, b), max(a, b)), min(a, b), max(a, b))
	})
}
