package compact_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

var ignoreUnexported = cmpopts.IgnoreUnexported(projection.View{})

// capabilities draws what an endpoint may want.
func capabilities(t *rapid.T) projection.Capabilities {
	return projection.Capabilities{
		Alternate: rapid.Bool().Draw(t, "alternate"),
		NoTools:   rapid.Bool().Draw(t, "no tools"),
		CallIDs:   rapid.SampledFrom([]projection.CallIDForm{projection.CallIDAny, projection.CallIDMistral}).Draw(t, "ids"),
	}
}

// logs draws a log without overlays.
func logs(t *rapid.T) []conversation.Event {
	if rapid.Bool().Draw(t, "malformed") {
		return conversationtest.Malformed(t)
	}
	return conversationtest.Log(t)
}

func TestExtendingIsProjecting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := randomLog(t)
		cut := rapid.IntRange(0, len(events)).Draw(t, "cut")
		prefix := projection.Project(events[:cut])
		whole, extended := projection.Project(events), prefix.Extend(events)
		if d := cmp.Diff(whole, extended, ignoreUnexported); d != "" {
			t.Fatalf("extended differs (-project +extend):\n%s", d)
		}
		// The prefix is what it was, also when it is extended twice.
		again := prefix.Extend(events)
		if d := cmp.Diff(whole, again, ignoreUnexported); d != "" {
			t.Fatalf("second extension differs:\n%s", d)
		}
		if d := cmp.Diff(projection.Project(events[:cut]), prefix, ignoreUnexported); d != "" {
			t.Fatalf("extending changed the view it started from:\n%s", d)
		}
	})
}

func TestAddingEventsOnlyAddsAtTheEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := randomLog(t)
		newest := 0 // what overlays change may be changed from the start on
		for i, e := range events {
			if e.Body.Kind().Overlay() {
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
		v, c := projection.Project(randomLog(t)), capabilities(t)
		messages, err := projection.Harden(v, c)
		checkRequest(t, messages, c)
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

var (
	anyID     = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	mistralID = regexp.MustCompile(`^[A-Za-z0-9]{9}$`)
)

// checkRequest is what Harden guarantees, as a checker.
func checkRequest(t *rapid.T, messages []projection.Message, c projection.Capabilities) {
	if found := problems(messages, c); len(found) > 0 {
		t.Fatal(strings.Join(found, "\n"))
	}
}

// problems says what is wrong with a request.
func problems(messages []projection.Message, c projection.Capabilities) (found []string) {
	wrong := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if len(messages) > 0 && messages[0].Role != projection.RoleUser {
		wrong("begins with %s", messages[0].Role)
	}
	ids := map[string]bool{}
	var open []string
	for i, m := range messages {
		if m.Role == projection.RoleTool {
			if len(open) == 0 || open[0] != m.CallID {
				wrong("message %d answers %q, open are %q", i, m.CallID, open)
			} else {
				open = open[1:]
			}
		} else if len(open) > 0 {
			wrong("message %d comes before the answers to %q", i, open)
		}
		if m.Text == "" && len(m.Calls) == 0 {
			wrong("message %d is empty", i)
		}
		if !utf8.ValidString(m.Text) || strings.ContainsRune(m.Text, 0) {
			wrong("message %d is no text: %q", i, m.Text)
		}
		if c.NoTools && (len(m.Calls) > 0 || m.Role == projection.RoleTool) {
			wrong("message %d uses tools", i)
		}
		if c.Alternate && i > 0 && messages[i-1].Role == m.Role && m.Role == projection.RoleUser {
			wrong("message %d repeats the role %s", i, m.Role)
		}
		for _, call := range m.Calls {
			form := anyID
			if c.CallIDs == projection.CallIDMistral {
				form = mistralID
			}
			if !form.MatchString(call.ID) || ids[call.ID] {
				wrong("message %d: id %q is malformed or used twice", i, call.ID)
			}
			if !anyID.MatchString(call.Name) {
				wrong("message %d: no endpoint takes the name %q", i, call.Name)
			}
			var object map[string]any
			if err := json.Unmarshal([]byte(call.Arguments), &object); err != nil {
				wrong("message %d: arguments %q", i, call.Arguments)
			}
			ids[call.ID] = true
			open = append(open, call.ID)
		}
	}
	if len(open) > 0 {
		wrong("unanswered: %q", open)
	}
	return found
}

func TestUnappliedOverlaysAreNamed(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	v := projection.Project(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: "a"},
		conversation.Unknown{Name: conversation.KindMask, Raw: conversation.RawJSON(`{}`)}))
	if len(v.Messages) != 1 || len(v.Notes) != 1 || v.Revision != 2 {
		t.Errorf("messages %d, notes %q, revision %d", len(v.Messages), v.Notes, v.Revision)
	}
}

func TestBlankTextBeforeCallsIsLeftOut(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	v := projection.Project(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: "x"},
		conversation.AssistantMessage{Text: "\n\n", Calls: []conversation.ToolCall{{ID: "a", Name: "t"}}}))
	messages, err := projection.Harden(v, projection.Capabilities{})
	if err != nil || messages[1].Text != "" || messages[1].Size.Chars() != 0 || len(messages[1].Calls) != 1 {
		t.Errorf("%+v, %v", messages, err)
	}
}

func TestNamesOfToolsThatNoEndpointTakesAreReplaced(t *testing.T) {
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

func TestRepeatedCallIDsKeepTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	call := []conversation.ToolCall{{ID: "a", Name: "t", Arguments: "{}"}}
	v := projection.Project(l.Prepare(conversationtest.Epoch,
		conversation.UserMessage{Text: "x"},
		conversation.AssistantMessage{Calls: call},
		conversation.AssistantMessage{Calls: call}, conversation.ToolResult{CallID: "a", Tool: "t", Text: "second"},
		conversation.AssistantMessage{Calls: call}, conversation.ToolResult{CallID: "a", Tool: "t", Text: "third"}))
	messages, err := projection.Harden(v, projection.Capabilities{})
	if err != nil {
		t.Fatal(err)
	}
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

func TestMergedMessagesSayWhatTheyAreMadeOf(t *testing.T) {
	t.Parallel()
	l := filesRead(1, 3).summary(conversation.StylePlimsoll, 1, 4, 0, 0, "s").user("And now?").user("Well?")
	messages, err := projection.Harden(projection.Project(l.events()), projection.Capabilities{Alternate: true})
	if err != nil || len(messages) != 1 {
		t.Fatalf("%v: %+v", err, messages)
	}
	m := messages[0]
	if m.State != projection.StateSummarised || m.Overlay != 5 || m.Why == "" || !strings.HasSuffix(m.Text, "s\n\nAnd now?\n\nWell?") {
		t.Errorf("%+v", m)
	}
	if d := cmp.Diff([]uint64{1, 2, 3, 4, 6, 7}, m.Events); d != "" {
		t.Error(d)
	}
}
