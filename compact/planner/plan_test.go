package planner_test

import (
	"testing"
	"time"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
)

// When something is done at all. The figures are explained in plan_look_test.go.

func TestNothingIsDoneBelowTheLoadLineWhileTheCacheIsWarm(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).Stints(15).Says(5000)
	for name, k := range map[string]compacttest.Look{"in a turn": compacttest.At(planner.MomentRequest), "after a reply": compacttest.At(planner.MomentReply)} {
		if used := k.Of(l.Events()).Meter.Reading().Used; used != 80_000 {
			t.Fatalf("the tests' figures are off: %d", used)
		}
		if got := compacttest.Tell(k.Plan(l)); got != "" {
			t.Errorf("%s, at the load line: %s", name, got)
		}
	}
	l.Says(1)
	// 40,001 and the room for a note have to go: eight turns, and of the ninth the
	// message and the work.
	const evicted = "load line: cover 1-35"
	for name, k := range map[string]compacttest.Look{"in a turn": compacttest.At(planner.MomentRequest), "after a reply": compacttest.At(planner.MomentReply)} {
		p := k.Plan(l)
		if got := compacttest.Tell(p); got != evicted {
			t.Errorf("%s, above it: %s", name, got)
		}
		// A note takes the place of 44,990 tokens, and has at most its room.
		if left := 44_990 - p.Gain; p.Used != 80_001 || left <= 0 || left > 4700 {
			t.Errorf("%s: used %d, gain %d", name, p.Used, p.Gain)
		}
	}
}

func TestThePlannerCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).Stints(20)
	for name, off := range map[string]func(*preset.Rules){
		"compaction":      func(r *preset.Rules) { r.Enabled = false },
		"by itself":       func(r *preset.Rules) { r.Auto.Enabled = false },
		"the preset raw":  func(r *preset.Rules) { *r = preset.RulesOf(preset.Raw) },
		"truncate drops":  func(r *preset.Rules) { *r = preset.RulesOf(preset.Truncate) },
		"S64 is for hand": func(r *preset.Rules) { *r = preset.RulesOf(preset.JPHeavy) },
	} {
		for _, m := range []planner.Moment{planner.MomentTurn, planner.MomentRequest, planner.MomentReply} {
			k := compacttest.At(m).With(func(k *compacttest.Look) {
				off(&k.Rules)
				k.Check.Idle = 24 * time.Hour
			})
			if got := compacttest.Tell(k.Plan(l)); got != "" {
				t.Errorf("%s, moment %d: %s", name, m, got)
			}
		}
	}
}

func TestTheHardLineHoldsTheRequestAndNeverAReply(t *testing.T) {
	t.Parallel()
	at95, over := (&compacttest.Tale{}).Stints(19), (&compacttest.Tale{}).Stints(19).Says(1)
	rests := func(k *compacttest.Look) { k.Check.Past.After, k.Check.Past.Undone = 94_000, 94_000 }
	for name, c := range map[string]struct {
		look compacttest.Look
		log  *compacttest.Tale
		want string
		hold bool
	}{
		"at the line":                                {compacttest.At(planner.MomentRequest), at95, planner.TriggerLoadLine, false},
		"above it":                                   {compacttest.At(planner.MomentRequest), over, planner.TriggerHardLine, true},
		"above it, where a turn begins":              {compacttest.At(planner.MomentTurn), over, planner.TriggerHardLine, true},
		"above it, after a reply":                    {compacttest.At(planner.MomentReply), over, planner.TriggerLoadLine, false},
		"at the line, just compacted and taken back": {compacttest.At(planner.MomentRequest).With(rests), at95, "", false},
		"above it, just compacted and taken back":    {compacttest.At(planner.MomentRequest).With(rests), over, planner.TriggerHardLine, true},
		"the same after a reply":                     {compacttest.At(planner.MomentReply).With(rests), over, "", false},
	} {
		if p := c.look.Plan(c.log); p.Trigger != c.want || p.Hold != c.hold {
			t.Errorf("%s: %q", name, compacttest.Tell(p))
		}
	}
}

