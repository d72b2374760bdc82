package conversation_test

import (
	"testing"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestACallAnsweredTwiceDoesNotCloseItsUnit(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	units := conversation.Units(l.Prepare(conversationtest.Epoch,
		conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "a", Name: "t"}, {ID: "b", Name: "t"}}},
		conversation.ToolResult{CallID: "a"}, conversation.ToolResult{CallID: "a"}))
	if len(units) != 1 || !units[0].Open || len(units[0].Events) != 3 {
		t.Errorf("%+v", units)
	}
}
