package agent_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/planner"
	"plimsoll/conversation"

	"github.com/google/go-cmp/cmp"
)

// cacheColdAt returns when the cache goes cold, by the newest update.
func (r *rig) cacheColdAt() time.Time {
	told := agenttest.UpdatesOf[updates.CacheCold](r.watch)
	if len(told) == 0 {
		return time.Time{}
	}
	return told[len(told)-1].At
}

func TestCacheUpdatesSayWhenTheCacheGoesCold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		kept := testModel
		kept.CacheTTL = 5 * time.Minute
		r := start(t, func(o *core.Options) { o.Model = kept }, textReply("one"), textReply("two"))
		if got := r.cacheColdAt(); !got.IsZero() {
			t.Errorf("before anything was sent the cache is said to go cold at %s", got)
		}
		r.sendAndWait("hi")
		if got, want := r.cacheColdAt(), time.Now().Add(5*time.Minute); !got.Equal(want) {
			t.Errorf("cold at %s, want %s", got, want)
		}
		time.Sleep(3 * time.Minute)
		r.sendAndWait("again")
		if got, want := r.cacheColdAt(), time.Now().Add(5*time.Minute); !got.Equal(want) {
			t.Errorf("after another reply cold at %s, want %s", got, want)
		}
		r.SwitchModel(llm.Model{Provider: "test", ID: "other", Window: kept.Window}, r.provider)
		r.waitIdle()
		if got := r.cacheColdAt(); got.After(time.Now()) {
			t.Errorf("for another model the cache is said to be warm until %s", got)
		}
		r.SwitchModel(llm.Model{Provider: "test", ID: "m", Window: kept.Window}, r.provider)
		r.waitIdle()
		if got, want := r.cacheColdAt(), time.Now().Add(planner.UnknownLifetime); !got.Equal(want) {
			t.Errorf("with an unknown lifetime cold at %s, want %s", got, want)
		}
		r.SwitchModel(llm.Model{Provider: "test", ID: "m", Window: kept.Window, NoCache: true}, r.provider)
		r.waitIdle()
		if got := r.cacheColdAt(); !got.IsZero() {
			t.Errorf("without a cache it is said to go cold at %s", got)
		}
		r.finish()
	})
}

// withClaude selects a model whose requests can set the lifetime of the cache.
func withClaude(o *core.Options) {
	o.Model.Prices = &llm.Prices{Input: 3, Cached: 0.3, CacheWrite: 3.75, Output: 15}
	o.Model.TTL = llm.TTLChosen
	o.System = strings.Repeat("a long system prompt ", 8000)
}

// requestedTTLs returns the cache lifetimes in the requests so far, without repetitions.
func (r *rig) requestedTTLs() []time.Duration {
	var all []time.Duration
	for _, q := range r.provider.Requests() {
		all = append(all, q.CacheTTL)
	}
	return slices.Compact(all)
}

func TestRequestedCacheTTLFollowsThePausesBetweenTurns(t *testing.T) {
	const short, long = 5 * time.Minute, time.Hour
	bubble(t, func(t *testing.T) {
		var script []agenttest.Reply
		for range 30 {
			script = append(script, agenttest.Join(agenttest.StreamText("fine"), agenttest.Stop(conversation.StopEnd), agenttest.StreamChunk(llm.Chunk{Usage: &llm.Tokens{
				Prompt: 40_000, Cached: 39_000, CacheWrite: 1000, Completion: 10, Reasoning: -1}})))
		}
		r := start(t, withClaude, script...)
		for range 4 {
			r.sendAndWait("again")
		}
		if diff := cmp.Diff([]time.Duration{short}, r.requestedTTLs()); diff != "" {
			t.Errorf("without pauses it is kept for (-want +got):\n%s", diff)
		}
		for range 4 {
			time.Sleep(20 * time.Minute)
			r.sendAndWait("after a pause")
		}
		if diff := cmp.Diff([]time.Duration{short, long}, r.requestedTTLs()); diff != "" {
			t.Errorf("with pauses it is kept for (-want +got):\n%s", diff)
		}
		for range 16 {
			r.sendAndWait("on and on")
		}
		if diff := cmp.Diff([]time.Duration{short, long}, r.requestedTTLs()); diff != "" {
			t.Errorf("while it is warm it is kept for (-want +got):\n%s", diff)
		}
		if got, want := r.cacheColdAt(), time.Now().Add(long); !got.Equal(want) {
			t.Errorf("cold at %s, want %s", got, want)
		}
		kept := r.memory.Calibration(testModel.CalibrationKey)
		if kept.Requests != 23 || kept.Pauses != 4 || kept.LongPauses != 0 {
			t.Errorf("pauses %+v, want 23 requests, 4 pauses, no long one", kept)
		}
		r.finish()

		again := start(t, func(o *core.Options) {
			withClaude(o)
			o.Stored = core.Stored{ID: "conversation", Events: r.memory.Events()}
			o.Log = r.memory
		}, script...)
		time.Sleep(30 * time.Minute)
		again.sendAndWait("opened again")
		if diff := cmp.Diff([]time.Duration{long}, again.requestedTTLs()); diff != "" {
			t.Errorf("opened again it is kept for (-want +got):\n%s", diff)
		}
		again.finish()
		for _, e := range again.memory.Events() {
			if u, ok := e.Body.(conversation.Usage); ok && u.CacheTTL == long && u.CacheWriteLong != u.CacheWrite {
				t.Errorf("of %d tokens %d are recorded as written for an hour", u.CacheWrite, u.CacheWriteLong)
			}
		}
	})
}

func TestUsingAnotherModelBrieflyLeavesTheCacheWarm(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, withClaude, textReply("one"), textReply("two"), textReply("three"))
		model := testModel
		model.Prices, model.TTL = &llm.Prices{Input: 3, Cached: 0.3, CacheWrite: 3.75, Output: 15}, llm.TTLChosen
		r.sendAndWait("hi")
		warm := time.Now().Add(5 * time.Minute)
		time.Sleep(time.Minute)
		r.SwitchModel(llm.Model{Provider: "test", ID: "other", Window: model.Window}, r.provider)
		r.sendAndWait("and you?")
		r.SwitchModel(model, r.provider)
		r.waitIdle()
		if got := r.cacheColdAt(); !got.Equal(warm) {
			t.Errorf("cold at %s, want %s", got, warm)
		}
		r.finish()
	})
}
