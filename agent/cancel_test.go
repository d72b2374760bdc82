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

// cancelled stops the turn, checks what it left, and that the next message
// gets its answer. The script's last reply is answers("fine").
func (r *rig) cancelled(want ...string) {
	r.t.Helper()
	began := time.Now()
	r.Cancel()
	r.wait()
	if d := time.Since(began); d != 0 {
		r.t.Errorf("stopping took %v", d)
	}
	phases := r.watch.Phases()
	if n := len(phases); n < 2 || phases[n-2] != updates.Stopping || phases[n-1] != updates.Idle {
		r.t.Errorf("phases %v, want stopping and idle at the end", phases)
	}
	if f := r.failures(); len(f) > 0 {
		r.t.Errorf("stopping was reported as failure %v", f)
	}
	r.say("next")
	r.finish()
	want = append(append([]string{"user go"}, want...), "user next", "assistant stop fine")
	same(r.t, want, said(r.memory.Events()))
}

func TestCancelKeepsWhatCame(t *testing.T) {
	held := func(came agenttest.Reply) func() []agenttest.Reply {
		return func() []agenttest.Reply {
			return []agenttest.Reply{agenttest.Join(came, agenttest.Hold(agenttest.NewGate()))}
		}
	}
	waits := func(calls ...agenttest.Reply) func() []agenttest.Reply {
		return func() []agenttest.Reply { return []agenttest.Reply{asks(calls...)} }
	}
	const notRun = "interrupted interrupted: the turn was stopped before this call ran"
	for name, c := range map[string]struct {
		script func() []agenttest.Reply
		want   []string
	}{
		"nothing":       {held(nil), nil},
		"a piece":       {held(agenttest.Say("so far")), []string{"assistant cancelled so far"}},
		"reasoning":     {held(agenttest.Think("hm")), []string{"assistant cancelled"}},
		"half a call":   {held(agenttest.Call(0, "c1", "look", `{"a`)), []string{`assistant cancelled [c1 look {"_invalid":"{\"a"}]`, "result c1 interrupted not run: the reply was stopped"}},
		"a silent tool": {waits(agenttest.Call(0, "c1", "look")), []string{"assistant calls [c1 look {}]", "result c1 interrupted interrupted: the call was stopped; it printed nothing"}},
		"an approval": {waits(agenttest.Call(0, "c1", "write"), agenttest.Call(1, "c2", "write")),
			[]string{"assistant calls [c1 write {}] [c2 write {}]", "result c1 " + notRun, "result c2 " + notRun}},
		"a back-off": {func() []agenttest.Reply {
			return []agenttest.Reply{agenttest.Join(agenttest.Say("half"), agenttest.Fail(&llm.Error{Class: llm.Overloaded, Message: "busy", RetryAfter: 30 * time.Second}))}
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
			r := start(t, withTools(agenttest.Writer("write", nil), silent), append(c.script(), answers("fine"))...)
			r.say("go")
			r.cancelled(c.want...)
			if closed := agenttest.Of[updates.ApprovalClosed](r.watch); (len(closed) == 1) != (name == "an approval") || name != "a silent tool" && len(r.tools.Calls()) > 0 {
				t.Errorf("closed %v, %d calls ran", closed, len(r.tools.Calls()))
			}
		})
	}
}

func TestCancelWhileToolsRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gates := map[string]*agenttest.Gate{"c1": agenttest.NewGate(), "c2": agenttest.NewGate()}
		r := start(t, withTools(agenttest.Reader("look", gated(gates)), agenttest.Writer("write", nil)),
			asks(agenttest.Call(0, "c1", "look"), agenttest.Call(1, "c2", "look"), agenttest.Call(2, "c3", "write")), answers("fine"))
		r.say("go")
		gates["c1"].Open()
		r.wait()
		r.cancelled("assistant calls [c1 look {}] [c2 look {}] [c3 write {}]",
			"result c1 ok result of c1", "result c2 interrupted printed by c2",
			"result c3 interrupted interrupted: the turn was stopped before this call ran")
	})
}

func TestEndOfTheProgramKeepsTheReply(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, agenttest.Join(agenttest.Say("so far"), agenttest.Hold(agenttest.NewGate())))
		r.say("go")
		r.Send("queued")
		r.wait()
		r.finish() // checks that nothing outlives Run
		same(t, []string{"user go", "assistant interrupted so far"}, said(r.memory.Events()))
		same(t, []string{"queued"}, r.returned())
	})
}

func TestQueuedMessagesBecomeTurnsInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := start(t, nil, agenttest.Join(agenttest.Hold(gate), answers("a")), answers("b"), answers("c"))
		r.say("one")
		r.Send("two")
		r.Send("three")
		r.wait()
		gate.Open()
		r.wait()
		r.finish()
		want := []string{"user one", "assistant stop a", "user two", "assistant stop b", "user three", "assistant stop c"}
		same(t, want, said(r.memory.Events()))
		queued := []updates.Queued{{Texts: []string{"two"}}, {Texts: []string{"two", "three"}}, {Texts: []string{"three"}}, {}}
		same(t, queued, agenttest.Of[updates.Queued](r.watch))
		idle := 0
		for _, s := range agenttest.Of[updates.Status](r.watch) {
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
		r := start(t, nil, agenttest.Hold(agenttest.NewGate()), answers("fine"))
		r.say("go")
		r.Send("two")
		r.Send("three")
		r.wait()
		r.cancelled()
		same(t, []string{"two", "three"}, r.returned())
	})
}
