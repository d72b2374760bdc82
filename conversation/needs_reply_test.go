package conversation_test

import (
	"testing"

	"plimsoll/conversation"
)

func TestNeedsReply(t *testing.T) {
	t.Parallel()
	message, ran, failed := conversation.UserMessage{Text: "go"}, conversation.UserMessage{Text: conversation.FormatCommandOutput("ls", "a")}, conversation.TurnFailed{}
	whole, half := conversation.AssistantMessage{Text: "done", Stop: conversation.StopEnd}, conversation.AssistantMessage{Text: "do", Stop: conversation.StopFailed}
	for name, c := range map[string]struct {
		bodies []conversation.Body
		broken uint64
		needed bool
	}{
		"an empty log":                      {},
		"a message":                         {[]conversation.Body{message}, 0, true},
		"a reply":                           {[]conversation.Body{message, whole}, 0, false},
		"an incomplete reply":               {[]conversation.Body{message, half, failed}, 2, true},
		"command output after a reply":      {[]conversation.Body{message, whole, ran}, 0, false},
		"command output after a failure":    {[]conversation.Body{message, failed, ran}, 0, true},
		"command output that was sent":      {[]conversation.Body{message, whole, ran, failed}, 0, true},
		"a complete reply in a failed turn": {[]conversation.Body{message, whole, failed}, 0, true},
		"an incomplete continuation":        {[]conversation.Body{message, whole, half, failed}, 3, true},
		"a reply, and a rewound failure":    {[]conversation.Body{message, whole, message, failed, conversation.Rewind{Turn: 1}}, 0, false},
		"a reply after an earlier failure":  {[]conversation.Body{message, failed, message, whole}, 0, false},
	} {
		var log []conversation.Event
		turn := -1
		for i, b := range c.bodies {
			if _, ok := b.(conversation.UserMessage); ok {
				turn++
			}
			log = append(log, conversation.Event{Seq: uint64(i + 1), Turn: turn, Body: b})
		}
		if broken, needed := conversation.NeedsReply(log); broken != c.broken || needed != c.needed {
			t.Errorf("%s: %d, %v, want %d, %v", name, broken, needed, c.broken, c.needed)
		}
	}
}
