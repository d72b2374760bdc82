package projection_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestExtendEqualsProject(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := compacttest.RandomLog(t)
		cut := rapid.IntRange(0, len(events)).Draw(t, "cut")
		prefix := projection.Project(events[:cut])
		whole, extended := projection.Project(events), prefix.Extend(events)
		if d := cmp.Diff(whole, extended, compacttest.IgnoreUnexported); d != "" {
			t.Fatalf("extended differs (-project +extend):\n%s", d)
		}
		// The prefix is what it was, also when it is extended twice.
		again := prefix.Extend(events)
		if d := cmp.Diff(whole, again, compacttest.IgnoreUnexported); d != "" {
			t.Fatalf("second extension differs:\n%s", d)
		}
		if d := cmp.Diff(projection.Project(events[:cut]), prefix, compacttest.IgnoreUnexported); d != "" {
			t.Fatalf("extending changed the view it started from:\n%s", d)
		}
	})
}

func TestNewEventsOnlyAppendMessages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := compacttest.RandomLog(t)
		newest := 0 // what overlays change may be changed from the start on
		for i, e := range events {
			if e.Body.Kind().IsOverlay() {
				newest = i + 1
			}
		}
		w := conversationtest.NewWriter(t, events)
		w.Turn(t)
		events = w.Events()
		cut := rapid.IntRange(newest, len(events)).Draw(t, "cut")
		short, long := projection.Project(events[:cut]), projection.Project(events)
		if d := cmp.Diff(short.Messages, long.Messages[:len(short.Messages)], cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("the prefix changed:\n%s", d)
		}
		if d := cmp.Diff(short.Absent, long.Absent, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("what is absent changed:\n%s", d)
		}
	})
}

func TestHardenedRequestsAreValid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v, c := projection.Project(compacttest.RandomLog(t)), compacttest.Capabilities(t)
		messages, err := projection.Harden(v, c)
		compacttest.CheckRequest(t, messages, c)
		sendable := len(messages) > 0 && messages[len(messages)-1].Role != projection.RoleAssistant
		if sendable != (err == nil) || err != nil && !errors.Is(err, projection.ErrNothingToSend) {
			t.Fatalf("sendable %v, error %v", sendable, err)
		}
		if again, _ := projection.Harden(v, c); cmp.Diff(messages, again) != "" {
			t.Fatal("not deterministic")
		}
		twice, _ := projection.Harden(projection.View{Messages: messages}, c)
		if d := cmp.Diff(messages, twice, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("not idempotent:\n%s", d)
		}
	})
}

func TestInvalidToolNamesAreReplaced(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"read_file": "read_file", "multi_tool_use.parallel": "multi_tool_use_parallel", "": "unnamed", "é x": "___x",
		strings.Repeat("n", 70): strings.Repeat("n", 64),
	} {
		var l conversation.Log
		v := projection.Project(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: "x"},
			conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "a", Name: name}}},
			conversation.ToolResult{CallID: "a", Tool: name, Text: "there is no such tool"}))
		messages, err := projection.Harden(v, projection.Capabilities{})
		if err != nil || messages[1].Calls[0].Name != want || messages[2].Tool != want {
			t.Errorf("%q: %+v, %v", name, messages, err)
		}
	}
}

func TestRepeatedCallIDsKeepTheirOwnResults(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	call := []conversation.ToolCall{{ID: "a", Name: "t", Arguments: "{}"}}
	v := projection.Project(l.Prepare(conversationtest.Epoch,
		conversation.UserMessage{Text: "x"},
		conversation.AssistantMessage{Calls: call},
		conversation.AssistantMessage{Calls: call}, conversation.ToolResult{CallID: "a", Tool: "t", Text: "second"},
		conversation.AssistantMessage{Calls: call}, conversation.ToolResult{CallID: "a", Tool: "t", Text: "third"}))
	messages, err := projection.Harden(v, projection.Capabilities{})
	conversationtest.Must(t, err)
	var answers []string
	for _, m := range messages {
		if m.Role == projection.RoleTool {
			answers = append(answers, m.Text)
		}
	}
	want := []string{"interrupted: the call was stopped before it had a result", "second", "third"}
	if d := cmp.Diff(want, answers); d != "" {
		t.Error(d)
	}
}
