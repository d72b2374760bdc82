package planner_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// describePlan describes a plan in one line, "" if it does nothing.
func describePlan(p planner.Plan) string {
	var parts []string
	for _, b := range p.Masks {
		m, _ := b.(conversation.Mask) // the planner makes only masks here
		var items []string
		for _, i := range m.Items {
			item := fmt.Sprintf("e%d", i.Event)
			if i.Part == conversation.PartArguments {
				item += " " + i.Call
			}
			items = append(items, item)
		}
		parts = append(parts, "mask "+strings.Join(items, " "))
	}
	note, evicts := p.Note.(conversation.Summary)
	switch {
	case len(p.Spans) > 0:
		parts = append(parts, "cover "+spansText(p.Spans))
	case evicts:
		parts = append(parts, "evict "+spansText(note.Spans))
	}
	if p.Profile != "" {
		parts = append(parts, "profile "+p.Profile)
	}
	if p.Drops {
		parts = append(parts, "drops")
	}
	if p.Trigger != "" {
		parts = []string{p.Trigger + ": " + strings.Join(parts, ", ")}
	}
	if p.BlocksRequest {
		parts = append([]string{"hold"}, parts...)
	}
	return strings.Join(parts, ", ")
}

// spansText formats spans, for example "1-4 7-9".
func spansText(spans []conversation.Span) string {
	var out []string
	for _, s := range spans {
		out = append(out, fmt.Sprintf("%d-%d", s.First, s.Last))
	}
	return strings.Join(out, " ")
}

// presetInput returns the input at a moment, with the rules of a preset.
func presetInput(p preset.Name, m planner.Moment) compacttest.PlannerInput {
	return compacttest.PlannerInputAt(m).With(func(in *compacttest.PlannerInput) { in.Rules = preset.RulesOf(p) })
}

// encoded returns the events of a log as they are stored.
func encoded(t *rapid.T, log []conversation.Event) []string {
	out := make([]string, len(log))
	for i, e := range log {
		data, err := conversation.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = string(data)
	}
	return out
}

// longCheck returns rules and planner input for a log of 10,000 events of about 1 KB, for a window in tokens. The rules could mask
// about 640,000 tokens of tool results.
func longCheck(windowTokens int, at planner.Moment) (preset.Rules, planner.Check) {
	log := compacttest.AppendTo(longLog(10_000), conversation.UserMessage{Text: "And now?"})
	v := projection.Project(log)
	return preset.RulesOf(preset.Plimsoll), planner.Check{Moment: at, Log: log, View: v,
		Meter: meter.New(compacttest.Window(windowTokens)).WithView(v), Sheet: planner.DefaultSheet()}
}

// longLog returns a log of at least n events of about 1 KB.
func longLog(n int) []conversation.Event {
	var l conversation.Log
	kb := strings.Repeat("the quick brown fox jumps over it ", 30)
	for l.Len() < n {
		id := fmt.Sprintf("call_%d", l.Len())
		if err := l.Commit(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: kb},
			conversation.AssistantMessage{Text: kb, Calls: []conversation.ToolCall{{ID: id, Name: "read_file", Arguments: `{"path":"x"}`}}},
			conversation.ToolResult{CallID: id, Tool: "read_file", Text: kb}, conversation.AssistantMessage{Text: kb})); err != nil {
			panic(err)
		}
	}
	return l.Events()
}

// maskAll appends n masks to a log. Each masks one tool result or, if there are too few results, the arguments of one call.
func maskAll(events []conversation.Event, n int) []conversation.Event {
	var bodies []conversation.Body
	mask := func(item conversation.MaskItem) {
		if len(bodies) < n {
			bodies = append(bodies, conversation.Mask{Style: conversation.StylePlimsoll, Version: 1, Preview: 250,
				Items: []conversation.MaskItem{item}})
		}
	}
	for _, e := range events {
		if _, ok := e.Body.(conversation.ToolResult); ok {
			mask(conversation.MaskItem{Event: e.Seq, Part: conversation.PartResult})
		}
	}
	for _, e := range events {
		if b, ok := e.Body.(conversation.AssistantMessage); ok && len(b.Calls) > 0 {
			mask(conversation.MaskItem{Event: e.Seq, Part: conversation.PartArguments, Call: b.Calls[0].ID})
		}
	}
	return compacttest.AppendTo(events, bodies...)
}
