package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

func failsWith(class llm.Class) agenttest.Reply {
	return agenttest.Fail(&llm.Error{Class: class, Message: string(class)})
}

// timeUntilIdle lets time pass until the conversation is first idle, and returns how much time passed.
func (r *rig) timeUntilIdle() time.Duration {
	r.t.Helper()
	began := time.Now()
	_, err := r.watch.Await(r.t.Context(), func(u updates.Update) bool {
		s, isStatus := u.(updates.Status)
		return isStatus && s.Phase == updates.Idle
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return time.Since(began)
}

func TestRetriesBackOff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, failsWith(llm.Overloaded), failsWith(llm.ServerFault), failsWith(llm.Network), textReply("fine"))
		r.Send("go")
		if d := r.timeUntilIdle(); d != 3500*time.Millisecond {
			t.Errorf("took %v, want 0.5+1+2 s", d)
		}
		r.finish()
		checkEqual(t, []string{"user go", "assistant stop fine"}, messageLines(r.memory.Events()))
		var seen []updates.Status
		for _, s := range agenttest.UpdatesOf[updates.Status](r.watch) {
			if s.Phase == updates.Retrying {
				s.Since = time.Time{}
				seen = append(seen, s)
			}
		}
		want := []updates.Status{
			{Phase: updates.Retrying, Attempt: 2, MaxAttempts: 4, Wait: 500 * time.Millisecond, Class: llm.Overloaded, Why: "overloaded"},
			{Phase: updates.Retrying, Attempt: 3, MaxAttempts: 4, Wait: time.Second, Class: llm.ServerFault, Why: "server error"},
			{Phase: updates.Retrying, Attempt: 4, MaxAttempts: 4, Wait: 2 * time.Second, Class: llm.Network, Why: "network"},
		}
		checkEqual(t, want, seen)
		if f := r.failures(); len(f) != 0 {
			t.Errorf("failures %v, want none", f)
		}
	})
}

func TestBackOffIsBoundedAndJittered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *core.Options) {
			o.Retry = llm.Retry{Tries: 8, Rand: func() float64 { return 1 }}
		}, failsWith(llm.Network), failsWith(llm.Network), failsWith(llm.Network), failsWith(llm.Network), failsWith(llm.Network),
			failsWith(llm.Network), failsWith(llm.Network), textReply("fine"))
		r.Send("go")
		r.timeUntilIdle()
		r.finish()
		var waits []time.Duration
		for _, s := range agenttest.UpdatesOf[updates.Status](r.watch) {
			if s.Phase == updates.Retrying {
				waits = append(waits, s.Wait/time.Millisecond)
			}
		}
		// The delays 0.5, 1, 2, 4, 8, 8, 8 s, less a quarter.
		checkEqual(t, []time.Duration{375, 750, 1500, 3000, 6000, 6000, 6000}, waits)
	})
}

func TestTooLongRetryAfterFailsAndNamesTheTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, agenttest.Fail(&llm.Error{Class: llm.RateLimited, Message: "slow down", RetryAfter: 5 * time.Minute}), textReply("fine"))
		r.sendAndWait("go")
		got := agenttest.UpdatesOf[updates.Failed](r.watch)
		if len(got) != 1 || !strings.Contains(got[0].Err.Hint, time.Now().Add(5*time.Minute).Format("15:04:05")) {
			t.Fatalf("failures %+v, want one that says when", got)
		}
		r.sendAndWait("next")
		r.finish()
		checkEqual(t, []string{"user go", "user next", "assistant stop fine"}, messageLines(r.memory.Events()))
	})
}

func TestPermanentErrorsAreNotRetried(t *testing.T) {
	for _, class := range []llm.Class{llm.Auth, llm.Quota, llm.NotFound, llm.BadRequest, llm.Overflow, llm.TooLarge} {
		runBubble(t, string(class), func(t *testing.T) {
			r := start(t, nil, failsWith(class), textReply("fine"))
			r.sendAndWait("go")
			if n := len(r.provider.Requests()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
			checkEqual(t, []llm.Class{class}, r.failures())
			r.sendAndWait("next")
			r.finish()
			checkEqual(t, []string{"user go", "user next", "assistant stop fine"}, messageLines(r.memory.Events()))
		})
	}
}

func TestBrokenStreamIsDiscardedAndTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil,
			agenttest.Join(agenttest.StreamText("longer than"), agenttest.ReportTokens(10, 1), failsWith(llm.Network)),
			agenttest.Join(agenttest.StreamText("hello"), agenttest.Stop(conversation.StopEnd), agenttest.ReportTokens(10, 2)))
		r.Send("go")
		r.timeUntilIdle()
		r.finish()
		if n := len(agenttest.UpdatesOf[updates.Discarded](r.watch)); n != 1 {
			t.Errorf("discarded %d times, want once", n)
		}
		want := []string{"usage of 0: 10+1", "assistant stop hello", "usage of 5: 10+2", "renamed auto go"}
		checkEqual(t, want, describe(r.memory.Batches()[1]))
	})
}

