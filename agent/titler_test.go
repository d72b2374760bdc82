package agent_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// titled has the model name the conversation.
func titled(o *core.Options) {
	o.Titles = func(llm.Model) bool { return true }
	o.Cost = func(llm.Model, llm.Tokens) (*float64, string) { return new(0.001), "2026-01-02" }
}

// titles are those that a log has, in order, and what titles cost.
func titles(r *rig) (names []string, cost float64) {
	for _, e := range r.memory.Events() {
		switch b := e.Body.(type) {
		case conversation.Renamed:
			names = append(names, b.By+": "+b.Title)
		case conversation.Usage:
			if b.For == conversation.ForTitle && b.CostUSD != nil {
				cost += *b.CostUSD
			}
		}
	}
	return names, cost
}

// wrote is a title as a model writes it.
func wrote(text string) agenttest.Reply {
	return agenttest.Join(agenttest.Say(text), agenttest.Stop(conversation.StopEnd), agenttest.Used(120, 8))
}

func TestTheModelNamesTheConversationAfterTheFirstTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, titled, answers("Both ask for one port."), wrote(" \"Flaky upload test\".\n"), answers("Yes."))
		r.say("Why does the upload test fail?\nIt is flaky.")
		names, cost := titles(r)
		if got := strings.Join(names, " | "); got != "auto: Why does the upload test fail? | auto: Flaky upload test" || cost != 0.001 {
			t.Errorf("the titles are %s, for %g", got, cost)
		}
		asked := r.provider.Requests()[1]
		text := asked.Messages[0].Text
		if len(asked.Tools) > 0 || asked.MaxTokens == 0 || asked.MaxTokens > 1000 || asked.Conversation != "" ||
			!strings.Contains(text, "upload test fail? It is flaky.") || !strings.Contains(text, "one port") {
			t.Errorf("asked was %+v", asked)
		}
		if used := r.Meter().Reading().Used; used > 1000 {
			t.Errorf("the gauge shows %d", used)
		}
		r.say("Sure?")
		if n := len(r.provider.Requests()); n != 3 {
			t.Errorf("%d requests", n)
		}
		r.finish()
	})
}

func TestTheFirstLineStaysWhereTheModelWritesNoTitle(t *testing.T) {
	for name, reply := range map[string]agenttest.Reply{
		"a failure":      agenttest.Fail(&llm.Error{Class: llm.Overloaded, Message: "overloaded"}),
		"another error":  agenttest.Fail(errors.New("gone")),
		"an essay":       wrote(strings.Repeat("this conversation is about ", 20)),
		"nothing":        wrote(""),
		"what was cut":   agenttest.Join(agenttest.Say("Flaky up"), agenttest.Stop(conversation.StopLength)),
		"a slow answer":  agenttest.Join(agenttest.Pause(time.Hour), wrote("Late")),
		"control signs":  wrote("\x1b\x07"),
		"only its signs": wrote("\"\"."),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := start(t, titled, answers("Fine."), reply, answers("Yes."))
				r.say("a question")
				time.Sleep(time.Minute)
				r.say("another") // it is not asked again
				names, _ := titles(r)
				if got := strings.Join(names, " | "); got != "auto: a question" || len(r.provider.Requests()) != 3 {
					t.Errorf("the titles are %s after %d requests", got, len(r.provider.Requests()))
				}
				r.finish()
			})
		})
	}
}

func TestATitleOfTheUsersStays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, titled, answers("Fine."), answers("Yes."))
		r.Rename("mine")
		r.say("a question")
		if names, _ := titles(r); strings.Join(names, " | ") != "user: mine" || len(r.provider.Requests()) != 1 {
			t.Errorf("the titles are %q after %d requests", names, len(r.provider.Requests()))
		}
		r.finish()
	})
	t.Run("given meanwhile", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			gate := agenttest.NewGate()
			r := start(t, titled, answers("Fine."), agenttest.Join(agenttest.Hold(gate), wrote("Theirs")))
			r.say("a question")
			r.Rename("mine")
			r.wait()
			gate.Open()
			r.wait()
			names, cost := titles(r)
			if got := strings.Join(names, " | "); got != "auto: a question | user: mine" || cost != 0.001 {
				t.Errorf("the titles are %s, for %g", got, cost)
			}
			r.finish()
		})
	})
}

func TestNothingWaitsForATitle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := start(t, titled, answers("Fine."), agenttest.Join(agenttest.Hold(gate), wrote("A title")), answers("Yes."))
		r.say("a question")
		r.say("another")
		if n := len(r.provider.Requests()); n != 3 {
			t.Errorf("%d requests: the second turn waits for the title", n)
		}
		gate.Open()
		r.wait()
		if names, _ := titles(r); len(names) != 2 {
			t.Errorf("the titles are %q", names)
		}
		r.finish()
	})
	t.Run("leaving neither", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := start(t, titled, answers("Fine."), agenttest.Hold(agenttest.NewGate()))
			r.say("a question")
			r.finish()
		})
	})
}

func TestOnlyNewConversationsAreNamed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *core.Options) { titled(o); o.Interactive = false }, answers("Fine."))
		r.say("a question") // nobody sees it
		if n := len(r.provider.Requests()); n != 1 {
			t.Errorf("%d requests", n)
		}
		events := r.memory.Events()
		r.finish()
		again := start(t, func(o *core.Options) {
			titled(o)
			o.Stored.Events = append(events, conversation.Event{Seq: uint64(len(events) + 1), Turn: 1, Time: time.Now(), Body: conversation.UserMessage{Text: "a second"}})
			o.Log = &agenttest.Memory{}
		}, answers("Fine."))
		again.wait()
		if n := len(again.provider.Requests()); n > 1 {
			t.Errorf("%d requests to a conversation of two turns", n)
		}
		again.end()
		<-again.ended
	})
}
