package compact_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// longLog is a log of n events of about 1 KB.
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

// BenchmarkProject projects 10,000 events of 1 KB. Budget: 5 ms.
func BenchmarkProject(b *testing.B) {
	events := longLog(10_000)
	b.ReportAllocs()
	for b.Loop() {
		compact.Project(events)
	}
}

// BenchmarkExtend adds one event to a view of 10,000. Budget: 50 us.
func BenchmarkExtend(b *testing.B) {
	events := longLog(10_000)
	v := compact.Project(events[:len(events)-1])
	b.ReportAllocs()
	for b.Loop() {
		v.Extend(events)
	}
}

// BenchmarkHarden makes a request of 10,000 events.
func BenchmarkHarden(b *testing.B) {
	v := compact.Project(longLog(10_000))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compact.Harden(v, compact.Capabilities{}); err == nil {
			b.Fatal("a trailing reply cannot be sent")
		}
	}
}

// BenchmarkMeterKeystroke is what a key costs the meter with 10,000 events
// open. Budget: 50 us, no allocation worth noting.
func BenchmarkMeterKeystroke(b *testing.B) {
	m := compact.NewMeter(window(128_000)).WithView(compact.Project(longLog(10_000)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m = m.WithDraft(conversation.Size{ASCII: i % 4096}, 1)
		if r := m.Reading(); r.AfterSend < r.Used {
			b.Fatal(r)
		}
	}
}

// BenchmarkHardenOneID makes a request of 2,500 calls that all have the same id,
// as some servers give them. It must not cost the square of their number.
func BenchmarkHardenOneID(b *testing.B) {
	events := longLog(10_000)
	for i, e := range events {
		switch body := e.Body.(type) {
		case conversation.AssistantMessage:
			for k := range body.Calls {
				body.Calls[k].ID = "call_0"
			}
		case conversation.ToolResult:
			body.CallID = "call_0"
			events[i].Body = body
		}
	}
	v := compact.Project(events)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compact.Harden(v, compact.Capabilities{}); err == nil {
			b.Fatal("a trailing reply cannot be sent")
		}
	}
}