func TestLongestReplyIsKeptWhenAllTriesFail(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil,
			agenttest.Join(agenttest.StreamText("abc"), failsWith(llm.Network)),
			agenttest.Join(agenttest.StreamText("abcdef"), agenttest.StreamCall(0, "c1", "look", `{"x`), failsWith(llm.Stalled)),
			agenttest.StreamText("ab"), // ends without a stop reason
			failsWith(llm.Network), textReply("fine"))
		r.Send("go")
		r.timeUntilIdle()
		checkEqual(t, []llm.Class{llm.Network}, r.failures())
		r.sendAndWait("next")
		r.finish()
		want := []string{
			"user go", `assistant failed abcdef [c1 look {"_invalid":"{\"x"}]`, "result c1 interrupted not run: the reply broke off",
			"user next", "assistant stop fine",
		}
		checkEqual(t, want, messageLines(r.memory.Events()))
		for _, e := range r.memory.Events() {
			if b, isReply := e.Body.(conversation.AssistantMessage); isReply && b.Stop == conversation.StopFailed && !strings.Contains(b.Error, "after 4 tries") {
				t.Errorf("the reply's error is %q, want the number of tries", b.Error)
			}
		}
	})
}

func TestEmptyReplyIsTriedOnceMore(t *testing.T) {
	nothing := agenttest.Join(agenttest.Stop(conversation.StopEnd), agenttest.ReportTokens(10, 0))
	bubble(t, func(t *testing.T) {
		r := start(t, nil, nothing, nothing, nothing, textReply("fine"))
		r.Send("go")
		r.timeUntilIdle()
		if n := len(r.provider.Requests()); n != 2 {
			t.Errorf("%d requests, want 2", n)
		}
		checkEqual(t, []llm.Class{llm.Empty}, r.failures())
		if diff := cmp.Diff([]string{"usage of 0: 10+0", "usage of 0: 10+0"}, describe(r.memory.Batches()[1])); diff != "" {
			t.Errorf("the usages of the empty replies (-want +got): %s", diff)
		}
		r.finish()
	})
}

// The agent retries for about a minute while a server loads its model or restarts;
// after other errors, or if the server never answered, it retries as usual.
func TestRequestsWaitForAStartingServer(t *testing.T) {
	loading := &llm.Error{Class: llm.Overloaded, Message: "loading model", Loading: true}
	down := &llm.Error{Class: llm.Network, Message: "no server answers", NotListening: true}
	for name, c := range map[string]struct {
		err      *llm.Error
		answered bool
		least    time.Duration
		most     time.Duration
	}{
		"loading":             {loading, false, 45 * time.Second, time.Minute},
		"gone":                {down, true, 45 * time.Second, time.Minute},
		"never there":         {down, false, 3500 * time.Millisecond, 3500 * time.Millisecond},
		"overloaded":          {&llm.Error{Class: llm.Overloaded, Message: "busy"}, true, 3500 * time.Millisecond, 3500 * time.Millisecond},
		"a broken connection": {&llm.Error{Class: llm.Network, Message: "broke"}, true, 3500 * time.Millisecond, 3500 * time.Millisecond},
	} {
		runBubble(t, name, func(t *testing.T) {
			var script []agenttest.Reply
			if c.answered {
				script = append(script, textReply("hello"))
			}
			for range 40 {
				script = append(script, agenttest.Fail(c.err))
			}
			r := start(t, nil, script...)
			if c.answered {
				r.sendAndWait("hi")
			}
			began := time.Now()
			r.Send("go")
			_, err := r.watch.Await(t.Context(), func(u updates.Update) bool {
				_, isFailure := u.(updates.Failed)
				return isFailure
			})
			if took := time.Since(began); err != nil || took < c.least || took > c.most {
				t.Errorf("given up after %v, want %v to %v; %v", took, c.least, c.most, err)
			}
			r.finish()
		})
	}
}

func TestOverflowTeachesTheWindow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *core.Options) { o.Model.Window = meter.Window{} },
			agenttest.Fail(&llm.Error{Class: llm.Overflow, Message: "too long", Window: 2048, Requested: 5000}), textReply("fine"))
		r.sendAndWait("go")
		failed := agenttest.UpdatesOf[updates.Failed](r.watch)
		if len(failed) != 1 || failed[0].Err.Hint == "" {
			t.Errorf("failed %+v, want one failure with a hint", failed)
		}
		switched := agenttest.UpdatesOf[updates.ModelSwitched](r.watch)
		if want := (meter.Window{Tokens: 2048, Source: meter.WindowLearned}); len(switched) != 1 || switched[0].Model.Window != want {
			t.Errorf("model updates %+v, want one with %+v", switched, want)
		}
		r.sendAndWait("next")
		r.finish()
		if c := r.memory.Calibration(testModel.CalibrationKey); c.Window != 2048 {
			t.Errorf("the calibration is %+v, want the window 2048", c)
		}
		checkEqual(t, []string{"user go", "notice info", "user next", "assistant stop fine"}, messageLines(r.memory.Events()))
	})
}

