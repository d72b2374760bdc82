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
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// heavy is the wish for a summary of all turns but one.
func heavy() edit.Request { return byProfile(preset.ProfileHeavy, 1) }

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
