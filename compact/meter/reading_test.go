package meter_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"plimsoll/compact/meter"
)

// A percentage is within one of the exact one, never falls while tokens grow, and is
// on the same side of every line as the tokens are.
func TestPercentagesStayOnTheirSideOfTheLines(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 1))
	for range 200 {
		w := 100 + rng.IntN(1_000_000)
		r := meter.Reading{Window: meter.Window{Tokens: w}, LoadLine: 1 + rng.IntN(w*9/10)}
		r.HardLine = r.LoadLine + 1 + rng.IntN(w-r.LoadLine)
		load, hard := r.Percent(r.LoadLine), r.Percent(r.HardLine)
		last := 0
		for tokens := 0; tokens < 2*w; tokens += 1 + rng.IntN(w/40) {
			n := r.Percent(tokens)
			exact := float64(tokens) / float64(w) * 100
			switch {
			case n < last, math.Abs(float64(n)-exact) > 1.5:
				t.Fatalf("%d of %d tokens are %d %% after %d %%", tokens, w, n, last)
			case tokens < r.LoadLine && n >= load && load > 0, tokens < r.HardLine && n >= hard && hard > load, tokens < w && n >= 100, tokens > w && n <= 100:
				t.Fatalf("%d tokens are %d %% with lines at %d (%d %%), %d (%d %%) and %d", tokens, n, r.LoadLine, load, r.HardLine, hard, w)
			}
			last = n
		}
	}
	if got := (meter.Reading{Used: 5}).Percent(5); got != 0 {
		t.Errorf("%d %% of an unknown window", got)
	}
}
