package screen

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

func TestExpandFindsTheNamedMessage(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	events := l.Prepare(time.Now(), conversation.UserMessage{Text: "one"}, conversation.AssistantMessage{Text: "two", Calls: []conversation.ToolCall{{ID: "c1", Name: "ls", Arguments: "{}"}}},
		conversation.ToolResult{CallID: "c1", Tool: "ls", Text: "three", Total: 9}, conversation.Renamed{Title: "x"}, conversation.UserMessage{Text: "four"})
	for about, want := range map[string][]uint64{
		"": {3}, "e1": {1}, "2": {2}, "e2-3": {2, 3}, "t1": {5}, "t0": {1, 2, 3}, "c1": {3}, "(t0)": {1, 2, 3}, "e4": nil, "t7": nil, "nothing": nil,
	} {
		found, err := findEvents(events, about)
		var got []uint64
		for _, e := range found {
			got = append(got, e.Seq)
		}
		if err != nil {
			got = nil
		}
		if d := cmp.Diff(want, got); d != "" || (err != nil) != (want == nil) {
			t.Errorf("%q: %v %s", about, err, d)
		}
	}
}

func TestAnExpandedReplyHasAllItsParts(t *testing.T) {
	t.Parallel()
	got := fullReplyText(conversation.AssistantMessage{Reasoning: "why", Text: "what", Error: "gone", Calls: []conversation.ToolCall{{Name: "ls", Arguments: "{}"}}})
	if want := "[reasoning]\nwhy\n\nwhat\n\n→ ls {}\n\n[failed: gone]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
