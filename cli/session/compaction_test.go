package session

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
)

// With cache prices r for reading and w for writing, relative to the input price: a compaction that saves G tokens and changes
// S costs (w-r)*S - r*G with the next request, and saves money after n requests if n*r*G > (w-r)*S.
func TestCompactionsArePricedByTheSheet(t *testing.T) {
	t.Parallel()
	anthropic := &llm.Prices{Input: 4, Cached: 0.4, CacheWrite: 5}
	for _, c := range []struct {
		name                  string
		prices                *llm.Prices
		before, after, behind int
		cost                  *float64
		pays                  *int
	}{
		{"unknown prices", nil, 100_000, 50_000, 40_000, nil, nil},
		{"a free model", &llm.Prices{}, 100_000, 50_000, 40_000, new(0.0), new(0)},
		{"a cache that costs to write", anthropic, 100_000, 50_000, 40_000, new(0.164), new(10)}, // 9.2 requests
		{"a cache that is free to write", &llm.Prices{Input: 2, Cached: 0.2}, 100_000, 50_000, 40_000, new(0.062), new(8)},
		{"much saved and little sent anew", anthropic, 100_000, 20_000, 1000, new(-0.0274), new(1)},
		{"exactly earned back is not enough", &llm.Prices{Input: 2, Cached: 1}, 30_000, 20_000, 20_000, new(0.01), new(3)},
		{"no cache", &llm.Prices{Input: 2}, 100_000, 50_000, 40_000, new(-0.1), new(0)},
		{"nothing sent anew", anthropic, 100_000, 50_000, 0, new(-0.02), new(0)},
		{"nothing saved", anthropic, 100_000, 100_000, 40_000, new(0.184), nil},
		{"longer than before", anthropic, 100_000, 110_000, 40_000, new(0.188), nil},
		{"a price step that is left behind", &llm.Prices{Input: 2, Cached: 0.2, Tiers: []llm.Tier{{Over: 80_000, Input: 20, Cached: 2}}},
			100_000, 50_000, 40_000, new(-0.118), new(1)},
	} {
		got := Compaction{Before: c.before, After: c.after, rewritten: c.behind}
		got.setPrices(llm.Model{Prices: c.prices})
		if diff := cmp.Diff(c.cost, got.CostNow); diff != "" {
			t.Errorf("%s: cost now (- is wanted):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.pays, got.PaysAfter); diff != "" {
			t.Errorf("%s: pays after (- is wanted):\n%s", c.name, diff)
		}
	}
}
