package agent_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/conversation"
)

// fakeHooks answer by moment, and remember what they were given.
type fakeHooks struct {
	answers map[conversation.HookMoment]conversation.HookOutput

	mu   sync.Mutex // guards seen
	seen []conversation.HookInput
}

func (f *fakeHooks) Has(m conversation.HookMoment) bool { _, ok := f.answers[m]; return ok }

func (f *fakeHooks) Run(_ context.Context, in conversation.HookInput) conversation.HookOutput {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = append(f.seen, in)
	out := f.answers[in.Moment]
	out.Ran = []conversation.HookRan{{Moment: string(in.Moment), Command: "hook", Refused: out.Refused, Reason: out.Reason, Failed: out.Reason != "" && !out.Refused}}
	return out
}

func (f *fakeHooks) moments() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, in := range f.seen {
		all = append(all, string(in.Moment))
	}
	return strings.Join(all, " ")
}

func withHooks(f *fakeHooks) func(*core.Options) { return func(o *core.Options) { o.Hooks = f } }

type hookAnswers = map[conversation.HookMoment]conversation.HookOutput

func said(text string) agenttest.Reply {
	return agenttest.Join(agenttest.StreamText(text), agenttest.ReportTokens(50, 5), agenttest.Stop(conversation.StopEnd))
}

func TestHooksRunAtTheMomentsOfATurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeHooks{answers: hookAnswers{
			conversation.HookMessage: {Add: "[h added:]\nbe kind"}, conversation.HookBeforeTool: {}, conversation.HookAfterTool: {Add: "lint is clean"}, conversation.HookTurnEnd: {}}}
		r := start(t, withHooks(f), agenttest.Join(agenttest.StreamCall(0, "c1", "look", `{}`), agenttest.Stop(conversation.StopCalls)), said("done"))
		r.sendAndWait("hi")
		if got := f.moments(); got != "message before_tool after_tool turn_end" {
			t.Errorf("hooks ran at %q", got)
		}
		events := r.memory.Events()
		if n := countKind(events, conversation.KindHookRan); n != 4 {
			t.Errorf("%d runs are recorded", n)
		}
		for _, e := range events {
			switch b := e.Body.(type) {
			case conversation.UserMessage:
				if b.Text != "hi\n\n[h added:]\nbe kind" {
					t.Errorf("the message is %q", b.Text)
				}
			case conversation.ToolResult:
				if !strings.HasSuffix(b.Text, "\n\nlint is clean") {
					t.Errorf("the result is %q", b.Text)
				}
			}
		}
		r.finish()
	})
}

func TestHookRefusesACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeHooks{answers: hookAnswers{conversation.HookBeforeTool: {Refused: true, Reason: "not on fridays"}}}
		r := start(t, withHooks(f), agenttest.Join(agenttest.StreamCall(0, "c1", "look", `{}`), agenttest.StreamCall(1, "c2", "look", `{}`), agenttest.Stop(conversation.StopCalls)), said("done"))
		r.sendAndWait("hi")
		if len(r.askedCalls()) != 0 || f.moments() != "before_tool before_tool" {
			t.Errorf("asked about %q, hooks ran at %q", r.askedCalls(), f.moments())
		}
		for _, e := range r.memory.Events() {
			if b, ok := e.Body.(conversation.ToolResult); ok && (b.Status != conversation.ResultDenied || !strings.Contains(b.Text, "not on fridays")) {
				t.Errorf("the result is %+v", b)
			}
		}
		r.finish()
	})
}

func TestHookRefusesAMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeHooks{answers: hookAnswers{conversation.HookMessage: {Refused: true, Reason: "it names a customer"}}}
		r := start(t, withHooks(f))
		r.sendAndWait("hi")
		if got := r.returned(); len(got) != 1 || got[0] != "hi" || len(r.provider.Requests()) != 0 || len(r.failures()) != 1 {
			t.Errorf("returned %q, failures %v", got, r.failures())
		}
		r.finish()
	})
}

func TestFailingHookChangesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := conversation.HookOutput{Reason: "exit status 7"}
		f := &fakeHooks{answers: hookAnswers{conversation.HookMessage: broken, conversation.HookTurnEnd: broken}}
		r := start(t, withHooks(f), said("one"), said("two"))
		r.sendAndWait("hi")
		r.sendAndWait("again")
		if n := len(r.provider.Requests()); n != 2 {
			t.Errorf("%d requests", n)
		}
		if n := countKind(r.memory.Events(), conversation.KindNotice); n != 1 {
			t.Errorf("%d notices about the same failing hook", n)
		}
		r.finish()
	})
}

func TestHookRefusesACompactionAndIsToldOfOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeHooks{answers: hookAnswers{conversation.HookBeforeCompaction: {Refused: true, Reason: "wait"}, conversation.HookAfterCompaction: {}}}
		r := startWithListings(t, 5, withHooks(f))
		r.compact(profileRequest("", -1))
		if len(r.overlays()) != 0 || len(r.compactionErrors()) != 1 {
			t.Errorf("overlays %v, errors %v", r.overlays(), r.compactionErrors())
		}
		f.answers[conversation.HookBeforeCompaction] = conversation.HookOutput{}
		r.compact(profileRequest("", -1))
		if len(r.overlays()) == 0 || f.moments() != "before_compaction before_compaction after_compaction" {
			t.Errorf("overlays %v, hooks ran at %q", r.overlays(), f.moments())
		}
		if f.seen[2].Before <= f.seen[2].After || f.seen[2].After == 0 {
			t.Errorf("the hook is told of %+v", f.seen[2])
		}
		r.finish()
	})
}

// A compaction that a hook refuses is not proposed to it at each request, and above the hard line it is made all the same.
func TestRefusedCompactionIsMadeAboveTheHardLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeHooks{answers: hookAnswers{conversation.HookBeforeCompaction: {Refused: true, Reason: "wait"}}}
		long := strings.Repeat("words of a long answer ", 800)
		var script []agenttest.Reply
		for range 12 {
			script = append(script, agenttest.Join(agenttest.StreamText(long), agenttest.Stop(conversation.StopEnd)))
		}
		r := start(t, func(o *core.Options) {
			o.Hooks = f
			o.Model.Window.Tokens = 32_000
			o.Rules.Summary.When = "never"
		}, script...)
		for range 10 {
			r.sendAndWait("go on")
		}
		if len(r.overlays()) == 0 || len(r.provider.Requests()) < 10 {
			t.Errorf("%d overlays, %d requests, hooks ran at %q", len(r.overlays()), len(r.provider.Requests()), f.moments())
		}
		if n := strings.Count(f.moments(), "before"); n > 12 {
			t.Errorf("the hook was asked %d times in 10 turns", n)
		}
		r.finish()
	})
}
