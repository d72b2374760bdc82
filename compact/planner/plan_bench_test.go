package planner_test

import (
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
)

// evictedBench is what plannedBench is after a step: most of the 10,000 events stand
// behind a note.
func evictedBench(b *testing.B, windowTokens int) (preset.Rules, planner.Check) {
	r, c := compacttest.LongCheck(windowTokens, planner.MomentRequest)
	plan := c.Plan(r)
	if plan.Note == nil {
		b.Fatal("nothing is evicted")
	}
	c.Log = compacttest.With(c.Log, plan.Alone().Masks...)
	c.View = projection.Project(c.Log)
	c.Meter = c.Meter.WithView(c.View)
	return r, c
}

// BenchmarkPlan looks at a conversation of 10,000 events of 1 KB, before every
// request. Budget: a check that does nothing costs under 50 us; one that acts, and
// what is read from the log once it has changed, have none.
func BenchmarkPlan(b *testing.B) {
	for _, c := range []struct {
		name   string
		window int
		at     planner.Moment
		change func(*preset.Rules, *planner.Check)
		acts   bool
	}{
		{"warm in a turn", 5_000_000, planner.MomentRequest, func(*preset.Rules, *planner.Check) {}, false},
		{"warm turn start", 5_000_000, planner.MomentTurn, func(*preset.Rules, *planner.Check) {}, false},
		{"near the load line with a summary to prepare", 3_300_000, planner.MomentReply, func(_ *preset.Rules, c *planner.Check) { c.Prepares = true }, false},
		{"above the load line not armed", 3_000_000, planner.MomentRequest, func(_ *preset.Rules, c *planner.Check) { c.Past.After = 2_600_000 }, false},
		{"cold below the cold share", 8_000_000, planner.MomentRequest, func(_ *preset.Rules, c *planner.Check) { c.Gone = true }, false},
		{"masks below the stride", 5_000_000, planner.MomentTurn, func(r *preset.Rules, _ *planner.Check) { r.Mask.Enabled, r.Mask.KeepTokens = true, 640_000 }, false},
		{"masks that do not pay", 5_000_000, planner.MomentTurn, func(r *preset.Rules, _ *planner.Check) { r.Mask.Enabled = true }, false},
		{"evicts", 3_000_000, planner.MomentRequest, func(r *preset.Rules, _ *planner.Check) { r.Summary.When = preset.SummaryNever }, true},
		{"evicts with a summary", 3_000_000, planner.MomentRequest, func(*preset.Rules, *planner.Check) {}, true},
		{"evicts in the cold", 4_000_000, planner.MomentRequest, func(_ *preset.Rules, c *planner.Check) { c.Gone = true }, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			r, check := compacttest.LongCheck(c.window, c.at)
			c.change(&r, &check)
			if plan := check.Plan(r); plan.Acts() != c.acts {
				b.Fatalf("used %d of %+v: %v", check.Meter.Reading().Used, check.Meter.Reading(), plan.Trigger)
			}
			b.ReportAllocs()
			for b.Loop() {
				check.Plan(r)
			}
		})
	}
	b.Run("cold with too little to evict", func(b *testing.B) {
		r, check := evictedBench(b, 200_000)
		r.ProtectedRatio, r.Evict.Cold, check.Gone = 0.9, 0.2, true
		if plan := check.Plan(r); plan.Acts() {
			b.Fatalf("used %d of %+v: %v", check.Meter.Reading().Used, check.Meter.Reading(), plan.Trigger)
		}
		b.ReportAllocs()
		for b.Loop() {
			check.Plan(r)
		}
	})
	b.Run("PastOf", func(b *testing.B) {
		log := compacttest.Masked(compacttest.LongLog(10_000), 1)
		b.ReportAllocs()
		for b.Loop() {
			planner.PastOf(log)
		}
	})
}
