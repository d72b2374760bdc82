package agent_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// heavy is the wish for a summary of all turns but one.
func heavy() edit.Request { return wish(preset.ProfileHeavy, 1) }

// summarises is the reply with a summary, and what it cost.
func summarises(text string) agenttest.Reply {
	cost := 0.25
	return agenttest.Join(agenttest.Say(text), agenttest.Stop(conversation.StopEnd),
		agenttest.Send(llm.Chunk{Usage: &llm.Tokens{Prompt: 5000, Cached: -1, CacheWrite: -1, Completion: 90, Reasoning: -1, CostUSD: &cost}}))
}

func TestSummaryReplacesTheTurnsAndItsCostIsRecordedWithIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 4, nil, summarises(account), answers("fine"))
		before, batches := r.reading(), len(r.memory.Batches())
		w := heavy()
		w.Focus = "the names of the files"
		r.compacts(w)
		r.idle()
		if n := len(r.memory.Batches()) - batches; n != 1 {
			t.Fatalf("%d transactions (%v), want one", n, r.refused())
		}
		events := r.memory.Events()
		usage, isUsage := events[len(events)-2].Body.(conversation.Usage)
		s, isSummary := events[len(events)-1].Body.(conversation.Summary)
		if !isUsage || !isSummary {
			t.Fatalf("appended %v", brief(events[len(events)-2:]))
		}
		if usage.For != conversation.ForSummary || usage.Reply != 0 || usage.Prompt != 5000 || usage.Estimate <= 0 || *usage.CostUSD != 0.25 {
			t.Errorf("the usage is %+v", usage)
		}
		if s.Text != account || s.Made.Epoch != events[len(events)-1].Seq || s.Model != "test/m" || s.Focus != w.Focus || s.Input != string(preset.InputView) {
			t.Errorf("the summary is %+v", s)
		}
		after := r.reading()
		if !after.Estimated || after.Used >= before.Used/2 || after.CostUSD == nil || *after.CostUSD != 0.25 {
			t.Errorf("the meter shows %d (%v) and %v, before %d", after.Used, after.Estimated, after.CostUSD, before.Used)
		}
		if sum := segmentSum(after); sum != after.Used || after.Segments[projection.Summary] == 0 {
			t.Errorf("the segments are %v of %d", after.Segments, after.Used)
		}
		working := agenttest.Of[updates.Compacting](r.watch)
		if len(working) != 1 || working[0].Focus != w.Focus || !working[0].Summary || working[0].Since.IsZero() {
			t.Errorf("told %+v", working)
		}
		if made := r.made(); len(made) != 1 || made[0].Epoch != s.Made.Epoch || made[0].Preview.Summary != nil || made[0].Preview.After != after.Used {
			t.Errorf("told %+v", made)
		}
		if n := len(agenttest.Of[updates.Delta](r.watch)); n != 8 && strings.Contains(r.watch.OnScreen(), "Goal") {
			t.Error("the summary streamed onto the screen")
		}
		r.say("go on")
		if got := onWire(r.last().Messages); len(got) != 6 || !strings.Contains(got[0].Text, account) || got[1].Text != "show me listing 3 of the uploads" {
			t.Errorf("sent %d messages, the first %.80q", len(got), got[0].Text)
		}
		r.finish()
	})
}

func TestSummaryIsNotKeptAsAReplyThatWasArriving(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 4, nil, agenttest.Join(agenttest.Say(strings.Repeat(account, 20)), agenttest.Pause(5*time.Second), agenttest.Stop(conversation.StopEnd)))
		r.compacts(heavy())
		time.Sleep(10 * time.Second)
		r.wait()
		for _, p := range r.memory.Partials() {
			if strings.Contains(p.Text, "Goal") {
				t.Errorf("the summary is kept as a reply: %+v", p)
			}
		}
		r.finish()
	})
}

