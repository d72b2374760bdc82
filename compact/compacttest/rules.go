package compacttest

import (
	"time"

	"pgregory.net/rapid"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// Window returns meter options with a window in tokens, as reported by a server.
func Window(tokens int) meter.Options {
	return meter.Options{Window: meter.Window{Tokens: tokens, Source: meter.WindowServer}}
}

// PlanRules returns Plimsoll's rules with fixed numbers, so that tests do not depend on the defaults.
func PlanRules() preset.Rules {
	r := preset.RulesOf(preset.Plimsoll)
	r.TriggerRatio, r.HardRatio, r.ProtectedRatio, r.TokenThreshold = 0.8, 0.95, 0.25, 0
	r.Mask = preset.MaskRules{Enabled: true, KeepTokens: 20_000, KeepResults: 3, FirstTurnTokens: 20_000, Stride: 20_000, Preview: 250, MinChars: 800}
	r.Evict = preset.EvictRules{Target: 0.4, Cold: 0.7, ColdProtected: 0.25, Index: 0.0001, Words: 0.0001}
	r.Summary.When = preset.SummaryAtLoadLine
	r.Planner = preset.PlannerRules{
		TargetRatio: 0.5, EnoughRatio: 0.65, TalkRatio: 0.3, StrideRatio: 0.2, GrowthRatio: 0.15, ResultRatio: 0.25, ProgressRatio: 0.125,
		ColdTokens: 2000, PayRequests: 10, Failures: 3, Bands: 6, BlockTokens: 8000, BlockRatio: 0.05, SummaryRatio: 0.02,
	}
	return r
}

// MaskRules draws PlanRules with mask rules for short logs.
func MaskRules(t *rapid.T) preset.Rules {
	r := PlanRules()
	r.Mask = preset.MaskRules{
		Enabled:         true,
		KeepTokens:      rapid.SampledFrom([]int{0, 200, 2000, 20_000}).Draw(t, "keep tokens"),
		KeepResults:     rapid.IntRange(0, 4).Draw(t, "keep results"),
		FirstTurnTokens: rapid.SampledFrom([]int{0, 500, 3000}).Draw(t, "first turn"),
		Stride:          rapid.SampledFrom([]int{100, 1000, 5000}).Draw(t, "stride"),
		Preview:         rapid.SampledFrom([]int{250, 0, 30, 5000}).Draw(t, "preview"),
		MinChars:        rapid.SampledFrom([]int{800, 193, 192, 0}).Draw(t, "min chars"),
	}
	r.Planner.ColdTokens = rapid.SampledFrom([]int{100, 500, 2000}).Draw(t, "cold")
	return r
}

// MeterOptions draws the options of a meter for short logs.
func MeterOptions(t *rapid.T) meter.Options {
	o := meter.Options{
		Window:    meter.Window{Tokens: rapid.SampledFrom([]int{4000, 1500, 20_000, 0, 400_000}).Draw(t, "window")},
		CharsOnly: rapid.Bool().Draw(t, "plain"),
	}
	if !o.CharsOnly {
		o.Calibration = conversation.Calibration{Factor: rapid.SampledFrom([]float64{1, 0.25, 1.37, 4}).Draw(t, "factor"), Samples: 5}
	}
	return o
}

// Noon is the time at which tests compact conversations.
var Noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
