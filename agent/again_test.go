package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

// A turn that failed is in the log with all that the user was told. Its request is made again, also by the next program:
// the same messages, and nothing said twice.
func TestAFailedTurnIsKeptAndItsRequestMadeAgain(t *testing.T) {
	server := agenttest.Fail(&llm.Error{Class: llm.ServerFault, Message: "Server error (500): internal", Lead: "Server error (500)", Status: 500, Hint: "h"})
	broken := agenttest.Join(agenttest.Say("half of"), server)
	tries := func(r agenttest.Reply) []agenttest.Reply { return []agenttest.Reply{r, r, r, r} }
	for name, c := range map[string]struct {
		script []agenttest.Reply
		want   []string
		made   int // requests until it failed
	}{
		"nothing came": {tries(server), []string{"user go", "turn_failed", "assistant stop fine"}, 4},
		"half of it came": {tries(broken),
			[]string{"user go", "assistant failed half of", "turn_failed", "rewind", "assistant stop fine"}, 4},
		"after a call": {append([]agenttest.Reply{asks(agenttest.Call(0, "c1", "look", "{}"))}, tries(broken)...),
			[]string{"user go", "assistant calls [c1 look {}]", "result c1 ok seen", "assistant failed half of", "turn_failed", "rewind", "assistant stop fine"}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				look := withTools(agenttest.Reader("look", func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome { return ok("seen") }))
				r := start(t, look, c.script...)
				r.Send("go")
				r.settle()
				r.finish()
				events := r.memory.Events()
				failed, _ := events[len(events)-1].Body.(conversation.TurnFailed)
				want := conversation.TurnFailed{Class: "server error", Message: "Server error (500) after 4 tries (4 s): internal", Hint: "h", Status: 500, Tries: 4, Duration: 3500}
				if d := cmp.Diff(want, failed); d != "" {
					t.Error(d)
				}
				if told := agenttest.Of[updates.Failed](r.watch); len(told) != 1 || !told[0].Logged {
					t.Errorf("told %+v", told)
				}
				before := r.provider.Requests()[c.made-1]

				again := prepare(t, func(o *core.Options) { look(o); o.Log, o.Stored.Events = r.memory, slices.Clone(events) }, answers("fine"))
				again.run().wait()
				again.Retry()
				again.wait()
				if d := cmp.Diff(before.Messages, again.provider.Requests()[0].Messages); d != "" {
					t.Errorf("another request (-before +again): %s", d)
				}
				again.Retry()
				again.wait()
				if told := agenttest.Of[updates.Failed](again.watch); len(told) != 1 || told[0].Err.Class != llm.BadRequest || !strings.Contains(told[0].Err.Message, "has its reply") {
					t.Errorf("what has its reply is asked again, or in silence: %+v", told)
				}
				if n := len(again.provider.Requests()); n != 1 {
					t.Errorf("%d requests", n)
				}
				again.finish()
				var got []string
				for _, line := range brief(r.memory.Events()) {
					if !strings.HasPrefix(line, "usage") && !strings.HasPrefix(line, "model") && !strings.HasPrefix(line, "renamed") && line != "instructions" {
						got = append(got, line)
					}
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Error(d)
				}
			})
		})
	}
}

// What cannot be saved is told at once, and the log tells of it no second time.
func TestATurnThatCannotBeSavedIsToldAndNotRecorded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		var full atomic.Bool
		r := prepare(t, nil, agenttest.Join(agenttest.Hold(gate), answers("lost?")), answers("fine"))
		r.memory.Fail = func(kind string) error {
			if kind == "append" && full.Load() {
				return errors.New("disk full")
			}
			return nil
		}
		r.run().wait()
		r.say("go")
		r.Retry() // while it runs
		r.wait()
		full.Store(true)
		gate.Open()
		r.wait()
		full.Store(false)
		r.say("next")
		r.finish()
		if d := cmp.Diff([]string{"user go", "assistant stop lost?", "user next", "assistant stop fine"}, said(r.memory.Events())); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]llm.Class{llm.BadRequest, llm.NotSaved}, r.failures()); d != "" {
			t.Error(d)
		}
		if slices.ContainsFunc(r.memory.Events(), func(e conversation.Event) bool { return e.Body.Kind() == conversation.KindTurnFailed }) {
			t.Error("it is recorded")
		}
	})
}
