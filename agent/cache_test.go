package agent_test

import (
	"testing"
	"time"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/planner"
)

// coldAt is from when on the cache is cold as the watcher was told last.
func (r *rig) coldAt() time.Time {
	told := agenttest.Of[updates.CacheCold](r.watch)
	if len(told) == 0 {
		return time.Time{}
	}
	return told[len(told)-1].At
}

func TestItIsToldWhenTheCacheGoesCold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		kept := testModel
		kept.CacheTTL = 5 * time.Minute
		r := start(t, func(o *core.Options) { o.Model = kept }, answers("one"), answers("two"))
		if got := r.coldAt(); !got.IsZero() {
			t.Errorf("before anything was sent the cache is said to go cold at %s", got)
		}
		r.say("hi")
		if got, want := r.coldAt(), time.Now().Add(5*time.Minute); !got.Equal(want) {
			t.Errorf("cold at %s, want %s", got, want)
		}
		time.Sleep(3 * time.Minute)
		r.say("again")
		if got, want := r.coldAt(), time.Now().Add(5*time.Minute); !got.Equal(want) {
			t.Errorf("after another reply cold at %s, want %s", got, want)
		}
		r.SwitchModel(llm.Model{Provider: "test", ID: "other", Window: kept.Window}, r.provider)
		r.wait()
		if got := r.coldAt(); got.After(time.Now()) {
			t.Errorf("for another model the cache is said to be warm until %s", got)
		}
		r.SwitchModel(llm.Model{Provider: "test", ID: "m", Window: kept.Window}, r.provider)
		r.wait()
		if got, want := r.coldAt(), time.Now().Add(planner.UnknownLifetime); !got.Equal(want) {
			t.Errorf("with an unknown lifetime cold at %s, want %s", got, want)
		}
		r.SwitchModel(llm.Model{Provider: "test", ID: "m", Window: kept.Window, NoCache: true}, r.provider)
		r.wait()
		if got := r.coldAt(); !got.IsZero() {
			t.Errorf("without a cache it is said to go cold at %s", got)
		}
		r.finish()
	})
}
