package planner_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// What a forecast says is what the planner then does.

// presses reports whether a plan was made because so much is used, and not
// because it pays or by a layer that acts anyway.
func presses(p planner.Plan) bool {
	switch p.Trigger {
	case planner.TriggerLoadLine, planner.TriggerHardLine, planner.TriggerThreshold:
		return true
	}
	return false
}

// driven is what the planner does about how much is used, at the next request
// or after the reply.
func driven(r preset.Rules, c planner.Check) planner.Plan {
	for _, m := range []planner.Moment{planner.MomentReply, planner.MomentRequest, planner.MomentTurn} {
		c.Moment = m
		if p := c.Plan(r); presses(p) {
			return p
		}
	}
	return planner.Plan{}
}

// fataler is a test, or one run of a property.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkOutlook fails unless an outlook agrees with the planner; it gives what
// the planner does.
func checkOutlook(t fataler, r preset.Rules, c planner.Check) (planner.Forecast, planner.Plan) {
	t.Helper()
	o, p := c.Forecast(r), driven(r, c)
	tell := func() string { return o.Words("") + " (" + string(o.State) + ", " + compacttest.Tell(p) + ")" }
	switch {
	case o.Left < 0 || o.At < 0 || o.Turns < 0:
		t.Fatalf("%+v", o)
	case presses(p) && o.State != planner.TimingNow:
		t.Fatalf("it acts, and that was not told: %s", tell())
	case presses(p) && o.Left > 0:
		t.Fatalf("it acts %d tokens early: %s", o.Left, tell())
	case !presses(p) && o.State == planner.TimingNow && o.EvictTo >= 0:
		t.Fatalf("it does nothing of what was told: %s", tell())
	}
	checkCold(t, r, c, o)
	return o, p
}

// checkCold fails unless the planner evicts with a cold cache what an outlook said.
func checkCold(t fataler, r preset.Rules, c planner.Check, o planner.Forecast) {
	t.Helper()
	if o.State == planner.TimingNow {
		return // the step at the load line comes first
	}
	c.Moment, c.Gone = planner.MomentTurn, true
	p := c.Plan(r)
	note, evicts := p.Note.(conversation.Summary)
	switch evicts = evicts && p.Trigger == planner.TriggerCold; {
	case evicts != (o.ColdTo >= 0):
		t.Fatalf("with a cold cache it evicts: %v, and told was %d to %d: %s", evicts, o.ColdFrom, o.ColdTo, compacttest.Tell(p))
	case evicts && (note.FromTurn != o.ColdFrom || note.ToTurn != o.ColdTo):
		t.Fatalf("with a cold cache it evicts turns %d to %d, and told was %d to %d", note.FromTurn, note.ToTurn, o.ColdFrom, o.ColdTo)
	}
}

func TestTheOutlookTellsWhenThePlannerActs(t *testing.T) {
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
			if c.Meter.Window().Known() && used > 100 {
				share := rapid.SampledFrom([]float64{0.7, 0.9, 1.2}).Draw(t, "share")
				c.Meter = c.Meter.WithWindow(meter.Window{Tokens: int(float64(used) / share)})
			}
			before := func(name string) int {
				return max(0, rapid.SampledFrom([]int{0, used / 2, used - 100, used + 500}).Draw(t, name))
			}
			c.Past = planner.Past{After: before("after"), Undone: before("undone"), Tried: before("tried"), Failures: rapid.IntRange(0, 4).Draw(t, "failures")}
		}
		said := compacttest.Encoded(t, log)
		o, _ := checkOutlook(t, r, c)
		states[o.State]++
		if o.Words("") == "" && o.At > 0 {
			t.Fatalf("nothing is said of %+v", o)
		}
		if again := c.Forecast(r); !reflect.DeepEqual(o, again) {
			t.Fatalf("first %+v, then %+v", o, again)
		}
		if !slices.Equal(said, compacttest.Encoded(t, log)) {
			t.Fatalf("the log was changed")
		}
		checkGrowth(t, r, c, o)
		if o.State == planner.TimingOff {
			for _, m := range compacttest.Moments() {
				if c.Moment = m; c.Plan(r).Acts() {
					t.Fatalf("it is off, and acts")
				}
			}
		}
	})
	if len(states) < 4 {
		t.Errorf("hardly any state was met: %v", states)
	}
}

// checkGrowth fails unless the planner acts, or could if there were anything to
// do, as soon as a request has grown to where an outlook said, and not before.
func checkGrowth(t fataler, r preset.Rules, c planner.Check, o planner.Forecast) {
	t.Helper()
	if o.Left == 0 || o.Wait > 0 || len(c.View.Messages) == 0 {
		return // nothing is ahead
	}
	weight := c.Meter.Weigh(conversation.Size{ASCII: 4000}) / 4000
	for more, acts := range map[int]bool{o.Left - 20: false, o.Left + 20: true} {
		if more <= 0 {
			continue
		}
		then := c
		then.Meter = c.Meter.WithReply(conversation.Size{ASCII: int(float64(more) / weight)})
		now, _ := checkOutlook(t, r, then)
		if (now.State == planner.TimingNow) != acts {
			t.Fatalf("%d tokens were left until %d, by %d more it is %s: %+v", o.Left, o.At, more, now.State, now)
		}
	}
}

