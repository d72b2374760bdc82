package welcome_test

import (
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/tui/welcome"
)

func TestEachStepLeadsToTheNext(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	bound := welcome.Keys{Complete: "tab", Undo: "ctrl+x", History: "ctrl+t"}
	for _, s := range []struct {
		body        conversation.Body
		words, text string
	}{
		{conversation.UserMessage{Text: "what is in this project?"}, "Next: let the demo fill the gauge", "fill the gauge"},
		{conversation.UserMessage{Text: "fill the gauge"}, "Next: /context shows what fills the window", "/context"},
		{conversation.Drop{Spans: []conversation.Span{{First: 1, Last: 1}}}, "Next: ctrl+x undoes the compaction, ctrl+t shows it", "/undo-compact"},
		{conversation.Revert{Event: 3}, "Next: /context shows what fills the window, /connect a real model", "/context"},
	} {
		if err := l.Commit(l.Prepare(conversationtest.Epoch, s.body)); err != nil {
			t.Fatal(err)
		}
		if got := welcome.Next(l.Events(), bound); got.Text != s.text || got.Words != s.words+" (tab: "+s.text+")" {
			t.Errorf("after %T: %+v", s.body, got)
		}
	}
	if got := welcome.Next(l.Events(), welcome.Keys{Undo: "/undo-compact", History: "/history"}); strings.Contains(got.Words, "writes") {
		t.Errorf("a key that is off is named: %q", got.Words)
	}
}
