package planner_test

import (
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// loadAndHardLine returns the load line and the hard line of a window, in tokens.
func loadAndHardLine(window int, change func(*preset.Rules, *meter.Options)) (load, hard int) {
	r, o := preset.RulesOf(preset.Plimsoll), meter.Options{Window: meter.Window{Tokens: window, Source: meter.WindowFlag}}
	if change != nil {
		change(&r, &o)
	}
	reading := meter.New(o.WithRules(r)).Reading()
	return reading.LoadLine, reading.HardLine
}

func TestTheLoadLineStaysBelowTheHardLine(t *testing.T) {
	t.Parallel()
	for _, window := range []int{4096, 8192, 32_000, 64_000, 128_000, 200_000, 1_000_000} {
		for _, hard := range []float64{0.86, 0.9, 0.95, 1} {
			load, most := loadAndHardLine(window, func(r *preset.Rules, _ *meter.Options) { r.HardRatio = hard })
			if load >= most || load < int(preset.DefaultTriggerRatio*float64(window)) {
				t.Errorf("window %d, hard line at %g: the lines are %d and %d", window, hard, load, most)
			}
		}
		if load, _ := loadAndHardLine(window, func(r *preset.Rules, _ *meter.Options) { r.TriggerRatio = 0.7 }); load != int(0.7*float64(window)) {
			t.Errorf("window %d: the load line of 0.7 is %d tokens", window, load)
		}
	}
	if load, _ := loadAndHardLine(32_000, nil); load <= int(preset.DefaultTriggerRatio*32_000) {
		t.Errorf("a small window has its load line at %d, no nearer to the hard line", load)
	}
}

// An eviction ends below the load line, also with a lower configured load line.
func TestAnEvictionEndsBelowTheLoadLine(t *testing.T) {
	t.Parallel()
	log := chat(60, 1000)
	for name, change := range map[string]func(*preset.Rules, *meter.Options){
		"a threshold":             func(r *preset.Rules, _ *meter.Options) { r.TokenThreshold = 40_000 },
		"a ratio":                 func(r *preset.Rules, _ *meter.Options) { r.TriggerRatio = 0.2 },
		"a price":                 func(_ *preset.Rules, o *meter.Options) { o.PriceStep = 42_000 },
		"a target above the line": func(r *preset.Rules, _ *meter.Options) { r.TokenThreshold, r.Evict.Target = 40_000, 0.5 },
		"a target below the line": func(r *preset.Rules, _ *meter.Options) { r.TokenThreshold, r.Evict.Target = 40_000, 0.15 },
	} {
		r, o := preset.RulesOf(preset.Plimsoll), meter.Options{Window: meter.Window{Tokens: 200_000, Source: meter.WindowFlag}}
		change(&r, &o)
		r.Summary.When = preset.SummaryNever
		v := projection.Project(log)
		check := planner.Check{Log: log, View: v, Meter: meter.New(o.WithRules(r)).WithView(v), Sheet: planner.DefaultSheet()}
		reading := check.Meter.Reading()
		if reading.Used <= reading.LoadLine {
			t.Fatalf("%s: %d of %d: the conversation is too short", name, reading.Used, reading.LoadLine)
		}
		plan := check.Plan(r).WithoutSummary()
		if plan.Trigger != planner.TriggerLoadLine || len(plan.Masks) != 1 || len(plan.Spans) > 0 {
			t.Errorf("%s: the plan is %+v, want one mask at the load line", name, plan)
			continue
		}
		left := reading.Used - plan.Gain
		if left >= reading.LoadLine*3/4 {
			t.Errorf("%s: the plan leaves %d tokens, the load line is %d", name, left, reading.LoadLine)
		}
		if o := check.Forecast(r); o.After < left*9/10 || o.After > left*11/10 {
			t.Errorf("%s: the forecast leaves %d tokens, the plan %d", name, o.After, left)
		}
	}
}

// chat returns turns of a message and a reply, of that many tokens each.
func chat(turns, tokens int) []conversation.Event {
	l := new(compacttest.LogBuilder)
	for range turns {
		l.User("go on")
		l.Reply(compacttest.TextOfTokens(tokens))
	}
	return l.Events()
}
