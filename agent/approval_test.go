package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
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

func TestApprovalForLongerIsNotAskedAgain(t *testing.T) {
	for _, grant := range []conversation.Grant{conversation.GrantRun, conversation.GrantAlways} {
		t.Run(string(grant), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := start(t, withTools(agenttest.Writer("write", nil)), twoWrites(), answers("done"))
				r.say("go")
				r.Answer("c1", conversation.Answer{Grant: grant})
				r.wait()
				r.finish()
				if diff := cmp.Diff([]string{"c1"}, r.asked()); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff([]agenttest.Allowed{{Tool: "write", Grant: grant}}, r.tools.Allowed()); diff != "" {
					t.Error(diff)
				}
				if n := len(r.tools.Calls()); n != 2 {
					t.Errorf("%d calls ran, want 2", n)
				}
			})
		})
	}
}

func TestApprovalThatCannotBeRememberedStillRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, withTools(agenttest.Writer("write", nil)), asks(agenttest.Call(0, "c1", "write")), answers("done"))
		r.tools.AllowErr = errors.New("read-only file")
		r.say("go")
		r.Answer("c1", conversation.Answer{Grant: conversation.GrantAlways})
		r.wait()
		r.finish()
		if n := len(r.tools.Calls()); n != 1 {
			t.Errorf("%d calls ran, want 1", n)
		}
		if diff := cmp.Diff([]llm.Class{llm.NotSaved}, r.failures()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestApprovalDeniedIsToldToTheModel(t *testing.T) {
	for _, grant := range []conversation.Grant{conversation.GrantNo, "whatever"} {
		t.Run(string(grant), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := start(t, withTools(agenttest.Writer("write", nil)), asks(agenttest.Call(0, "c1", "write")), answers("done"))
				r.say("go")
				r.Answer("c1", conversation.Answer{Grant: grant, Text: "not that file"})
				r.wait()
				r.finish()
				if got := said(r.memory.Events()); got[2] != "result c1 denied denied: the user did not allow this call. The user says: not that file" {
					t.Errorf("got %q", got)
				}
				if n := len(r.tools.Calls()); n != 0 {
					t.Errorf("%d calls ran", n)
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

func TestAnswerToAQuestionIsTheResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, withTools(question("ask_user")), asks(agenttest.Call(0, "c1", "ask_user"), agenttest.Call(1, "c2", "ask_user")), answers("done"))
		r.say("go")
		r.Answer("c1", conversation.Answer{Grant: conversation.GrantOnce, Text: "the first"})
		r.wait()
		r.Answer("c2", conversation.Answer{Grant: conversation.GrantNo})
		r.wait()
		r.finish()
		got := said(r.memory.Events())
		if diff := cmp.Diff([]string{"result c1 ok the first", "result c2 denied the user did not answer"}, got[2:4]); diff != "" {
			t.Error(diff)
		}
		if n := len(r.tools.Calls()); n != 0 {
			t.Errorf("%d calls ran: the answer is the result", n)
		}
	})
}

func TestWithoutAUserNothingIsAsked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *core.Options) {
			withTools(agenttest.Writer("write", nil), question("ask_user"), agenttest.Reader("look", nil))(o)
			o.Interactive = false
		}, asks(agenttest.Call(0, "c1", "write"), agenttest.Call(1, "c2", "ask_user"), agenttest.Call(2, "c3", "look")), answers("done"))
		r.say("go")
		r.finish()
		if n := len(r.asked()); n != 0 {
			t.Errorf("asked %d times", n)
		}
		got := said(r.memory.Events())
		for i, want := range []string{"result c1 denied denied: this call needs", "result c2 denied no user is present", "result c3 ok"} {
			if !strings.HasPrefix(got[2+i], want) {
				t.Errorf("got %q, want %q", got[2+i], want)
			}
		}
	})
}

func TestRefusedCallSaysWhy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		write := agenttest.Writer("write", nil)
		write.Review = conversation.Review{Need: conversation.NeedRefusal, Reason: "plan mode changes nothing"}
		r := start(t, withTools(write), asks(agenttest.Call(0, "c1", "write")), answers("done"))
		r.say("go")
		r.finish()
		if got := said(r.memory.Events()); got[2] != "result c1 denied plan mode changes nothing" {
			t.Errorf("got %q", got)
		}
	})
}

func TestMessagesCanBeSentWhileACallWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, withTools(agenttest.Writer("write", nil)), asks(agenttest.Call(0, "c1", "write")), answers("done"), answers("two"))
		r.say("go")
		r.say("and then")
		r.Answer("c1", conversation.Answer{Grant: conversation.GrantOnce})
		r.wait()
		r.finish()
		got := said(r.memory.Events())
		if diff := cmp.Diff([]string{"assistant stop done", "user and then", "assistant stop two"}, got[3:]); diff != "" {
			t.Error(diff)
		}
	})
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
