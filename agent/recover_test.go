package agent_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What a program that was killed in mid-reply left, and what the next one makes of
// it: the request is on record, and what it filled the window with is read as
// before.

// killed is what is on disk when a program is killed.
type killed struct {
	events  []conversation.Event
	partial conversation.Partial
	request llm.Request // the one that was being answered
	at      time.Time
	learned conversation.Calibration
}

// killedInReply is a conversation that fills so much of the window that its last
// reply has a bound, killed two seconds after parts of that reply came.
func killedInReply(t *testing.T, parts ...agenttest.Reply) killed {
	t.Helper()
	hold := agenttest.NewGate()
	half := append(append([]agenttest.Reply{}, parts...), agenttest.Pause(2*time.Second), agenttest.Hold(hold), answers("never"))
	r := start(t, bounded,
		agenttest.Join(agenttest.Send(llm.Chunk{BodyHash: "first", Form: "form"}), answers("hello"), agenttest.Used(900, 2)),
		agenttest.Join(half...))
	r.say(strings.Repeat("word ", 600))
	r.Send("go")
	<-hold.Reached()
	r.wait()
	p := r.memory.Partial()
	if p == nil {
		t.Fatal("no partial reply was kept")
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	k := killed{events: r.memory.Events(), request: r.provider.Requests()[1], at: time.Now(), learned: r.memory.Calibration(testModel.CalibrationKey)}
	if err := json.Unmarshal(data, &k.partial); err != nil {
		t.Fatal(err)
	}
	hold.Open()
	r.wait()
	r.finish()
	return k
}

// bounded is a window whose reserve does not fit behind 900 tokens.
func bounded(o *core.Options) {
	o.Model.Window = meter.Window{Tokens: 1000, Source: meter.WindowConfig}
	o.Rules = preset.Rules{}
}

// opens opens what is left, an hour later.
func (k killed) opens(t *testing.T, change func(*core.Options), script ...agenttest.Reply) *rig {
	t.Helper()
	memory := &agenttest.Memory{}
	if err := memory.Append(t.Context(), k.events); err != nil {
		t.Fatal(err)
	}
	if err := memory.KeepPartial(t.Context(), k.partial); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(k.at.Add(time.Hour)))
	p := k.partial
	setup := both(bounded, func(o *core.Options) {
		o.Log, o.Calibrations = memory, memory
		o.Model.Calibration = k.learned
		o.Stored = core.Stored{ID: "conversation", Events: k.events, Partial: &p}
	})
	if change != nil {
		setup = both(setup, change)
	}
	return start(t, setup, script...)
}

func TestRequestOfARecoveredReplyCanBeMadeAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := killedInReply(t, agenttest.Send(llm.Chunk{Waiting: true, BodyHash: "second", Form: "form 2"}), agenttest.Say("half an ans"))
		r := k.opens(t, nil, answers("fine"))
		n := uint64(len(k.events))
		batches := r.memory.Batches()
		if got := brief(batches[len(batches)-1]); len(batches) != 2 || len(got) != 2 {
			t.Fatalf("%d transactions, the newest of %q", len(batches), got)
		}
		u, isUsage := batches[1][1].Body.(conversation.Usage)
		want := conversation.Usage{Reply: n + 1, Model: "test/m", Prompt: -1, Cached: -1, CacheWrite: -1, Completion: -1, Reasoning: -1,
			Estimate: u.Estimate, BodyHash: "second", Through: n, MaxTokens: k.request.MaxTokens, Form: "form 2"}
		if diff := cmp.Diff(want, u); !isUsage || diff != "" || u.Estimate <= 0 || u.MaxTokens <= 0 {
			t.Errorf("recorded %+v: %s", u, diff)
		}
		r.say("next")
		r.finish()

		events := r.memory.Events()
		list := inspect.Requests(events)
		if len(list) != 3 || list[1].Event != n+2 || list[1].Reply != n+1 || list[1].Through != n {
			t.Fatalf("listed %+v", list)
		}
		made, err := projection.Harden(projection.Project(events[:list[1].Through]), projection.Capabilities{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(onWire(k.request.Messages), onWire(made)); diff != "" {
			t.Errorf("made again (-sent +made):\n%s", diff)
		}
	})
}

// The provider's cache has not been used since the reply stopped arriving.
func TestRecoveredReplyStandsAtTheTimeWhenItArrived(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := killedInReply(t, agenttest.Say("half an ans"))
		opened := k.at.Add(time.Hour)
		for name, c := range map[string]struct {
			kept, want time.Time
		}{
			"as it was kept":           {k.partial.Time, k.at.Add(-2 * time.Second)},
			"by an earlier version":    {time.Time{}, opened},
			"by a clock set back":      {k.events[0].Time.Add(-time.Hour), opened},
			"by a clock that was fast": {opened.Add(time.Hour), opened},
		} {
			again := k
			again.partial.Time = c.kept
			r := again.opens(t, nil)
			for _, e := range r.memory.Events()[len(k.events):] {
				if got := e.Time; got.Sub(c.want).Abs() > time.Minute {
					t.Errorf("%s: %s stands at %s, not %s", name, e.Body.Kind(), got, c.want)
				}
			}
			r.finish()
		}
	})
}

