package conversation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestRewoundByCoversUnitsThatBeganInTheRewoundTurns(t *testing.T) {
	t.Parallel()
	call := conversation.ToolCall{ID: "a", Name: "t", Arguments: "{}"}
	var l conversation.Log
	add := func(bodies ...conversation.Body) {
		conversationtest.Must(t, l.Commit(l.Prepare(conversationtest.Epoch, bodies...)))
	}
	add(conversation.UserMessage{Text: "zero"}, conversation.AssistantMessage{Calls: []conversation.ToolCall{call}},
		conversation.UserMessage{Text: "one"}, conversation.ToolResult{CallID: "a", Tool: "t"}, // late, of turn 0
		conversation.AssistantMessage{Text: "yes"})
	if rewinds := conversation.RewoundBy(l.Events()); rewinds != nil {
		t.Errorf("without a rewind %v is rewound", rewinds)
	}
	add(conversation.Rewind{Turn: 1}, conversation.UserMessage{Text: "two"})
	if d := cmp.Diff([]uint64{0, 0, 6, 0, 6, 0, 0}, conversation.RewoundBy(l.Events())); d != "" {
		t.Error(d)
	}
	add(conversation.Revert{Event: 6})
	if rewinds := conversation.RewoundBy(l.Events()); rewinds != nil {
		t.Errorf("with the rewind reverted %v is rewound", rewinds)
	}
}
