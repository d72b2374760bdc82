package preset

import "math"

// What a step evicts, and what its note may hold, depend on the window. A small
// one is nearly full of what is at work: little can go at a time, and a note has
// to be short. A large one can forget more, and remember more of it.

// EvictRules is how far a step evicts and how long its note is, as shares of the
// window. 0 is what a window of its size calls for.
type EvictRules struct {
	Target float64 `yaml:"target" check:"share" doc:"Share of the window that a step at the load line leaves; below trigger_ratio. auto = as a window of its size calls for."`
	Cold   float64 `yaml:"cold" check:"share" doc:"Share of the window that a step leaves once the provider's cache has gone cold; below it there is no such step; below trigger_ratio. auto = as a window of its size calls for."`
	Index  float64 `yaml:"index" check:"share" doc:"Share of the window for the index of names in the note. auto = as a window of its size calls for."`
	Words  float64 `yaml:"words" check:"share" doc:"Share of the window for your own words in the note. auto = as a window of its size calls for."`
}

// windowShares is what a window of a size calls for.
type windowShares struct {
	window    float64 // tokens
	Trigger   float64 // the load line: nearer the hard line in small windows, as evicting needs no model
	protected float64 // newest tokens that stay
	EvictRules
}

// Where compaction acts by default, as shares of the window.
const (
	DefaultTriggerRatio = 0.85 // ONE
	DefaultHardRatio    = 0.95
)

// sharesBySize was measured on recorded conversations. Between two sizes the
// shares go evenly from one to the other, by the logarithm of the window.
var sharesBySize = [...]windowShares{
	{32_000, 0.854, 0.207, EvictRules{Target: 0.468, Cold: 0.43, Index: 0.0344, Words: 0.0645}},
	{128_000, DefaultTriggerRatio, DefaultProtectedRatio, EvictRules{Target: 0.45, Cold: 0.50, Index: 0.03, Words: 0.10}},
	{200_000, DefaultTriggerRatio, DefaultProtectedRatio, EvictRules{Target: 0.50, Cold: 0.45, Index: 0.03, Words: 0.08}},
}

// SharesFor is what a window of so many tokens calls for.
func SharesFor(window int) windowShares {
	w, by := float64(window), sharesBySize[:]
	if w <= by[0].window {
		return by[0]
	}
	for i := 1; i < len(by); i++ {
		if a, b := by[i-1], by[i]; w < b.window {
			part := math.Log(w/a.window) / math.Log(b.window/a.window)
			between := func(x, y float64) float64 { return x + part*(y-x) }
			return windowShares{w, between(a.Trigger, b.Trigger), between(a.protected, b.protected), EvictRules{
				Target: between(a.Target, b.Target), Cold: between(a.Cold, b.Cold),
				Index: between(a.Index, b.Index), Words: between(a.Words, b.Words),
			}}
		}
	}
	return by[len(by)-1]
}

// Resolve is the rules with a share in place of every 0, for a window of so many
// tokens.
func (e EvictRules) Resolve(window int) EvictRules {
	auto := SharesFor(window).EvictRules
	for _, share := range []struct {
		own  *float64
		auto float64
	}{{&e.Target, auto.Target}, {&e.Cold, auto.Cold}, {&e.Index, auto.Index}, {&e.Words, auto.Words}} {
		if *share.own == 0 {
			*share.own = share.auto
		}
	}
	return e
}

// EffectiveWindow is the window as far as it is used: all of it, or less where a
// threshold, a ratio or a price puts the load line lower than a window of its size
// calls for. Below a lower line there is less to keep.
func EffectiveWindow(window, loadLine int) int {
	natural := SharesFor(window).Trigger
	if loadLine <= 0 || loadLine >= int(natural*float64(window)) {
		return window
	}
	return int(math.Ceil(float64(loadLine) / natural))
}

// Targets is what a step leaves, in tokens: at the load line, and with a cold cache.
// Shares that the user sets count of the window as long as that is below the load
// line.
func (e EvictRules) Targets(window, capacity, loadLine int) (target, cold float64) {
	shares := e.Resolve(capacity)
	tokens := func(own, share float64) float64 {
		if t := own * float64(window); own > 0 && t < float64(loadLine) {
			return t
		}
		return share * float64(capacity)
	}
	return tokens(e.Target, shares.Target), tokens(e.Cold, shares.Cold)
}

// DefaultProtectedRatio is the share of the window, counted from the newest
// message back, that a summary never covers (ONE).
const DefaultProtectedRatio = 0.25
