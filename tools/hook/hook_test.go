package hook_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools/hook"
)

func runner(t *testing.T, hooks ...hook.Hook) *hook.Runner {
	t.Helper()
	for i := range hooks {
		if hooks[i].Moment == "" {
			hooks[i].Moment = conversation.HookBeforeTool
		}
	}
	return &hook.Runner{Hooks: hooks, Dir: t.TempDir(), Environ: []string{"PATH=/usr/bin:/bin", "OPENAI_API_KEY=sk-0123456789", "MINE=m-12345678"},
		SecretNames: []string{"MINE"}, Conversation: "abc"}
}

var call = conversation.HookInput{Moment: conversation.HookBeforeTool, Tool: "run_command", Arguments: `{"command":"git push"}`}

func TestHooksAnswerInTextJSONOrStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, command  string
		refused, fails bool
		reason, add    string
	}{
		{name: "silent", command: "true"},
		{name: "text", command: "echo look at the docs", add: "[echo look at the docs added:]\nlook at the docs"},
		{name: "JSON", command: `printf '{"add":"a\\u001b[31mb","keep":["the port"]}'`, add: "added:]\na"},
		{name: "refusal in JSON", command: `echo '{"refuse":"not on fridays"}'`, refused: true, reason: "not on fridays"},
		{name: "refusal by status", command: "echo no pushing >&2; exit 2", refused: true, reason: "no pushing"},
		{name: "refusal without a reason", command: "exit 2", refused: true, reason: "without a reason"},
		{name: "failure", command: "echo broken >&2; exit 7", fails: true, reason: "exit status 7: broken"},
		{name: "no such command", command: "no-such-command-here", fails: true, reason: "exit status 127"},
		{name: "too long", command: "sleep 60", fails: true, reason: "it took longer than 200ms"},
		{name: "reads its input", command: `grep -q '"tool":"run_command","arguments":{"command":"git push"}' && echo seen`, add: "seen"},
		{name: "gets no keys", command: `test -z "$OPENAI_API_KEY$MINE" && echo none`, add: "none"},
		{name: "floods", command: "head -c 3000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero | tr '\\0' y >&2", add: "xxx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			limit := 20 * time.Second
			if c.name == "too long" {
				limit = 200 * time.Millisecond
			}
			out := runner(t, hook.Hook{Command: c.command, Timeout: limit}).Run(t.Context(), call)
			ran := out.Ran[0]
			if out.Refused != c.refused || ran.Refused != c.refused || ran.Failed != c.fails || !strings.Contains(ran.Reason, c.reason) || !strings.Contains(out.Add, c.add) {
				t.Errorf("the output is %.500v", out)
			}
			if c.add == "" && out.Add != "" || len(out.Add) > 70_000 || strings.Contains(out.Add, "\x1b") {
				t.Errorf("it adds %.300q", out.Add)
			}
		})
	}
}

func TestHooksRunInOrderUntilOneRefuses(t *testing.T) {
	t.Parallel()
	r := runner(t, hook.Hook{Command: "echo one", Match: "run_*"}, hook.Hook{Command: "echo other", Match: "read_file"},
		hook.Hook{Command: "exit 2"}, hook.Hook{Command: "echo late"}, hook.Hook{Moment: conversation.HookTurnEnd, Command: "echo end"})
	out := r.Run(t.Context(), call)
	if len(out.Ran) != 2 || !out.Refused || !strings.Contains(out.Add, "one") {
		t.Errorf("the output is %+v", out)
	}
	if !r.Has(conversation.HookTurnEnd) || r.Has(conversation.HookMessage) {
		t.Error("a moment is taken for another")
	}
}

func TestCancelEndsAHook(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	out := runner(t, hook.Hook{Command: "sleep 60 & sleep 60"}).Run(ctx, call)
	if !out.Ran[0].Failed || out.Refused {
		t.Errorf("the output is %+v", out)
	}
}