func TestCancelStopsTheSummary(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := talk(t, 4, nil, agenttest.Join(agenttest.Say(account), agenttest.Used(4000, 20), agenttest.Hold(gate), agenttest.Stop(conversation.StopEnd)), answers("fine"))
		before := r.view()
		r.compacts(heavy())
		r.idle()
		made := len(r.provider.Requests())
		r.Retry() // waits, and is not made
		r.Cancel()
		r.wait()
		if n := len(r.provider.Requests()); n != made || len(r.failures()) > 0 {
			t.Errorf("%d requests after %d, told %v", n, made, r.failures())
		}
		unharmed(r, before, llm.Cancelled, conversation.OutcomeCancelled)
		events := r.memory.Events()
		if u, isUsage := events[len(events)-2].Body.(conversation.Usage); !isUsage || u.Prompt != 4000 || u.For != conversation.ForSummary {
			t.Errorf("what it cost is not recorded: %v", brief(events[len(events)-2:]))
		}
		r.say("go on")
		if got := r.last().Messages; got[len(got)-1].Text != "go on" {
			t.Errorf("sent %q", got[len(got)-1].Text)
		}
		r.finish()
	})
}

func TestTheConversationGoesOnWhileASummaryIsWritten(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := talk(t, 4, nil, agenttest.Join(agenttest.Hold(gate), summarises(account)), answers("first"), answers("second"), answers("third"))
		r.compacts(heavy())
		r.say("one")
		r.say("two")
		all := said(r.memory.Events())
		if diff := cmp.Diff([]string{"user one", "assistant stop first", "user two", "assistant stop second"}, all[len(all)-4:]); diff != "" {
			t.Error(diff)
		}
		if got := agenttest.Of[updates.Queued](r.watch); len(got) != 0 || len(r.memory.Waiting()) != 0 {
			t.Errorf("the queue is shown as %v", got)
		}
		if got := onWire(r.last().Messages); got[0].Text != "show me listing 0 of the uploads" {
			t.Errorf("sent %.80q first", got[0].Text)
		}
		gate.Open()
		r.wait()
		if made := r.made(); len(made) != 1 || made[0].Preview.Before <= made[0].Preview.After {
			t.Errorf("told %+v", made)
		}
		r.say("three")
		got := onWire(r.last().Messages)
		if !strings.Contains(got[0].Text, account) || got[len(got)-3].Text != "two" || got[len(got)-2].Text != "second" || got[len(got)-1].Text != "three" {
			t.Errorf("sent %+v", got)
		}
		r.idle()
		r.finish()
	})
}

func TestSummaryThatCannotBeStoredIsNotInForceButPaidFor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var full atomic.Bool
		r := talk(t, 4, diskFullWhile(&full), agenttest.Join(agenttest.Pause(time.Second), summarises(account)), answers("fine"))
		before := r.view()
		r.compacts(heavy())
		full.Store(true)
		time.Sleep(2 * time.Second)
		r.wait()
		full.Store(false)
		if refused := r.refused(); len(refused) != 1 || refused[0].Class != llm.NotSaved || len(r.made()) != 0 {
			t.Fatalf("told %v", refused)
		}
		r.say("go on")
		if diff := cmp.Diff(before, r.view()[:len(before)]); diff != "" || len(r.overlays()) != 0 {
			t.Errorf("%d overlays: %s", len(r.overlays()), diff)
		}
		if got := r.reading().CostUSD; got == nil || *got != 0.25 || len(r.attempts()) != 1 {
			t.Errorf("the cost is %v, with %d attempts", got, len(r.attempts()))
		}
		r.finish()
	})
}

func TestProgramThatEndsBeforeTheSummaryIsStoredLeavesTheOldView(t *testing.T) {
	bubble(t, func(t *testing.T) {
		disk := agenttest.NewGate()
		r := talk(t, 4, nil, summarises(account))
		before := r.view()
		r.memory.Slow = map[string]*agenttest.Gate{"append": disk}
		r.compacts(heavy())
		select {
		case <-disk.Reached():
		default:
			t.Fatal("the summary does not wait to be stored")
		}
		// What is in the store now is all that a kill would leave.
		if diff := cmp.Diff(before, r.view()); diff != "" || len(r.overlays()) != 0 {
			t.Errorf("%d overlays: %s", len(r.overlays()), diff)
		}
		disk.Open()
		r.wait()
		if n := len(r.overlays()); n != 1 {
			t.Errorf("%d overlays after the write", n)
		}
		r.finish()
	})
}

