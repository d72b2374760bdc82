package planner_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// workedBench is a log of n events of about 1 KB as work with tools leaves them:
// messages with demands, results full of names, files read and written, a checklist.
func workedBench(n int) []conversation.Event {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the quick brown fox jumps over it and never reads compact/plan.go before session_id is known to newPlanner")
	text := func(chars int) string {
		var b strings.Builder
		for b.Len() < chars {
			switch r.IntN(12) {
			case 0:
				fmt.Fprintf(&b, "pkg%d/file_%d.go:%d ", r.IntN(50), r.IntN(2000), r.IntN(900))
			case 1:
				fmt.Fprintf(&b, "%07x\n", r.Uint32())
			case 2:
				b.WriteString("is said. ")
			default:
				b.WriteString(words[r.IntN(len(words))] + " ")
			}
		}
		return b.String()
	}
	var bodies []conversation.Body
	call := func(tool, arguments, result string, status conversation.ResultStatus) {
		id := fmt.Sprintf("call_%d", len(bodies))
		bodies = append(bodies, conversation.AssistantMessage{Text: text(300), Stop: conversation.StopCalls,
			Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: arguments}}},
			conversation.ToolResult{CallID: id, Tool: tool, Status: status, Text: result})
	}
	for len(bodies) < n {
		bodies = append(bodies, conversation.UserMessage{Text: text(1000)})
		for range 3 {
			call("read_file", fmt.Sprintf(`{"path":"pkg%d/file_%d.go"}`, r.IntN(50), r.IntN(2000)), text(1500), conversation.ResultOK)
			call("run_command", `{"command":"go test ./..."}`, text(1500)+"\nerror: exit status 1", conversation.ResultError)
		}
		call("create_file", fmt.Sprintf(`{"content":%q,"path":"pkg%d/new_%d.go"}`, text(2000), r.IntN(50), r.IntN(2000)), "created", conversation.ResultOK)
		call("todo_write", `{"todos":[{"text":"test it","status":"pending"}]}`, "0 of 1 done", conversation.ResultOK)
		bodies = append(bodies, conversation.AssistantMessage{Text: text(1000)})
	}
	var l conversation.Log
	return l.Prepare(conversationtest.Epoch, bodies...)
}

// BenchmarkNote writes the note on 10,000 events of about 1 KB, in windows of
// several sizes, of which half is still shown. Budget: 5 ms each.
func BenchmarkNote(b *testing.B) {
	log := workedBench(10_000)
	view := projection.Project(log)
	rules := preset.RulesOf(preset.Plimsoll)
	for _, tokens := range []int{32_000, 128_000, 200_000, 1_000_000} {
		b.Run(fmt.Sprint(tokens), func(b *testing.B) {
			m := meter.New(compacttest.Window(tokens)).WithView(view)
			spans := planner.EvictedSpans(view, m, float64(tokens)/2)
			if len(spans) == 0 {
				b.Fatal("nothing is evicted")
			}
			b.ReportAllocs()
			note := ""
			for b.Loop() {
				note = planner.NoteOn(rules, log, view, spans, tokens)
			}
			b.ReportMetric(meter.Estimate(conversation.Measure(note)), "tokens")
		})
	}
}
