package screen

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

func TestResultsAreFoundByEventByCallAndNewestCut(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	events := l.Prepare(time.Unix(0, 0), conversation.UserMessage{Text: "go"},
		conversation.ToolResult{CallID: "a", Text: "first", Total: 40_000, Blob: "x"},
		conversation.ToolResult{CallID: "b", Text: "second", Total: 50_000, Blob: "y"},
		conversation.ToolResult{CallID: "c", Text: "third"})
	for about, want := range map[string]string{"": "second", "e2": "first", "2": "first", "c": "third", "e4": "third"} {
		if _, r, err := findResult(events, about); err != nil || r.Text != want {
			t.Errorf("%q: %q, %v; want %q", about, r.Text, err, want)
		}
	}
	for _, about := range []string{"e1", "e9", "nobody", "0"} {
		if _, r, err := findResult(events, about); err == nil {
			t.Errorf("%q found %q", about, r.Text)
		}
	}
	if _, _, err := findResult(events[:1], ""); err == nil {
		t.Error("a conversation without results has one")
	}
}

func TestExpandFindsWhatIsNamed(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	events := l.Prepare(time.Now(), conversation.UserMessage{Text: "one"}, conversation.AssistantMessage{Text: "two", Calls: []conversation.ToolCall{{ID: "c1", Name: "ls", Arguments: "{}"}}},
		conversation.ToolResult{CallID: "c1", Tool: "ls", Text: "three", Total: 9}, conversation.Renamed{Title: "x"}, conversation.UserMessage{Text: "four"})
	for about, want := range map[string][]uint64{
		"": {3}, "e1": {1}, "2": {2}, "e2-3": {2, 3}, "t1": {5}, "t0": {1, 2, 3}, "c1": {3}, "(t0)": {1, 2, 3}, "e4": nil, "t7": nil, "nothing": nil,
	} {
		found, err := findSaid(events, about)
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

func TestAReplyIsExpandedWithAllItSays(t *testing.T) {
	t.Parallel()
	got := inFull(conversation.AssistantMessage{Reasoning: "why", Text: "what", Error: "gone", Calls: []conversation.ToolCall{{Name: "ls", Arguments: "{}"}}})
	if want := "[reasoning]\nwhy\n\nwhat\n\n→ ls {}\n\n[failed: gone]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