func TestProgramThatEndsWhileASummaryIsWrittenLeavesNoOverlay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := talk(t, 4, nil, agenttest.Join(agenttest.Say(account), agenttest.Hold(gate)))
		before := r.view()
		r.compacts(heavy())
		r.finish()
		if diff := cmp.Diff(before, r.view()); diff != "" || len(r.overlays()) != 0 {
			t.Errorf("%d overlays: %s", len(r.overlays()), diff)
		}
		if a := r.attempts(); len(a) != 1 || a[0].Outcome != conversation.OutcomeCancelled {
			t.Errorf("recorded %+v", a)
		}
	})
}

func TestSummaryOfAConversationThatIsShownOtherwiseByNowIsStale(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(*rig)
		why       string
	}{
		"undo": {func(r *rig) { r.UndoCompaction(0) }, "a compaction was undone"},
		"smaller window": {func(r *rig) {
			r.SwitchModel(llm.Model{Provider: "test", ID: "small", Window: meter.Window{Tokens: 8000, Source: meter.WindowConfig}}, r.provider)
		}, "the window changed"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				gate := agenttest.NewGate()
				r := talk(t, 5, nil, agenttest.Join(agenttest.Hold(gate), summarises(account)))
				r.compacts(wish(preset.ProfileDefault, 4))
				r.compacts(heavy())
				c.meanwhile(r)
				r.wait()
				gate.Open()
				r.wait()
				if a := r.attempts(); len(a) != 1 || a[0].Outcome != conversation.OutcomeStale || !strings.Contains(a[0].Why, c.why) || len(r.refused()) != 1 {
					t.Errorf("recorded %+v, told %v", a, r.refused())
				}
				for _, o := range r.overlays() {
					if s, isSummary := o.Body.(conversation.Summary); isSummary && s.Policies == nil {
						t.Error("the stale summary is in the log")
					}
				}
				r.idle()
				r.finish()
			})
		})
	}
}

func TestAnotherWishReplacesASummaryAndTheSameOneJoinsIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := talk(t, 4, nil, agenttest.Join(agenttest.Hold(gate), summarises(account)), summarises(account))
		requests := len(r.provider.Requests())
		r.compacts(heavy())
		r.compacts(heavy())
		if n := len(r.provider.Requests()) - requests; n != 1 || len(r.attempts()) != 0 {
			t.Errorf("%d requests and %d attempts for the same wish", n, len(r.attempts()))
		}
		w := heavy()
		w.Focus = "the failures"
		r.compacts(w)
		if a := r.attempts(); len(a) != 1 || a[0].Outcome != conversation.OutcomeCancelled {
			t.Errorf("recorded %+v", a)
		}
		if made := r.made(); len(made) != 1 || r.overlays()[0].Body.(conversation.Summary).Focus != w.Focus {
			t.Errorf("made %+v", made)
		}
		r.idle()
		r.finish()
	})
}

func TestEventsThatJoinTheLogMeanwhileDoNotMatter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := talk(t, 4, nil, agenttest.Join(agenttest.Hold(gate), summarises(account)))
		r.compacts(heavy())
		r.Rename("another title")
		r.SwitchModel(llm.Model{Provider: "test", ID: "n", Window: testModel.Window}, r.provider)
		r.wait()
		gate.Open()
		r.wait()
		overlays := r.overlays()
		if len(overlays) != 1 || overlays[0].Body.(conversation.Summary).Made.Epoch != overlays[0].Seq {
			t.Fatalf("the overlays are %+v, refused %v", overlays, r.refused())
		}
		if s := overlays[0].Body.(conversation.Summary); s.Model != "test/m" {
			t.Errorf("written by %s", s.Model)
		}
		r.finish()
	})
}
