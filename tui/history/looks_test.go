package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
)

func TestWhatIsSentInFullHasTheWidthAndNoBadge(t *testing.T) {
	t.Parallel()
	r := newRig(t, 200, 30)
	r.add(conversation.UserMessage{Text: "why?"})
	r.add(conversation.AssistantMessage{Text: strings.Repeat("words and more words ", 12), Stop: conversation.StopEnd})
	r.add(conversation.UserMessage{Text: "thanks"})
	r.show()
	screen := r.screen()
	for _, bad := range []string{"verbatim", "│", "what the model is sent"} {
		if strings.Contains(screen, bad) {
			t.Errorf("%q is on the screen:\n%s", bad, screen)
		}
	}
	wants(t, screen, "\n= assistant  ")
	for l := range strings.Lines(screen) {
		if strings.Contains(l, "words and") && ansi.StringWidth(strings.TrimSpace(l)) > 100 {
			t.Errorf("a line of prose is too long to read: %q", l)
		}
	}
}

// A reply with several calls that were shortened is one message.
func TestTheMessagesThatAreNotListedAreCounted(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 100)
	m := conversation.Mask{Style: conversation.StylePlimsoll, Version: 1}
	for n := range 42 {
		var reply conversation.AssistantMessage
		for c := range 2 {
			reply.Calls = append(reply.Calls, conversation.ToolCall{ID: fmt.Sprintf("%d.%d", n, c), Name: "create_file", Arguments: `{"content":"` + strings.Repeat("word ", 99) + `"}`})
		}
		reply.Stop = conversation.StopCalls
		seq := r.add(reply)
		for _, c := range reply.Calls {
			m.Items = append(m.Items, conversation.MaskItem{Event: seq, Part: conversation.PartArguments, Call: c.ID})
			r.add(conversation.ToolResult{CallID: c.ID, Tool: c.Name, Status: conversation.ResultOK, Text: "written"})
		}
	}
	r.add(conversation.UserMessage{Text: "thanks"})
	r.to(r.pass("", m))
	r.show()
	r.press("enter")
	wants(t, r.screen(), "… 2 more messages")
}

func TestACompactionOpensToWhatItShortened(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	at := r.story()
	r.show()
	r.to(at["mask"])
	wants(t, under(r), "▸ compacted automatically · 1 result masked", "91k → 34k")
	r.press("enter")
	wants(t, under(r), "▾ compacted", "e12‹1›", "188  run_command  go test ./upload")
	r.press("1")
	wants(t, under(r), "go test ./upload -count=10 · failed")
}
