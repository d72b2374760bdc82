package agent_test

import (
	"context"
	"testing"
	"time"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

// checkCancel cancels the turn, compares the log with want, and checks that the next
// message is answered. The script's last reply is textReply("fine").
func (r *rig) checkCancel(want ...string) {
	r.t.Helper()
	began := time.Now()
	r.Cancel()
	r.waitIdle()
	if d := time.Since(began); d != 0 {
		r.t.Errorf("the cancel took %v, want no time", d)
	}
	phases := r.watch.Phases()
	if n := len(phases); n < 2 || phases[n-2] != updates.Stopping || phases[n-1] != updates.Idle {
		r.t.Errorf("phases %v, want stopping and idle at the end", phases)
	}
	if f := r.failures(); len(f) > 0 {
		r.t.Errorf("the cancel was reported as failure %v", f)
	}
	r.sendAndWait("next")
	r.finish()
	want = append(append([]string{"user go"}, want...), "user next", "assistant stop fine")
	checkEqual(r.t, want, messageLines(r.memory.Events()))
}

func TestCancelKeepsPartialText(t *testing.T) {
	held := func(came agenttest.Reply) func() []agenttest.Reply {
		return func() []agenttest.Reply {
			return []agenttest.Reply{agenttest.Join(came, agenttest.WaitAtGate(agenttest.NewGate()))}
		}
	}
	waits := func(calls ...agenttest.Reply) func() []agenttest.Reply {
		return func() []agenttest.Reply { return []agenttest.Reply{callsReply(calls...)} }
	}
	const notRun = "interrupted interrupted: the turn was stopped before this call ran"
	for name, c := range map[string]struct {
		script func() []agenttest.Reply
		want   []string
	}{
		"nothing":       {held(nil), nil},
		"a piece":       {held(agenttest.StreamText("so far")), []string{"assistant cancelled so far"}},
		"reasoning":     {held(agenttest.StreamReasoning("hm")), []string{"assistant cancelled"}},
		"half a call":   {held(agenttest.StreamCall(0, "c1", "look", `{"a`)), []string{`assistant cancelled [c1 look {"_invalid":"{\"a"}]`, "result c1 interrupted not run: the reply was stopped"}},
		"a silent tool": {waits(agenttest.StreamCall(0, "c1", "look")), []string{"assistant calls [c1 look {}]", "result c1 interrupted interrupted: the call was stopped; it printed nothing"}},
		"an approval": {waits(agenttest.StreamCall(0, "c1", "write"), agenttest.StreamCall(1, "c2", "write")),
			[]string{"assistant calls [c1 write {}] [c2 write {}]", "result c1 " + notRun, "result c2 " + notRun}},
		"a back-off": {func() []agenttest.Reply {
			return []agenttest.Reply{agenttest.Join(agenttest.StreamText("half"), agenttest.Fail(&llm.Error{Class: llm.Overloaded, Message: "busy", RetryAfter: 30 * time.Second}))}
		}, []string{"assistant cancelled half"}},
		"a server that loads": {func() []agenttest.Reply {
			return []agenttest.Reply{agenttest.Fail(&llm.Error{Class: llm.Overloaded, Message: "loading model", Loading: true, RetryAfter: 20 * time.Second})}
		}, nil},
	} {
		runBubble(t, name, func(t *testing.T) {
			silent := agenttest.Reader("look", func(ctx context.Context, _ conversation.ToolCall, _ func(string)) conversation.Outcome {
				<-ctx.Done()
				return conversation.Outcome{Status: conversation.ResultInterrupted}
			})
			r := start(t, withTools(agenttest.Writer("write", nil), silent), append(c.script(), textReply("fine"))...)
			r.sendAndWait("go")
			r.checkCancel(c.want...)
			if closed := agenttest.UpdatesOf[updates.ApprovalClosed](r.watch); (len(closed) > 0) != (name == "an approval") || name != "a silent tool" && len(r.tools.Calls()) > 0 {
				t.Errorf("cancelled in %s: closed approvals %v, %d calls ran", name, closed, len(r.tools.Calls()))
			}
		})
	}
}

func TestCancelWhileToolsRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gates := map[string]*agenttest.Gate{"c1": agenttest.NewGate(), "c2": agenttest.NewGate()}
		r := start(t, withTools(agenttest.Reader("look", gated(gates)), agenttest.Writer("write", nil)),
			callsReply(agenttest.StreamCall(0, "c1", "look"), agenttest.StreamCall(1, "c2", "look"), agenttest.StreamCall(2, "c3", "write")), textReply("fine"))
		r.sendAndWait("go")
		gates["c1"].Open()
		r.waitIdle()
		r.checkCancel("assistant calls [c1 look {}] [c2 look {}] [c3 write {}]",
			"result c1 ok result of c1", "result c2 interrupted printed by c2",
			"result c3 interrupted interrupted: the turn was stopped before this call ran")
	})
}

func TestShutdownKeepsThePartialReply(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, agenttest.Join(agenttest.StreamText("so far"), agenttest.WaitAtGate(agenttest.NewGate())))
		r.sendAndWait("go")
		r.Send("queued")
		r.waitIdle()
		r.finish() // checks that nothing outlives Run
		checkEqual(t, []string{"user go", "assistant interrupted so far"}, messageLines(r.memory.Events()))
		checkEqual(t, []string{"queued"}, r.returned())
	})
}

func TestQueuedMessagesBecomeTurnsInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := start(t, nil, agenttest.Join(agenttest.WaitAtGate(gate), textReply("a")), textReply("b"), textReply("c"))
		r.sendAndWait("one")
		r.Send("two")
		r.Send("three")
		r.waitIdle()
		gate.Open()
		r.waitIdle()
		r.finish()
		want := []string{"user one", "assistant stop a", "user two", "assistant stop b", "user three", "assistant stop c"}
		checkEqual(t, want, messageLines(r.memory.Events()))
		queued := []updates.Queued{{Texts: []string{"two"}}, {Texts: []string{"two", "three"}}, {Texts: []string{"three"}}, {}}
		checkEqual(t, queued, agenttest.UpdatesOf[updates.Queued](r.watch))
		idle := 0
		for _, s := range agenttest.UpdatesOf[updates.Status](r.watch) {
			if s.Phase == updates.Idle {
				idle++
			}
		}
		if idle != 1 {
			t.Errorf("idle %d times, want once, when nothing waits any more", idle)
		}
	})
}

func TestCancelReturnsQueuedMessages(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, agenttest.WaitAtGate(agenttest.NewGate()), textReply("fine"))
		r.sendAndWait("go")
		r.Send("two")
		r.Send("three")
		r.waitIdle()
		r.checkCancel()
		checkEqual(t, []string{"two", "three"}, r.returned())
	})
}
