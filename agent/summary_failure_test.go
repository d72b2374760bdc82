package agent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// unharmed checks that a compaction came to nothing and changed nothing.
func unharmed(r *rig, before []wire, class llm.Class, outcome string) *llm.Error {
	r.t.Helper()
	r.idle()
	refused, attempts := r.refused(), r.attempts()
	if len(refused) != 1 || len(attempts) != 1 || len(r.made()) != 0 || len(r.overlays()) != 0 {
		r.t.Fatalf("told %v and %v, recorded %v and %d overlays", refused, r.made(), attempts, len(r.overlays()))
	}
	if diff := cmp.Diff(before, r.view()); diff != "" {
		r.t.Errorf("the view changed: %s", diff)
	}
	if refused[0].Class != class || refused[0].Hint == "" || refused[0].Message == "" {
		r.t.Errorf("told %+v, want class %s", refused[0], class)
	}
	model := "test/m"
	if class == llm.NotFound { // nobody was asked
		model = ""
	}
	if a := attempts[0]; a.Outcome != outcome || a.Why != refused[0].Message || a.Profile != preset.ProfileHeavy || a.Before == 0 || a.Model != model ||
		a.Source != conversation.SourceManual || a.Trigger != "command" || a.Preset != "plimsoll" {
		r.t.Errorf("recorded %+v, want outcome %s", a, outcome)
	}
	return refused[0]
}

func TestAnswersThatAreNoSummaryChangeNothing(t *testing.T) {
	stop := agenttest.Stop(conversation.StopEnd)
	call := agenttest.Join(agenttest.Say(account), asks(agenttest.Call(0, "cx", "look", `{"n":1}`)))
	for name, test := range map[string]struct {
		replies  []agenttest.Reply
		class    llm.Class
		says     string
		requests int
	}{
		"empty": {[]agenttest.Reply{stop, stop}, llm.Empty, "empty", 2},
		"cut off": {[]agenttest.Reply{
			agenttest.Join(agenttest.Say(account), agenttest.Stop(conversation.StopLength)),
			agenttest.Join(agenttest.Say(account), agenttest.Stop(conversation.StopLength)),
		}, llm.Malformed, "cut off", 2},
		"refused":       {[]agenttest.Reply{answers("I'm sorry, I can't help with that."), answers("I'm sorry, but no.")}, llm.Malformed, "declined", 2},
		"an error text": {[]agenttest.Reply{answers("Error: 503 service unavailable"), answers("null")}, llm.Malformed, "error message", 2},
		"a call":        {[]agenttest.Reply{call, call}, llm.Malformed, "called a tool", 2},
		"longer than what it replaces": {[]agenttest.Reply{answers(strings.Repeat(account, 40))},
			llm.Malformed, "40%", 1},
		"withheld":      {[]agenttest.Reply{agenttest.Join(agenttest.Say(account), agenttest.Used(4000, 7), agenttest.Stop(conversation.StopFiltered))}, llm.Malformed, "did not come to its end", 1},
		"provider down": {[]agenttest.Reply{agenttest.Fail(fault()), agenttest.Fail(fault())}, llm.ServerFault, "no summary was written", 2},
		"no credit":     {[]agenttest.Reply{agenttest.Fail(&llm.Error{Class: llm.Quota, Message: "out of credit"})}, llm.Quota, "out of credit", 1},
		"broken off":    {[]agenttest.Reply{agenttest.Say(account), agenttest.Say(account)}, llm.Truncated, "broke off", 2},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := talk(t, 4, nil, append(test.replies, answers("fine"))...)
				before, requests, ran := r.view(), len(r.provider.Requests()), len(r.tools.Calls())
				r.compacts(heavy())
				time.Sleep(time.Minute) // back-off
				r.wait()
				if e := unharmed(r, before, test.class, conversation.OutcomeFailed); !strings.Contains(e.Message, test.says) {
					t.Errorf("told %q, want it to say %q", e.Message, test.says)
				}
				if n := len(r.provider.Requests()) - requests; n != test.requests {
					t.Errorf("%d requests, want %d", n, test.requests)
				}
				if a := r.attempts(); name == "withheld" && (len(a) != 1 || a[0].Tokens != 4007) {
					t.Errorf("what it took is not on record: %+v", a)
				}
				if n := len(r.tools.Calls()) - ran; n != 0 {
					t.Errorf("%d calls of the answer ran", n)
				}
				r.provider.Add(answers("fine"))
				r.say("go on")
				if n := len(agenttest.Of[updates.Failed](r.watch)); n != 0 {
					t.Errorf("%d failures of the conversation", n)
				}
				r.finish()
			})
		})
	}
}

