package conversation_test

import (
	"testing"

	"plimsoll/conversation"
)

func TestWhatCanBeSentAgain(t *testing.T) {
	t.Parallel()
	said, ran, failed := conversation.UserMessage{Text: "go"}, conversation.UserMessage{Text: conversation.FormatCommandOutput("ls", "a")}, conversation.TurnFailed{}
	whole, half := conversation.AssistantMessage{Text: "done", Stop: conversation.StopEnd}, conversation.AssistantMessage{Text: "do", Stop: conversation.StopFailed}
	for name, c := range map[string]struct {
		bodies []conversation.Body
		broken uint64
		yes    bool
	}{
		"nothing":                           {},
		"a message":                         {[]conversation.Body{said}, 0, true},
		"a reply":                           {[]conversation.Body{said, whole}, 0, false},
		"half a reply":                      {[]conversation.Body{said, half, failed}, 2, true},
		"output behind a reply":             {[]conversation.Body{said, whole, ran}, 0, false},
		"output behind a failure":           {[]conversation.Body{said, failed, ran}, 0, true},
		"output that was sent":              {[]conversation.Body{said, whole, ran, failed}, 0, true},
		"a reply that paused":               {[]conversation.Body{said, whole, failed}, 0, true},
		"half of what follows a pause":      {[]conversation.Body{said, whole, half, failed}, 3, true},
		"a reply, and a failure undone":     {[]conversation.Body{said, whole, said, failed, conversation.Rewind{Turn: 1}}, 0, false},
		"a reply behind an earlier failure": {[]conversation.Body{said, failed, said, whole}, 0, false},
	} {
		var log []conversation.Event
		turn := -1
		for i, b := range c.bodies {
			if _, ok := b.(conversation.UserMessage); ok {
				turn++
			}
			log = append(log, conversation.Event{Seq: uint64(i + 1), Turn: turn, Body: b})
		}
		if broken, yes := conversation.NeedsReply(log); broken != c.broken || yes != c.yes {
			t.Errorf("%s: %d, %v, want %d, %v", name, broken, yes, c.broken, c.yes)
		}
	}
}
