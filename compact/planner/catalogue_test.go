package planner_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// What went wrong with compaction elsewhere, one test for each kind that
// projecting, hardening, epochs and selection can keep from happening.

func TestCatalogueB7InstructionsAndUsersWordsAreOutOfReach(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, conversationtest.Rich(t))
		w.Add(t, conversation.Instructions{System: "sha", SystemSize: conversation.Size{ASCII: 9}})
		for range 3 {
			w.Add(t, w.Reduction(t))
			w.Turn(t)
		}
		said := map[uint64]string{}
		for _, e := range w.Events() {
			if b, ok := e.Body.(conversation.UserMessage); ok {
				said[e.Seq] = b.Text
			}
		}
		for _, m := range projection.Project(w.Events()).Messages {
			if m.Role == projection.RoleSystem {
				t.Fatal("a system message is part of the view")
			}
			if text, ok := said[m.Events[0]]; ok && m.Text != text {
				t.Fatalf("the user said %q, the view says %q", text, m.Text)
			}
			delete(said, m.Events[0])
		}
		if len(said) > 0 {
			t.Fatalf("words of the user that are not shown: %v", said)
		}
	})
}

// TestCatalogueB20OwnWordsNeverSoundLikeAFailure reads what masks, caps and drops put in the
// place of texts that hold none of these words themselves.
func TestCatalogueB20OwnWordsNeverSoundLikeAFailure(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var l conversation.Log
		call := conversation.ToolCall{ID: "a", Name: "read_file", Arguments: `{"path":"` + strings.Repeat("x", 3000) + `"}`}
		status := rapid.SampledFrom([]conversation.ResultStatus{conversation.ResultOK, conversation.ResultInterrupted}).Draw(t, "status")
		result := conversation.ToolResult{CallID: "a", Tool: "read_file", Status: status, Text: strings.Repeat("a line of it\n", 500)}
		if err := l.Commit(l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: "hi"}, conversation.AssistantMessage{Calls: []conversation.ToolCall{call}}, result,
			conversation.AssistantMessage{Text: strings.Repeat("then ", 300)})); err != nil {
			t.Fatal(err)
		}
		w := conversationtest.NewWriter(t, l.Events())
		w.Add(t, w.Reduction(t), conversation.Drop{Spans: w.Spans(t)})
		for _, m := range projection.Project(w.Events()).Messages {
			text := strings.ToLower(m.Text)
			for _, word := range []string{"missing", "omitted", "failed", "truncated", "unavailable", "lost"} {
				if strings.Contains(text, word) {
					t.Fatalf("%q has the word %q", m.Text, word)
				}
			}
		}
	})
}

func TestCatalogueB20NoPlaceholderStandsInArguments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, conversationtest.Rich(t))
		for range 2 {
			w.Add(t, w.Mask(t, conversation.StylePlimsoll), w.PolicyForm(t, conversation.StyleJP))
		}
		said := map[string]string{}
		for _, e := range w.Events() {
			b, _ := e.Body.(conversation.AssistantMessage) // others have no calls
			for _, c := range b.Calls {
				said[c.ID] = c.Arguments
			}
		}
		for _, m := range projection.Project(w.Events()).Messages {
			for _, c := range m.Calls {
				if c.Arguments != "{}" && c.Arguments != said[c.ID] {
					t.Fatalf("the arguments %s became %s", said[c.ID], c.Arguments)
				}
			}
		}
	})
}

func TestCatalogueB21StubsNameTheEventThatHoldsTheOriginal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, conversationtest.Rich(t))
		for range 3 {
			w.Add(t, w.Mask(t, conversation.StylePlimsoll))
			w.Turn(t)
		}
		log := w.Events()
		for _, m := range projection.Project(log).Messages {
			_, text, stub := strings.Cut(m.Text, "The whole text: recall ")
			if m.State != projection.StateMasked || m.Role != projection.RoleTool || !stub {
				continue
			}
			id, _, _ := strings.Cut(text, "\n")
			at, ok := conversation.ParseRecallID(id)
			if !ok {
				t.Fatalf("no id: %q", id)
			}
			if r, _ := log[m.Events[0]-1].Body.(conversation.ToolResult); r.Tool == conversation.ToolRecall && r.Status == conversation.ResultOK {
				continue // of what it brought back: it says so itself
			}
			if seq, one := at.Event(); !one || seq != m.Events[0] {
				t.Fatalf("the stub of event %d names %s", m.Events[0], id)
			}
		}
	})
}
