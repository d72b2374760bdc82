package agent_test

import (
	"strings"
	"testing"
	"time"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// longFirst is a conversation whose first message is longer than its window, as an
// import or an older version can leave it.
func longFirst(t *testing.T, more ...conversation.Body) func(*core.Options) {
	t.Helper()
	log := &conversation.Log{}
	events := log.Prepare(time.Now(), append([]conversation.Body{
		conversation.UserMessage{Text: strings.Repeat("word ", 1<<17)},
		conversation.AssistantMessage{Text: "That is long.", Stop: conversation.StopEnd},
	}, more...)...)
	memory := &agenttest.Memory{}
	if err := memory.Append(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	return func(o *core.Options) {
		o.Model.Window = meter.Window{Tokens: 20_000, Source: meter.WindowConfig}
		o.Log, o.Calibrations, o.Backlog, o.Stored.Events = memory, memory, memory, events
	}
}

func TestFirstMessageThatIsTooLongDoesNotBlockAConversation(t *testing.T) {
	for _, p := range []preset.Name{preset.Plimsoll, preset.OneClaw} {
		t.Run(string(p), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := start(t, both(longFirst(t), byPreset(p)), answers("fine"), answers("fine"), answers("fine"))
				r.say("and now?")
				if got := agenttest.Of[updates.Failed](r.watch); len(got) > 0 {
					t.Errorf("failed: %v", got)
				}
				r.finish()
			})
		})
	}
}

func TestPinThatIsTooLongIsNamed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, longFirst(t, conversation.Pin{Events: []uint64{1}}))
		r.say("and now?")
		got := agenttest.Of[updates.Failed](r.watch)
		if len(got) != 1 || got[0].Err.Class != llm.Overflow || !strings.Contains(got[0].Err.Hint, "/unpin") {
			t.Errorf("failed: %+v", got)
		}
		r.finish()
	})
}
