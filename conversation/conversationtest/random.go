// Package conversationtest makes random conversations for property tests: valid ones as the agent writes them, and invalid
// ones as a damaged or foreign log may contain.
package conversationtest

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"plimsoll/conversation"
)

// Epoch is the time of the first event.
var Epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// text draws a short text in any script, sometimes empty or hostile.
func text(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.StringMatching(`[a-z ]{1,40}`),
		rapid.StringN(0, 30, 120),
		rapid.SampledFrom([]string{"", " ", "漢字かな交じり文", "a\x00b", "\xff\xfe", "\x1b[31mred", "👩‍👩‍👧", "{\"a\":1}"}),
	).Draw(t, label)
}

// Log draws a log as the agent writes it: turns of steps, every call answered in order, usage for each reply.
func Log(t *rapid.T) []conversation.Event {
	var l conversation.Log
	n := 0
	add := func(bodies ...conversation.Body) {
		Must(t, l.Commit(l.Prepare(Epoch.Add(time.Duration(l.Len())*time.Second), bodies...)))
	}
	for range rapid.IntRange(0, 6).Draw(t, "turns") {
		add(conversation.UserMessage{Text: "u " + text(t, "user")})
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			reply := conversation.AssistantMessage{Text: text(t, "reply"), Reasoning: text(t, "reasoning"), Stop: conversation.StopEnd}
			var results []conversation.Body
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				n++
				call := conversation.ToolCall{ID: fmt.Sprintf("call_%d", n), Name: "read_file", Arguments: `{"path":"a.go"}`}
				reply.Calls, reply.Stop = append(reply.Calls, call), conversation.StopCalls
				results = append(results, conversation.ToolResult{CallID: call.ID, Tool: call.Name,
					Status: conversation.ResultOK, Text: text(t, "result")})
			}
			add(reply, conversation.Usage{Reply: uint64(l.Len() + 1), Prompt: rapid.IntRange(-1, 5000).Draw(t, "prompt"),
				Cached: -1, Completion: rapid.IntRange(-1, 50).Draw(t, "completion"), Reasoning: -1, CacheWrite: -1})
			add(results...)
		}
	}
	return l.Events()
}

// Malformed draws a log in which anything but the event numbers may be wrong: calls without results, results without calls,
// repeated ids, empty texts, unknown kinds, arguments that are not JSON.
func Malformed(t *rapid.T) []conversation.Event {
	var l conversation.Log
	id := func() string {
		return rapid.SampledFrom([]string{"", "a", "b", "call_1", "a b", "ü", "x123456789012345678901234567890123456789012345678901234567890123456789"}).Draw(t, "id")
	}
	for range rapid.IntRange(0, 25).Draw(t, "events") {
		var b conversation.Body
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			b = conversation.UserMessage{Text: text(t, "user")}
		case 1:
			m := conversation.AssistantMessage{Text: text(t, "reply"), Reasoning: text(t, "reasoning"), Stop: conversation.StopEnd}
			for range rapid.IntRange(0, 3).Draw(t, "calls") {
				m.Calls = append(m.Calls, conversation.ToolCall{ID: id(), Name: text(t, "name"), Arguments: text(t, "arguments")})
			}
			b = m
		case 2, 3:
			b = conversation.ToolResult{CallID: id(), Tool: "t", Status: conversation.ResultOK, Text: text(t, "result")}
		case 4:
			b = conversation.Notice{Level: conversation.NoticeInfo, Text: text(t, "notice")}
		case 5:
			kind := rapid.SampledFrom([]conversation.Kind{"aurora", "hologram"}).Draw(t, "unknown")
			b = conversation.Unknown{Name: kind, Raw: conversation.RawJSON(`{"x":1}`)}
		}
		Must(t, l.Commit(l.Prepare(Epoch, b)))
	}
	return l.Events()
}
