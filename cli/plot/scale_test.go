package plot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTicksAreFewAndRound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		low, high, apart float64
		want             []string
	}{
		{0.6, 2.15, 0.065, []string{"0.6", "0.7", "0.8", "0.9", "1.0", "1.2", "1.5", "2.0"}},
		{0.6, 2.15, 0.13, []string{"0.7", "1.0", "1.5", "2.0"}},
		{0.92, 0.92, 0.1, []string{"0.85", "0.90", "0.95", "1.00"}},
		{0.3, 10, 0.065, []string{"0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3", "5", "7", "10"}},
		{3.1, 3.9, 0.2, []string{"3.5"}},
		{2.2, 4.6, 0.5, []string{"3"}},
		{1.75, 1.75, 1, []string{"1.6"}},
		{0.001, 1e6, 0.3, []string{"0.0001", "1", "10000"}},
	} {
		s := ratios(c.low, c.high, c.apart)
		if diff := cmp.Diff(c.want, s.labels()); diff != "" {
			t.Errorf("%v to %v, %v apart (-want +got):\n%s", c.low, c.high, c.apart, diff)
		}
	}
	var got []string
	s := shares(0.62, 1, 0.15)
	for _, tick := range s.ticks {
		got = append(got, percent(tick))
	}
	if diff := cmp.Diff([]string{"60 %", "70 %", "80 %", "90 %", "100 %"}, got); diff != "" {
		t.Errorf("shares (-want +got):\n%s", diff)
	}
}

func TestScaleShowsWhatItWasMadeFor(t *testing.T) {
	t.Parallel()
	check := func(t *rapid.T, s scale, low, high float64) {
		if !(s.low <= low && low <= high && high <= s.high && s.low < s.high) {
			t.Fatalf("%v to %v is shown as %v to %v", low, high, s.low, s.high)
		}
		if a, b := s.at(low), s.at(high); a < 0 || b > 1 || a > b {
			t.Fatalf("%v to %v stand at %v and %v", low, high, a, b)
		}
		if len(s.ticks) == 0 || len(s.ticks) > maxTicks {
			t.Fatalf("%v to %v has %d ticks", s.low, s.high, len(s.ticks))
		}
		for i, tick := range s.ticks {
			if !s.shows(tick) || i > 0 && tick <= s.ticks[i-1] {
				t.Fatalf("the ticks are %v, from %v to %v", s.ticks, s.low, s.high)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		apart := rapid.Float64Range(0.02, 1).Draw(t, "apart")
		numbers := rapid.Float64Range(0, 1)
		a, b := numbers.Draw(t, "a"), numbers.Draw(t, "b")
		check(t, shares(min(a, b), max(a, b), apart), min(a, b), max(a, b))
		numbers = rapid.OneOf(rapid.Float64Range(minCost, maxCost), rapid.Float64Range(minCost, 3))
		a, b = numbers.Draw(t, "a"), numbers.Draw(t, "b")
		check(t, ratios(min(a, b), max(a, b), apart), min(a, b), max(a, b))
	})
}

func TestTicksKeepTheirDistance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(minCost, 5).Draw(t, "a"), rapid.Float64Range(minCost, 5).Draw(t, "b")
		apart := rapid.Float64Range(0.03, 0.3).Draw(t, "apart")
		if s := ratios(min(a, b), max(a, b), apart); s.closest() < apart {
			t.Fatalf("ticks %v are %v apart, want %v", s.ticks, s.closest(), apart)
		}
	})
}
