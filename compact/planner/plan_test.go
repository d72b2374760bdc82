package planner_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// These tests check when the planner acts.

func TestNoPlanBelowTheLoadLineWhileTheCacheIsWarm(t *testing.T) {
	t.Parallel()
	l := (&compacttest.LogBuilder{}).ToolTurns(15).UserTokens(5000)
	for name, k := range map[string]compacttest.PlannerInput{"in a turn": compacttest.PlannerInputAt(planner.MomentRequest), "after a reply": compacttest.PlannerInputAt(planner.MomentReply)} {
		if used := k.CheckOf(l.Events()).Meter.Reading().Used; used != 80_000 {
			t.Fatalf("the test's log has %d tokens, want 80000", used)
		}
		if got := describePlan(k.Plan(l)); got != "" {
			t.Errorf("%s: at the load line the plan is %s, want none", name, got)
		}
	}
	l.UserTokens(1)
	// 40,001 tokens and room for a note must be freed: eight turns, and of the ninth the message and the tool steps.
	const evicted = "load line: cover 1-35"
	for name, k := range map[string]compacttest.PlannerInput{"in a turn": compacttest.PlannerInputAt(planner.MomentRequest), "after a reply": compacttest.PlannerInputAt(planner.MomentReply)} {
		p := k.Plan(l)
		if got := describePlan(p); got != evicted {
			t.Errorf("%s: above the load line the plan is %s", name, got)
		}
		// A note of at most its limit replaces 44,990 tokens.
		if left := 44_990 - p.Gain; p.Used != 80_001 || left <= 0 || left > 4700 {
			t.Errorf("%s: used %d, gain %d", name, p.Used, p.Gain)
		}
	}
}

func TestThePlannerCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	l := (&compacttest.LogBuilder{}).ToolTurns(20)
	for name, off := range map[string]func(*preset.Rules){
		"compaction":             func(r *preset.Rules) { r.Enabled = false },
		"by itself":              func(r *preset.Rules) { r.Auto.Enabled = false },
		"the preset raw":         func(r *preset.Rules) { *r = preset.RulesOf(preset.Raw) },
		"truncate drops":         func(r *preset.Rules) { *r = preset.RulesOf(preset.Truncate) },
		"JP compacts by command": func(r *preset.Rules) { *r = preset.RulesOf(preset.JPHeavy) },
	} {
		for _, m := range []planner.Moment{planner.MomentTurn, planner.MomentRequest, planner.MomentReply} {
			k := compacttest.PlannerInputAt(m).With(func(k *compacttest.PlannerInput) {
				off(&k.Rules)
				k.Check.Idle = 24 * time.Hour
			})
			if got := describePlan(k.Plan(l)); got != "" {
				t.Errorf("%s, moment %d: the plan is %s, want none", name, m, got)
			}
		}
	}
}

func TestRequestsAboveTheHardLineWait(t *testing.T) {
	t.Parallel()
	at95, over := (&compacttest.LogBuilder{}).ToolTurns(19), (&compacttest.LogBuilder{}).ToolTurns(19).UserTokens(1)
	rests := func(k *compacttest.PlannerInput) { k.Check.History = planner.History{After: 94_000, UndoneAt: 94_000} }
	for name, c := range map[string]struct {
		input compacttest.PlannerInput
		log   *compacttest.LogBuilder
		want  string
		hold  bool
	}{
		"at the line":                            {compacttest.PlannerInputAt(planner.MomentRequest), at95, planner.TriggerLoadLine, false},
		"above it":                               {compacttest.PlannerInputAt(planner.MomentRequest), over, planner.TriggerHardLine, true},
		"above it, where a turn begins":          {compacttest.PlannerInputAt(planner.MomentTurn), over, planner.TriggerHardLine, true},
		"above it, after a reply":                {compacttest.PlannerInputAt(planner.MomentReply), over, planner.TriggerLoadLine, false},
		"at the line, just compacted and undone": {compacttest.PlannerInputAt(planner.MomentRequest).With(rests), at95, "", false},
		"above it, just compacted and undone":    {compacttest.PlannerInputAt(planner.MomentRequest).With(rests), over, planner.TriggerHardLine, true},
		"the same after a reply":                 {compacttest.PlannerInputAt(planner.MomentReply).With(rests), over, "", false},
	} {
		if p := c.input.Plan(c.log); p.Trigger != c.want || p.BlocksRequest != c.hold {
			t.Errorf("%s: the plan is %q", name, describePlan(p))
		}
	}
}

func TestNextEvictionWaitsForGrowth(t *testing.T) {
	t.Parallel()
	l := (&compacttest.LogBuilder{}).ToolTurns(17) // 85,000
	for name, c := range map[string]struct {
		change func(*compacttest.PlannerInput)
		acts   bool
	}{
		"no compaction before":                 {func(*compacttest.PlannerInput) {}, true},
		"one stride grown":                     {func(k *compacttest.PlannerInput) { k.Check.History.After = 65_000 }, true},
		"less than a stride":                   {func(k *compacttest.PlannerInput) { k.Check.History.After = 65_001 }, false},
		"a stride that is less than the share": {func(k *compacttest.PlannerInput) { k.Rules.Mask.Stride, k.Check.History.After = 9000, 70_000 }, true},
		"less than the share":                  {func(k *compacttest.PlannerInput) { k.Rules.Mask.Stride, k.Check.History.After = 9000, 70_001 }, false},
		"a stride since it was undone":         {func(k *compacttest.PlannerInput) { k.Check.History.UndoneAt = 65_000 }, true},
		"less than a stride since":             {func(k *compacttest.PlannerInput) { k.Check.History.UndoneAt = 65_001 }, false},
		"a short stride since":                 {func(k *compacttest.PlannerInput) { k.Rules.Mask.Stride, k.Check.History.UndoneAt = 9000, 76_000 }, true},
		"less than a short stride since":       {func(k *compacttest.PlannerInput) { k.Rules.Mask.Stride, k.Check.History.UndoneAt = 9000, 76_001 }, false},
		"grown since one, not the other":       {func(k *compacttest.PlannerInput) { k.Check.History = planner.History{After: 40_000, UndoneAt: 84_000} }, false},
	} {
		for _, m := range []planner.Moment{planner.MomentRequest, planner.MomentReply} {
			if p := compacttest.PlannerInputAt(m).With(c.change).Plan(l); p.Acts() != c.acts {
				t.Errorf("%s, moment %d: the plan is %q", name, m, describePlan(p))
			}
		}
	}
	if got := compacttest.PlanRules().MinGrowth(0); got != 20_000 {
		t.Errorf("without a window the least growth is %d, want 20000", got)
	}
}