func TestRecoveredRequestDoesNotMoveTheMeter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := killedInReply(t, agenttest.Send(llm.Chunk{BodyHash: "second"}), agenttest.Say("half an ans"))
		old := k
		old.partial.Request = conversation.Usage{}
		before, after := old.opens(t, nil), k.opens(t, nil)
		if n := len(after.memory.Events()) - len(before.memory.Events()); n != 1 {
			t.Fatalf("%d events more than without what is known of the request, not one", n)
		}
		if diff := cmp.Diff(before.reading(), after.reading()); diff != "" {
			t.Errorf("the reading moved:\n%s", diff)
		}
		if got := after.reading(); got.Used < 902 || !got.Estimated || k.learned.Samples != 1 {
			t.Errorf("the reading %+v does not count from the report before, of which %+v was learned", got, k.learned)
		}
		for _, r := range []*rig{before, after} {
			meters := agenttest.Of[updates.Metered](r.watch)
			if got := meters[len(meters)-1].Meter.Calibration(); got != k.learned {
				t.Errorf("learned %+v of no report, with %+v before", got, k.learned)
			}
			if got := r.memory.Calibration(testModel.CalibrationKey); got != (conversation.Calibration{}) {
				t.Errorf("stored %+v", got)
			}
			r.Inspect()
			r.wait()
			r.finish()
		}
		a, b := before.inspected()[0], after.inspected()[0]
		if a.Costs.Requests+1 != b.Costs.Requests {
			t.Errorf("%d requests, and %d with it", a.Costs.Requests, b.Costs.Requests)
		}
		b.Costs.Requests--
		if diff := cmp.Diff(a.Costs, b.Costs); diff != "" || a.Messages != b.Messages || a.Estimated != b.Estimated || !cmp.Equal(a.Off, b.Off) {
			t.Errorf("the context tells of something else: %s\n%+v\n%+v", diff, a, b)
		}
	})
}

func TestRecoveredRequestIsThatOfTheTryWhoseReplyIsKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hold := agenttest.NewGate()
		r := start(t, nil,
			agenttest.Join(agenttest.Send(llm.Chunk{BodyHash: "first"}), agenttest.Say("lost"), agenttest.Pause(2*time.Second), agenttest.Fail(fault())),
			agenttest.Join(agenttest.Send(llm.Chunk{BodyHash: "second"}), agenttest.Pause(2*time.Second), agenttest.Say("half"),
				agenttest.Pause(2*time.Second), agenttest.Hold(hold), answers("!")))
		r.Send("go")
		<-hold.Reached()
		synctest.Wait()
		for _, p := range r.memory.Partials() {
			if want := map[string]string{"lost": "first", "half": "second"}[p.Text]; p.Request.BodyHash != want || p.Request.Through != p.After {
				t.Errorf("%q is kept with %+v", p.Text, p.Request)
			}
		}
		if n := len(r.memory.Partials()); n != 2 {
			t.Errorf("%d partials were kept, not 2", n)
		}
		hold.Open()
		r.wait()
		r.finish()
	})
}

// Where the disk is full when the conversation is opened, the request is named by
// the reply that it got, whenever that is stored.
func TestRecoveredReplyThatCannotBeSavedGoesWithTheNextMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := killedInReply(t, agenttest.Send(llm.Chunk{BodyHash: "second"}), agenttest.Say("half an ans"))
		n := 0
		r := k.opens(t, func(o *core.Options) {
			o.Log.(*agenttest.Memory).Fail = func(write string) error {
				if n++; write == "append" && n == 1 {
					return errDisk
				}
				return nil
			}
		}, answers("fine"))
		if diff := cmp.Diff([]llm.Class{llm.NotSaved}, r.failures()); diff != "" {
			t.Error(diff)
		}
		r.say("next")
		r.finish()
		at := uint64(len(k.events)) + 1
		list := inspect.Requests(r.memory.Events())
		if _, isReply := r.memory.Events()[at-1].Body.(conversation.AssistantMessage); !isReply || len(list) != 3 || list[1].Reply != at {
			t.Errorf("event %d is %s, listed %+v", at, r.memory.Events()[at-1].Body.Kind(), list)
		}
	})
}

func TestPartialReplyOfAnEmptyLogIsRecovered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *core.Options) {
			o.Stored.Partial = &conversation.Partial{Text: "half", Time: time.Now(), Request: conversation.Usage{Estimate: 1}}
		})
		r.finish()
		if diff := cmp.Diff([]string{"assistant interrupted half", "usage of 1: -1+-1"}, brief(r.memory.Events())); diff != "" {
			t.Error(diff)
		}
	})
}
