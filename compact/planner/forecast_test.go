package planner_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// These tests compare the forecast with the plan that follows.

// isForcedPlan reports whether a plan was made because of the size of the request, and not
// to save money or by a layer that acts before every request.
func isForcedPlan(p planner.Plan) bool {
	switch p.Trigger {
	case planner.TriggerLoadLine, planner.TriggerHardLine, planner.TriggerThreshold:
		return true
	}
	return false
}

// forcedPlan returns the plan that the size of the request causes, at the next request or after the reply.
func forcedPlan(r preset.Rules, c planner.Check) planner.Plan {
	for _, m := range []planner.Moment{planner.MomentReply, planner.MomentRequest, planner.MomentTurn} {
		c.Moment = m
		if p := c.Plan(r); isForcedPlan(p) {
			return p
		}
	}
	return planner.Plan{}
}

// fataler is a test, or one run of a property test.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkForecast fails unless the forecast agrees with the planner; it returns the forecast and the plan.
func checkForecast(t fataler, r preset.Rules, c planner.Check) (planner.Forecast, planner.Plan) {
	t.Helper()
	o, p := c.Forecast(r), forcedPlan(r, c)
	tell := func() string { return o.Text("") + " (" + string(o.State) + ", " + describePlan(p) + ")" }
	switch {
	case o.TokensLeft < 0 || o.AtTokens < 0 || o.Turns < 0:
		t.Fatalf("%+v", o)
	case isForcedPlan(p) && o.State != planner.TimingNow:
		t.Fatalf("the plan acts, the forecast does not say so: %s", tell())
	case isForcedPlan(p) && o.TokensLeft > 0:
		t.Fatalf("the plan acts %d tokens before its forecast: %s", o.TokensLeft, tell())
	case !isForcedPlan(p) && o.State == planner.TimingNow && o.EvictTo >= 0:
		t.Fatalf("the forecast says now, the plan does not act: %s", tell())
	}
	if note, evicts := p.Note.(conversation.Summary); evicts && (note.FromTurn != o.EvictFrom || note.ToTurn != o.EvictTo) {
		t.Fatalf("the forecast evicts turns %d to %d, the plan is %s", o.EvictFrom, o.EvictTo, tell())
	}
	checkCold(t, r, c, o)
	return o, p
}

// checkCold fails unless the planner, with a cold cache, evicts the units of the forecast.
func checkCold(t fataler, r preset.Rules, c planner.Check, o planner.Forecast) {
	t.Helper()
	if o.State == planner.TimingNow {
		return // the step at the load line comes first
	}
	c.Moment, c.CacheInvalid = planner.MomentTurn, true
	p := c.Plan(r)
	note, evicts := p.Note.(conversation.Summary)
	switch evicts = evicts && p.Trigger == planner.TriggerCold; {
	case evicts != (o.ColdTo >= 0):
		t.Fatalf("the cold plan evicts: %v, the forecast %d to %d: %s", evicts, o.ColdFrom, o.ColdTo, describePlan(p))
	case evicts && (note.FromTurn != o.ColdFrom || note.ToTurn != o.ColdTo):
		t.Fatalf("the cold plan evicts turns %d to %d, the forecast %d to %d", note.FromTurn, note.ToTurn, o.ColdFrom, o.ColdTo)
	}
}

func TestForecastMatchesThePlan(t *testing.T) {
	t.Parallel()
	states := map[planner.TimingState]int{}
	rapid.Check(t, func(t *rapid.T) {
		log := compacttest.AnyLog(t)
		if rapid.Bool().Draw(t, "foreign overlays") {
			log = conversationtest.WithOverlays(t, log)
		}
		r, c := compacttest.AnyCheck(t, log)
		if rapid.Bool().Draw(t, "a past of its own") {
			used := c.Meter.Reading().Used
			if c.Meter.Window().IsKnown() && used > 100 {
				share := rapid.SampledFrom([]float64{0.7, 0.9, 1.2}).Draw(t, "share")
				c.Meter = c.Meter.WithWindow(meter.Window{Tokens: int(float64(used) / share)})
			}
			before := func(name string) int {
				return max(0, rapid.SampledFrom([]int{0, used / 2, used - 100, used + 500}).Draw(t, name))
			}
			c.History = planner.History{After: before("after"), UndoneAt: before("undone"), FailedAt: before("tried"), Failures: rapid.IntRange(0, 4).Draw(t, "failures")}
		}
		said := encoded(t, log)
		o, _ := checkForecast(t, r, c)
		states[o.State]++
		if o.Text("") == "" && o.AtTokens > 0 {
			t.Fatalf("the forecast %+v has no text", o)
		}
		if again := c.Forecast(r); !reflect.DeepEqual(o, again) {
			t.Fatalf("first %+v, then %+v", o, again)
		}
		if !slices.Equal(said, encoded(t, log)) {
			t.Fatalf("the log was changed")
		}
		checkGrowth(t, r, c, o)
		if o.State == planner.TimingOff {
			for _, m := range compacttest.Moments() {
				if c.Moment = m; c.Plan(r).Acts() {
					t.Fatalf("the planner is off, but acts")
				}
			}
		}
	})
	if len(states) < 4 && !testing.Short() {
		t.Errorf("too few states were met: %v", states)
	}
}

// checkGrowth fails unless the planner acts, or has too little to evict, as soon as a
// request has the size that the forecast names, and not before.
func checkGrowth(t fataler, r preset.Rules, c planner.Check, o planner.Forecast) {
	t.Helper()
	if o.TokensLeft == 0 || o.TurnsRequired > 0 || len(c.View.Messages) == 0 {
		return // nothing is ahead
	}
	weight := c.Meter.TextTokens(conversation.Size{ASCII: 4000}) / 4000
	for more, acts := range map[int]bool{o.TokensLeft - 20: false, o.TokensLeft + 20: true} {
		if more <= 0 {
			continue
		}
		then := c
		then.Meter = c.Meter.WithReply(conversation.Size{ASCII: int(float64(more) / weight)})
		now, _ := checkForecast(t, r, then)
		if (now.State == planner.TimingNow) != acts {
			t.Fatalf("%d tokens left until %d; with %d more the state is %s: %+v", o.TokensLeft, o.AtTokens, more, now.State, now)
		}
	}
}
