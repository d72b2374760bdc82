package agent_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// fakeServers declare a tool once they have started.
type fakeServers struct {
	ready  chan struct{} // nil: at once
	specs  []conversation.ToolSpec
	starts int
}

func (f *fakeServers) Declare(ctx context.Context, _ []conversation.ToolSpec, _ int, _ func([]conversation.ToolSpec) int) []conversation.ToolSpec {
	f.starts++
	select {
	case <-f.ready:
	case <-ctx.Done():
		return nil
	}
	return f.specs
}

func newFakeServers() *fakeServers {
	return &fakeServers{ready: make(chan struct{}), specs: []conversation.ToolSpec{{Name: "mcp__files__read", Parameters: conversation.RawJSON(`{"type":"object"}`)}}}
}

func withServers(f *fakeServers) func(*core.Options) {
	return func(o *core.Options) { o.Servers = f }
}

func declares(specs []conversation.ToolSpec) bool {
	return slices.ContainsFunc(specs, func(t conversation.ToolSpec) bool { return t.Name == "mcp__files__read" })
}

func TestMessageIsStoredWhileServersStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeServers()
		r := start(t, withServers(f), agenttest.Join(agenttest.StreamText("hello"), agenttest.Stop(conversation.StopEnd)), agenttest.Join(agenttest.StreamText("again"), agenttest.Stop(conversation.StopEnd)))
		if f.starts != 0 {
			t.Error("servers start before the first message")
		}
		r.Send("hi")
		r.waitIdle()
		if n := len(r.memory.Events()); n == 0 || len(r.provider.Requests()) != 0 {
			t.Fatalf("while servers start, %d events are stored and %d requests made", n, len(r.provider.Requests()))
		}
		close(f.ready)
		r.waitIdle()
		r.Send("more")
		r.waitIdle()
		requests := r.provider.Requests()
		if len(requests) != 2 || !declares(requests[0].Tools) || !declares(requests[1].Tools) || f.starts != 1 {
			t.Errorf("%d requests, %d starts, tools %+v", len(requests), f.starts, requests[0].Tools)
		}
		r.finish()
	})
}

func TestCancelEndsTheStartOfServers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeServers()
		r := start(t, withServers(f), agenttest.Join(agenttest.StreamText("hello"), agenttest.Stop(conversation.StopEnd)))
		r.Send("hi")
		r.waitIdle()
		r.Cancel()
		r.waitIdle()
		if len(r.provider.Requests()) != 0 {
			t.Error("a request is made although the turn was cancelled")
		}
		close(f.ready)
		r.Send("go on")
		r.waitIdle()
		if requests := r.provider.Requests(); len(requests) != 1 || !declares(requests[0].Tools) || f.starts != 2 {
			t.Errorf("after the cancel %d requests and %d starts", len(requests), f.starts)
		}
		r.finish()
	})
}

func TestConversationKeepsItsToolsUntilAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil, agenttest.Join(agenttest.StreamText("hello"), agenttest.Stop(conversation.StopEnd)))
		r.Send("hi")
		r.waitIdle()
		first := r.memory
		r.finish()

		f := newFakeServers()
		close(f.ready)
		r = start(t, func(o *core.Options) {
			o.Servers, o.Log, o.Stored = f, first, core.Stored{ID: "conversation", Events: first.Events()}
		}, agenttest.Join(agenttest.StreamText("again"), agenttest.Stop(conversation.StopEnd)), agenttest.Join(agenttest.StreamText("now"), agenttest.Stop(conversation.StopEnd)))
		r.Send("more")
		r.waitIdle()
		if declares(r.provider.Requests()[0].Tools) {
			t.Error("the tools of a running conversation changed unasked")
		}
		if !slices.ContainsFunc(r.memory.Events(), func(e conversation.Event) bool {
			n, ok := e.Body.(conversation.Notice)
			return ok && n.Text != "" && n.Level == conversation.NoticeInfo
		}) {
			t.Error("nothing says that tools are not declared")
		}
		r.DeclareServerTools()
		r.waitIdle()
		r.Send("and")
		r.waitIdle()
		if !declares(r.provider.Requests()[1].Tools) {
			t.Error("the tools are not declared although the user asked")
		}
		if n := countKind(r.memory.Events(), conversation.KindInstructions); n == 0 {
			t.Error("no event records the changed tools")
		}
		r.finish()
	})
}

func TestWhatAServersQuestionCostIsStoredWhenTheConversationIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil, agenttest.Join(agenttest.StreamText("hello"), agenttest.Stop(conversation.StopEnd)), agenttest.Join(agenttest.ReportTokens(70, 1), agenttest.StreamText("half"), agenttest.WaitAtGate(agenttest.NewGate())))
		r.sendAndWait("hi") // a conversation without messages is not kept
		left, leave := context.WithCancel(t.Context())
		go func() {
			if rep, err := r.AskModel(left, testModel.Name(), conversation.PurposeServer, llm.Request{System: "s"}); !rep.Arrived() || err == nil {
				t.Errorf("%+v, %v", rep, err)
			}
		}()
		r.waitIdle()
		leave()
		r.finish()
		events := r.memory.Events()
		if u, ok := events[len(events)-1].Body.(conversation.Usage); !ok || u.Purpose != conversation.PurposeServer || u.Prompt != 70 {
			t.Errorf("the last event is %+v", events[len(events)-1].Body)
		}
	})
}

func TestWhatIsKeptOutFollowsTheServersThatAreOn(t *testing.T) {
	t.Parallel()
	declared := []conversation.ToolSpec{{Name: conversation.ToolFindTools}}
	log := []conversation.Event{
		{Body: conversation.MCPServer{Server: "a", State: "ready", Tools: 2, Size: conversation.Measure("declarations of a server")}},
		{Body: conversation.ConfigChanged{Set: map[string]string{"mcp.a.enabled": "false"}}},
		{Body: conversation.ConfigChanged{Set: map[string]string{"mcp.a.enabled": "true"}}},
	}
	if on, off, again := core.KeptOut(log[:1], declared), core.KeptOut(log[:2], declared), core.KeptOut(log, declared); on == 0 || off != 0 || again != on {
		t.Errorf("%d, off %d, on again %d", on, off, again)
	}
}

func countKind(events []conversation.Event, k conversation.Kind) int {
	n := 0
	for _, e := range events {
		if e.Body.Kind() == k {
			n++
		}
	}
	return n
}