func TestCatalogueB2NoPlanForLittleGain(t *testing.T) {
	t.Parallel()
	// Only the few tokens before the newest message can be evicted.
	log := func(result, used int) *compacttest.LogBuilder {
		return (&compacttest.LogBuilder{}).UserTokens(10).ReplyTokens(10).UserTokens(10).ReadTokens(result).UserTokens(used - 35 - result)
	}
	k := compacttest.PlannerInputAt(planner.MomentRequest)
	if p := k.Plan(log(30_000, 80_800)); describePlan(p) != "load line: cover 1-5" || p.Gain < 10_100 {
		t.Errorf("a gain of far more than an eighth: plan %q, gain %d", describePlan(p), p.Gain)
	}
	if p := k.Plan(log(10_000, 80_800)); p.Acts() {
		t.Errorf("a gain of less than an eighth: plan %q, want none", describePlan(p))
	}
	if p := k.With(func(k *compacttest.PlannerInput) { k.Rules.Planner.ProgressRatio = 0.4 }).Plan(log(30_000, 80_800)); p.Acts() {
		t.Errorf("a gain of less than the configured share: plan %q, want none", describePlan(p))
	}
	if p := k.Plan(log(5000, 97_000)); p.Acts() || !p.BlocksRequest {
		t.Errorf("above the hard line: plan %q, want one that only blocks the request", describePlan(p))
	}
}

func TestCatalogueB2FailuresDisableSummaries(t *testing.T) {
	t.Parallel()
	l := (&compacttest.LogBuilder{}).ChatTurns(10).ToolTurns(7)
	const note, summary = "load line: evict 1-20", "load line: cover 1-20"
	for name, c := range map[string]struct {
		past      planner.History
		want      string
		exhausted bool
	}{
		"no failure":                    {planner.History{}, summary, false},
		"one":                           {planner.History{Failures: 1}, summary, false},
		"one, and a compaction since":   {planner.History{Failures: 1, CompactedSinceFailure: true}, summary, false},
		"two":                           {planner.History{Failures: 2}, note, false},
		"two, and a compaction since":   {planner.History{Failures: 2, CompactedSinceFailure: true}, summary, false},
		"three":                         {planner.History{Failures: 3}, note, true},
		"three, and a compaction since": {planner.History{Failures: 3, CompactedSinceFailure: true}, note, true},
		"four":                          {planner.History{Failures: 4, CompactedSinceFailure: true}, note, true},
	} {
		k := compacttest.PlannerInputAt(planner.MomentRequest).With(func(k *compacttest.PlannerInput) { k.Check.History = c.past })
		if got := describePlan(k.Plan(l)); got != c.want {
			t.Errorf("%s: the plan is %s", name, got)
		}
		if got := c.past.Exhausted(k.Rules); got != c.exhausted {
			t.Errorf("%s: exhausted %v", name, got)
		}
	}
}

// The tests below check what is evicted above the load line of 80,000 or with a cold
// cache, and how summaries are merged.

// planInTurn describes the plan before a request of a turn.
func planInTurn(l *compacttest.LogBuilder) string {
	return describePlan(compacttest.PlannerInputAt(planner.MomentRequest).Plan(l))
}

