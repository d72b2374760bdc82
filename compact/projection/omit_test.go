package projection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

func TestLaterRepeatsDoNotBringBackWhatWasLeftOut(t *testing.T) {
	t.Parallel()
	// The line in place of the call and its result is hardly shorter than they are.
	text := strings.Repeat("of a file\n", 10)
	l := (&compacttest.Tale{}).User("Read it.").Call("read_file", "{}", conversation.ResultOK, text)
	for range 4 {
		l.User("Go on.").Reply("Yes.")
	}
	l.Add(conversation.Summary{Style: conversation.StylePlimsoll, Version: projection.BlockVersion, Spans: []conversation.Span{compacttest.Span(1, 3)},
		Policies: &conversation.Policies{ToolCalls: conversation.ToolCallsOmit}})
	v := projection.Project(l.Events())
	if v.Messages[1].State != projection.StateDropped {
		t.Fatalf("nothing is left out: %+v", v.Messages[1])
	}
	for i := range 9 {
		id := fmt.Sprint("again_", i)
		l.Add(conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: id, Name: "read_file", Arguments: "{}"}}},
			conversation.ToolResult{CallID: id, Tool: "read_file", Text: text, Repeats: 3})
	}
	whole := projection.Project(l.Events())
	if d := cmp.Diff(v.Messages, whole.Messages[:len(v.Messages)]); d != "" {
		t.Errorf("a longer log shows otherwise what a shorter one showed:\n%s", d)
	}
	if d := cmp.Diff(whole, v.Extend(l.Events()), compacttest.IgnoreUnexported); d != "" {
		t.Error(d)
	}
}
