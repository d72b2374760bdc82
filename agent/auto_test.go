package agent_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// autoWindow is the window of the model that is talked to here, in tokens: with the
// rules of these tests the load line is at 26,880 and the hard line at 30,400.
const autoWindow = 32_000

// autoRules are Plimsoll's with figures of the tests' own, which do not change with
// what is measured.
func autoRules() preset.Rules {
	r := preset.RulesOf(preset.Plimsoll)
	r.TriggerRatio, r.HardRatio = 0.84, 0.95
	r.Evict = preset.EvictRules{Target: 0.5, Cold: 0.5, Index: 0.03, Words: 0.06}
	return r
}

// So many messages of so many tokens leave a request below the load line, and one
// more between the lines.
const (
	belowLoad  = 8
	beyondLoad = 9
	eachTokens = 3200
)

// waits has requests wait for the summaries that they need: under Plimsoll's rules
// they do where summaries are not written beside the conversation.
func waits(o *core.Options) { o.Rules.Auto.Background = false }

// words are about so many tokens.
func words(tokens int) string { return strings.Repeat("word ", tokens*4/5) }

// quiet is a server without a bound that reports nothing, so that requests weigh
// what they are estimated at.
func quiet(s agenttest.Summariser) *agenttest.Server {
	return &agenttest.Server{Quiet: true, Summary: s}
}

func accounts(gate *agenttest.Gate) agenttest.Summariser {
	if gate == nil {
		return agenttest.Healthy
	}
	return func(int, llm.Request) agenttest.Reply { return agenttest.Join(agenttest.Hold(gate), answers(account)) }
}

func alwaysDown(err error) agenttest.Summariser {
	return func(int, llm.Request) agenttest.Reply { return agenttest.Fail(err) }
}

// chatted is an idle rig in which so many messages were said to a server.
func chatted(t *testing.T, s *agenttest.Server, turns, tokens int, change func(*core.Options)) *rig {
	t.Helper()
	r := start(t, func(o *core.Options) {
		o.Provider = s
		o.Model.Window = meter.Window{Tokens: autoWindow, Source: meter.WindowCatalogue}
		o.Rules = autoRules()
		if change != nil {
			change(o)
		}
	})
	for range turns {
		r.say(words(tokens))
	}
	return r
}

// summaries is how many requests for a summary a server got.
func summaries(s *agenttest.Server) int {
	n := 0
	for _, served := range s.Served() {
		if served.Purpose == conversation.PurposeSummary {
			n++
		}
	}
	return n
}

// kinds are the kinds of the overlays in the log.
func (r *rig) kinds() []conversation.Kind {
	var out []conversation.Kind
	for _, e := range r.overlays() {
		out = append(out, e.Body.Kind())
	}
	return out
}

// texts are the summaries in the log that hold a text.
func (r *rig) texts() []conversation.Summary {
	var out []conversation.Summary
	for _, e := range r.overlays() {
		if s, isSummary := e.Body.(conversation.Summary); isSummary && s.Text != "" {
			out = append(out, s)
		}
	}
	return out
}

// paused is what was told of summaries, in order.
func (r *rig) paused() []bool {
	var out []bool
	for _, u := range agenttest.Of[updates.Summaries](r.watch) {
		out = append(out, u.Paused)
	}
	return out
}

// held reports whether the newest summary is waited for.
func (r *rig) held() bool {
	all := agenttest.Of[updates.Compacting](r.watch)
	return len(all) > 0 && all[len(all)-1].RequestWaits
}

// answered checks that the newest message has a reply, and that nothing failed.
func (r *rig) answered() {
	r.t.Helper()
	r.idle()
	all := said(r.memory.Events())
	if !strings.HasPrefix(all[len(all)-1], "assistant stop") || len(r.failures()) > 0 {
		r.t.Errorf("said at last: %.40q, failures %v", all[len(all)-1], r.failures())
	}
}

// sources are who asked for the compactions that were made.
func (r *rig) sources() []conversation.Source {
	var out []conversation.Source
	for _, m := range r.made() {
		out = append(out, m.Source)
	}
	return out
}