func TestTheOldestUnitsAreEvictedAndTheNewestStay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		log  *compacttest.LogBuilder
		want string
	}{
		// 40,001 tokens and room for the note must be freed: nine replies and the messages between them.
		"talk":                 {(&compacttest.LogBuilder{}).ChatTurns(16).UserTokens(1), "cover 1-18"},
		"talk and work":        {(&compacttest.LogBuilder{}).ChatTurns(6).ToolTurns(11), "cover 1-27"},
		"a long first message": {(&compacttest.LogBuilder{}).UserTokens(2001).ReplyTokens(3000).ChatTurns(16), "cover 1-20"},
		"as much as may be":    {(&compacttest.LogBuilder{}).ChatTurns(9).UserTokens(40_000), "cover 1-18"},
		"what is pinned stays": {(&compacttest.LogBuilder{}).ChatTurns(16).UserTokens(1).Epoch(conversation.Pin{Events: []uint64{3, 4}}), "cover 1-20"},
		"the newest message":   {(&compacttest.LogBuilder{}).ChatTurns(1).UserTokens(100).ReadTokens(40_000).ReadTokens(39_900), "cover 1-2 4-5"},
		"the newest protected": {(&compacttest.LogBuilder{}).ChatTurns(1).UserTokens(100).ReadTokens(57_000).ReadTokens(12_000).ReadTokens(10_900), "cover 1-2 4-5"},
	} {
		if got := planInTurn(c.log); got != "load line: "+c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestColdCacheEvictsAtALowerLineWithoutAModel(t *testing.T) {
	t.Parallel()
	l := (&compacttest.LogBuilder{}).ToolTurns(16) // 80,000, at the load line
	cold := func(k *compacttest.PlannerInput) { k.Check.CacheInvalid = true }
	bare := func(k *compacttest.PlannerInput) { k.Rules.Mask.Enabled = false }
	want := map[planner.Moment]string{
		planner.MomentTurn: "cold cache: evict 1-11", planner.MomentRequest: "cold cache: evict 1-11", planner.MomentReply: "",
	}
	for m, want := range want {
		if got := describePlan(compacttest.PlannerInputAt(m).With(bare).With(cold).Plan(l)); got != want {
			t.Errorf("%v: %q, want %q", m, got, want)
		}
		if got := describePlan(compacttest.PlannerInputAt(m).With(bare).Plan(l)); got != "" {
			t.Errorf("%v, warm cache: plan %q, want none", m, got)
		}
		for name, change := range map[string]func(*compacttest.PlannerInput){
			"undone a little before":      func(k *compacttest.PlannerInput) { k.Check.History.UndoneAt = 79_000 },
			"less than an eighth to gain": func(k *compacttest.PlannerInput) { k.Rules.Evict.Cold, k.Rules.Evict.Words = 0.78, 0.001 },
		} {
			if got := describePlan(compacttest.PlannerInputAt(m).With(bare).With(cold).With(change).Plan(l)); got != "" {
				t.Errorf("%v, %s: plan %q, want none", m, name, got)
			}
		}
	}
	if got := describePlan(compacttest.PlannerInputAt(planner.MomentTurn).With(bare).With(cold).Plan((&compacttest.LogBuilder{}).ToolTurns(14))); got != "" {
		t.Errorf("at the cold line: plan %q, want none", got)
	}
	// Also above the load line, the eviction goes down to the lower target.
	l.UserTokens(1)
	k := compacttest.PlannerInputAt(planner.MomentTurn).With(func(k *compacttest.PlannerInput) { k.Rules.Evict.Cold = 0.3 })
	if warm, cold := describePlan(k.Plan(l)), describePlan(k.With(cold).Plan(l)); warm != "load line: cover 1-35" || cold != "load line: cover 1-43" {
		t.Errorf("the plan of a warm cache is %q, of a cold one %q", warm, cold)
	}
	// What it spares is a share of its own.
	k = k.With(cold).With(func(k *compacttest.PlannerInput) { k.Rules.Evict.Cold = 0.1 })
	fewer := k.With(func(k *compacttest.PlannerInput) { k.Rules.Evict.ColdProtected = 0.05 })
	if a, b := describePlan(k.Plan(l)), describePlan(fewer.Plan(l)); a != "load line: cover 1-47" || b != "load line: cover 1-59" {
		t.Errorf("sparing a quarter of the window the plan is %q, sparing a twentieth %q", a, b)
	}
}

func TestASummaryThatIsPaidForIsWantedWhereTheModelLooksBack(t *testing.T) {
	t.Parallel()
	auto := func(k *compacttest.PlannerInput) { k.Rules.Summary.When = preset.SummaryAuto }
	unpriced := func(k *compacttest.PlannerInput) { k.Check.Sheet.Unpriced = true }
	plain := (&compacttest.LogBuilder{}).ToolTurns(17).UserTokens(1)
	looks := (&compacttest.LogBuilder{}).ToolTurns(17)
	for range 20 {
		looks.CallTokens(conversation.ToolRecall, "{}", 10)
	}
	looks.UserTokens(1)
	k := compacttest.PlannerInputAt(planner.MomentTurn).With(auto)
	for name, c := range map[string]struct {
		k       compacttest.PlannerInput
		log     *compacttest.LogBuilder
		summary bool
	}{"never looked back": {k, plain, false}, "looks back": {k, looks, true}, "no price": {k.With(unpriced), plain, true}} {
		if got := describePlan(c.k.Plan(c.log)); strings.Contains(got, "cover") != c.summary || !strings.HasPrefix(got, "load line") {
			t.Errorf("%s: %q, with a summary %v", name, got, c.summary)
		}
	}
}

func TestSummariesAreMergedAboveTheirLimits(t *testing.T) {
	t.Parallel()
	grown := func(talks, bands, tokens int) *compacttest.LogBuilder {
		return (&compacttest.LogBuilder{}).ChatTurns(talks).Summaries(bands, tokens).UserTokens(1)
	}
	small := func(k *compacttest.PlannerInput) { k.Options.Window.Tokens = 50_000 }
	bare := func(*compacttest.PlannerInput) {}
	for name, c := range map[string]struct {
		change func(*compacttest.PlannerInput)
		log    *compacttest.LogBuilder
		want   string
	}{
		"no summary yet":                  {bare, grown(17, 0, 0), "cover 1-20"},
		"five beside each other":          {bare, grown(22, 5, 100), "cover 1-1 12-30"},
		"six":                             {bare, grown(23, 6, 100), "cover 1-32"},
		"3,000 tokens, and 2,000 to come": {bare, grown(17, 1, 3000), "cover 1-1 4-20"},
		"3,001":                           {bare, grown(17, 1, 3001), "cover 1-20"},
		"two of 1,500":                    {bare, grown(18, 2, 1500), "cover 1-1 6-22"},
		"two of 1,501":                    {bare, grown(18, 2, 1501), "cover 1-22"},
		"a smaller window: 1,500":         {small, grown(9, 1, 1500), "cover 1-1 4-12"},
		"a smaller window: 1,501":         {small, grown(9, 1, 1501), "cover 1-12"},
	} {
		if got := describePlan(compacttest.PlannerInputAt(planner.MomentRequest).With(c.change).Plan(c.log)); got != "load line: "+c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestSummaryCoversUnitsDroppedBeforeIt(t *testing.T) {
	t.Parallel()
	drop := func(first, last uint64) conversation.Drop {
		return conversation.Drop{Spans: []conversation.Span{compacttest.Span(first, last)}}
	}
	omit := func(first, last uint64) conversation.Summary {
		return conversation.Summary{Style: conversation.StylePlimsoll, Version: 2, Spans: []conversation.Span{compacttest.Span(first, last)},
			Policies: &conversation.Policies{ToolCalls: conversation.ToolCallsOmit}}
	}
	for name, c := range map[string]struct {
		log  *compacttest.LogBuilder
		want string
	}{
		"the oldest":                    {(&compacttest.LogBuilder{}).ChatTurns(18).Epoch(drop(2, 4)), "cover 1-22"},
		"in its middle":                 {(&compacttest.LogBuilder{}).ChatTurns(18).Epoch(drop(7, 8)), "cover 1-22"},
		"behind it, where it is newest": {(&compacttest.LogBuilder{}).ChatTurns(18).ToolTurns(1).Epoch(omit(38, 39)), "cover 1-22"},
		"behind it, and all the newest": {(&compacttest.LogBuilder{}).ChatTurns(18).UserTokens(10).ReadTokens(4975).Epoch(omit(38, 39)), "cover 1-22"},
		"pins do not part it":           {(&compacttest.LogBuilder{}).ChatTurns(18).Epoch(conversation.Pin{Events: []uint64{5, 6}}), "cover 1-24"},
		"behind an earlier summary":     {(&compacttest.LogBuilder{}).ChatTurns(19).Summaries(1, 100).Epoch(drop(4, 5)), "cover 1-1 4-24"},
	} {
		if got := planInTurn(c.log); got != "load line: "+c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// nearLoadLine returns an input for which a summary may be prepared, without masks.
func nearLoadLine(change ...func(*compacttest.PlannerInput)) compacttest.PlannerInput {
	k := compacttest.PlannerInputAt(planner.MomentReply)
	k.Check.Prepares, k.Rules.Mask.Enabled = true, false
	for _, c := range change {
		c(&k)
	}
	return k
}

// In turns of 5,000 tokens, the load line at 80,000 is two turns away from 70,000 on.
func TestSummaryIsPreparedOneOrTwoTurnsBeforeTheLoadLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		turns  int
		change func(*compacttest.PlannerInput)
		want   bool
	}{
		"three turns away":       {turns: 13},
		"two turns away":         {turns: 14, want: true},
		"one turn away":          {turns: 15, want: true},
		"at the next request":    {turns: 14, change: func(k *compacttest.PlannerInput) { k.Check.Moment = planner.MomentRequest }, want: true},
		"nobody waits for it":    {turns: 15, change: func(k *compacttest.PlannerInput) { k.Check.Prepares = false }},
		"by hand only":           {turns: 15, change: func(k *compacttest.PlannerInput) { k.Rules.Summary.When = preset.SummaryByHand }},
		"never":                  {turns: 15, change: func(k *compacttest.PlannerInput) { k.Rules.Summary.When = preset.SummaryNever }},
		"two failures":           {turns: 15, change: func(k *compacttest.PlannerInput) { k.Check.History.Failures = 2 }},
		"one failed just before": {turns: 15, change: func(k *compacttest.PlannerInput) { k.Check.History = planner.History{Failures: 1, FailedAt: 73_000} }},
		"one failed, and growth": {turns: 15, change: func(k *compacttest.PlannerInput) { k.Check.History = planner.History{Failures: 1, FailedAt: 70_000} }, want: true},
		"undone a little before": {turns: 15, change: func(k *compacttest.PlannerInput) { k.Check.History.UndoneAt = 70_000 }},
		"it rests for long":      {turns: 15, change: func(k *compacttest.PlannerInput) { k.Check.History.After = 75_000 }},
		"another preset":         {turns: 15, change: func(k *compacttest.PlannerInput) { k.Rules.Preset = preset.OneClaw }},
		"nothing automatic":      {turns: 15, change: func(k *compacttest.PlannerInput) { k.Rules.Auto.Enabled = false }},
		"no window":              {turns: 15, change: func(k *compacttest.PlannerInput) { k.Options.Window = meter.Window{} }},
	} {
		k := nearLoadLine()
		if c.change != nil {
			c.change(&k)
		}
		p := k.Plan((&compacttest.LogBuilder{}).ChatTurns(c.turns))
		if p.Prepare != c.want || p.Prepare != (len(p.Spans) > 0) || p.Acts() || p.Note != nil {
			t.Errorf("%s: prepares %t, acts %t, %q", name, p.Prepare, p.Acts(), describePlan(p))
		}
	}
}

// preparedSummary returns a prepared summary by a model, of spans of a log.
func preparedSummary(t *testing.T, k compacttest.PlannerInput, log []conversation.Event, spans []conversation.Span) *edit.Proposal {
	t.Helper()
	c := k.CheckOf(log)
	proposal, err := edit.ProposeSummary(log, k.Rules, edit.Inputs{Meter: c.Meter}, spans, conversation.Origin{})
	conversationtest.Must(t, err)
	text := "### Goal\nThe talk goes on in long replies, one to each message, and nothing of them has to be kept word for word."
	conversationtest.Must(t, proposal.Accept(summary.Answer{Text: text + strings.Repeat(" Nothing else is of note.", 40), Stop: conversation.StopEnd, Input: proposal.Job.Input, Model: "test/m"}))
	return &proposal
}

func TestPreparedSummaryIsCommittedWithTheStepThatEvictsItsUnits(t *testing.T) {
	t.Parallel()
	k := nearLoadLine()
	l := (&compacttest.LogBuilder{}).ChatTurns(15)
	proposal := preparedSummary(t, k, l.Events(), k.Plan(l).Spans)
	step := compacttest.PlannerInputAt(planner.MomentRequest).With(func(k *compacttest.PlannerInput) { k.Rules.Mask.Enabled = false })
	l.ChatTurns(2).UserTokens(100)
	plan, c := step.Plan(l), step.CheckOf(l.Events())
	now := edit.Inputs{Meter: c.Meter}
	made := conversation.Origin{Source: conversation.SourceAuto, Trigger: plan.Trigger}
	joined, err := edit.EvictWith(l.Events(), step.Rules, now, made, plan.Note, true, proposal)
	conversationtest.Must(t, err)
	bodies := joined.Bodies(100)
	if len(bodies) != 2 {
		t.Fatalf("%d overlays, want 2", len(bodies))
	}
	text, note := bodies[0].(conversation.Summary), bodies[1].(conversation.Summary)
	if text.Text == "" || text.Appendix != "" || note.Text != "" || note.Origin.Epoch != text.Origin.Epoch || note.Origin.Why == "" {
		t.Errorf("the summary is %+v, the note %+v", text, note)
	}
	alone, _ := plan.Note.(conversation.Summary)
	made.Why = "no summary: here is why"
	without, err := edit.ProposeOverlays(l.Events(), step.Rules, now, made, alone)
	conversationtest.Must(t, err)
	told, _ := conversation.OriginOf(without.Bodies(100)[0])
	if same := strings.Replace(note.Origin.Why, ", 1 summary", "; no summary: here is why", 1); same != told.Why || !strings.Contains(same, "messages evicted") {
		t.Errorf("with a summary %q, without one %q", note.Origin.Why, told.Why)
	}
	if diff := cmp.Diff(alone.Appendix, note.Appendix); diff != "" {
		t.Errorf("the appendix of the note (-alone +with summary): %s", diff)
	}
	view := projection.Project(append(l.Events(), conversation.NextEvents(l.Events(), now.Now, bodies...)...))
	if first := view.Messages[0]; first.State != projection.StateSummarised || first.Events[len(first.Events)-1] != alone.Spans[len(alone.Spans)-1].Last {
		t.Errorf("the first message stands for %v", first.Events)
	}

	// A smaller step leaves the text for a later one, unless it may evict more.
	small := alone
	small.Spans = []conversation.Span{compacttest.Span(1, 4)}
	if _, err := edit.EvictWith(l.Events(), step.Rules, now, made, small, false, proposal); !errors.Is(err, edit.ErrNotEvicted) {
		t.Errorf("a plan that evicts less than the summary covers: %v", err)
	}
	if _, err := edit.EvictWith(l.Events(), step.Rules, now, made, small, true, proposal); err != nil {
		t.Errorf("a plan that may evict more than the summary covers: %v", err)
	}
}

// longTurn returns one turn of many steps.
func longTurn(steps int) *compacttest.LogBuilder {
	l := (&compacttest.LogBuilder{}).User("Do all of it.")
	for range steps {
		l.Call("read_file", `{"path":"a.go"}`, conversation.ResultOK, compacttest.NumberedLines(100, "of a file"))
	}
	return l
}

func TestSummariesCoverTheOldestUnitsThatReachTheTarget(t *testing.T) {
	t.Parallel()
	m := meter.New(compacttest.Window(100_000))
	turns := compacttest.FilesRead(10, 100).User("And now?") // 4,789 tokens, 474 a turn of 4 events
	long := (&compacttest.LogBuilder{}).User(strings.Repeat("a long task ", 1000)).Reply("Yes.").User("Go on.").Reply("Done.").User("x")
	banded := compacttest.FilesRead(10, 100).Summary(conversation.StylePlimsoll, 5, 12, 1, 2, "turns 1 and 2").User("And now?")
	pinned := compacttest.FilesRead(10, 100).User("And now?").Add(conversation.Pin{Events: []uint64{6}})
	steered := longTurn(10).User("Faster.")
	for range 20 {
		steered.Call("read_file", `{}`, conversation.ResultOK, compacttest.NumberedLines(100, "of a file"))
	}
	for name, c := range map[string]struct {
		log               *compacttest.LogBuilder
		target, protected float64
		want              []conversation.Span
	}{
		"as few as it takes":              {turns, 3500, 0, []conversation.Span{compacttest.Span(2, 15)}},
		"everything but the newest":       {turns, 0, 0, []conversation.Span{compacttest.Span(2, 40)}},
		"not what is protected":           {turns, 0, 2000, []conversation.Span{compacttest.Span(2, 23)}},
		"all is protected":                {turns, 0, 1e9, nil},
		"a long first message":            {long, 0, 0, []conversation.Span{compacttest.Span(1, 4)}},
		"earlier bands stay":              {banded, 0, 0, []conversation.Span{compacttest.Span(2, 4), compacttest.Span(13, 40)}},
		"pins do not part a band":         {pinned, 0, 0, []conversation.Span{compacttest.Span(2, 40)}},
		"within the only turn":            {longTurn(10), 0, 0, []conversation.Span{compacttest.Span(2, 19)}},
		"the older side, if it is enough": {steered, 9000, 0, []conversation.Span{compacttest.Span(2, 11)}},
		"both sides, if it is not":        {steered, 0, 0, []conversation.Span{compacttest.Span(2, 21), compacttest.Span(23, 60)}},
		"as few as it takes of both":      {steered, 4000, 0, []conversation.Span{compacttest.Span(2, 21), compacttest.Span(23, 46)}},
		"nothing":                         {&compacttest.LogBuilder{}, 0, 0, nil},
	} {
		if d := cmp.Diff(c.want, planner.SpansToSummarise(projection.Project(c.log.Events()), m, planner.SummaryLimits{Target: c.target, Protected: c.protected})); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// The tests below cover known failures of compaction in other programs that
// projection, hardening, epochs and selection can prevent.

// TestCatalogueB20StubsNeverReadLikeAFailure reads what masks, caps and drops put in the
// place of texts that hold none of these words themselves.
func TestCatalogueB20StubsNeverReadLikeAFailure(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var l conversation.Log
		call := conversation.ToolCall{ID: "a", Name: "read_file", Arguments: `{"path":"` + strings.Repeat("x", 3000) + `"}`}
		status := rapid.SampledFrom([]conversation.ResultStatus{conversation.ResultOK, conversation.ResultInterrupted}).Draw(t, "status")
		result := conversation.ToolResult{CallID: "a", Tool: "read_file", Status: status, Text: strings.Repeat("a line of it\n", 500)}
		if err := l.Commit(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: "hi"}, conversation.AssistantMessage{Calls: []conversation.ToolCall{call}}, result,
			conversation.AssistantMessage{Text: strings.Repeat("then ", 300)})); err != nil {
			t.Fatal(err)
		}
		w := conversationtest.NewWriter(t, l.Events())
		w.Add(t, w.Reduction(t), conversation.Drop{Spans: w.Spans(t)})
		for _, m := range projection.Project(w.Events()).Messages {
			text := strings.ToLower(m.Text)
			for _, word := range []string{"missing", "omitted", "failed", "truncated", "unavailable", "lost"} {
				if strings.Contains(text, word) {
					t.Fatalf("%q has the word %q", m.Text, word)
				}
			}
		}
	})
}

func TestCatalogueB20ArgumentsHaveNoPlaceholders(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, conversationtest.Rich(t))
		for range 2 {
			w.Add(t, w.Mask(t, conversation.StylePlimsoll), w.PolicyForm(t, conversation.StyleJP))
		}
		said := map[string]string{}
		for _, e := range w.Events() {
			b, _ := e.Body.(conversation.AssistantMessage) // others have no calls
			for _, c := range b.Calls {
				said[c.ID] = c.Arguments
			}
		}
		for _, m := range projection.Project(w.Events()).Messages {
			for _, c := range m.Calls {
				if c.Arguments != "{}" && c.Arguments != said[c.ID] {
					t.Fatalf("the arguments %s became %s", said[c.ID], c.Arguments)
				}
			}
		}
	})
}