func fault() error {
	return &llm.Error{Class: llm.ServerFault, Message: "the server failed", Status: 503}
}

func TestFailedCallIsMadeOnceMoreSilently(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 4, nil, agenttest.Join(agenttest.Used(4000, 0), agenttest.Fail(fault())), summarises(account))
		requests := len(r.provider.Requests())
		r.compacts(heavy())
		time.Sleep(time.Second)
		r.wait()
		if len(r.made()) != 1 || len(r.refused()) != 0 {
			t.Fatalf("made %v, refused %v", r.made(), r.refused())
		}
		all := r.provider.Requests()
		if n := len(all) - requests; n != 2 {
			t.Fatalf("%d requests", n)
		}
		if diff := cmp.Diff(onWire(all[requests].Messages), onWire(all[requests+1].Messages)); diff != "" {
			t.Errorf("the second try is another request: %s", diff)
		}
		spent := 0
		for _, e := range r.memory.Events() {
			if u, isUsage := e.Body.(conversation.Usage); isUsage && u.For == conversation.ForSummary {
				spent++
			}
		}
		if spent != 2 {
			t.Errorf("%d of 2 requests are on record", spent)
		}
		for _, s := range agenttest.Of[updates.Status](r.watch) {
			if s.Phase == updates.Retrying {
				t.Error("the retry is not silent")
			}
		}
		r.finish()
	})
}

func TestAnswerThatDidNotCountIsAskedForAgainInWriting(t *testing.T) {
	bubble(t, func(t *testing.T) {
		call := agenttest.Join(agenttest.Say("I will look first."), asks(agenttest.Call(0, "cx", "look", `{"n":1}`)))
		r := talk(t, 4, nil, call, summarises(account))
		r.compacts(heavy())
		if len(r.made()) != 1 {
			t.Fatalf("refused %v", r.refused())
		}
		asked := r.last()
		if len(asked.Messages) != 1 || len(asked.Tools) != 0 || asked.System == "be brief" || !strings.Contains(asked.Messages[0].Text, "t1 e") {
			t.Errorf("asked again with %d messages and %d tools: %.80q", len(asked.Messages), len(asked.Tools), asked.Messages[0].Text)
		}
		if s := r.overlays()[0].Body.(conversation.Summary); s.Input != string(preset.InputRaw) {
			t.Errorf("recorded as read from %s", s.Input)
		}
		r.finish()
	})
}

func TestSummaryHasATimeLimitForTheWhole(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 4, nil, agenttest.Join(agenttest.Pause(40*time.Second), agenttest.Fail(fault())), agenttest.Join(agenttest.Pause(40*time.Second), summarises(account)))
		before := r.view()
		r.compacts(heavy())
		time.Sleep(59 * time.Second)
		if len(r.refused()) != 0 {
			t.Error("given up before its time")
		}
		time.Sleep(2 * time.Second)
		r.wait()
		if e := unharmed(r, before, llm.Stalled, conversation.OutcomeFailed); !strings.Contains(e.Message, "1m0s") {
			t.Errorf("told %q", e.Message)
		}
		if d := r.attempts()[0].Duration; d != 60_000 {
			t.Errorf("it took %d ms", d)
		}
		r.finish()
	})
}
