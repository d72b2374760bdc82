package history_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/tui/history"
	"plimsoll/tui/pane"
)

func addEveryKind(r *rig) {
	at := r.addSample()
	r.add(conversation.ConfigChanged{Set: map[string]string{"compaction.preset": "jp", "compaction.auto.enabled": "false"}})
	r.add(conversation.Renamed{Title: "Ports \x1b[2J", By: "auto"})
	r.add(conversation.Attempt{Source: conversation.SourceAuto, Outcome: conversation.AttemptFailed, Why: "the server answered 500"})
	r.add(conversation.TurnFailed{Message: "Server error (500) after 4 tries", Hint: "is it running?"})
	r.add(conversation.Unpin{Events: []uint64{at["pinned"]}})
	capped := r.compact("", conversation.Cap{Items: []conversation.CapItem{{Event: at["hostile"], Head: 60, Tail: 60}}})
	r.compact("", conversation.Drop{Spans: []conversation.Span{{First: at["failed"] - 2, Last: at["fixed"]}}})
	undone := r.compact("", maskOf(at["hostile"]), conversation.Summary{Style: conversation.StylePlimsoll, Spans: []conversation.Span{{First: 1, Last: 3}},
		Policies: &conversation.Policies{Reasoning: conversation.ReasoningStrip}})
	revert := r.add(conversation.Revert{Epoch: undone, Origin: conversation.Origin{Source: conversation.SourceManual}})
	r.add(conversation.Revert{Epoch: revert, Redoes: undone})
	r.add(conversation.Revert{Event: at["rewind"]})
	r.add(conversation.Revert{Epoch: capped})
	r.add(conversation.Mask{Origin: conversation.Origin{Source: conversation.SourceManual, Trigger: "command"}})
	r.add(conversation.Mask{Origin: conversation.Origin{Source: conversation.SourceTool}})
	r.add(conversation.Mask{Origin: conversation.Origin{Source: conversation.SourceRecovery, Profile: "heavy", Preset: "plimsoll"}})
	r.add(conversation.MCPServer{Server: "files", State: "ready", Version: "files 1.2"})
	r.add(conversation.ToolsLoaded{Tools: []conversation.LoadedTool{{Name: "mcp__files__read"}}})
	r.add(conversation.SkillLoaded{Name: "pdf"})
	r.add(conversation.TaskStarted{Conversation: "7f3a", Prompt: "look"})
	r.add(conversation.TaskEnded{Conversation: "7f3a", State: "done", Tokens: 84_000})
	r.add(conversation.HookRan{Moment: "turn_end", Command: "notify", Reason: "exit status 1", Failed: true})
	r.add(conversation.InstructionsLoaded{Path: "a/AGENTS.md"})
	r.add(conversation.JobStarted{ID: "p1", Command: "make"})
	r.add(conversation.JobEnded{ID: "p1", Command: "make", How: "exit code 2", Duration: 61_000})
	files := []conversation.FileVersion{{Path: "a.go"}, {Path: "b\x1b[2J.go"}}
	r.add(conversation.Checkpoint{By: "modify_file", Files: files[:1]})
	r.add(conversation.Rewound{Turn: 2, Files: files})
	r.add(conversation.Unknown{Name: "aurora", Raw: conversation.RawJSON(`{}`)})
}

// A kind without a description would be shown like an event of a newer version.
func TestTheTestConversationHasEveryKind(t *testing.T) {
	t.Parallel()
	r := newRig(t, 110, 40)
	addEveryKind(r)
	seen := map[string]bool{}
	for _, e := range r.log.Events() {
		seen[string(e.Body.Kind())] = true
	}
	source, err := os.ReadFile("../../conversation/event.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`(?m)^\tKind\w+ +Kind = "(\w+)"$`).FindAllStringSubmatch(string(source), -1)
	if len(kinds) < 18 {
		t.Fatalf("only %d kinds were found: this test cannot read the source", len(kinds))
	}
	for _, kind := range kinds {
		if !seen[kind[1]] {
			t.Errorf("addEveryKind has no event of the kind %s: add one, and describe it in package history", kind[1])
		}
	}
}

// isEvent reports whether a row is an event other than a message.
func isEvent(row string) bool {
	return regexp.MustCompile(`^▌ ([▸▾] compacted|[·!] )`).MatchString(row)
}

func TestEveryEventHasItsLine(t *testing.T) {
	t.Parallel()
	r := newRig(t, 110, 40)
	addEveryKind(r)
	r.showLog()
	r.press("home")
	var b strings.Builder
	seen := ""
	for row := cursorRow(r); row != seen; row = cursorRow(r) {
		seen = row
		if isEvent(row) {
			lines := strings.Split(r.screen(), "\n")
			fmt.Fprintf(&b, "%s\n    why: %s\n    u: %v\n    r: %v\n", row, strings.TrimSpace(lines[len(lines)-2]), r.press("u"), r.press("r"))
			r.press("enter")
			for _, l := range strings.Split(cursorRow(r), "\n")[1:] {
				fmt.Fprintf(&b, "    %s\n", l)
			}
			r.press("ctrl+o")
		}
		r.press("j")
	}
	golden.RequireEqual(t, b.String())
}

func TestRowsSayHowTheyAreSent(t *testing.T) {
	t.Parallel()
	r := newRig(t, 110, 40)
	addEveryKind(r)
	r.showLog()
	var b strings.Builder
	for _, side := range []string{"both", "original", "as sent"} {
		fmt.Fprintf(&b, "== %s\n", side)
		r.press("home")
		seen := ""
		for row := cursorRow(r); row != seen; row = cursorRow(r) {
			if seen = row; !isEvent(row) {
				lines := strings.Split(r.screen(), "\n")
				fmt.Fprintf(&b, "%s\n    why: %s\n    p: %v  m: %v  u: %v\n", row, strings.TrimSpace(lines[len(lines)-2]), r.press("p"), r.press("m"), r.press("u"))
			}
			r.press("j")
		}
		r.press("tab")
	}
	golden.RequireEqual(t, b.String())
}

func TestKeysWorkInARequest(t *testing.T) {
	t.Parallel()
	r := newRig(t, 100, 40)
	at := r.addSample()
	r.showLog()
	wanted, _ := r.press("[").(history.RebuildRequest)
	r.Request(r.rebuilt(wanted.Event), nil)
	r.press("home", "enter")
	wantTexts(t, cursorRow(r), "system prompt", "You are a careful engineer.")
	if diff := cmp.Diff(pane.Action(pane.Copy{Text: "You are a careful engineer.\nAnswer shortly.", What: "system prompt"}), r.press("y")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if _, ok := r.press("p").(pane.Snackbar); !ok {
		t.Error("a system prompt can be pinned")
	}
	r.press("/")
	r.typeText("reads a")
	r.press("enter")
	wantTexts(t, cursorRow(r), "1 tool")
	r.press("end")
	if diff := cmp.Diff(pane.Action(pane.Pin{Events: []uint64{at["pinned"]}}), r.press("p")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	r.Refresh(r.content())
	wantTexts(t, cursorRow(r), "never touch go.mod")
	r.press("tab")
	wantTexts(t, r.screen(), "[both]")
	wantTexts(t, cursorRow(r), "never touch go.mod")
}
