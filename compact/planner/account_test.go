package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// made is an account of a pass by itself.
func made(trigger string, before, after int) conversation.Made {
	return conversation.Made{Source: conversation.SourceAuto, Trigger: trigger, Before: before, After: after}
}

func TestTheOverlaysOfAPassHaveOneAccount(t *testing.T) {
	t.Parallel()
	mask := conversation.Mask{Items: []conversation.MaskItem{{Event: 1, Part: conversation.PartResult}}}
	summary := conversation.Summary{Spans: []conversation.Span{compacttest.Span(1, 2)}, Made: conversation.Made{Profile: "heavy", Why: "it was full"}}
	bodies := conversation.OneEpoch([]conversation.Body{mask, summary}, made(planner.TriggerLoadLine, 0, 0), 900, 400)
	want := made(planner.TriggerLoadLine, 900, 400)
	want.Profile, want.Why = "heavy", "it was full"
	for _, b := range bodies {
		got, _ := conversation.MadeOf(b)
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	log := (&compacttest.Tale{}).User("a").Reply("b").Passed(bodies...)
	if past := planner.PastOf(log.Events()); past.After != 400 {
		t.Errorf("a request had %d tokens after the epoch, want 400", past.After)
	}
}

func TestUndoingAnOlderEpochHoldsAsWell(t *testing.T) {
	t.Parallel()
	log := (&compacttest.Tale{}).User("a").Reply("b").User("c")
	log.Add(conversation.Drop{Made: made(planner.TriggerLoadLine, 100, 50), Spans: []conversation.Span{compacttest.Span(1, 1)}}) // event 4
	log.Add(conversation.Drop{Made: made(planner.TriggerLoadLine, 110, 60), Spans: []conversation.Span{compacttest.Span(2, 2)}}) // event 5
	log.Add(conversation.Revert{Epoch: 4})
	if past := planner.PastOf(log.Events()); past.Undone != 100 || past.After != 60 {
		t.Errorf("%+v, want the size before what was undone, and after what is in force", past)
	}
	log.Add(conversation.Drop{Made: made(planner.TriggerLoadLine, 120, 70), Spans: []conversation.Span{compacttest.Span(1, 1)}})
	if past := planner.PastOf(log.Events()); past.Undone != 0 || past.After != 70 {
		t.Errorf("%+v, want nothing undone after a newer epoch", past)
	}
}

func TestOnlyAPassThatHadToBeSettlesFailures(t *testing.T) {
	t.Parallel()
	for trigger, settles := range map[string]bool{
		planner.TriggerLoadLine: true, planner.TriggerHardLine: true, planner.TriggerCold: false, planner.TriggerStride: false,
	} {
		log := (&compacttest.Tale{}).User("a").Reply("b")
		for range 2 {
			log.Add(conversation.Attempt{Outcome: conversation.OutcomeFailed, Model: "p/m"})
		}
		log.Add(conversation.Mask{Made: made(trigger, 2, 1), Items: []conversation.MaskItem{{Event: 2, Part: conversation.PartResult}}})
		if past := planner.PastOf(log.Events()); past.Failures != 2 || past.Settled != settles {
			t.Errorf("%s: %+v, settled should be %t", trigger, past, settles)
		}
	}
}

func TestTheBlocksAppendixSpeaksOfAllBands(t *testing.T) {
	t.Parallel()
	log := &compacttest.Tale{}
	for i := range 40 {
		log.User(fmt.Sprintf("Rule %d: you must never touch module %d. %s", i, i, strings.Repeat("It matters. ", 18))).
			Reply(strings.Repeat("A long reply. ", 300))
	}
	rules := preset.RulesOf(preset.Plimsoll)
	said := func(first, last uint64) int {
		m := meter.New(compacttest.Window(128_000)).WithView(projection.Project(log.Events()))
		pass, err := edit.ProposeSummary(log.Events(), rules, edit.Inputs{Meter: m}, []conversation.Span{compacttest.Span(first, last)}, conversation.Made{})
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Extract(); err != nil {
			t.Fatal(err)
		}
		log.Passed(pass.Bodies(0)...)
		blocks, n := 0, 0
		for _, m := range projection.Project(log.Events()).Messages {
			if m.State == projection.StateSummarised {
				blocks++
				_, appendix, _ := strings.Cut(m.Text, "### Said by the user")
				n += strings.Count(appendix, "you must never")
			}
		}
		if blocks != 1 {
			t.Errorf("%d blocks", blocks)
		}
		return n
	}
	first := said(1, 60)
	if first != 30 {
		t.Fatalf("%d of 30 demands stand in the appendix: the test has too little room", first)
	}
	if then := said(61, 64); then != 32 {
		t.Errorf("with a small band behind it %d of 32 demands stand there", then)
	}
}

func TestASummaryOfAnotherStyleLeavesTheAppendixAlone(t *testing.T) {
	t.Parallel()
	log := (&compacttest.Tale{}).User("one").Reply("1").User("two").Reply("2").User("three").Reply("3").User("four")
	log.Add(conversation.Summary{Style: conversation.StylePlimsoll, Version: projection.BlockVersion, Text: "Band.", Appendix: "### Appendix",
		Spans: []conversation.Span{compacttest.Span(1, 2)}})
	log.Add(conversation.Summary{Style: conversation.StyleJP, Version: projection.BlockVersion, Text: "Pair.", Spans: []conversation.Span{compacttest.Span(5, 6)}, FromTurn: 2, ToTurn: 2})
	text := ""
	for _, m := range projection.Project(log.Events()).Messages {
		text += m.Text + "\n"
	}
	if strings.Count(text, "### Appendix") != 1 || !strings.Contains(text, "Pair.") {
		t.Errorf("the view is:\n%s", text)
	}
}

func TestTheNewestToolWorkThatWasLeftOutStaysOutOfASummary(t *testing.T) {
	t.Parallel()
	log := (&compacttest.Tale{}).User("first")
	for range 30 {
		log.User("turn").Call("run_command", `{}`, conversation.ResultOK, compacttest.Words(180)).Reply(compacttest.Words(200))
	}
	from := uint64(len(log.Events()) - 39)
	last := uint64(len(log.Events()))
	log.User("newest")
	log.Add(conversation.Summary{Style: conversation.StylePlimsoll, Spans: []conversation.Span{compacttest.Span(from, last)}, FromTurn: 21, ToTurn: 30,
		Policies: &conversation.Policies{ToolCalls: conversation.ToolCallsOmit}})
	v := projection.Project(log.Events())
	m := meter.New(compacttest.Window(10_000)).WithPrompt(conversation.Size{}, conversation.Size{ASCII: 4000}).WithView(v)
	plan := planner.Check{Moment: planner.MomentTurn, Log: log.Events(), View: v, Meter: m}.Plan(preset.RulesOf(preset.Plimsoll))
	if len(plan.Spans) == 0 {
		t.Fatalf("%d of %d tokens call for nothing: %+v", plan.Used, m.Reading().LoadLine, plan)
	}
	for _, e := range log.Events()[from-1 : last] {
		if _, ok := e.Body.(conversation.ToolResult); ok && compacttest.Within(plan.Spans, e.Seq) {
			t.Errorf("%v hold e%d, and its tool work is left out by hand", plan.Spans, e.Seq)
		}
	}
}
