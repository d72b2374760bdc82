package agent_test

import (
	"fmt"
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

// accounts is a summariser that waits at a gate, if there is one.
func accounts(gate *agenttest.Gate) agenttest.Summariser {
	if gate == nil {
		return agenttest.Healthy
	}
	return agenttest.Gated(func(int) *agenttest.Gate { return gate }, func(int, llm.Request) agenttest.Reply { return answers(account) })
}

// alwaysDown is a summariser that fails whenever it is asked.
func alwaysDown() agenttest.Summariser { return agenttest.Failing(fault()) }

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
		if served.Purpose == conversation.ForSummary {
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
	return len(all) > 0 && all[len(all)-1].Held
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
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := quiet(alwaysDown())
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
					if a.Paused != (i == 2) || a.Next > 0 && (a.Next <= a.Before || len(later) > 0 && later[0].Before < a.Next) {
						t.Errorf("attempt %d says %+v, then comes %+v", i, a, later)
					}
				}
				if n := summaries(s); n != test.requests || len(r.attempts()) != 3 {
					t.Errorf("%d requests for %d summaries, want %d for 3", n, len(r.attempts()), test.requests)
				}
				r.answered()
				r.finish()
			})
		})
	}
}

func TestMaskingBeforeEveryRequestDoesNotPutOffSummaries(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := quiet(func(n int, r llm.Request) agenttest.Reply {
			return agenttest.Join(agenttest.Pause(time.Second), agenttest.Healthy(n, r))
		})
		s.Answer = func(n int, _ llm.Request) agenttest.Reply {
			reply := answers("done with that")
			if n%8 != 7 {
				reply = agenttest.Join(agenttest.Say(words(500)), looks(n))
			}
			return agenttest.Join(agenttest.Pause(time.Second), reply)
		}
		r := chatted(t, s, 0, 0, both(withTools(looked()), func(o *core.Options) {
			o.Model.Window.Tokens = 2 * autoWindow
			o.Rules.Micro.Enabled, o.Rules.Mask.Enabled = true, false
		}))
		for range 16 {
			r.say("go on with it")
			time.Sleep(time.Minute)
			r.wait()
		}
		triggers := map[string]int{}
		for _, e := range r.overlays() {
			m, _ := conversation.MadeOf(e.Body)
			triggers[string(e.Body.Kind())+" "+m.Trigger]++
		}
		want := fmt.Sprintf("%s %s", conversation.KindSummary, planner.TriggerLoadLine)
		if triggers[want] < 2 || triggers[fmt.Sprintf("%s %s", conversation.KindMask, planner.TriggerRequest)] == 0 || len(triggers) != 2 {
			t.Errorf("made %v", triggers)
		}
		for _, c := range agenttest.Of[updates.Compacting](r.watch) {
			if c.Held {
				t.Error("a request waits for a summary")
			}
		}
		r.answered()
		r.finish()
	})
}

func TestCommandThatDoesNothingDoesNotCutARecoveryShort(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		s := quiet(accounts(gate))
		s.Window, s.Nameless = 20_000, true
		r := chatted(t, s, 0, 0, both(byPreset(preset.OneClaw), func(o *core.Options) { o.Model.Window = meter.Window{} }))
		for range 20 {
			if r.say(words(3000)); summaries(s) > 0 {
				break
			}
		}
		if summaries(s) != 1 || !r.held() {
			t.Errorf("%d summaries are asked for after a refusal, held: %v", summaries(s), r.held())
		}
		r.RedoCompaction()
		r.wait()
		if len(r.refused()) != 1 || !r.held() {
			t.Errorf("told %v, held: %v", r.refused(), r.held())
		}
		gate.Open()
		r.wait()
		if diff := cmp.Diff([]conversation.Kind{conversation.KindSummary}, r.kinds()); diff != "" || len(r.attempts()) > 0 {
			t.Errorf("made %s, not made %+v", diff, r.attempts())
		}
		r.answered()
		r.finish()
	})
}

func TestMessageSentWhileASummaryIsWaitedForIsStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := chatted(t, quiet(accounts(gate)), 6, 3000, func(o *core.Options) { o.Rules.Auto.Background = false })
		r.Compact(heavy())
		r.Send("precious")
		r.wait()
		r.stored("precious")
		r.Send("and more")
		r.wait()
		r.stored("precious", "and more")
		if queued := agenttest.Of[updates.Queued](r.watch); len(queued) == 0 || !slices.Equal(queued[len(queued)-1].Texts, []string{"precious", "and more"}) {
			t.Errorf("shown as waiting: %v", queued)
		}
		gate.Open()
		r.wait()
		r.stored()
		all := said(r.memory.Events())
		if diff := cmp.Diff([]string{"user precious", "assistant stop yes", "user and more", "assistant stop yes"}, all[len(all)-4:]); diff != "" {
			t.Error(diff)
		}
		r.finish()
	})
}

func TestRewindToATurnThatIsNotThereDisturbsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := start(t, nil, agenttest.Join(agenttest.Say("half"), agenttest.Hold(gate), answers(" and whole")), answers("b"))
		r.say("hello")
		r.Send("next")
		r.Rewind(99)
		r.wait()
		if diff := cmp.Diff([]llm.Class{llm.BadRequest}, r.failures()); diff != "" {
			t.Error(diff)
		}
		phases := r.watch.Phases()
		if phases[len(phases)-1] != updates.Streaming || len(r.returned()) > 0 || r.watch.OnScreen() != "half" {
			t.Errorf("%s, %q is on the screen, %v came back", phases[len(phases)-1], r.watch.OnScreen(), r.returned())
		}
		gate.Open()
		r.wait()
		want := []string{"user hello", "assistant stop half and whole", "user next", "assistant stop b"}
		if diff := cmp.Diff(want, said(r.memory.Events())); diff != "" {
			t.Error(diff)
		}
		r.finish()
	})
}