// failedSummary returns the record of a failed summary request.
func failedSummary(model string) conversation.Attempt {
	return conversation.Attempt{Source: conversation.SourceAuto, Outcome: conversation.AttemptFailed, Why: "too busy", Model: model}
}

// failedAt returns the record of an automatic compaction that failed with a request of that many tokens.
func failedAt(tokens int, outcome string) conversation.Attempt {
	a := failedSummary("m")
	a.Before, a.Outcome = tokens, outcome
	return a
}

func TestHistoryIsReadFromTheLog(t *testing.T) {
	t.Parallel()
	made := func(source conversation.Source, trigger string, before, after int) conversation.Origin {
		return conversation.Origin{Source: source, Trigger: trigger, Before: before, After: after}
	}
	forced := made(conversation.SourceAuto, planner.TriggerLoadLine, 900, 400)
	said := func() *compacttest.LogBuilder { return compacttest.FilesRead(4, 60) } // 16 events
	summary := conversation.Summary{Style: conversation.StylePlimsoll, Spans: []conversation.Span{compacttest.Span(5, 8)}, Text: "s"}
	undo := func(l *compacttest.LogBuilder, epoch uint64, after int) *compacttest.LogBuilder {
		return l.EpochOf(made(conversation.SourceManual, "command", 1, after), conversation.Revert{Epoch: epoch})
	}
	for name, c := range map[string]struct {
		log  *compacttest.LogBuilder
		want planner.History
	}{
		"nothing":             {said(), planner.History{}},
		"a compaction":        {said().EpochOf(forced, compacttest.MaskResults(3)), planner.History{After: 400, CompactedSinceFailure: true}},
		"a manual compaction": {said().EpochOf(made(conversation.SourceManual, "command", 800, 300), summary), planner.History{After: 300}},

		"undone":                  {undo(said().EpochOf(forced, compacttest.MaskResults(3)), 17, 1500), planner.History{UndoneAt: 1500}},
		"undone, nobody says how": {undo(said().EpochOf(forced, compacttest.MaskResults(3)), 17, 0), planner.History{UndoneAt: 900}},
		"the newer one undone": {undo(said().EpochOf(forced, compacttest.MaskResults(3)).EpochOf(made(conversation.SourceAuto, "stride", 800, 300), compacttest.MaskResults(7)), 18, 1300),
			planner.History{After: 400, UndoneAt: 1300}},
		"the older one undone": {undo(said().EpochOf(forced, compacttest.MaskResults(3)).EpochOf(made(conversation.SourceAuto, "stride", 800, 300), compacttest.MaskResults(7)), 17, 1200),
			planner.History{UndoneAt: 1200}},
		"a mask by hand undone": {undo(said().EpochOf(made(conversation.SourceManual, "command", 800, 300), compacttest.MaskResults(3)), 17, 1500), planner.History{}},
		"by a profile since it was undone": {undo(said().EpochOf(forced, compacttest.MaskResults(3)), 17, 1500).
			EpochOf(conversation.Origin{Source: conversation.SourceManual, Trigger: "command", Profile: "default"}, compacttest.MaskResults(7)), planner.History{}},

		"turns brought back are no undo": {undo(said().EpochOf(forced, compacttest.MaskResults(3)).Add(failedSummary("m")).Epoch(conversation.Rewind{Turn: 3}), 19, 1500), planner.History{After: 400, Failures: 1}},

		"another compaction since": {undo(said().EpochOf(forced, compacttest.MaskResults(3)), 17, 1500).EpochOf(made(conversation.SourceAuto, "load line", 990, 500), summary), planner.History{After: 500}},
		"brought back":             {undo(undo(said().EpochOf(forced, compacttest.MaskResults(3)), 17, 1500), 18, 600), planner.History{After: 400}},

		"a failure":                        {said().Add(failedSummary("m")), planner.History{Failures: 1}},
		"refused before a model was asked": {said().Add(failedSummary(""), failedSummary("m")), planner.History{Failures: 1}},
		"tried at so many tokens":          {said().Add(failedAt(700, conversation.AttemptFailed)), planner.History{FailedAt: 700, Failures: 1}},
		"stopped at so many tokens":        {said().Add(failedAt(700, conversation.AttemptCancelled)), planner.History{FailedAt: 700}},
		"tried before a compaction":        {said().Add(failedAt(700, conversation.AttemptFailed)).EpochOf(forced, compacttest.MaskResults(3)), planner.History{After: 400, Failures: 1, CompactedSinceFailure: true}},
		"tried with another model":         {said().Add(failedAt(700, conversation.AttemptFailed), conversation.ModelChanged{Model: "n"}), planner.History{}},

		"a compaction without a model since the failure": {said().Add(failedSummary("m"), failedSummary("m")).EpochOf(forced, compacttest.MaskResults(3)), planner.History{After: 400, Failures: 2, CompactedSinceFailure: true}},
		"one to save money does not":                     {said().Add(failedSummary("m"), failedSummary("m")).EpochOf(made(conversation.SourceAuto, planner.TriggerCold, 900, 400), compacttest.MaskResults(3)), planner.History{Failures: 2}},
		"failures before a summary":                      {said().Add(failedSummary("m"), failedSummary("m")).EpochOf(forced, summary), planner.History{After: 400}},
		"failures before and after a summary":            {said().Add(failedSummary("m"), failedSummary("m")).EpochOf(forced, summary).Add(failedSummary("m")), planner.History{After: 400, Failures: 1}},
		"failures before a manual compaction":            {said().Add(failedSummary("m")).EpochOf(made(conversation.SourceManual, "command", 900, 400), compacttest.MaskResults(3)), planner.History{}},
		"failures before another model":                  {said().Add(failedSummary("m"), conversation.ModelChanged{Model: "n"}), planner.History{}},
		"failures before an undo":                        {undo(said().EpochOf(forced, compacttest.MaskResults(3)).Add(failedSummary("m")), 17, 1500), planner.History{UndoneAt: 1500}},
		"a pin does not end the failures' pause":         {said().Add(failedSummary("m"), conversation.Pin{Events: []uint64{3}}), planner.History{Failures: 1}},
	} {
		if d := cmp.Diff(c.want, planner.HistoryOf(c.log.Events())); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// The tests below check when the presets of the sources act. An empty plan is described as "".

func TestD17AppliesAProfileWhenALongTurnHasEnded(t *testing.T) {
	t.Parallel()
	// Six turns in a window of 1,000 tokens, 200 of them for system prompt and tools:
	// three quarters at 2,200 characters of messages. Reasoning is not sent back.
	log := func(chars int) *compacttest.LogBuilder {
		l := &compacttest.LogBuilder{}
		for range 5 {
			l.User(strings.Repeat("u", 200)).Add(conversation.AssistantMessage{Text: strings.Repeat("a", 200), Reasoning: strings.Repeat("r", 5000)})
		}
		return l.User("u").Reply(strings.Repeat("a", chars-2001))
	}
	small := func(k *compacttest.PlannerInput) { k.Options.Window.Tokens, k.System = 1000, 200 }
	k := presetInput(preset.JPAuto, planner.MomentReply).With(small)
	if got := describePlan(k.Plan(log(2200))); got != "" {
		t.Errorf("at three quarters the plan is %s, want none", got)
	}
	p := k.Plan(log(2204))
	if describePlan(p) != "threshold: profile default" || p.Used != 751 {
		t.Errorf("above three quarters the plan is %q at %d tokens", describePlan(p), p.Used)
	}
	if w := edit.RequestOf(p); p.Profile != "" && (w.Source != conversation.SourceAuto || w.Trigger != planner.TriggerThreshold || w.From == nil) {
		t.Errorf("the request of the plan is %+v", w)
	}
	for name, change := range map[string]func(*compacttest.PlannerInput){
		"a window that is not known": func(k *compacttest.PlannerInput) { k.Options.Window.Tokens = 0 },
		"before a request":           func(k *compacttest.PlannerInput) { k.Check.Moment = planner.MomentRequest },
		"where a turn begins":        func(k *compacttest.PlannerInput) { k.Check.Moment = planner.MomentTurn },
		"six turns are not enough":   func(k *compacttest.PlannerInput) { k.Rules.Auto.MinTurns = 6 },
		"just undone":                func(k *compacttest.PlannerInput) { k.Check.History.UndoneAt = 2000 },
		"turned off":                 func(k *compacttest.PlannerInput) { k.Rules.Auto.Enabled = false },
	} {
		if got := describePlan(k.With(change).Plan(log(3500))); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := describePlan(k.With(func(k *compacttest.PlannerInput) { k.Rules.Auto.MinTurns = 5 }).Plan(log(3500))); got == "" {
		t.Error("no plan after six turns, with a minimum of five")
	}
	heavy := presetInput(preset.JPHeavy, planner.MomentReply).With(small).With(func(k *compacttest.PlannerInput) { k.Rules.Auto.Enabled = true })
	if got := describePlan(heavy.Plan(log(3500))); got != "threshold: profile heavy" {
		t.Errorf("with the heavy profile the plan is %q", got)
	}
}

func TestONESummarisesAllButTheProtectedShareAfterAReply(t *testing.T) {
	t.Parallel()
	k := presetInput(preset.OneClaw, planner.MomentReply)
	if got := describePlan(k.Plan((&compacttest.LogBuilder{}).ChatTurns(17))); got != "" {
		t.Errorf("at 85 percent the plan is %s, want none", got)
	}
	// 25,000 tokens are protected: the newest five turns.
	over := (&compacttest.LogBuilder{}).ChatTurns(17).UserTokens(10).ReplyTokens(1)
	for name, c := range map[string]struct {
		change func(*compacttest.PlannerInput)
		want   string
	}{
		"above it":             {func(*compacttest.PlannerInput) {}, "threshold: cover 1-26, drops"},
		"after a failed call":  {func(k *compacttest.PlannerInput) { k.Check.History.Failures = 1 }, "threshold: cover 1-26, drops"},
		"after two":            {func(k *compacttest.PlannerInput) { k.Check.History.Failures = 2 }, "threshold: drops"},
		"after three":          {func(k *compacttest.PlannerInput) { k.Check.History.Failures = 3 }, "threshold: drops"},
		"just compacted":       {func(k *compacttest.PlannerInput) { k.Check.History.After = 84_000 }, "threshold: cover 1-26, drops"},
		"just undone":          {func(k *compacttest.PlannerInput) { k.Check.History.UndoneAt = 84_000 }, ""},
		"before a request":     {func(k *compacttest.PlannerInput) { k.Check.Moment = planner.MomentRequest }, ""},
		"where a turn begins":  {func(k *compacttest.PlannerInput) { k.Check.Moment = planner.MomentTurn }, ""},
		"window not known":     {func(k *compacttest.PlannerInput) { k.Options.Window.Tokens = 0 }, ""},
		"more of it protected": {func(k *compacttest.PlannerInput) { k.Rules.ProtectedRatio = 0.5 }, "threshold: cover 1-16, drops"},
	} {
		if got := describePlan(k.With(c.change).Plan(over)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for name, l := range map[string]*compacttest.LogBuilder{"one long question": (&compacttest.LogBuilder{}).UserTokens(95_000).ReplyTokens(1), "one long reply": (&compacttest.LogBuilder{}).ReplyTokens(95_000)} {
		if got := describePlan(k.Plan(l)); got != "" {
			t.Errorf("%s, all protected: the plan is %q, want none", name, got)
		}
	}
	if got := describePlan(k.Plan((&compacttest.LogBuilder{}).UserTokens(10).ReplyTokens(60_000).UserTokens(40_000).ReplyTokens(1))); got != "threshold: cover 1-2, drops" {
		t.Errorf("a long question after others: the plan is %q", got)
	}
}

// jcliTurns returns turns with one result each, of these sizes in bytes.
func jcliTurns(tool string, bytes ...int) *compacttest.LogBuilder {
	l := (&compacttest.LogBuilder{}).User("Go.")
	for _, n := range bytes {
		l.Call(tool, "{}", conversation.ResultOK, strings.Repeat("x", n))
	}
	return l
}

func TestJCLReplacesOldResultsBeforeEveryRequest(t *testing.T) {
	t.Parallel()
	old := []int{800, 801, 5000, 801}
	for range 9 {
		old = append(old, 801)
	}
	for _, m := range compacttest.Moments() {
		k := presetInput(preset.JCLI, m)
		want := "every request: mask e5 e7"
		if m == planner.MomentReply {
			want = ""
		}
		// 13 results, of which ten stay; 800 bytes are not over 800.
		if got := describePlan(k.Plan(jcliTurns("read_file", old...))); got != want {
			t.Errorf("moment %d: the plan is %q", m, got)
		}
		if got := describePlan(k.Plan(jcliTurns("todo_write", old...))); got != "" {
			t.Errorf("exempt results, moment %d: the plan is %q, want none", m, got)
		}
		if got := describePlan(k.Plan(jcliTurns("read_file", old[3:]...))); got != "" {
			t.Errorf("ten results, moment %d: the plan is %q, want none", m, got)
		}
	}
	p := presetInput(preset.JCLI, planner.MomentRequest).Plan(jcliTurns("read_file", old...))
	if m, ok := p.Masks[0].(conversation.Mask); !ok || m.Style != conversation.StyleJCLI {
		t.Errorf("the masks are %+v, want one in jcli's style", p.Masks)
	}
}

func TestJCLSummarisesEverythingAboveItsThreshold(t *testing.T) {
	t.Parallel()
	l := (&compacttest.LogBuilder{}).ChatTurns(3).User("And now?").Call("read_file", "{}", conversation.ResultOK, "x")
	k := presetInput(preset.JCLI, planner.MomentRequest).With(func(k *compacttest.PlannerInput) { k.System = 300 })
	size := k.CheckOf(l.Events()).Meter.Reading().Used
	if size < 15_300 {
		t.Fatalf("the request has %d tokens, want 15300 at least with prompt and tools", size)
	}
	limit := func(tokens int) func(*compacttest.PlannerInput) {
		return func(k *compacttest.PlannerInput) { k.Rules.TokenThreshold = tokens }
	}
	for name, c := range map[string]struct {
		change func(*compacttest.PlannerInput)
		want   string
	}{
		"at it":               {limit(size), ""},
		"above it":            {limit(size - 1), "threshold: cover 1-6"},
		"in a small window":   {func(k *compacttest.PlannerInput) { k.Options.Window.Tokens = 1000 }, ""},
		"no threshold":        {limit(0), ""},
		"its own":             {limit(204_800), ""},
		"after a reply":       {func(k *compacttest.PlannerInput) { limit(10)(k); k.Check.Moment = planner.MomentReply }, ""},
		"where a turn begins": {func(k *compacttest.PlannerInput) { limit(10)(k); k.Check.Moment = planner.MomentTurn }, "threshold: cover 1-6"},
		"no window":           {func(k *compacttest.PlannerInput) { limit(10)(k); k.Options.Window.Tokens = 0 }, "threshold: cover 1-6"},
		"after one failure":   {func(k *compacttest.PlannerInput) { limit(10)(k); k.Check.History.Failures = 1 }, "threshold: cover 1-6"},
		"after two":           {func(k *compacttest.PlannerInput) { limit(10)(k); k.Check.History.Failures = 2 }, "threshold: cover 1-6"},
		"after three":         {func(k *compacttest.PlannerInput) { limit(10)(k); k.Check.History.Failures = 3 }, ""},
	} {
		if p := k.With(c.change).Plan(l); describePlan(p) != c.want || p.Acts() && p.Used != k.CheckOf(l.Events()).Meter.Reading().Used {
			t.Errorf("%s: %q, want %q", name, describePlan(p), c.want)
		}
	}
	if got := describePlan(k.With(limit(10)).Plan((&compacttest.LogBuilder{}).UserTokens(1000))); got != "" {
		t.Errorf("with nothing to cover the plan is %q, want none", got)
	}
}

// editCalls returns a log with one tool call per file, with long arguments and results.
func editCalls(files ...string) *compacttest.LogBuilder {
	l := (&compacttest.LogBuilder{}).User("Go.")
	for i, f := range files {
		l.Call("edit", fmt.Sprintf(`{"path":%q,"text":%q}`, f, strings.Repeat("t", 101+i)), conversation.ResultOK, strings.Repeat("r", 2000))
	}
	return l
}

func withIdentifiers(k *compacttest.PlannerInput) {
	k.Rules.Dedupe.ToolIdentifierFields = map[string][]string{"edit": {"path"}}
}

func TestADAOmitsWhatNewerCallsRepeatBeforeEveryRequest(t *testing.T) {
	t.Parallel()
	for _, m := range compacttest.Moments() {
		k := presetInput(preset.Adachsoft, m).With(withIdentifiers)
		want := "every request: mask e2 call_1 e3"
		if m == planner.MomentReply {
			want = ""
		}
		p := k.Plan(editCalls("a", "b", "a"))
		if describePlan(p) != want {
			t.Errorf("moment %d: the plan is %q", m, describePlan(p))
		}
		if got := describePlan(k.Plan(editCalls("a", "b", "c"))); got != "" {
			t.Errorf("moment %d, nothing repeated: the plan is %q, want none", m, got)
		}
		if want != "" {
			if mask, _ := p.Masks[0].(conversation.Mask); mask.Style != conversation.StyleAdachsoft {
				t.Errorf("the masks are %+v, want one in adachsoft's style", p.Masks)
			}
		}
	}
	full := presetInput(preset.Adachsoft, planner.MomentRequest).With(withIdentifiers)
	if got := describePlan(full.Plan((&compacttest.LogBuilder{}).ChatTurns(30))); got != "" {
		t.Errorf("above every line the plan is %q, want none", got)
	}
}