func TestModelThatAlwaysFailsIsAskedForThreeSummaries(t *testing.T) {
	jcli := func(o *core.Options) {
		o.Model.Window.Tokens = 400_000
		o.Rules = preset.RulesOf(preset.JCLI)
		o.Rules.TokenThreshold = 10_000
	}
	for name, test := range map[string]struct {
		change   func(*core.Options)
		requests int // of three summaries
	}{
		"plimsoll":             {requests: 6}, // each is tried once more
		"a profile by itself":  {func(o *core.Options) { o.Rules.Auto.Profile = preset.ProfileHeavy }, 6},
		"jcli":                 {jcli, 3},
		"a profile under jcli": {both(jcli, func(o *core.Options) { o.Rules.Auto.Profile, o.Model.Window.Tokens = preset.ProfileHeavy, autoWindow }), 3},
	} {
		runBubble(t, name, func(t *testing.T) {
			s := quiet(alwaysDown(fault()))
			r := chatted(t, s, 0, 0, test.change)
			for i := range 40 {
				r.say(words(1550))
				time.Sleep(time.Minute) // for whoever tries again
				r.wait()
				failed := len(r.attempts())
				if failed > 3 || (failed == 3) != slices.Equal(r.paused(), []bool{true}) || failed < 3 && len(r.paused()) > 0 {
					t.Errorf("after turn %d, with %d failures, told that summaries are paused: %v", i, failed, r.paused())
					break
				}
			}
			for i, a := range r.attempts() { // what the user is told comes next is what comes
				later := r.attempts()[i+1:]
				if a.Paused != (i == 2) || a.RetryTokens > 0 && (a.RetryTokens <= a.Before || len(later) > 0 && later[0].Before < a.RetryTokens) {
					t.Errorf("attempt %d says %+v, then comes %+v", i, a, later)
				}
			}
			if n := summaries(s); n != test.requests || len(r.attempts()) != 3 {
				t.Errorf("%d requests for %d summaries, want %d for 3", n, len(r.attempts()), test.requests)
			}
			r.answered()
			r.finish()
		})
	}
}

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
	if a := r.attempts(); len(a) != 1 || a[0].Outcome != conversation.AttemptStale {
		r.t.Errorf("not made %+v, want one that is stale", a)
	}
}

// Where the model before fails, the conversation goes on in the smaller window behind a
// note, and the new model is not made to wait for one of its own.
func TestNoteStandsAloneWhereTheFormerModelFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		old := quiet(alwaysDown(&llm.Error{Class: llm.Auth, Message: "key revoked", Status: 401}))
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
		runBubble(t, name, func(t *testing.T) {
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
	}
}

func TestFailuresStayWhenTheWindowOfTheModelBecomesKnown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := quiet(alwaysDown(fault()))
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
		runBubble(t, name, func(t *testing.T) {
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
	}
}

// A summary that a held request waited for and that goes stale for the user's own
// reason is no failure: another one is asked for, and nothing is left out.
func TestSummaryThatWentStaleIsAskedForAgain(t *testing.T) {
	for name, act := range map[string]func(*rig, *agenttest.Server){
		"a smaller model": func(r *rig, s *agenttest.Server) { r.SwitchModel(other("m2", 28_000), s) },
		"a smaller window": func(r *rig, _ *agenttest.Server) {
			r.SetWindow("test/m", meter.Window{Tokens: 28_000, Source: meter.WindowServer})
		},
		"an undo": func(r *rig, _ *agenttest.Server) { r.UndoCompaction(0) },
	} {
		runBubble(t, name, func(t *testing.T) {
			gate, calls := agenttest.NewGate(), 0
			s := quiet(accounts(gate))
			s.Answer = func(int, llm.Request) agenttest.Reply {
				if calls++; calls < 4 {
					return looks(calls)
				}
				return answers("yes")
			}
			r := chatted(t, s, 6, 3200, both(both(withTools(looked()), waits), func(o *core.Options) {
				o.Rules.Mask.Enabled = false
				o.Model.Window.Source = meter.WindowCatalogue
			}))
			if name == "an undo" {
				r.compacts(byProfile(preset.ProfileDefault, 1))
			}
			for range 12 {
				if r.say(words(2600)); r.held() {
					break
				}
			}
			if !r.held() {
				t.Fatal("nothing waits")
			}
			act(r, s)
			r.wait()
			gate.Open()
			r.wait()
			if slices.Contains(r.kinds(), conversation.KindDrop) || summaries(s) != 2 {
				t.Errorf("made %v after %d requests for summaries", r.kinds(), summaries(s))
			}
			r.answered()
			r.finish()
		})
	}
}

// nearLoad is so many messages of eachTokens that the load line is a turn or two away.
const nearLoad = 7

func TestASummaryIsPreparedOnceAndJoinsTheStep(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := quiet(accounts(nil))
		r := chatted(t, s, nearLoad, eachTokens, nil)
		if n := len(agenttest.Of[updates.Prepared](r.watch)); n != 1 || summaries(s) != 1 || len(r.overlays()) != 0 {
			t.Fatalf("%d prepared, %d asked for, made %v", n, summaries(s), r.kinds())
		}
		for range beyondLoad - nearLoad {
			r.say(words(eachTokens))
		}
		epochs := conversation.Epochs(r.memory.Events())
		if len(epochs) != 1 || epochs[0].Origin.Trigger != planner.TriggerLoadLine || len(r.texts()) != 1 || summaries(s) != 1 || r.held() {
			t.Errorf("made %v of %d requests, held %t", r.kinds(), summaries(s), r.held())
		}
		r.answered()
		r.finish()
	})
}

