package tui_test

import (
	"fmt"
	"testing"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

func TestContextViewCommands(t *testing.T) {
	for name, c := range map[string]struct{ row, key, wantCall, wantText, wantView string }{
		"jump":          {row: "run_command", key: "enter", wantView: "history", wantText: "e10 "},
		"pin":           {row: "so fix it", key: "p", wantCall: "first pin [7] true", wantView: "context"},
		"mask":          {row: "run_command", key: "m", wantCall: "first mask [10]", wantView: "context"},
		"preview":       {row: "run_command", key: "c", wantCall: "first preview", wantView: "preview"},
		"explain":       {row: "run_command", key: "?", wantView: "context", wantText: "─ run_command"},
		"nothing to do": {row: "load line", key: "p", wantView: "context", wantText: "Only one of the heaviest items"},
		"close":         {row: "load line", key: "q", wantView: ""},
		"escape":        {row: "load line", key: "esc", wantView: ""},
	} {
		screenOf(t, name, withSampleLog, func(r *rig) {
			openView["context"](r)
			r.selectRow(c.row)
			r.calls = nil
			r.press(c.key)
			if c.wantCall == "" {
				r.wantCalls()
			} else {
				r.wantCalls(c.wantCall)
			}
			r.wantView(c.wantView)
			r.wantText(c.wantText)
		})
	}
}

// The breakdown is requested only after new events in the log. The used tokens change with
// every token of a reply.
func TestContextViewFollowsTheConversation(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		openView["context"](r)
		r.wantInspected()
		used := fmt.Sprintf("~%d of 128k", r.first.Meter.Reading().Used)
		r.wantText(used)
		streaming(r, "words of a reply that has been arriving for a while by now, and goes on")
		r.wantNoText(used)
		r.wantCalls()
		if r.inspected > 0 {
			t.Error("a breakdown was requested for a part of a reply")
		}
		r.appendEvents(conversation.UserMessage{Text: "and more"})
		r.wantInspected()
		changed := r.breakdown()
		changed.Heaviest[0].Label = "read_file another.go"
		r.sendUpdates(updates.Inspected{Breakdown: changed})
		r.selectRow("read_file another.go")
	})
}