// outlookCases are rules and conversations that grow until the planner acts.
func outlookCases() map[string]struct {
	look compacttest.Look
	grow func(*compacttest.Tale)
} {
	byOwnRules := func(p preset.Name) compacttest.Look {
		return compacttest.At(planner.MomentReply).With(func(k *compacttest.Look) { k.Rules = preset.RulesOf(p) })
	}
	type one = struct {
		look compacttest.Look
		grow func(*compacttest.Tale)
	}
	work := func(l *compacttest.Tale) { l.Stints(1) }
	talk := func(l *compacttest.Tale) { l.Talks(1) }
	return map[string]one{
		"stubs":                       {compacttest.At(planner.MomentReply), work},
		"a summary":                   {compacttest.At(planner.MomentReply), talk},
		"both":                        {compacttest.At(planner.MomentReply), func(l *compacttest.Tale) { l.Stints(1).Talks(2) }},
		"a long system prompt":        {compacttest.At(planner.MomentReply).With(func(k *compacttest.Look) { k.System = 30_000 }), work},
		"more than a number of turns": {compacttest.At(planner.MomentReply).With(func(k *compacttest.Look) { k.Rules.Auto.MinTurns = 18 }), work},
		"plimsoll":                    {byOwnRules(preset.Plimsoll), work},
		"jp-auto":                     {byOwnRules(preset.JPAuto), work},
		"oneclaw":                     {byOwnRules(preset.OneClaw), talk},
		"jcli": {byOwnRules(preset.JCLI).With(func(k *compacttest.Look) {
			k.Check.Moment, k.Rules.TokenThreshold, k.Rules.Micro.KeepRecent = planner.MomentRequest, 20_000, 2
		}), func(l *compacttest.Tale) { l.Says(10).Uses("run_command", `{"command":"ls"}`, 2000).Answers(800) }},
	}
}

func TestAGrowingConversationIsCompactedWhereTheOutlookSaid(t *testing.T) {
	t.Parallel()
	for name, c := range outlookCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, passes, foretold := &compacttest.Tale{}, 0, planner.Forecast{}
			for range 60 {
				c.grow(l)
				check := c.look.Of(l.Events())
				check.Past = planner.PastOf(check.Log)
				o, p := checkOutlook(t, c.look.Rules, check)
				if !presses(p) {
					foretold = o
					if o.State != planner.TimingReady && o.State != planner.TimingResting && name != "jcli" { // it acts on what its layer leaves
						t.Fatalf("it is %s: %s", o.State, o.Words(""))
					}
					continue
				}
				if passes++; passes > 1 && foretold.At == 0 {
					t.Fatalf("nothing was foretold")
				}
				if !carryOut(l, c.look.Rules, check, p) {
					passes--
					continue
				}
				checkDeed(t, check, o, p)
			}
			if passes < 2 {
				t.Errorf("%d passes in 60 turns", passes)
			}
		})
	}
}

// checkDeed fails unless an outlook tells what a plan does.
func checkDeed(t *testing.T, c planner.Check, o planner.Forecast, p planner.Plan) {
	t.Helper()
	if p.Note == nil {
		if o.Deed == "" && o.EvictTo >= 0 {
			t.Errorf("a step was foretold of %q", compacttest.Tell(p))
		}
		return
	}
	if note, evicts := p.Note.(conversation.Summary); evicts != (o.EvictTo >= 0) || evicts && (note.FromTurn != o.EvictFrom || note.ToTurn != o.EvictTo) {
		t.Errorf("turns %d to %d were foretold to be evicted of %q", o.EvictFrom, o.EvictTo, compacttest.Tell(p))
	}
	if (o.Until >= 0) != (len(p.Spans) > 0) {
		t.Errorf("turns %d to %d were foretold of %q", o.SummaryFrom, o.Until, compacttest.Tell(p))
	}
	for _, e := range c.Log {
		if compacttest.Within(p.Spans, e.Seq) && (e.Turn < o.SummaryFrom || e.Turn > o.Until) {
			t.Errorf("turn %d is covered, %d to %d were foretold", e.Turn, o.SummaryFrom, o.Until)
		}
	}
	if o.After <= 0 || o.After >= c.Meter.EstimatedTokens() {
		t.Errorf("%d of %d tokens would be left of %q", o.After, c.Meter.EstimatedTokens(), compacttest.Tell(p))
	}
}

// carryOut puts in force what a plan says, with a summary that is short. It
// reports whether that was taken.
func carryOut(l *compacttest.Tale, r preset.Rules, c planner.Check, p planner.Plan) bool {
	if p.Profile != "" {
		pass, err := edit.NewProposal(c.Log, r, edit.Inputs{Meter: c.Meter}, edit.RequestOf(p))
		if err != nil {
			return false
		}
		l.Add(pass.Bodies(uint64(len(c.Log) + 1))...)
		return true
	}
	bodies := p.Masks
	if len(p.Spans) == 0 {
		bodies = p.Alone().Masks
	} else {
		bodies = append(bodies, conversation.Summary{Style: r.Preset.Style(), Version: projection.BlockVersion, Spans: p.Spans, Text: compacttest.Words(500)})
	}
	after := projection.Project(append(slices.Clip(c.Log), conversation.Following(c.Log, time.Time{}, bodies...)...))
	l.Add(conversation.Stamp(bodies, uint64(len(c.Log)+1), conversation.Made{Source: conversation.SourceAuto, Trigger: p.Trigger,
		Before: c.Meter.EstimatedTokens(), After: c.Meter.WithView(after).EstimatedTokens()})...)
	return true
}