func TestASummaryThatNoStepComesForIsOnRecord(t *testing.T) {
	for name, act := range map[string]func(*rig){
		"the program ends": func(*rig) {},
		"a pin":            func(r *rig) { r.Pin([]uint64{3}, true); r.wait() },
		"an undo of a summary by hand": func(r *rig) {
			w := heavy()
			w.Focus = "words"
			r.compacts(w)
			r.UndoCompaction(0)
			r.wait()
		},
	} {
		runBubble(t, name, func(t *testing.T) {
			s := quiet(accounts(nil))
			r := chatted(t, s, nearLoad, eachTokens, nil)
			act(r)
			r.finish()
			a := r.attempts()
			if len(a) == 0 || a[0].Outcome != conversation.AttemptStale || a[0].Model == "" || a[0].Why == "" || a[0].Trigger != planner.TriggerPrepare {
				t.Errorf("recorded %+v", a)
			}
			if b := agenttest.Of[updates.CompactionFailed](r.watch); slices.ContainsFunc(b, func(f updates.CompactionFailed) bool {
				return f.Request.Source == conversation.SourceManual
			}) {
				t.Errorf("the user is told %+v", b)
			}
		})
	}
}

func TestNothingIsPreparedWhereNobodyGoesOn(t *testing.T) {
	for name, change := range map[string]func(*core.Options){
		"no chat":      func(o *core.Options) { o.Interactive = false },
		"by hand only": func(o *core.Options) { o.Rules.Summary.When = preset.SummaryByHand },
		"never":        func(o *core.Options) { o.Rules.Summary.When = preset.SummaryNever },
		"it waits":     waits,
	} {
		runBubble(t, name, func(t *testing.T) {
			s := quiet(accounts(nil))
			r := chatted(t, s, belowLoad, eachTokens, change)
			if summaries(s) != 0 || len(r.overlays()) != 0 {
				t.Errorf("%d asked for, made %v", summaries(s), r.kinds())
			}
			r.answered()
			r.finish()
		})
	}
}

// Where no summary is wanted the tool of the model leads to a step that evicts.
func TestTheCompactToolEvictsWhereNoModelIsAsked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := quiet(accounts(nil))
		asked := false
		s.Answer = func(n int, _ llm.Request) agenttest.Reply {
			if n == 6 && !asked {
				asked = true
				return asks(agenttest.Call(0, "c1", conversation.ToolCompact, `{}`))
			}
			return answers("yes")
		}
		r := chatted(t, s, 7, eachTokens, both(withTools(compactTool()), func(o *core.Options) {
			o.Rules.Summary.When = preset.SummaryNever
			o.Rules.Profiles[preset.ProfileHeavy] = preset.Profile{Summarize: true, Summary: o.Rules.Summary}
		}))
		epochs := conversation.Epochs(r.memory.Events())
		if len(epochs) != 1 || epochs[0].Origin.Source != conversation.SourceTool || len(r.texts()) != 0 || summaries(s) != 0 {
			t.Errorf("made %+v, told %v, %d asked for", epochs, r.refused(), summaries(s))
		}
		r.compacts(heavy())
		if told := r.refused(); len(told) != 1 || !strings.Contains(told[0].Message, "compaction.summary.when") || summaries(s) != 0 {
			t.Errorf("told %v", told)
		}
		r.answered()
		r.finish()
	})
}

// An overflow is answered by evicting, also where nothing else is automatic.
func TestAnOverflowEvictsBehindANoteFirst(t *testing.T) {
	for name, change := range map[string]func(*core.Options){
		"by the rules":      func(*core.Options) {},
		"nothing automatic": func(o *core.Options) { o.Rules.Auto.Enabled = false },
		"turned off":        func(o *core.Options) { o.Rules.Enabled = false },
	} {
		runBubble(t, name, func(t *testing.T) {
			s := quiet(accounts(nil))
			s.Window = 20_000
			r := chatted(t, s, 5, eachTokens, both(windowed(200_000), change))
			r.say(words(eachTokens))
			epochs := conversation.Epochs(r.memory.Events())
			if len(epochs) == 0 || epochs[0].Origin.Source != conversation.SourceRecovery || epochs[0].Origin.Trigger != planner.TriggerOverflow ||
				epochs[0].Overlays[0].Body.Kind() != conversation.KindSummary || summaries(s) != 0 || len(r.texts()) != 0 {
				t.Errorf("made %+v, %d asked for", epochs, summaries(s))
			}
			if n := len(r.made()); n != len(epochs) {
				t.Errorf("told of %d of %d steps", n, len(epochs))
			}
			r.answered()
			r.finish()
		})
	}
}
