package agent_test

import (
	"slices"
	"testing"
	"time"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/conversation"

	"github.com/google/go-cmp/cmp"
)

// keptWarm selects a model with a cache, which the user wants to be kept warm.
func keptWarm(o *core.Options) {
	withClaude(o)
	o.KeepWarm = func() bool { return true }
	o.Cost = func(_ llm.Model, t llm.Tokens) (*float64, string) { return new(float64(t.Cached) * 0.3e-6), "test" }
}

// cachedReply is a reply that found a number of tokens in the cache.
func cachedReply(text string, cached int) agenttest.Reply {
	return agenttest.Join(agenttest.StreamText(text), agenttest.Stop(conversation.StopEnd), agenttest.StreamChunk(llm.Chunk{Usage: &llm.Tokens{
		Prompt: 40_000, Cached: cached, CacheWrite: 40_000 - cached, Completion: 1, Reasoning: -1}}))
}

// pings returns the usage of the pings in the log.
func (r *rig) pings() []conversation.Usage {
	var all []conversation.Usage
	for _, e := range r.memory.Events() {
		if u, ok := e.Body.(conversation.Usage); ok && u.Purpose == conversation.PurposeWarm {
			all = append(all, u)
		}
	}
	return all
}

func TestACacheIsKeptWarmAtMostTwiceInAPause(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, keptWarm, slices.Repeat([]agenttest.Reply{cachedReply("fine", 40_000)}, 9)...)
		r.sendAndWait("hi")
		messages := r.view()
		time.Sleep(4*time.Minute - time.Second)
		r.waitIdle()
		if got := r.pings(); len(got) != 0 {
			t.Errorf("%d pings before one is due", len(got))
		}
		time.Sleep(time.Second)
		r.waitIdle()
		sent := r.provider.Requests()
		ping := sent[len(sent)-1]
		if ping.MaxTokens != 1 {
			t.Errorf("its reply may have %d tokens", ping.MaxTokens)
		}
		ping.MaxTokens = sent[0].MaxTokens
		if diff := cmp.Diff(sent[0], ping, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".LoadImage" }, cmp.Ignore())); len(sent) != 2 || diff != "" {
			t.Errorf("%d requests, the ping is not the newest one (-want +got):\n%s", len(sent), diff)
		}
		if got, want := r.cacheColdAt(), time.Now().Add(5*time.Minute); !got.Equal(want) {
			t.Errorf("cold at %s, want %s", got, want)
		}
		time.Sleep(30 * time.Minute)
		r.waitIdle()
		if diff := cmp.Diff(messages, r.view()); diff != "" {
			t.Errorf("pings leave messages (-want +got):\n%s", diff)
		}
		if got := r.pings(); len(got) != 2 || got[0].CostUSD == nil || *got[0].CostUSD != 0.012 {
			t.Errorf("pings %+v, want two that cost 0.012", got)
		}
		if len(agenttest.UpdatesOf[updates.Delta](r.watch)) != 1 {
			t.Error("the reply of a ping is shown")
		}
		r.sendAndWait("back again")
		if c := r.memory.Calibration(testModel.CalibrationKey); c.Requests != 1 || c.Pauses != 1 {
			t.Errorf("pauses %+v, want one: pings do not end it", c)
		}
		time.Sleep(6 * time.Minute)
		r.waitIdle()
		if got := r.pings(); len(got) != 3 {
			t.Errorf("%d pings with one in the next pause, want 3", len(got))
		}
		r.finish()
	})
}

func TestNoPingIsSentWhereItIsOfNoUse(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*core.Options)
		act    func(*rig)
		ping   agenttest.Reply
		want   int
	}{
		"off":                          {change: func(o *core.Options) { o.KeepWarm = func() bool { return false } }},
		"without a user":               {change: func(o *core.Options) { o.Interactive = false }},
		"without known prices":         {change: func(o *core.Options) { o.Model.Prices = nil }},
		"after a rewind":               {act: func(r *rig) { r.Rewind(-1) }},
		"with another effort":          {act: func(r *rig) { r.SwitchModel(withEffort("high"), r.provider) }},
		"after one that found nothing": {ping: cachedReply("fine", 0), want: 1},
		"after one that failed":        {ping: agenttest.Fail(&llm.Error{Class: llm.BadRequest, Message: "no"}), want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				change := keptWarm
				if c.change != nil {
					change = combine(keptWarm, c.change)
				}
				r := start(t, change, cachedReply("fine", 40_000), c.ping, cachedReply("fine", 40_000))
				r.sendAndWait("hi")
				if c.act != nil {
					c.act(r)
				}
				time.Sleep(time.Hour)
				r.waitIdle()
				if got := len(r.provider.Requests()) - 1; got != c.want {
					t.Errorf("%d pings, want %d", got, c.want)
				}
				r.finish()
			})
		})
	}
}

// withEffort is the model of keptWarm with an effort.
func withEffort(effort string) llm.Model {
	o := core.Options{Model: testModel}
	withClaude(&o)
	o.Model.Effort = effort
	return o.Model
}

func TestAMessageAndTheEndStopAPing(t *testing.T) {
	for name, act := range map[string]func(*rig){"a message": func(r *rig) { r.sendAndWait("back again") }, "the end": func(*rig) {}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := start(t, keptWarm, cachedReply("fine", 40_000), agenttest.Pause(time.Hour), cachedReply("fine", 40_000))
				r.sendAndWait("hi")
				time.Sleep(4 * time.Minute)
				r.waitIdle()
				if got := len(r.provider.Requests()); got != 2 {
					t.Fatalf("%d requests, want the ping as the second", got)
				}
				before := time.Now()
				act(r)
				r.finish()
				if waited := time.Since(before); waited > time.Second {
					t.Errorf("the ping was awaited for %s", waited)
				}
			})
		})
	}
}
