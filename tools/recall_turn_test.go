package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools"
)

// notebook is an archive that grows.
type notebook struct {
	shelf
	log conversation.Log
}

func (n *notebook) add(t *testing.T, bodies ...conversation.Body) {
	t.Helper()
	if err := n.log.Commit(n.log.Prepare(time.Unix(0, 0), bodies...)); err != nil {
		t.Fatal(err)
	}
	n.events = n.log.Events()
}

// called is a reply with one call, and its result.
func called(id, tool, arguments, text string) []conversation.Body {
	return []conversation.Body{
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: arguments}}},
		conversation.ToolResult{CallID: id, Tool: tool, Status: conversation.ResultOK, Text: text},
	}
}

// growing is a Box on a conversation that said ten things.
func growing(t *testing.T, change ...func(*tools.Options)) (*tools.Box, *notebook) {
	t.Helper()
	n := &notebook{}
	for i := range 10 {
		n.add(t, conversation.AssistantMessage{Text: fmt.Sprintf("thing %d", i+1), Stop: conversation.StopEnd})
	}
	b, _ := open(t, nil, append(change, func(o *tools.Options) { o.Archive = n })...)
	return b, n
}

func TestOverlaysLeadToWhatTheyHide(t *testing.T) {
	t.Parallel()
	b, n := growing(t)
	n.add(t, conversation.UserMessage{Text: "read it"})                                                                                // e11
	n.add(t, called("c1", "read_file", `{"path":"x"}`, strings.Repeat("x", 9_000))...)                                                 // e12, e13
	n.add(t, conversation.Summary{Spans: []conversation.Span{{First: 11, Last: 13}}, Text: "a file was read", ToTurn: 0})              // e14
	n.add(t, conversation.Mask{Items: []conversation.MaskItem{{Event: 2}, {Event: 99}}}, conversation.Drop{Made: conversation.Made{}}) // e15, e16
	for id, want := range map[string]string{
		"e14": "the messages that this summary covers\n\n--- e11: message of the user, turn 0\nread it\n\n--- e12",
		"e15": "the messages that this mask covers\n\n--- e2: reply, turn 0\nthing 2",
	} {
		if got := succeed(t, b, "recall", map[string]any{"id": id}); !strings.Contains(got, want) {
			t.Errorf("%s: %s", id, got)
		}
	}
	list := succeed(t, b, "recall", nil)
	if want := ":\ne2  reply, turn 0\ne16  drop of 0 messages\ne14  summary of 3 messages"; !strings.HasSuffix(list, want) {
		t.Errorf("got %s", list)
	}
}

func TestWhatWasTakenBackSaysSo(t *testing.T) {
	t.Parallel()
	b, n := growing(t)
	n.add(t, conversation.UserMessage{Text: "zero"}, conversation.UserMessage{Text: "one"}, conversation.Rewind{Turn: 1}, conversation.UserMessage{Text: "two"})
	for id, want := range map[string]string{
		"e11": "message of the user, turn 0\n", "e12": "message of the user, turn 1 (undone)\n", "t1": "e12: message of the user, turn 1 (undone)\n",
		"e14": "message of the user, turn 2\n",
	} {
		if got := succeed(t, b, "recall", map[string]any{"id": id}); !strings.Contains(got, want) {
			t.Errorf("%s: %s", id, got)
		}
	}
	if got := succeed(t, b, "search_history", map[string]any{"query": "one"}); !strings.Contains(got, "e12: message of the user, turn 1 (undone)\none") {
		t.Errorf("got %s", got)
	}
	n.add(t, conversation.Revert{Event: 13}, conversation.UserMessage{Text: "three"})
	if got := succeed(t, b, "recall", map[string]any{"id": "e12"}); !strings.Contains(got, "message of the user, turn 1\n") {
		t.Errorf("given back: %s", got)
	}
}

func TestACallWithoutAResultLeadsToItsReply(t *testing.T) {
	t.Parallel()
	b, n := growing(t)
	n.add(t, called("c1", "run_command", `{"command":"make"}`, "")[:1]...)
	if got := succeed(t, b, "recall", map[string]any{"id": "c1"}); !strings.HasSuffix(got, "-- arguments of the call c1 to run_command\n{\"command\":\"make\"}") {
		t.Errorf("got %s", got)
	}
}
