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
