package agent_test

import (
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

var errDisk = errors.New("disk full")

// failingLog sets a log whose nth write of a kind (from 1) fails, and all later ones too if forever is set.
func failingLog(kind string, nth int, forever bool) func(*core.Options) {
	n := 0
	return func(o *core.Options) {
		o.Log = &agenttest.Memory{Fail: func(write string) error {
			if write != kind {
				return nil
			}
			if n++; n == nth || forever && n > nth {
				return errDisk
			}
			return nil
		}}
	}
}

func combine(changes ...func(*core.Options)) func(*core.Options) {
	return func(o *core.Options) {
		for _, c := range changes {
			c(o)
		}
	}
}

func TestUnsavedMessageIsNotSentAndReturnsToTheComposer(t *testing.T) {
	for _, kind := range []string{"append", "blob"} {
		runBubble(t, kind, func(t *testing.T) {
			r := prepare(t, failingLog(kind, 1, false), textReply("fine"))
			r.Send("go")
			r.Send("two")
			r.run().waitIdle()
			if n := len(r.provider.Requests()); n != 0 {
				t.Errorf("%d requests for an unsaved message, want none", n)
			}
			checkEqual(t, []llm.Class{llm.NotSaved}, r.failures())
			checkEqual(t, []string{"go", "two"}, r.returned())
			r.sendAndWait("again")
			r.finish()
			checkEqual(t, []string{"user again", "assistant stop fine"}, messageLines(r.memory.Events()))
		})
	}
}

func TestReplyThatCannotBeSavedGoesWithTheNextMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, combine(withTools(agenttest.Reader("look", nil)), failingLog("append", 2, false)),
			agenttest.Join(agenttest.StreamText("hello"), callsReply(agenttest.StreamCall(0, "c1", "look")), agenttest.ReportTokens(50, 2)), textReply("fine"))
		r.sendAndWait("go")
		checkEqual(t, []llm.Class{llm.NotSaved}, r.failures())
		if n := len(r.tools.Calls()); n != 0 {
			t.Errorf("%d calls of an unsaved reply ran, want none", n)
		}
		r.sendAndWait("next")
		r.finish()
		want := []string{
			"instructions", "model test/m", "user go",
			"assistant calls hello [c1 look {}]", "usage of 4: 50+2", "renamed auto go", "result c1 interrupted not run: the reply could not be saved",
			"user next", "assistant stop fine", "usage of 9: -1+-1",
		}
		checkEqual(t, want, describe(r.memory.Events()))
	})
}

func TestReplyThatCanNeverBeSavedIsReportedAtTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, failingLog("append", 2, true), textReply("hello"))
		r.sendAndWait("go")
		err := r.stop()
		var failure *llm.Error
		if !errors.As(err, &failure) || failure.Class != llm.NotSaved || !errors.Is(err, errDisk) {
			t.Errorf("Run returned %v, want the disk's error as not saved", err)
		}
	})
}

func TestResultsThatCannotBeSavedEndTheTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		write := agenttest.Writer("write", nil)
		write.Review.Need = conversation.NeedNothing
		r := start(t, combine(withTools(write), failingLog("append", 3, false)),
			callsReply(agenttest.StreamCall(0, "c1", "write"), agenttest.StreamCall(1, "c2", "write")), textReply("fine"))
		r.sendAndWait("go")
		if n := len(r.provider.Requests()); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
		r.sendAndWait("next")
		r.finish()
		want := []string{
			"user go", "assistant calls [c1 write {}] [c2 write {}]", "result c1 ok {}", "result c2 interrupted not run: the reply could not be saved",
			"user next", "assistant stop fine",
		}
		checkEqual(t, want, messageLines(r.memory.Events()))
	})
}

func TestPartialAndCalibrationMayFail(t *testing.T) {
	for _, kind := range []string{"partial", "calibration"} {
		runBubble(t, kind, func(t *testing.T) {
			r := start(t, combine(failingLog(kind, 1, true), func(o *core.Options) {
				o.Calibrations = o.Log.(core.Calibrations)
			}), agenttest.Join(agenttest.StreamText("a"), agenttest.Pause(3*time.Second), textReply("b"), agenttest.ReportTokens(500, 1)))
			r.Send(strings.Repeat("word ", 100))
			r.timeUntilIdle()
			r.finish()
			if f := r.failures(); len(f) != 0 {
				t.Errorf("failures %v, want none", f)
			}
			if got := messageLines(r.memory.Events()); len(got) != 2 || got[1] != "assistant stop ab" {
				t.Errorf("the log is %q, want the whole reply", got)
			}
		})
	}
}

