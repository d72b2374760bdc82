package inspect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// jcliLog is the history of the source's example: three calls, with results of
// 1500, 2000 and 3000 bytes.
func jcliLog(t *testing.T) []conversation.Event {
	t.Helper()
	var l conversation.Log
	add := func(bodies ...conversation.Body) {
		if err := l.Commit(l.Prepare(conversationtest.Epoch, bodies...)); err != nil {
			t.Fatal(err)
		}
	}
	add(conversation.UserMessage{Text: "find it"})
	for _, step := range []struct {
		says, tool, id string
		bytes          int
	}{
		{"I'll search for that file", "Bash", "call_456", 1500},
		{"Found 3 matches, let me read them", "Read", "call_789", 2000},
		{"I'm loading the skill", "LoadSkill", "call_abc", 3000},
	} {
		add(conversation.AssistantMessage{Text: step.says, Stop: conversation.StopCalls,
			Calls: []conversation.ToolCall{{ID: step.id, Name: step.tool, Arguments: "{}"}}},
			conversation.ToolResult{CallID: step.id, Tool: step.tool, Status: conversation.ResultOK, Text: strings.Repeat("x", step.bytes)})
	}
	return l.Events()
}

func jcliResults(t *testing.T, keepRecent int) []string {
	t.Helper()
	rules := preset.RulesOf(preset.JCLI)
	rules.Micro.KeepRecent = keepRecent
	v, err := inspect.PresetView(jcliLog(t), edit.Inputs{Now: conversationtest.Epoch}, rules)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range v.Messages {
		if m.Role == projection.RoleTool {
			text := m.Text
			if strings.Trim(text, "x") == "" {
				text = fmt.Sprint(len(text), " bytes")
			}
			out = append(out, text)
		}
	}
	return out
}

// The source's example shows keep_recent=3 with two of three results replaced,
// which its own rule (compact what is older than the newest keep_recent) leaves
// alone. The rule wins; with nothing kept the example's outcome is the rule's.
func TestJCLIMicroExample(t *testing.T) {
	t.Parallel()
	if d := cmp.Diff([]string{"1500 bytes", "2000 bytes", "3000 bytes"}, jcliResults(t, 3)); d != "" {
		t.Errorf("three kept (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"[Previous: used Bash]", "[Previous: used Read]", "3000 bytes"}, jcliResults(t, 0)); d != "" {
		t.Errorf("none kept (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"[Previous: used Bash]", "2000 bytes", "3000 bytes"}, jcliResults(t, 2)); d != "" {
		t.Errorf("two kept (-want +got):\n%s", d)
	}
}
