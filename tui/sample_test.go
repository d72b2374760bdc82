package tui_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/agent/updates"
	"plimsoll/compact/inspect"
	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/tui"
)

// The sample conversation has all kinds of events that the keys of full-screen views act on.

// Events of the sample conversation.
const (
	atQuestion = 1
	atCut      = 4  // a result that was truncated when it arrived, and is summarised now
	atFound    = 5  // the reply after it
	atFix      = 7  // a message of the user
	atRun      = 10 // a result that is sent unchanged
	atSummary  = 13
	atUndone   = 14 // a mask
	atUndo     = 15 // the undo of the mask
	atRewound  = 19 // a message that the rewind undoes
	atRewind   = 22
	atLast     = 23
)

// sampleConversation returns the bodies of its events, in order. The first has Seq 1.
func sampleConversation() []conversation.Body {
	call := func(id, tool, arguments string) conversation.AssistantMessage {
		return conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: arguments}}}
	}
	usage := func(reply uint64, prompt int) conversation.Usage {
		return conversation.Usage{Reply: reply, Model: "openai/gpt-5.6-luna", Prompt: prompt, Cached: prompt / 2, BodyHash: "1a2b3c"}
	}
	origin := func(epoch uint64, why string) conversation.Origin {
		return conversation.Origin{Epoch: epoch, Source: conversation.SourceManual, Trigger: "command", Before: 9_100, After: 3_400, Why: why}
	}
	reply := func(text string) conversation.AssistantMessage {
		return conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd}
	}
	return []conversation.Body{
		conversation.UserMessage{Text: "why does TestUpload fail on CI?"},
		call("1", "read_file", `{"path":"upload_test.go"}`), usage(2, 4_100),
		conversation.ToolResult{CallID: "1", Tool: "read_file", Status: conversation.ResultOK, Text: strings.Repeat("a line of the test\n", 90), Total: 40_000},
		reply("The test shares port 8080 between runs."), usage(atFound, 4_700),
		conversation.UserMessage{Text: "so fix it, in upload.go too"},
		call("2", "run_command", `{"command":"go test ./upload"}`), usage(8, 5_000),
		conversation.ToolResult{CallID: "2", Tool: "run_command", Status: conversation.ResultOK, Text: strings.Repeat("ok upload 0.4s\n", 80)},
		reply("Both listen on :0 by now."), usage(11, 5_400),
		conversation.Summary{Origin: origin(atSummary, "turn 0 summarised"), Style: conversation.StylePlimsoll, Version: projection.BlockVersion, ToTurn: 0,
			Spans: []conversation.Span{{First: atQuestion, Last: atFound}}, Text: "TestUpload shares a port.\n\nWhat e4 gave in turn 0 shows why; turn 1 mends it."},
		conversation.Mask{Origin: origin(atUndone, "1 result masked"), Style: conversation.StylePlimsoll, Version: projection.StubVersion,
			Items: []conversation.MaskItem{{Event: atRun, Part: conversation.PartResult}}},
		conversation.Revert{Origin: origin(atUndo, "undone: 1 result masked"), Epoch: atUndone},
		conversation.UserMessage{Text: "never touch go.mod"}, reply("I will not."), usage(17, 5_500),
		conversation.UserMessage{Text: "forget that, use port 9090"}, reply("9090 it is."), usage(20, 5_600),
		conversation.Rewind{Turn: 3},
		conversation.UserMessage{Text: "now run it ten times"}, reply("Ten of ten pass."), usage(24, 5_700),
	}
}

func withSampleLog(r *rig, _ *tui.Options) { r.setLog(sampleConversation()...) }

func (r *rig) setLog(bodies ...conversation.Body) {
	r.t.Helper()
	r.first.Title = "Fix flaky upload test"
	r.commitEvents(bodies...)
	log := r.openLog.Events()
	r.first.Events, r.first.Meter = log, r.first.Meter.WithView(projection.Project(log))
	r.archive.requests = map[uint64]inspect.RebuiltRequest{}
	for _, q := range inspect.SentRequests(log) {
		r.archive.requests[q.Event] = inspect.RebuiltRequest{SentRequest: q, System: "You are a careful engineer.", Messages: projection.Project(log[:q.Through]).Messages,
			Body: []byte(`{"model":"gpt-5.6-luna"}`), Hash: strings.Repeat("1a2b3c", 10), MatchesSent: true}
	}
	hit := find.Hit{Conversation: "first", Title: "Fix flaky upload test", Event: atFix, Turn: 1, Time: time.Date(1999, 12, 29, 8, 0, 0, 0, time.UTC), Who: "user", Excerpt: "so fix it, in upload.go too", At: find.Span{Start: 3, End: 6}}
	other := hit
	other.Conversation, other.Title, other.Event = "other", "Another one", 3
	r.archive.found = map[string]tui.Found{"fix": {Query: "fix", Hits: []find.Hit{hit, other}, Conversations: 12, Took: 40 * time.Millisecond}}
}

// commitEvents adds bodies to the open log, and returns their events.
func (r *rig) commitEvents(bodies ...conversation.Body) []conversation.Event {
	r.t.Helper()
	events := r.openLog.Prepare(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), bodies...)
	if err := r.openLog.Commit(events); err != nil {
		r.t.Fatal(err)
	}
	return events
}

// appendEvents adds events to the open log, and sends their updates.
func (r *rig) appendEvents(bodies ...conversation.Body) {
	r.t.Helper()
	events := r.commitEvents(bodies...)
	r.sendUpdates(updates.Appended{Events: events}, updates.Metered{Meter: r.first.Meter.WithView(projection.Project(r.openLog.Events()))})
}

