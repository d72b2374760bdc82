package tui_test

import (
	"fmt"
	"testing"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

func TestContextViewCommands(t *testing.T) {
	for name, c := range map[string]struct{ row, key, want, says, at string }{
		"jump":          {row: "run_command", key: "enter", at: "history", says: "e10 "},
		"pin":           {row: "so fix it", key: "p", want: "first pin [7] true", at: "context"},
		"mask":          {row: "run_command", key: "m", want: "first mask [10]", at: "context"},
		"preview":       {row: "run_command", key: "c", want: "first preview", at: "preview"},
		"explain":       {row: "run_command", key: "?", at: "context", says: "─ run_command"},
		"nothing to do": {row: "load line", key: "p", at: "context", says: "Only one of the heaviest items"},
		"close":         {row: "load line", key: "q", at: ""},
		"escape":        {row: "load line", key: "esc", at: ""},
	} {
		screenOf(t, name, telling, func(r *rig) {
			views["context"](r)
			r.to(c.row)
			r.calls = nil
			r.press(c.key)
			if c.want == "" {
				r.did()
			} else {
				r.did(c.want)
			}
			r.at(c.at)
			r.has(c.says)
		})
	}
}

// The breakdown is requested only when the log has new events; the gauge moves with every
// letter and token.
func TestContextViewFollowsTheConversation(t *testing.T) {
	screen(t, telling, func(r *rig) {
		r.calls = nil
		views["context"](r)
		r.did("first inspect")
		used := fmt.Sprintf("~%d of 128k", r.first.Meter.Reading().Used)
		r.has(used)
		streaming(r, "words of a reply that has been arriving for a while by now, and goes on")
		r.lacks(used)
		r.did()
		r.goOn(conversation.UserMessage{Text: "and more"})
		r.did("first inspect")
		other := r.account()
		other.Heaviest[0].Label = "read_file another.go"
		r.happen(updates.Inspected{Account: other})
		r.to("read_file another.go")
	})
}