func TestGrowthIsWaitedForAfterAPass(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).Stints(17) // 85,000
	for name, c := range map[string]struct {
		change func(*compacttest.Look)
		acts   bool
	}{
		"no pass before":                       {func(*compacttest.Look) {}, true},
		"one stride grown":                     {func(k *compacttest.Look) { k.Check.Past.After = 65_000 }, true},
		"less than a stride":                   {func(k *compacttest.Look) { k.Check.Past.After = 65_001 }, false},
		"a stride that is less than the share": {func(k *compacttest.Look) { k.Rules.Mask.Stride, k.Check.Past.After = 9000, 70_000 }, true},
		"less than the share":                  {func(k *compacttest.Look) { k.Rules.Mask.Stride, k.Check.Past.After = 9000, 70_001 }, false},
		"a stride since it was taken back":     {func(k *compacttest.Look) { k.Check.Past.Undone = 65_000 }, true},
		"less than a stride since":             {func(k *compacttest.Look) { k.Check.Past.Undone = 65_001 }, false},
		"a short stride since":                 {func(k *compacttest.Look) { k.Rules.Mask.Stride, k.Check.Past.Undone = 9000, 76_000 }, true},
		"less than a short stride since":       {func(k *compacttest.Look) { k.Rules.Mask.Stride, k.Check.Past.Undone = 9000, 76_001 }, false},
		"grown since one, not the other":       {func(k *compacttest.Look) { k.Check.Past.After, k.Check.Past.Undone = 40_000, 84_000 }, false},
	} {
		for _, m := range []planner.Moment{planner.MomentRequest, planner.MomentReply} {
			if p := compacttest.At(m).With(c.change).Plan(l); p.Acts() != c.acts {
				t.Errorf("%s, moment %d: %q", name, m, compacttest.Tell(p))
			}
		}
	}
	if got := compacttest.PlanRules().Rearm(0); got != 20_000 {
		t.Errorf("without a window it is a stride, not %d", got)
	}
}

func TestCatalogueB2LittleGainIsNoGain(t *testing.T) {
	t.Parallel()
	// What comes before the newest message can go; everything else is that message.
	log := func(result, used int) *compacttest.Tale {
		return (&compacttest.Tale{}).Says(10).Answers(10).Says(10).Reads(result).Says(used - 35 - result)
	}
	k := compacttest.At(planner.MomentRequest)
	if p := k.Plan(log(30_000, 80_800)); compacttest.Tell(p) != "load line: cover 1-5" || p.Gain < 10_100 {
		t.Errorf("far more than an eighth: %q, gain %d", compacttest.Tell(p), p.Gain)
	}
	if p := k.Plan(log(10_000, 80_800)); p.Acts() {
		t.Errorf("less than an eighth: %q", compacttest.Tell(p))
	}
	if p := k.With(func(k *compacttest.Look) { k.Rules.Planner.ProgressRatio = 0.4 }).Plan(log(30_000, 80_800)); p.Acts() {
		t.Errorf("less than another share: %q", compacttest.Tell(p))
	}
	if p := k.Plan(log(5000, 97_000)); p.Acts() || !p.Hold {
		t.Errorf("above the hard line it waits for the recovery: %q", compacttest.Tell(p))
	}
}

func TestCatalogueB2TheBreakerDoesWithoutAModel(t *testing.T) {
	t.Parallel()
	l := (&compacttest.Tale{}).Talks(10).Stints(7)
	const note, summary = "load line: evict 1-20", "load line: cover 1-20"
	for name, c := range map[string]struct {
		past      planner.Past
		want      string
		exhausted bool
	}{
		"no failure":              {planner.Past{}, summary, false},
		"one":                     {planner.Past{Failures: 1}, summary, false},
		"one, and a pass since":   {planner.Past{Failures: 1, Settled: true}, summary, false},
		"two":                     {planner.Past{Failures: 2}, note, false},
		"two, and a pass since":   {planner.Past{Failures: 2, Settled: true}, summary, false},
		"three":                   {planner.Past{Failures: 3}, note, true},
		"three, and a pass since": {planner.Past{Failures: 3, Settled: true}, note, true},
		"four":                    {planner.Past{Failures: 4, Settled: true}, note, true},
	} {
		k := compacttest.At(planner.MomentRequest).With(func(k *compacttest.Look) { k.Check.Past = c.past })
		if got := compacttest.Tell(k.Plan(l)); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
		if got := c.past.Exhausted(k.Rules); got != c.exhausted {
			t.Errorf("%s: exhausted %v", name, got)
		}
	}
}