// A failed turn is in the log with the errors that the user was shown. Its request can be retried, also after a restart:
// it has the same messages, none of them twice.
func TestFailedTurnIsKeptAndCanBeRetried(t *testing.T) {
	server := agenttest.Fail(&llm.Error{Class: llm.ServerFault, Message: "Server error (500): internal", Lead: "Server error (500)", Status: 500, Hint: "h"})
	broken := agenttest.Join(agenttest.StreamText("half of"), server)
	tries := func(r agenttest.Reply) []agenttest.Reply { return []agenttest.Reply{r, r, r, r} }
	for name, c := range map[string]struct {
		script []agenttest.Reply
		want   []string
		made   int // requests until it failed
	}{
		"nothing came": {tries(server), []string{"user go", "turn_failed", "assistant stop fine"}, 4},
		"half of it came": {tries(broken),
			[]string{"user go", "assistant failed half of", "turn_failed", "rewind", "assistant stop fine"}, 4},
		"after a call": {append([]agenttest.Reply{callsReply(agenttest.StreamCall(0, "c1", "look", "{}"))}, tries(broken)...),
			[]string{"user go", "assistant calls [c1 look {}]", "result c1 ok seen", "assistant failed half of", "turn_failed", "rewind", "assistant stop fine"}, 5},
	} {
		runBubble(t, name, func(t *testing.T) {
			look := withTools(agenttest.Reader("look", func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome {
				return okOutcome("seen")
			}))
			r := start(t, look, c.script...)
			r.Send("go")
			r.timeUntilIdle()
			r.finish()
			events := r.memory.Events()
			failed, _ := events[len(events)-1].Body.(conversation.TurnFailed)
			want := conversation.TurnFailed{Class: "server error", Message: "Server error (500) after 4 tries (4 s): internal", Hint: "h", Status: 500, Tries: 4, Duration: 3500}
			checkEqual(t, want, failed)
			if told := agenttest.UpdatesOf[updates.Failed](r.watch); len(told) != 1 || !told[0].Logged {
				t.Errorf("failures %+v, want one that is logged", told)
			}
			before := r.provider.Requests()[c.made-1]

			again := prepare(t, func(o *core.Options) { look(o); o.Log, o.Stored.Events = r.memory, slices.Clone(events) }, textReply("fine"))
			again.run().waitIdle()
			again.Retry()
			again.waitIdle()
			if d := cmp.Diff(before.Messages, again.provider.Requests()[0].Messages); d != "" {
				t.Errorf("the retried request (-first +retry): %s", d)
			}
			again.Retry()
			again.waitIdle()
			if told := agenttest.UpdatesOf[updates.Failed](again.watch); len(told) != 1 || told[0].Err.Class != llm.BadRequest || !strings.Contains(told[0].Err.Message, "has its reply") {
				t.Errorf("failures %+v, want one: an answered turn cannot be retried", told)
			}
			if n := len(again.provider.Requests()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
			again.finish()
			var got []string
			for _, line := range describe(r.memory.Events()) {
				if !strings.HasPrefix(line, "usage") && !strings.HasPrefix(line, "model") && !strings.HasPrefix(line, "renamed") && line != "instructions" {
					got = append(got, line)
				}
			}
			checkEqual(t, c.want, got)
		})
	}
}

// An error of saving is reported at once and not recorded in the log.
func TestTurnThatCannotBeSavedIsReportedAndNotRecorded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		var full atomic.Bool
		r := prepare(t, nil, agenttest.Join(agenttest.WaitAtGate(gate), textReply("lost?")), textReply("fine"))
		r.memory.Fail = func(kind string) error {
			if kind == "append" && full.Load() {
				return errors.New("disk full")
			}
			return nil
		}
		r.run().waitIdle()
		r.sendAndWait("go")
		r.Retry() // while it runs
		r.waitIdle()
		full.Store(true)
		gate.Open()
		r.waitIdle()
		full.Store(false)
		r.sendAndWait("next")
		r.finish()
		checkEqual(t, []string{"user go", "assistant stop lost?", "user next", "assistant stop fine"}, messageLines(r.memory.Events()))
		checkEqual(t, []llm.Class{llm.BadRequest, llm.NotSaved}, r.failures())
		if slices.ContainsFunc(r.memory.Events(), func(e conversation.Event) bool { return e.Body.Kind() == conversation.KindTurnFailed }) {
			t.Error("the failed turn is recorded")
		}
	})
}
