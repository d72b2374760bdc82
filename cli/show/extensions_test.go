package show_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/cli/show"
	"plimsoll/config"
	"plimsoll/conversation"
)

func TestHooksAreListedWithTheirTime(t *testing.T) {
	t.Parallel()
	var events []conversation.Event
	for _, b := range []conversation.HookRan{
		{Moment: conversation.HookMessage, Command: "a\x1b[31m", Duration: 20, Refused: true},
		{Moment: conversation.HookMessage, Command: "a\x1b[31m", Duration: 1500, Failed: true},
		{Moment: conversation.HookTurnEnd, Command: "gone", Duration: 5},
	} {
		events = append(events, conversation.Event{Body: b})
	}
	hooks := config.Hooks{BeforeTool: []config.Hook{{Command: "never"}}, Message: []config.Hook{{Command: "b"}, {Command: "a\x1b[31m"}}}
	want := []string{"before_tool: never: not run yet", "message: b: not run yet",
		"message: a␛[31m: 2 times, 1.52s in all, slowest 1.5s, 1 refused, 1 failed", "turn_end: gone: 1 time, 5ms in all, slowest 5ms"}
	if diff := cmp.Diff(want, show.Hooks(hooks, events)); diff != "" {
		t.Error(diff)
	}
}
