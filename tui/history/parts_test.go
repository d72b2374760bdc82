package history

import (
	"slices"
	"testing"
	"time"

	"plimsoll/compact/projection"

	"charm.land/bubbles/v2/key"

	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// The parts of the history stand alone: what they need is given to them.

// talk is a question, a call with its result, and an answer.
func talk(t *testing.T) *book {
	t.Helper()
	var log conversation.Log
	events := log.Prepare(time.Date(2026, 1, 2, 14, 0, 0, 0, time.UTC),
		conversation.UserMessage{Text: "why is the upload flaky?"},
		conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "c1", Name: "grep", Arguments: `{"pattern":"port"}`}}},
		conversation.ToolResult{CallID: "c1", Tool: "grep", Status: conversation.ResultOK, Text: "a shared port"},
		conversation.AssistantMessage{Text: "They share a port."})
	if err := log.Commit(events); err != nil {
		t.Fatal(err)
	}
	b := open(Content{Log: log.Events(), View: projection.Project(log.Events())})
	b.show(sideBoth, nil)
	return b
}

func TestTheSearchFindsRowsOfABook(t *testing.T) {
	t.Parallel()
	s := &search{book: talk(t), texts: fullTexts{3: {text: "the whole text names a socket", here: true}}}
	for query, want := range map[string][]int{"port": {1, 2}, "grep": {1}, "flaky": {0}, "socket": {1}, "nowhere": nil} {
		s.set(query)
		s.findAll()
		if !slices.Equal(s.found, want) {
			t.Errorf("%q is in rows %v, not %v", query, s.found, want)
		}
	}
	s.set("port")
	for _, c := range []struct{ at, by, want int }{{0, 1, 1}, {1, 1, 2}, {2, 1, 1}, {1, -1, 2}} {
		if got := s.match(c.at, c.by, false); got != c.want {
			t.Errorf("from %d by %d the match is %d, not %d", c.at, c.by, got, c.want)
		}
	}
}

func TestChangesAndCopiesAreOfARow(t *testing.T) {
	t.Parallel()
	b, keys := talk(t), DefaultKeyMap()
	c := changes{explainer{b, &keys, time.UTC}}
	copies := copier{b, fullTexts{}}
	if got, ok := c.mask(b.items[1]).(pane.Mask); !ok || !slices.Equal(got.Events, []uint64{3}) {
		t.Errorf("masking the result gives %v", got)
	}
	if got, ok := c.pin(b.items[1]).(pane.Pin); !ok || !got.Pinned || !slices.Equal(got.Events, []uint64{2, 3}) {
		t.Errorf("pinning the result gives %v", got)
	}
	if got := c.fork(b.items[0]); got != (Fork{Before: 1}) {
		t.Errorf("a fork at the question gives %v", got)
	}
	if got := copies.row(b.items[1]); got != (Copy{Text: "a shared port", What: "the result"}) {
		t.Errorf("copying the result gives %v", got)
	}
	if _, ok := copies.body(key.Binding{}).(Note); !ok {
		t.Error("without a request there is a body to copy")
	}
}
