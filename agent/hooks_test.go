package agent_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
)

// fakeHooks answers by moment, and remembers what it was told.
type fakeHooks struct {
	answers map[string]func(ctx context.Context, in conversation.HookInput) conversation.HookOutput
	mu      sync.Mutex
	told    []conversation.HookInput
}

func (f *fakeHooks) Run(ctx context.Context, in conversation.HookInput) conversation.HookOutput {
	f.mu.Lock()
	f.told = append(f.told, in)
	f.mu.Unlock()
	if answer := f.answers[in.Moment]; answer != nil {
		return answer(ctx, in)
	}
	return conversation.HookOutput{}
}

func (f *fakeHooks) at(moment string) (told []conversation.HookInput) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, in := range f.told {
		if in.Moment == moment {
			told = append(told, in)
		}
	}
	return told
}

type hookAnswer = func(context.Context, conversation.HookInput) conversation.HookOutput

func refuses(reason string) hookAnswer {
	return func(_ context.Context, in conversation.HookInput) conversation.HookOutput {
		return conversation.HookOutput{Refused: true, Reason: reason,
			Ran: []conversation.HookRan{{Moment: in.Moment, Command: "guard", Refused: true, Reason: reason}}}
	}
}

func adds(text string) hookAnswer {
	return func(_ context.Context, in conversation.HookInput) conversation.HookOutput {
		return conversation.HookOutput{Added: []conversation.HookText{{Command: "lint", Text: text}},
			Ran: []conversation.HookRan{{Moment: in.Moment, Command: "lint", Added: conversation.Measure(text)}}}
	}
}

// addsAndFails is two hooks, of which one fails.
func addsAndFails(ctx context.Context, in conversation.HookInput) conversation.HookOutput {
	out := failsAs("exit code 1")(ctx, in)
	out.Added = []conversation.HookText{{Command: "first", Text: "before"}}
	return out
}

func failsAs(reason string) hookAnswer {
	return func(_ context.Context, in conversation.HookInput) conversation.HookOutput {
		return conversation.HookOutput{Ran: []conversation.HookRan{{Moment: in.Moment, Command: "broken", Failed: true, Reason: reason}}}
	}
}

// hangs runs until it is stopped.
func hangs(gate *agenttest.Gate) hookAnswer {
	return func(ctx context.Context, in conversation.HookInput) conversation.HookOutput {
		if gate.Pass(ctx) != nil {
			return failsAs(conversation.HookStopped)(ctx, in)
		}
		return conversation.HookOutput{}
	}
}

func keeps(texts ...string) hookAnswer {
	return func(_ context.Context, in conversation.HookInput) conversation.HookOutput {
		return conversation.HookOutput{Ran: []conversation.HookRan{{Moment: in.Moment, Command: "keep", Keep: texts}}}
	}
}

// withHooks sets hooks, by moment.
func withHooks(answers map[string]hookAnswer) (*fakeHooks, func(*core.Options)) {
	f := &fakeHooks{answers: answers}
	return f, func(o *core.Options) { o.Hooks = f }
}

func TestHookRefusesACallBeforeTheUserIsAsked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hooks, set := withHooks(map[string]hookAnswer{conversation.HookBeforeTool: refuses("not on Fridays"), conversation.HookAfterTool: adds("x")})
		r := start(t, combine(withTools(agenttest.Writer("push", nil)), set),
			callsReply(agenttest.StreamCall(0, "1", "push", `{"to":"main"}`)), textReply("all right"))
		r.sendAndWait("push it")
		if n := len(agenttest.UpdatesOf[updates.AskApproval](r.watch)); n != 0 {
			t.Errorf("the user was asked %d times", n)
		}
		want := []string{"user push it", `assistant calls [1 push {"to":"main"}]`, "result 1 denied denied: a hook refused it: not on Fridays", "assistant stop all right"}
		checkEqual(t, want, messageLines(r.memory.Events()))
		if in := hooks.at(conversation.HookBeforeTool); len(in) != 1 || in[0].Call.Arguments != `{"to":"main"}` || len(hooks.at(conversation.HookAfterTool)) != 0 {
			t.Errorf("told %+v", in)
		}
		if ran := bodies[conversation.HookRan](r.memory.Events()); len(ran) != 1 || !ran[0].Refused {
			t.Errorf("recorded %+v", ran)
		}
		r.finish()
	})
}

