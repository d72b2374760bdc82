package alert_test

import (
	"strings"
	"testing"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui/alert"
)

var (
	runs  = updates.Status{Phase: updates.Streaming}
	idle  = updates.Status{Phase: updates.Idle}
	stops = updates.Status{Phase: updates.Stopping}
	broke = updates.Failed{Err: &llm.Error{Class: llm.Network, Message: "the server does not answer"}}
)

func approval(command string) updates.AskApproval {
	return updates.AskApproval{Call: conversation.ToolCall{Name: "run_command"}, Review: conversation.Review{Need: conversation.NeedApproval, Title: "modify_file a.go", Command: command}}
}

// Each step comes this many seconds after the one before.
func TestWhenTheUserIsNotified(t *testing.T) {
	t.Parallel()
	type step struct {
		after int
		what  any // an update, "away", "here", "reports" or "key"
	}
	for name, c := range map[string]struct {
		steps []step
		want  string
	}{
		"a long turn, away":          {[]step{{0, "away"}, {0, runs}, {10, idle}}, "T · reply ready"},
		"a short turn, away":         {[]step{{0, "away"}, {0, runs}, {9, idle}}, ""},
		"left meanwhile":             {[]step{{0, "here"}, {0, runs}, {5, "away"}, {5, idle}}, "T · reply ready"},
		"back meanwhile":             {[]step{{0, "away"}, {0, runs}, {50, "here"}, {5, idle}}, ""},
		"reports the focus":          {[]step{{0, "reports"}, {0, runs}, {99, idle}}, ""},
		"focus unknown":              {[]step{{0, "key"}, {0, runs}, {10, idle}}, "T · reply ready"},
		"focus unknown, a key":       {[]step{{0, runs}, {10, "key"}, {9, idle}}, ""},
		"away, then a key":           {[]step{{0, "away"}, {0, "key"}, {0, runs}, {20, idle}}, ""},
		"stopped":                    {[]step{{0, "away"}, {0, runs}, {20, stops}, {0, idle}}, ""},
		"failed at once":             {[]step{{0, "away"}, {0, runs}, {1, broke}, {0, idle}}, "T · failed: the server does not answer"},
		"a question at once":         {[]step{{0, "away"}, {0, runs}, {1, approval("go test ./...")}}, "T · waiting for your approval: run go"},
		"an edit":                    {[]step{{0, "away"}, {0, runs}, {1, approval("")}}, "T · waiting for your approval: modify_file a.go"},
		"a question, focus unknown":  {[]step{{0, runs}, {11, approval("make")}}, "T · waiting for your approval: run make"},
		"left just after a question": {[]step{{0, "here"}, {0, runs}, {5, approval("make")}, {1, "away"}}, "T · waiting for your approval: run make"},
		"called for it once":         {[]step{{0, "away"}, {0, runs}, {5, approval("make")}, {0, "here"}, {1, "away"}}, "T · waiting for your approval: run make"},
		"left after it was seen":     {[]step{{0, "here"}, {0, runs}, {5, approval("make")}, {3, "away"}}, ""},
		"left after the answer":      {[]step{{0, "here"}, {0, runs}, {5, approval("make")}, {1, updates.ApprovalClosed{}}, {0, "away"}}, ""},
		"another turn after a failure": {[]step{{0, "away"}, {0, runs}, {1, broke}, {0, idle}, {0, runs}, {20, idle}},
			"T · failed: the server does not answer/T · reply ready"},
	} {
		var w alert.Watch
		now, got := time.Unix(0, 0), []string(nil)
		for _, s := range c.steps {
			now = now.Add(time.Duration(s.after) * time.Second)
			switch what := s.what.(type) {
			case updates.Update:
				w.Update(what, now)
			case string:
				map[string]func(){"away": func() { w.SetFocus(false, now) }, "here": func() { w.SetFocus(true, now) },
					"reports": w.ExpectFocus, "key": func() { w.UserActed(now) }}[what]()
			}
			if text := w.TakeDue("T"); text != "" {
				got = append(got, text)
			}
		}
		if all := strings.Join(got, "/"); all != c.want {
			t.Errorf("%s: %q, want %q", name, all, c.want)
		}
	}
}

func TestNotificationsNameOnlyTheProgramOfACommand(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"go test ./upload -count=10":               "run go",
		"KEY=sk-123 OTHER=x ./deploy.sh prod":      "run ./deploy.sh",
		"curl -H 'Authorization: Bearer sk-123' x": "run curl",
		"mysql -psecret":                           "run mysql",
		"echo sk-abcdefghijkl1":                    "run echo",
		"login hunter2":                            "run login",
		"'a b' c":                                  "run a command",
		"":                                         "modify_file a.go",
		"KEY=x":                                    "run a command",
		`TOKEN="my secret pass" curl x`:            "run a command",
		`TOKEN=my\ secret curl x`:                  "run a command",
		"git push origin main":                     "run git",
	} {
		var w alert.Watch
		w.SetFocus(false, time.Unix(0, 0))
		w.Update(approval(command), time.Unix(0, 0))
		if got := w.TakeDue(""); got != "waiting for your approval: "+want {
			t.Errorf("%q: %q", command, got)
		}
	}
}

func TestNotificationsAreShortAndSafe(t *testing.T) {
	t.Parallel()
	var w alert.Watch
	w.SetFocus(false, time.Unix(0, 0))
	w.Update(runs, time.Unix(0, 0))
	w.Update(updates.Failed{Err: &llm.Error{Message: strings.Repeat("x\n\x1b]52;c;x\a", 1000)}}, time.Unix(0, 0))
	got := w.TakeDue(strings.Repeat("title\a ", 1000))
	if n := len([]rune(got)); n > 180 || strings.ContainsAny(got, "\x1b\a\n") {
		t.Errorf("%d characters: %q", n, got)
	}
}
