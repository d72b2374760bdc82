package planner_test

import (
	"fmt"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// parted is a log of n messages in which every other reply has a call that
// nothing answered, so that a reduction covers it in n/4 spans.
func parted(n int) []conversation.Event {
	bodies := []conversation.Body{conversation.UserMessage{Text: "Go."}}
	for i := range n / 2 {
		reply := conversation.AssistantMessage{Text: "a reply of a few words"}
		if i%2 == 0 {
			reply.Calls = []conversation.ToolCall{{ID: fmt.Sprint("call_", i), Name: "read_file", Arguments: `{"path":"x"}`}}
		}
		bodies = append(bodies, conversation.UserMessage{Text: "a question of a few words"}, reply)
	}
	return logOf(append(bodies, conversation.UserMessage{Text: "And now?"}))
}

// oneReply is a log of one reply with n calls, answered from the last to the first.
func oneReply(n int) []conversation.Event {
	var reply conversation.AssistantMessage
	for i := range n {
		reply.Calls = append(reply.Calls, conversation.ToolCall{ID: fmt.Sprint("call_", i), Name: "read_file", Arguments: `{"path":"x"}`})
	}
	bodies := []conversation.Body{conversation.UserMessage{Text: "Go."}, reply}
	for i := range n {
		bodies = append(bodies, conversation.ToolResult{CallID: reply.Calls[n-1-i].ID, Tool: "read_file", Text: "what stands in the file"})
	}
	return logOf(append(bodies, conversation.AssistantMessage{Text: "Done."}, conversation.UserMessage{Text: "And now?"}))
}

func logOf(bodies []conversation.Body) []conversation.Event {
	var l conversation.Log
	return l.Prepare(conversationtest.Epoch, bodies...)
}

// BenchmarkReduceLongLogs works out reductions of 50,000 messages in shapes that
// part them most. Budget: 250 ms each.
func BenchmarkReduceLongLogs(b *testing.B) {
	for _, c := range []struct {
		name string
		log  []conversation.Event
	}{
		{"in 12,500 spans", parted(50_000)},
		{"one reply with 25,000 calls", oneReply(25_000)},
	} {
		v := projection.Project(c.log)
		m := meter.New(compacttest.Window(20_000)).WithView(v)
		rules := preset.RulesOf(preset.Plimsoll)
		drop := planner.DropSpans(v, m, 1000)
		if len(drop) == 0 {
			b.Fatalf("%s: nothing can be left out", c.name)
		}
		situation := edit.Inputs{Now: conversationtest.Epoch, Meter: m}
		b.Run(c.name+"/drop", func(b *testing.B) {
			for b.Loop() {
				planner.DropSpans(v, m, 1000)
				projection.Project(compacttest.With(c.log, conversation.Drop{Spans: drop}))
			}
		})
		b.Run(c.name+"/summary", func(b *testing.B) {
			for b.Loop() {
				pass, err := edit.ProposeSummary(c.log, rules, situation, drop, conversation.Made{})
				if err != nil {
					b.Fatal(err)
				}
				pass.Preview()
			}
		})
		b.Run(c.name+"/plan", func(b *testing.B) {
			for b.Loop() {
				planner.Check{Moment: planner.MomentRequest, Log: c.log, View: v, Meter: m, Sheet: planner.DefaultSheet()}.Plan(rules)
			}
		})
		b.Run(c.name+"/recover", func(b *testing.B) {
			for b.Loop() {
				planner.Check{Moment: planner.MomentRequest, Log: c.log, View: v, Meter: m, Sheet: planner.DefaultSheet()}.Recover(rules)
			}
		})
	}
}
