package cli

import (
	"testing"
	"time"

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