func TestPermissionsComeBeforeHooks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hooks, set := withHooks(nil)
		forbidden := agenttest.Writer("push", nil)
		forbidden.Review.Need, forbidden.Review.Reason = conversation.NeedRefusal, "denied by a rule"
		r := start(t, combine(withTools(forbidden), set), callsReply(agenttest.StreamCall(0, "1", "push", `{}`), agenttest.StreamCall(1, "2", "push", `[`)), textReply("ok"))
		r.sendAndWait("push it")
		if n := len(hooks.at(conversation.HookBeforeTool)); n != 0 {
			t.Errorf("hooks were asked %d times about calls that do not run", n)
		}
		r.finish()
	})
}

func TestHooksAddToResults(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hooks, set := withHooks(map[string]hookAnswer{conversation.HookAfterTool: adds("a.go:1: unused"), conversation.HookBeforeTool: addsAndFails})
		r := start(t, combine(withTools(agenttest.Reader("read", nil)), set),
			callsReply(agenttest.StreamCall(0, "1", "read", `{"a":1}`), agenttest.StreamCall(1, "2", "read", `{"a":2}`)), textReply("ok"))
		r.sendAndWait("read")
		for i, result := range bodies[conversation.ToolResult](r.memory.Events()) {
			if want := []string{`{"a":1}`, `{"a":2}`}[i] + "\n\n[hook first added:]\nbefore\n\n[hook lint added:]\na.go:1: unused"; result.Text != want || result.Status != conversation.ResultOK {
				t.Errorf("result %d: %q", i, result.Text)
			}
		}
		if in := hooks.at(conversation.HookAfterTool); len(in) != 2 || in[0].Status != conversation.ResultOK || !strings.HasPrefix(in[0].Text, "{") {
			t.Errorf("told %+v", in)
		}
		kinds := describe(r.memory.Events())
		at := strings.Join(kinds, "\n")
		if !strings.Contains(at, "\nhook_ran\nnotice warning\nhook_ran\nhook_ran\nhook_ran\nassistant stop ok") {
			t.Errorf("recorded\n%s", at) // one notice for two failures of one hook
		}
		r.finish()
	})
}

func TestStopDuringAHook(t *testing.T) {
	for moment, result := range map[string]string{
		conversation.HookBeforeTool: "interrupted: the turn was stopped before this call ran", conversation.HookAfterTool: "{}",
	} {
		runBubble(t, moment, func(t *testing.T) {
			_, set := withHooks(map[string]hookAnswer{moment: hangs(agenttest.NewGate())})
			r := start(t, combine(withTools(agenttest.Writer("push", nil)), set), callsReply(agenttest.StreamCall(0, "1", "push", `{}`)))
			r.sendAndWait("push it")
			r.Answer("1", conversation.Answer{Grant: conversation.GrantOnce})
			r.waitIdle()
			r.Send("later") // the keyboard is free
			r.waitIdle()
			r.Cancel()
			r.waitIdle()
			checkEqual(t, []string{"later"}, r.returned())
			results := bodies[conversation.ToolResult](r.memory.Events())
			ran := bodies[conversation.HookRan](r.memory.Events())
			if len(results) != 1 || results[0].Text != result || len(ran) != 1 || ran[0].Reason != conversation.HookStopped || len(bodies[conversation.Notice](r.memory.Events())) != 0 {
				t.Errorf("%+v, %+v", results, ran)
			}
			r.finish()
		})
	}
}

func TestHookRefusesAMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hooks, set := withHooks(map[string]hookAnswer{conversation.HookMessage: func(ctx context.Context, in conversation.HookInput) conversation.HookOutput {
			if strings.Contains(in.Text, "password") {
				return refuses("no passwords")(ctx, in)
			}
			return conversation.HookOutput{}
		}})
		r := start(t, set, textReply("hello"))
		r.sendAndWait("my password is x")
		checkEqual(t, []string{"my password is x"}, r.returned())
		failed := agenttest.UpdatesOf[updates.Failed](r.watch)
		if len(failed) != 1 || failed[0].Err.Message != "a hook refused the message: no passwords" || failed[0].Logged || r.memory.Events() != nil {
			t.Errorf("%+v, stored %v", failed, describe(r.memory.Events()))
		}
		r.Add("!echo password")
		r.waitIdle()
		checkEqual(t, []string{"my password is x", "!echo password"}, r.returned())
		r.sendAndWait("hi")
		checkEqual(t, []string{"user hi", "assistant stop hello"}, messageLines(r.memory.Events()))
		if ran := bodies[conversation.HookRan](r.memory.Events()); len(ran) != 2 || len(hooks.at(conversation.HookMessage)) != 3 {
			t.Errorf("recorded %+v", ran)
		}
		r.finish()
	})
}

func TestHooksAddToAMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, set := withHooks(map[string]hookAnswer{conversation.HookMessage: adds("branch: main")})
		r := start(t, set, textReply("hello"))
		r.sendAndWait("hi\n")
		m := bodies[conversation.UserMessage](r.memory.Events())
		if len(m) != 1 || m[0].Text != "hi\n\n[hook lint added:]\nbranch: main" || m[0].Typed() != "hi" {
			t.Errorf("%+v", m)
		}
		if sent := r.provider.Requests(); len(sent) != 1 || !strings.Contains(sent[0].Messages[0].Text, "branch: main") {
			t.Errorf("sent %+v", sent)
		}
		r.Rewind(-1)
		r.waitIdle()
		checkEqual(t, []string{"hi"}, r.returned()) // without what would be added twice
		r.finish()
	})
}

func TestTooMuchAddedToAMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, set := withHooks(map[string]hookAnswer{conversation.HookMessage: adds(textOf(150_000))})
		r := start(t, set)
		r.sendAndWait("hi")
		checkEqual(t, []string{"hi"}, r.returned())
		if len(r.provider.Requests()) != 0 || len(r.failures()) != 1 {
			t.Errorf("failures %v", r.failures())
		}
		r.finish()
	})
}

func TestStopDuringAMessageHook(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, set := withHooks(map[string]hookAnswer{conversation.HookMessage: hangs(agenttest.NewGate())})
		r := start(t, set)
		r.sendAndWait("hi")
		r.Send("second")
		r.waitIdle()
		r.Cancel()
		r.waitIdle()
		checkEqual(t, []string{"second", "hi"}, r.returned())
		if len(r.failures()) != 0 || len(r.provider.Requests()) != 0 {
			t.Errorf("failures %v", r.failures())
		}
		r.Add("quiet")
		r.waitIdle()
		r.Cancel()
		r.waitIdle()
		r.finish()
	})
}

func TestTurnEndIsToldToHooks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		hooks, set := withHooks(map[string]hookAnswer{conversation.HookTurnEnd: failsAs("exit code 1")})
		r := start(t, set, textReply("hello"), agenttest.Join(agenttest.StreamText("and"), agenttest.WaitAtGate(gate)), agenttest.Fail(serverFault()))
		r.sendAndWait("one")
		r.sendAndWait("two")
		r.Cancel()
		r.waitIdle()
		var reasons []string
		for _, in := range hooks.at(conversation.HookTurnEnd) {
			reasons = append(reasons, in.Reason)
		}
		checkEqual(t, []string{"done", "stopped"}, reasons)
		if n := len(bodies[conversation.Notice](r.memory.Events())); n != 1 || len(bodies[conversation.HookRan](r.memory.Events())) != 2 {
			t.Errorf("%d notices in %v", n, describe(r.memory.Events()))
		}
		r.finish()
	})
}

