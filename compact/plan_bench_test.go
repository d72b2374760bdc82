package compact_test

import (
	"testing"
	"time"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// plannedBench is a log of 10,000 events of about 1 KB as the planner sees it, in
// a window of so many tokens. Of the results about 640,000 tokens may be masked.
func plannedBench(windowTokens int, at compact.Moment) (compact.Rules, compact.Check) {
	log := with(longLog(10_000), conversation.UserMessage{Text: "And now?"})
	v := compact.Project(log)
	return compact.PresetRules(compact.PresetPlimsoll), compact.Check{Moment: at, Log: log, View: v,
		Meter: compact.NewMeter(window(windowTokens)).WithView(v), Sheet: compact.DefaultSheet()}
}

// BenchmarkPlan looks at a conversation of 10,000 events of 1 KB, before every
// request. Budget: a check that does nothing costs under 50 us; one that acts, and
// what is read from the log once it has changed, have none.
func BenchmarkPlan(b *testing.B) {
	for _, c := range []struct {
		name   string
		window int
		at     compact.Moment
		change func(*compact.Rules, *compact.Check)
		acts   bool
	}{
		{"warm in a turn", 5_000_000, compact.MomentRequest, func(*compact.Rules, *compact.Check) {}, false},
		{"turn start below the stride", 5_000_000, compact.MomentTurn, func(r *compact.Rules, _ *compact.Check) { r.Mask.KeepTokens = 640_000 }, false},
		{"cold below 2k", 5_000_000, compact.MomentRequest, func(r *compact.Rules, c *compact.Check) {
			r.Mask.KeepTokens, c.Idle = 649_800, 2*time.Hour
		}, false},
		{"turn start where it does not pay", 5_000_000, compact.MomentTurn, func(*compact.Rules, *compact.Check) {}, false},
		{"above the load line not armed", 3_000_000, compact.MomentRequest, func(r *compact.Rules, c *compact.Check) { c.Past.After = 2_600_000 }, false},
		{"acts with masks", 3_000_000, compact.MomentRequest, func(r *compact.Rules, _ *compact.Check) {
			r.Planner.TargetRatio, r.Planner.ProgressRatio = 0.95, 0.05
		}, true},
		{"acts with a summary", 3_000_000, compact.MomentRequest, func(*compact.Rules, *compact.Check) {}, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			r, check := plannedBench(c.window, c.at)
			c.change(&r, &check)
			if plan := r.Plan(check); plan.Acts() != c.acts {
				b.Fatalf("used %d of %+v: %v", check.Meter.Reading().Used, check.Meter.Reading(), plan.Trigger)
			}
			b.ReportAllocs()
			for b.Loop() {
				r.Plan(check)
			}
		})
	}
	b.Run("PastOf", func(b *testing.B) {
		log := masked(longLog(10_000), 1)
		b.ReportAllocs()
		for b.Loop() {
			compact.PastOf(log)
		}
	})
}