func TestStreamDoesNotWaitForTheDisk(t *testing.T) {
	bubble(t, func(t *testing.T) {
		disk := agenttest.NewGate()
		hold := agenttest.NewGate()
		r := start(t, func(o *core.Options) {
			o.Log = &agenttest.Memory{Slow: map[string]*agenttest.Gate{"partial": disk}}
		}, agenttest.Join(agenttest.StreamText(strings.Repeat("x", 5000)), agenttest.Pause(time.Minute), agenttest.StreamText("more"), agenttest.WaitAtGate(hold), textReply("!")))
		r.Send("go")
		<-hold.Reached()
		r.waitIdle()
		<-disk.Reached()
		if got := r.watch.OnScreen(); !strings.HasSuffix(got, "more") {
			t.Errorf("%d bytes on the screen while the disk is slow, want all of them", len(got))
		}
		hold.Open()
		r.waitIdle()
		if n := len(r.memory.Batches()); n != 1 || len(r.failures()) != 0 {
			t.Errorf("the reply was appended while its partial was being written")
		}
		disk.Open()
		r.waitIdle()
		r.finish()
		if p := r.memory.Partial(); p != nil {
			t.Errorf("a partial reply of %d bytes is left", len(p.Text))
		}
	})
}

func TestPartialIsKeptEverySecond(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hold := agenttest.NewGate()
		r := start(t, nil, agenttest.Join(
			agenttest.StreamReasoning("hm"), agenttest.StreamText("a"), agenttest.Pause(900*time.Millisecond), agenttest.StreamText("b"),
			agenttest.Pause(200*time.Millisecond), agenttest.StreamText("c"), agenttest.Pause(10*time.Second), agenttest.WaitAtGate(hold), textReply("d")))
		r.Send("go")
		<-hold.Reached()
		r.waitIdle()
		got := r.memory.Partials()
		hold.Open()
		r.waitIdle()
		r.finish()
		events := r.memory.Events()
		request, _ := events[4].Body.(conversation.Usage) // what is recorded of it in the end
		request.Reply = 0
		said := events[2].Time
		want := []conversation.PartialReply{
			{After: 3, Model: "test/m", Text: "ab", Reasoning: "hm", Time: said.Add(900 * time.Millisecond), Request: request},
			{After: 3, Model: "test/m", Text: "abc", Reasoning: "hm", Time: said.Add(1100 * time.Millisecond), Request: request},
		}
		if diff := cmp.Diff(want, got); diff != "" || request.Through != 3 {
			t.Errorf("the partial replies of request %+v (-want +got): %s", request, diff)
		}
	})
}

func TestCallsLeftOpenByACrashAreAnswered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log conversation.Log
		events := log.Prepare(time.Now(), conversation.UserMessage{Text: "go"},
			conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: "c1", Name: "look"}, {ID: "c2", Name: "look"}}},
			conversation.ToolResult{CallID: "c1", Tool: "look", Status: conversation.ResultOK, Text: "seen"})
		memory := &agenttest.Memory{}
		if err := memory.Append(t.Context(), events); err != nil {
			t.Fatal(err)
		}
		r := start(t, func(o *core.Options) {
			withTools(agenttest.Reader("look", nil))(o)
			o.Log = memory
			o.Stored = core.Stored{ID: "conversation", Events: events}
		}, callsReply(agenttest.StreamCall(0, "c2", "look")), textReply("fine"))
		r.sendAndWait("next")
		r.finish() // checks that the id c2 is not used twice
		got := messageLines(memory.Events())
		if got[3] != "result c2 interrupted interrupted: the program ended before this call had a result" {
			t.Errorf("the log is %q, want the open call answered as interrupted", got)
		}
	})
}

// Each write waits twice for the disk. A turn without calls stores the message and the reply; each step with calls
// adds its reply and its results. The calibration of the model is written in the background after each reply.
func TestTurnWritesOncePerStage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		call := agenttest.Join(agenttest.StreamCall(0, "c1", "echo", `{"text":"x"}`), agenttest.Stop(conversation.StopCalls))
		r := start(t, nil, replyWithUsage("a", 300), call, replyWithUsage("b", 610), replyWithUsage("c", 900))
		var mu sync.Mutex
		writes := map[string]int{}
		r.memory.Fail = func(kind string) error {
			mu.Lock()
			defer mu.Unlock()
			writes[kind]++
			return nil
		}
		for i, want := range []map[string]int{
			{"append": 2, "blob": 1, "calibration": 1}, {"append": 4, "calibration": 1}, {"append": 2, "calibration": 1},
		} {
			r.sendAndWait(strings.Repeat("word ", 100))
			mu.Lock()
			if !maps.Equal(writes, want) {
				t.Errorf("turn %d wrote %v, want %v", i, writes, want)
			}
			clear(writes)
			mu.Unlock()
		}
		r.finish()
		if writes["append"] != 0 {
			t.Errorf("the end of the run wrote %v, want no append", writes)
		}
		if c := r.memory.Calibration(testModel.CalibrationKey); c.Samples != 3 {
			t.Errorf("the calibration is %+v, want 3 samples", c)
		}
	})
}