func TestHooksAskedBeforeACompactionNameWhatIsKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hooks, set := withHooks(map[string]hookAnswer{conversation.HookBeforeCompaction: keeps("the port is 8080")})
		s := serverWithoutUsage(goodSummaries(nil))
		r := startChat(t, s, beyondLoad+1, eachTokens, set)
		before, after := hooks.at(conversation.HookBeforeCompaction), hooks.at(conversation.HookAfterCompaction)
		if len(before) != 1 || before[0].Compaction.Before == 0 || len(after) != 1 || after[0].Compaction.After >= after[0].Compaction.Before {
			t.Fatalf("before %+v, after %+v", before, after)
		}
		for _, e := range r.overlays() {
			if note, ok := e.Body.(conversation.Summary); ok && note.Appendix != "" && !strings.Contains(note.Appendix, "> the port is 8080") {
				t.Errorf("the note lacks it: %s", note.Appendix)
			}
		}
		asked := false
		for _, served := range s.Served() {
			if served.Purpose == conversation.PurposeSummary {
				text := served.Request.Messages[len(served.Request.Messages)-1].Text
				asked = strings.Contains(text, "Preserve in particular: the port is 8080")
			}
		}
		if !asked {
			t.Error("the writer was not told what to keep")
		}
		r.checkAnswered()
		r.finish()
	})
}

func TestRefusedCompactionsBackOff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hooks, set := withHooks(map[string]hookAnswer{conversation.HookBeforeCompaction: refuses("later")})
		r := startChat(t, serverWithoutUsage(goodSummaries(nil)), belowLoad, eachTokens, set)
		asked := len(hooks.at(conversation.HookBeforeCompaction))
		for range 20 { // small turns: no hot loop
			r.sendAndWait("go on")
		}
		if n := len(hooks.at(conversation.HookBeforeCompaction)); n > asked+1 || len(r.overlays()) != 0 {
			t.Errorf("asked %d times, then %d times; made %v", asked, n-asked, r.overlayKinds())
		}
		for range 3 { // beyond the hard line the conversation goes on
			r.sendAndWait(textOf(eachTokens))
		}
		r.checkAnswered()
		overruled := 0
		for _, n := range bodies[conversation.Notice](r.memory.Events()) {
			if strings.HasPrefix(n.Text, "A hook refused the compaction (later), but") {
				overruled++
			}
		}
		if n := len(hooks.at(conversation.HookBeforeCompaction)); len(r.overlays()) == 0 || overruled != 1 || n > asked+5 {
			t.Errorf("made %v, %d notices, asked %d times", r.overlayKinds(), overruled, n)
		}
		r.finish()
	})
}

func TestCompactionsAskedForAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		answer := refuses("not now")
		hooks, set := withHooks(map[string]hookAnswer{conversation.HookBeforeCompaction: func(ctx context.Context, in conversation.HookInput) conversation.HookOutput {
			return answer(ctx, in)
		}})
		r := startChat(t, serverWithoutUsage(goodSummaries(nil)), belowLoad-2, eachTokens, set)
		request := edit.NewRequest()
		request.Focus = "names"
		r.Compact(request)
		r.waitIdle()
		failed := agenttest.UpdatesOf[updates.CompactionFailed](r.watch)
		if len(failed) != 1 || failed[0].Err.Message != "a hook refused the compaction: not now" || len(r.overlays()) != 0 {
			t.Errorf("%+v, made %v", failed, r.overlayKinds())
		}
		if in := hooks.at(conversation.HookBeforeCompaction); len(in) != 1 || in[0].Compaction.Focus != "names" || in[0].Compaction.Source != conversation.SourceManual {
			t.Errorf("told %+v", in)
		}
		answer = hangs(gate)
		r.Compact(request)
		r.waitIdle()
		r.Cancel()
		r.waitIdle()
		if failed := agenttest.UpdatesOf[updates.CompactionFailed](r.watch); len(failed) != 2 || len(r.overlays()) != 0 {
			t.Errorf("%+v, made %v", failed, r.overlayKinds())
		}
		answer = keeps()
		r.Compact(request)
		r.waitIdle()
		if len(r.modelSummaries()) != 1 || len(hooks.at(conversation.HookAfterCompaction)) != 1 {
			t.Errorf("made %v", r.overlayKinds())
		}
		r.finish()
	})
}
