package session

import (
	"testing"
	"time"

	"plimsoll/conversation"
)

func TestACopyHasATitleOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bodies []conversation.Body
		want   string
	}{
		"a title":          {[]conversation.Body{conversation.UserMessage{Text: "hi"}, conversation.Renamed{Title: "Flaky test"}}, "Flaky test (fork)"},
		"a copy":           {[]conversation.Body{conversation.Renamed{Title: "Flaky test (fork)"}}, "Flaky test (fork 2)"},
		"a copy of a copy": {[]conversation.Body{conversation.Renamed{Title: "Flaky test (fork 9)"}}, "Flaky test (fork 10)"},
		"no title":         {[]conversation.Body{conversation.UserMessage{Text: conversation.Ran("ls", "a")}, conversation.UserMessage{Text: "why?\nsay"}}, "why? (fork)"},
		"nothing was said": {nil, ""},
	} {
		var l conversation.Log
		if got := copyTitle(l.Prepare(time.Now(), c.bodies...)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
