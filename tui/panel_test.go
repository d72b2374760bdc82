package tui_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// On a wide screen the panel shows what fills the window and what happened; a key closes it, and it never takes a narrow screen.
func TestThePanelStandsBesideTheTranscript(t *testing.T) {
	change := conversation.ToolResult{CallID: "w", Tool: "modify_file", Status: conversation.ResultOK, Text: "modified",
		Detail: "--- a/far/hull.go\n+++ b/far/hull.go\n@@ -1,1 +1,2 @@\n-old\n+new\n+more\n"}
	with := func(r *rig, o *tui.Options) {
		o.Panel = "auto"
		r.setLog(conversation.UserMessage{Text: "hello"},
			conversation.AssistantMessage{Text: "Hi.", Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: "w", Name: "modify_file", Arguments: "{}"}}},
			change, change, conversation.MCPServer{Server: "forge" + evil, State: "ready", Tools: 7}, conversation.JobStarted{ID: "j", Command: "make " + evil})
	}
	screen(t, with, func(r *rig) {
		r.wantNoText("Files changed")
		r.resize(150, 40)
		r.wantText("│ Context", "replies", "free", "│ Files changed", "far/hull.go", "+4 −2", "│ Servers", "7 tools", "│ Running", "$ make ", "␛")
		r.press("alt+p")
		r.wantNoText("Files changed")
		r.press("alt+p")
		r.wantText("│ Files changed")
		r.resize(120, 40) // chosen, so it stays while there is room
		r.wantText("│ Files changed")
		r.resize(100, 40)
		r.wantNoText("Files changed")
		r.press("alt+p")
		r.wantText("the panel needs 110 columns and 20 lines")
		r.resize(150, 40)
		change.Detail = strings.ReplaceAll(change.Detail, "hull.go", "keel.go")
		r.next.Events, r.next.Meter = slices.Clone(r.first.Events), r.first.Meter
		r.next.Events[2].Body, r.next.Events[3].Body = change, change
		r.openNewConversation()
		r.wantText("far/keel.go")
		r.wantNoText("hull.go")
	})
}

// The command runs when the conversation opens and when a turn ends; its output is shown harmless, and so is its failure.
func TestAStatusLineOfOnesOwnReplacesTheHints(t *testing.T) {
	results := []struct {
		text string
		err  error
	}{{"on main " + evil, nil}, {"", errors.New("no such " + evil)}, {"", nil}}
	with := func(_ *rig, o *tui.Options) {
		o.OwnStatus = func(_ context.Context, f tui.StatusFacts) (string, error) {
			if f.Model == "" || f.Mode == "" {
				t.Errorf("the command is told %+v", f)
			}
			next := results[0]
			results = results[1:]
			return next.text, next.err
		}
	}
	screen(t, with, func(r *rig) {
		r.wantText("on main ", "␛")
		r.wantNoText("enter send")
		r.sendUpdates(updates.Status{Phase: updates.Streaming})
		r.wantText("on main ")
		r.sendUpdates(updates.Status{Phase: updates.Idle})
		r.wantText("ui.status_command: no such ", "␛")
		r.sendUpdates(updates.Status{Phase: updates.Streaming}, updates.Status{Phase: updates.Idle})
		r.wantText("enter send")
	})
}
