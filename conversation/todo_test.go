package conversation_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

func wrote(id, todos string, status conversation.ResultStatus) []conversation.Body {
	return []conversation.Body{
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: conversation.ToolTodoWrite, Arguments: `{"todos":[` + todos + `]}`}}},
		conversation.ToolResult{CallID: id, Tool: conversation.ToolTodoWrite, Status: status},
	}
}

func TestTheChecklistInForce(t *testing.T) {
	t.Parallel()
	ask := conversation.UserMessage{Text: "go on"}
	first, second := wrote("1", `{"text":"read"}`, conversation.ResultOK), wrote("2", `{"text":"write"}`, conversation.ResultOK)
	failed := wrote("3", `{"text":""}`, conversation.ResultError)
	var log conversation.Log
	for _, step := range []struct {
		bodies []conversation.Body
		want   string
	}{
		{[]conversation.Body{ask}, ""},
		{first, `{"todos":[{"text":"read"}]}`},
		{append([]conversation.Body{ask}, second...), `{"todos":[{"text":"write"}]}`},
		{failed, `{"todos":[{"text":"write"}]}`},
		{[]conversation.Body{conversation.Rewind{Turn: 1}}, `{"todos":[{"text":"read"}]}`},
		{[]conversation.Body{conversation.Revert{Event: 9}}, `{"todos":[{"text":"write"}]}`},
	} {
		if err := log.Commit(log.Prepare(time.Unix(0, 0), step.bodies...)); err != nil {
			t.Fatal(err)
		}
		if got := conversation.LastTodos(log.Events()); got != step.want {
			t.Errorf("after %d events: %s, want %s", len(log.Events()), got, step.want)
		}
	}
	want := []conversation.Todo{{Text: "one two", Status: conversation.TodoDone}}
	if d := cmp.Diff(want, conversation.ParseTodos(`{"todos":[{"text":"  "},{"text":"one\n two","status":"done"}]}`)); d != "" || conversation.ParseTodos("[]") != nil {
		t.Errorf("parsed (-want +got): %s", d)
	}
}
