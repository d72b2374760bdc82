package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

// asked are the calls the user was asked about so far.
func (r *rig) asked() []string {
	var ids []string
	for _, u := range agenttest.Of[updates.AskApproval](r.watch) {
		ids = append(ids, u.Call.ID)
	}
	return ids
}

func twoWrites() agenttest.Reply {
	return asks(agenttest.Call(0, "c1", "write"), agenttest.Call(1, "c2", "write"))
}

func TestApprovalOnceIsAskedForEveryCallInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, withTools(agenttest.Writer("write", nil)), twoWrites(), answers("done"))
		r.say("go")
		if diff := cmp.Diff([]string{"c1"}, r.asked()); diff != "" {
			t.Fatal(diff)
		}
		r.Answer("c2", conversation.Answer{Grant: conversation.GrantOnce}) // not asked yet
		r.wait()
		if n := len(r.tools.Calls()); n != 0 {
			t.Fatalf("%d calls ran", n)
		}
		r.Answer("c1", conversation.Answer{Grant: conversation.GrantOnce})
		r.Answer("c1", conversation.Answer{Grant: conversation.GrantNo}) // answered already
		r.wait()
		if diff := cmp.Diff([]string{"c1", "c2"}, r.asked()); diff != "" {
			t.Fatal(diff)
		}
		r.Answer("c2", conversation.Answer{Grant: conversation.GrantOnce})
		r.wait()
		r.finish()
		if diff := cmp.Diff([]string{"user go", "assistant calls [c1 write {}] [c2 write {}]", "result c1 ok {}", "result c2 ok {}", "assistant stop done"},
			said(r.memory.Events())); diff != "" {
			t.Error(diff)
		}
		if a := r.tools.Allowed(); len(a) != 0 {
			t.Errorf("once was remembered: %v", a)
		}
	})
}

func TestWhatAnAnswerDoesToACall(t *testing.T) {
	deny := func(grant conversation.Grant) conversation.Answer {
		return conversation.Answer{Grant: grant, Text: "not that file"}
	}
	const denied = "result c1 denied denied: the user did not allow this call. The user says: not that file"
	planned := agenttest.Writer("write", nil)
	planned.Review = conversation.Review{Need: conversation.NeedRefusal, Reason: "plan mode changes nothing"}
	write := agenttest.Writer("write", nil)
	for name, c := range map[string]struct {
		tool    agenttest.Tool
		nobody  bool // no user is present
		broken  bool // the grant cannot be stored
		answers []conversation.Answer
		asked   []string
		ran     int
		results []string
		allowed []agenttest.Allowed
	}{
		"for the run": {tool: write, answers: []conversation.Answer{{Grant: conversation.GrantRun}}, asked: []string{"c1"}, ran: 2,
			results: []string{"result c1 ok {}", "result c2 ok {}"}, allowed: []agenttest.Allowed{{Tool: "write", Grant: conversation.GrantRun}}},
		"for ever": {tool: write, answers: []conversation.Answer{{Grant: conversation.GrantAlways}}, asked: []string{"c1"}, ran: 2,
			results: []string{"result c1 ok {}", "result c2 ok {}"}, allowed: []agenttest.Allowed{{Tool: "write", Grant: conversation.GrantAlways}}},
		"for ever, not stored": {tool: write, broken: true, answers: []conversation.Answer{{Grant: conversation.GrantAlways}, {Grant: conversation.GrantOnce}},
			asked: []string{"c1", "c2"}, ran: 2, results: []string{"result c1 ok {}", "result c2 ok {}"}},
		"no": {tool: write, answers: []conversation.Answer{deny(conversation.GrantNo), {Grant: conversation.GrantOnce}}, asked: []string{"c1", "c2"}, ran: 1,
			results: []string{denied, "result c2 ok {}"}},
		"an unknown grant": {tool: write, answers: []conversation.Answer{deny("whatever"), {Grant: conversation.GrantOnce}}, asked: []string{"c1", "c2"}, ran: 1,
			results: []string{denied, "result c2 ok {}"}},
		"a question": {tool: question("write"), answers: []conversation.Answer{{Grant: conversation.GrantOnce, Text: "the first"}, {Grant: conversation.GrantNo}},
			asked: []string{"c1", "c2"}, results: []string{"result c1 ok the first", "result c2 denied the user did not answer"}},
		"no user":                {tool: write, nobody: true, results: []string{"result c1 denied denied: this call needs", "result c2 denied denied: this call needs"}},
		"a question and no user": {tool: question("write"), nobody: true, results: []string{"result c1 denied no user is present", "result c2 denied no user is present"}},
		"a call that is refused": {tool: planned, results: []string{"result c1 denied plan mode changes nothing", "result c2 denied plan mode changes nothing"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := start(t, func(o *core.Options) {
					withTools(c.tool)(o)
					o.Interactive = !c.nobody
				}, twoWrites(), answers("done"), answers("two"))
				if c.broken {
					r.tools.AllowErr = errors.New("read-only file")
				}
				r.say("go")
				r.say("and then") // waits while a call does
				for i, a := range c.answers {
					r.Answer(c.asked[i], a)
					r.wait()
				}
				r.finish()
				got := said(r.memory.Events())
				for i, want := range c.results {
					if !strings.HasPrefix(got[2+i], want) {
						t.Errorf("got %q, want %q", got[2+i], want)
					}
				}
				if diff := cmp.Diff([]string{"assistant stop done", "user and then", "assistant stop two"}, got[4:]); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(c.asked, r.asked()); diff != "" {
					t.Errorf("asked: %s", diff)
				}
				if diff := cmp.Diff(c.allowed, r.tools.Allowed()); diff != "" || len(r.tools.Calls()) != c.ran || c.broken != (len(r.failures()) == 1) {
					t.Errorf("%d calls ran, failures %v: %s", len(r.tools.Calls()), r.failures(), diff)
				}
			})
		})
	}
}

func question(name string) agenttest.Tool {
	q := agenttest.Reader(name, nil)
	q.Review = conversation.Review{Need: conversation.NeedAnswer, ReadOnly: true, Question: "which?", Options: []string{"a", "b"}}
	return q
}

// moody is a toolbox in which a call is refused once another has run.
type moody struct{ *agenttest.Toolbox }

func (m moody) Review(ctx context.Context, call conversation.ToolCall) conversation.Review {
	if call.Name == "write" && len(m.Calls()) > 0 {
		return conversation.Review{Need: conversation.NeedRefusal, Reason: "not any more"}
	}
	return m.Toolbox.Review(ctx, call)
}

func TestCallBehindOthersIsReviewedWhenItsTimeHasCome(t *testing.T) {
	bubble(t, func(t *testing.T) {
		box := agenttest.NewToolbox(agenttest.Reader("look", nil), agenttest.Tool{Spec: conversation.ToolSpec{Name: "write"}})
		r := start(t, func(o *core.Options) { o.Toolbox = moody{box} },
			asks(agenttest.Call(0, "a", "look"), agenttest.Call(1, "b", "write")), answers("fine"))
		r.say("go")
		r.finish()
		want := []string{"user go", "assistant calls [a look {}] [b write {}]", "result a ok {}", "result b denied not any more", "assistant stop fine"}
		if diff := cmp.Diff(want, said(r.memory.Events())); diff != "" {
			t.Error(diff)
		}
	})
}