// breakdown returns the agent's breakdown of the sample conversation.
func (r *rig) breakdown() inspect.Breakdown {
	reading := r.first.Meter.Reading()
	return inspect.Breakdown{Reading: reading,
		Forecast: planner.Forecast{Timing: planner.Timing{State: planner.TimingReady, AtTokens: 108_800, TokensLeft: 108_300, Turns: 4}, SummaryTo: -1, EvictTo: 2, EvictsMore: true,
			ColdTo: -1, ColdLine: 76_800, After: 51_200, MayAskModel: true, Rule: "preset plimsoll"},
		Heaviest: []inspect.Item{
			{Event: atRun, Turn: 1, Kind: projection.Results, Label: "run_command go test ./upload", Tokens: 300, Original: 300, State: projection.StateVerbatim},
			{Kind: projection.Tools, Label: "definitions of 14 tools", Tokens: 40, Original: 40, State: projection.StateVerbatim},
			{Event: atFix, Turn: 1, Kind: projection.User, Label: "so fix it, in upload.go too", Tokens: 12, Original: 12, State: projection.StateVerbatim},
		}}
}

func pendingReview() updates.Reviewing {
	return updates.Reviewing{Text: "## Goal\n\nTestUpload is to pass on CI.\n" + strings.Repeat("\nA finding of some words.\n", 30), Appendix: "Files: upload.go", ToTurn: 1, Covers: 9_100}
}

// openView lists the full-screen views, each with the keys that open it.
var openView = map[string]func(*rig){
	"history":  func(r *rig) { r.press("ctrl+t") },
	"context":  func(r *rig) { r.submit("/context"); r.sendUpdates(updates.Inspected{Breakdown: r.breakdown()}) },
	"ledger":   func(r *rig) { r.submit("/ledger") },
	"preview":  func(r *rig) { r.press("ctrl+k"); r.sendUpdates(previewAnswer(plan)) },
	"review":   func(r *rig) { r.sendUpdates(pendingReview()); r.submit("/review"); r.wait(5 * time.Second) },
	"search":   func(r *rig) { r.submit("/search fix") },
	"settings": func(r *rig) { r.submit("/settings"); r.sendUpdates(updates.Inspected{Breakdown: r.breakdown()}) },
	"diff":     func(r *rig) { r.appendEvents(fileEdits()...); r.submit("/diff") },
}

// fileEdits returns calls that change files, with their diffs.
func fileEdits() []conversation.Body {
	var long strings.Builder
	for i := range 80 {
		fmt.Fprintf(&long, "+line %d of two words\n", i+1)
	}
	details := []string{
		"--- a/upload.go\n+++ b/upload.go\n@@ -12,3 +12,3 @@\n func Listen() {\n-\tsrv := NewServer(\":8080\")\n+\tsrv := NewServer(\":0\")\n }\n",
		"--- /dev/null\n+++ b/notes/other.md\n@@ -0,0 +1,80 @@\n" + long.String(),
		"--- a/zebra.go\n+++ b/zebra.go\n@@ -1 +1 @@\n-one\n+two words\n",
	}
	var out []conversation.Body
	for i, d := range details {
		id := fmt.Sprintf("edit %d", i)
		out = append(out, conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: "modify_file", Arguments: "{}"}}},
			conversation.ToolResult{CallID: id, Tool: "modify_file", Status: conversation.ResultOK, Text: "done", Detail: d})
	}
	return out
}

// viewTitles holds the first line of each view.
var viewTitles = map[string]string{
	"history": " History", "context": " Context", "ledger": " Ledger", "preview": " Compact ", "review": " Summary of", "search": " Search", "diff": " Diff", "settings": " Settings",
}

// A view with keys is opened by the tests of all views, and its keys can be bound.
func TestEveryViewIsTested(t *testing.T) {
	t.Parallel()
	for _, f := range reflect.VisibleFields(reflect.TypeFor[tui.KeyMap]()) {
		name := strings.ToLower(f.Name)
		if name == "screen" || name == "composer" || name == "dialogs" {
			continue
		}
		if openView[name] == nil || viewTitles[name] == "" {
			t.Errorf("%s is missing in openView or in viewTitles", name)
		}
		if !slices.ContainsFunc(tui.Actions(), func(action string) bool { return strings.HasPrefix(action, name+"_") }) {
			t.Errorf("no key of %s can be bound: it is missing in KeyMap.views", name)
		}
	}
}

func inEachView(t *testing.T, test func(r *rig, name string)) {
	t.Helper()
	for name, open := range openView {
		screenOf(t, name, withSampleLog, func(r *rig) {
			open(r)
			r.wantView(name)
			r.calls = nil
			test(r, name)
		})
	}
}

// wantView fails unless a view is visible; "" is the main screen.
func (r *rig) wantView(name string) {
	r.t.Helper()
	for view, title := range viewTitles {
		if got := strings.HasPrefix(" "+strings.TrimLeft(r.lines()[0], " "), title); got != (view == name) {
			r.t.Fatalf("want the view %q, and no other:\n%s", name, r.text())
		}
	}
}

// selectRow moves the cursor of a list to the first row that contains a text.
func (r *rig) selectRow(text string) {
	r.t.Helper()
	r.press("home")
	for range 200 {
		for _, l := range r.lines() {
			if !strings.HasPrefix(l, "▌") && !strings.HasPrefix(l, "❯") && !strings.HasPrefix(l, " ❯") {
				continue
			}
			if strings.Contains(l, text) {
				return
			}
			break // a row of several lines is identified by its first line
		}
		r.press("down")
	}
	r.t.Fatalf("no row has %q:\n%s", text, r.text())
}
