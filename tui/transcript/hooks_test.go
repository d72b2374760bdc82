package transcript_test

import (
	"strings"
	"testing"

	"plimsoll/conversation"
)

func TestHooksShowWhatTheyRefuseAndAdd(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 100, 30)
	message := conversation.UserMessage{Text: "go on"}.WithHookTexts([]conversation.HookText{{Command: "date", Text: "It is Friday."}})
	ran := func(moment string, b conversation.HookRan) conversation.HookRan {
		b.Moment, b.Command = moment, "x.sh"
		return b
	}
	r.add(message, ran(conversation.HookMessage, conversation.HookRan{Added: conversation.Measure("It is Friday.")}),
		ran(conversation.HookBeforeTool, conversation.HookRan{Refused: true, Reason: "not \x1b[31mnow"}),
		ran(conversation.HookBeforeCompaction, conversation.HookRan{Keep: []string{"the port", "the name"}}),
		ran(conversation.HookTurnEnd, conversation.HookRan{}), ran(conversation.HookAfterTool, conversation.HookRan{Failed: true, Reason: "exit code 1"}))
	screen := r.screen()
	for _, want := range []string{"go on", "+ added by hooks", "hook x.sh added ~4 tokens to the message", "hook x.sh refused the call: not ␛[31mnow", "hook x.sh wants kept: the port; the name"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Count(screen, "x.sh") != 3 || strings.Contains(screen, "It is Friday") {
		t.Error(screen)
	}
}
