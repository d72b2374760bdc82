package preset

import (
	"cmp"
	"math"
)

// Shares that depend on the size of the window. A small window is mostly full of current work: the planner can evict
// little, and its note has to be short. In a large one, it can evict more and its note can hold more.

// EvictRules set how much an eviction takes and how long its note is, as shares of the window. 0 means the default for
// the window's size.
type EvictRules struct {
	Target float64 `yaml:"target" title:"Leaves" check:"share" doc:"Share of the window that a step at the load line leaves; below trigger_ratio. auto = as a window of its size calls for."`
	Cold   float64 `yaml:"cold" title:"Leaves after a pause" check:"share" doc:"Share of the window that a step leaves once the provider's cache has gone cold; below it there is no such step; below trigger_ratio. auto = as a window of its size calls for."`
	// ColdProtected is to an eviction with a cold cache what protected_ratio is to one at the load line.
	ColdProtected float64 `yaml:"cold_protected" title:"Newest part left alone after a pause" check:"share" doc:"Share of the window, counted from the newest message back, that a step with a cold cache leaves alone. auto = as a window of its size calls for, and no more than a protected_ratio of yours."`
	Index         float64 `yaml:"index" title:"Index of names in the note" check:"share" doc:"Share of the window for the index of names in the note. auto = as a window of its size calls for."`
	Words         float64 `yaml:"words" title:"Your own words in the note" check:"share" doc:"Share of the window for your own words in the note. auto = as a window of its size calls for."`
}

// windowShares are the default shares for one window size.
type windowShares struct {
	window    float64 // tokens
	Trigger   float64 // the load line: nearer to the hard line in small windows, because evicting needs no model
	protected float64 // newest messages that stay
	EvictRules
}

// Where compaction acts by default, as shares of the window.
const (
	DefaultTriggerRatio = 0.85 // OneClaw
	DefaultHardRatio    = 0.95
)

// sharesBySize was measured on recorded conversations, for a million tokens on stitched ones. Between two sizes the shares are interpolated linearly.
var sharesBySize = [...]windowShares{
	{8_000, 0.854, 0.207, EvictRules{Target: 0.468, Cold: 0.43, ColdProtected: 0.207, Index: 0.0344, Words: 0.10}},
	{32_000, 0.854, 0.207, EvictRules{Target: 0.468, Cold: 0.43, ColdProtected: 0.207, Index: 0.044, Words: 0.058}},
	{128_000, DefaultTriggerRatio, DefaultProtectedRatio, EvictRules{Target: 0.45, Cold: 0.40, ColdProtected: 0.06, Index: 0.032, Words: 0.13}},
	{200_000, DefaultTriggerRatio, DefaultProtectedRatio, EvictRules{Target: 0.50, Cold: 0.30, ColdProtected: 0.06, Index: 0.026, Words: 0.20}},
	{1_000_000, DefaultTriggerRatio, DefaultProtectedRatio, EvictRules{Target: 0.50, Cold: 0.30, ColdProtected: 0.06, Index: 0.026, Words: 0.08}},
}

// SharesFor returns the default shares for a window in tokens.
func SharesFor(window int) windowShares {
	w, by := float64(window), sharesBySize[:]
	if w <= by[0].window {
		return by[0]
	}
	for i := 1; i < len(by); i++ {
		if a, b := by[i-1], by[i]; w < b.window {
			part := (w - a.window) / (b.window - a.window)
			between := func(x, y float64) float64 { return x + part*(y-x) }
			return windowShares{w, between(a.Trigger, b.Trigger), between(a.protected, b.protected), EvictRules{
				Target: between(a.Target, b.Target), Cold: between(a.Cold, b.Cold), ColdProtected: between(a.ColdProtected, b.ColdProtected),
				Index: between(a.Index, b.Index), Words: between(a.Words, b.Words),
			}}
		}
	}
	return by[len(by)-1]
}

// Resolve returns the rules with the default in place of every 0, for a window in tokens.
func (e EvictRules) Resolve(window int) EvictRules {
	auto := SharesFor(window).EvictRules
	return EvictRules{
		Target: cmp.Or(e.Target, auto.Target), Cold: cmp.Or(e.Cold, auto.Cold), ColdProtected: cmp.Or(e.ColdProtected, auto.ColdProtected),
		Index: cmp.Or(e.Index, auto.Index), Words: cmp.Or(e.Words, auto.Words),
	}
}

// EffectiveWindow returns the part of the window that is used, in tokens. It is the whole window, or less if a
// threshold, a ratio or a price step lowers the load line below the default for the window's size. A lower load line
// leaves room for fewer messages.
func EffectiveWindow(window, loadLine int) int {
	natural := SharesFor(window).Trigger
	if loadLine <= 0 || loadLine >= int(natural*float64(window)) {
		return window
	}
	return int(math.Ceil(float64(loadLine) / natural))
}

// Targets returns the size to which an eviction reduces the request, in tokens: at the load line, and with a cold cache. A
// share set by the user counts from the whole window while the result is below the load line; other shares count from
// capacity.
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

// DefaultProtectedRatio is the share of the window, counted from the newest message back, that summaries never cover
// (OneClaw).
const DefaultProtectedRatio = 0.25
