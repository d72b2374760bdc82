package agent_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// What a switch of the model, of its window or of the rules does to automatic
// compaction.

// large and small are the windows between which is switched, in tokens.
const (
	large = 200_000
	small = autoWindow
)

// other is a model with a window.
func other(id string, window int) llm.Model {
	m := testModel
	m.ID, m.Window = id, meter.Window{Tokens: window, Source: meter.WindowCatalogue}
	return m
}

// windowed gives the first model a window.
func windowed(tokens int) func(*core.Options) {
	return func(o *core.Options) { o.Model.Window.Tokens = tokens }
}

// onlyStale checks that nothing was compacted, and that one summary was given up.
func (r *rig) onlyStale() {
	r.t.Helper()
	if len(r.overlays()) > 0 || len(r.made()) > 0 {
		r.t.Errorf("made %v, told %+v", r.kinds(), r.made())
	}
	if a := r.attempts(); len(a) != 1 || a[0].Outcome != conversation.OutcomeStale {
		r.t.Errorf("not made %+v, want one that is stale", a)
	}
}

// Where the model before fails, the conversation goes on in the smaller window behind a
// note, and the new model is not made to wait for one of its own.
func TestNoteStandsAloneWhereTheFormerModelFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		old := quiet(agenttest.Failing(&llm.Error{Class: llm.Auth, Message: "key revoked", Status: 401}))
		now := quiet(accounts(nil))
		r := chatted(t, old, 10, 5000, windowed(large))
		r.SwitchModel(other("small", small), now)
		r.wait()
		r.say("go on")
		if summaries(old) != 1 || summaries(now) != 0 || r.held() {
			t.Errorf("the former model is asked %d times, the new one %d times, held: %v", summaries(old), summaries(now), r.held())
		}
		if diff := cmp.Diff([]conversation.Kind{conversation.KindSummary}, r.kinds()); diff != "" || len(r.texts()) != 0 || len(r.attempts()) != 1 {
			t.Errorf("made %s, with %v, not made %+v", diff, r.texts(), r.attempts())
		}
		r.answered()
		r.finish()
	})
}

func TestRequestThatFitsAfterAllDoesNotWaitForItsSummary(t *testing.T) {
	under := func(change func(*preset.Rules)) func(*rig, *agenttest.Server) {
		return func(r *rig, _ *agenttest.Server) {
			rules := preset.RulesOf(preset.Plimsoll)
			change(&rules)
			r.Configure(nil, rules)
		}
	}
	for name, act := range map[string]func(*rig, *agenttest.Server){
		"a larger model": func(r *rig, s *agenttest.Server) { r.SwitchModel(other("big", large), s) },
		"a larger window": func(r *rig, _ *agenttest.Server) {
			r.SetWindow("test/m", meter.Window{Tokens: large, Source: meter.WindowServer})
		},
		"nothing by itself":         under(func(r *preset.Rules) { r.Auto.Enabled = false }),
		"compaction is turned off":  under(func(r *preset.Rules) { r.Enabled = false }),
		"a load line further above": under(func(r *preset.Rules) { r.TriggerRatio, r.HardRatio = 1.2, 1.3 }),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				gate := agenttest.NewGate()
				s := quiet(accounts(gate))
				r := chatted(t, s, belowLoad, eachTokens, waits)
				r.say(words(6500))
				if summaries(s) != 1 || !r.held() {
					t.Errorf("%d summaries are asked for, held: %v", summaries(s), r.held())
				}
				act(r, s)
				r.wait()
				r.answered()
				gate.Open()
				r.wait()
				r.onlyStale()
				if summaries(s) != 1 {
					t.Errorf("%d summaries are asked for", summaries(s))
				}
				r.finish()
			})
		})
	}
}

func TestSummaryModelThatIsNotThereIsNoFailureOfAModel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := quiet(nil)
		r := chatted(t, s, 6, 3000, func(o *core.Options) {
			p := o.Rules.Profiles[preset.ProfileHeavy]
			p.Summary.Model = "no/such"
			o.Rules.Profiles[preset.ProfileHeavy] = p
		})
		for range 3 {
			r.compacts(heavy())
		}
		if told := r.refused(); len(told) != 3 || told[2].Class != llm.NotFound {
			t.Errorf("told %v", told)
		}
		if summaries(s) != 0 || len(r.paused()) != 0 {
			t.Errorf("%d requests, told that summaries are paused: %v", summaries(s), r.paused())
		}
		r.finish()
	})
}

func TestFailuresStayWhenTheWindowOfTheModelBecomesKnown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := quiet(alwaysDown())
		r := chatted(t, s, 0, 0, nil)
		more := func() {
			for range 20 {
				r.say(words(1550))
				time.Sleep(time.Minute)
				r.wait()
			}
		}
		more()
		more()
		asked := summaries(s)
		r.SetWindow("test/m", meter.Window{Tokens: autoWindow - 1000, Source: meter.WindowLearned})
		r.wait()
		more()
		if diff := cmp.Diff([]bool{true}, r.paused()); diff != "" || asked == 0 || summaries(s) != asked {
			t.Errorf("%d requests, then %d more; told %s", asked, summaries(s)-asked, diff)
		}
		r.SwitchModel(other("another", autoWindow), s)
		r.wait()
		if diff := cmp.Diff([]bool{true, false}, r.paused()); diff != "" {
			t.Errorf("another model: %s", diff)
		}
		r.finish()
	})
}

// A conversation that goes on with a smaller model is summarized by the one that it was
// held with, also where the program began anew in between.
func TestTheModelOfAStoredConversationWritesItsSummary(t *testing.T) {
	for name, there := range map[string]bool{"while it is there": true, "otherwise the new one": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				old, now := quiet(accounts(nil)), quiet(accounts(nil))
				first := chatted(t, old, 10, 5000, both(windowed(large), byPreset(preset.OneClaw)))
				first.finish()
				r := start(t, func(o *core.Options) {
					o.Provider, o.Model, o.Rules, o.Interactive = now, other("small", small), preset.RulesOf(preset.OneClaw), false
					o.Log, o.Stored = first.memory, core.Stored{ID: "conversation", Events: first.memory.Events()}
					o.Summarisers = func(name string) (llm.Model, llm.Provider, bool) {
						m := testModel
						m.Window = meter.Window{Tokens: large, Source: meter.WindowCatalogue}
						return m, old, there && name == m.Name()
					}
				})
				r.say("go on")
				if n := summaries(old); (n == 1) != there || (summaries(now) == 0) != there {
					t.Errorf("the former model is asked %d times, the new one %d times", n, summaries(now))
				}
				r.answered()
				r.finish()
			})
		})
	}
}
