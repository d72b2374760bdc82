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

// autoWindow is the model's window in these tests, in tokens: under autoRules
// the load line is at 26,880 and the hard line at 30,400.
const autoWindow = 32_000

// autoRules are Plimsoll's rules with fixed ratios, so that changed defaults do not change these tests.
func autoRules() preset.Rules {
	r := preset.RulesOf(preset.Plimsoll)
	r.TriggerRatio, r.HardRatio = 0.84, 0.95
	r.Evict = preset.EvictRules{Target: 0.5, Cold: 0.5, Index: 0.03, Words: 0.06}
	return r
}

// belowLoad messages of eachTokens tokens keep the request below the load line;
// beyondLoad messages put it between the load line and the hard line.
const (
	belowLoad  = 8
	beyondLoad = 9
	eachTokens = 3200
)

// summariesBlock disables background summaries, so that a request waits for the summary that it needs.
func summariesBlock(o *core.Options) { o.Rules.Auto.Background = false }

// textOf returns a text of about that many tokens.
func textOf(tokens int) string { return strings.Repeat("word ", tokens*4/5) }

// serverWithoutUsage returns a server that has no window and reports no usage, so that
// the meter counts requests by its estimates.
func serverWithoutUsage(s agenttest.Summariser) *agenttest.Provider {
	return &agenttest.Provider{OmitsUsage: true, Summary: s}
}

func goodSummaries(gate *agenttest.Gate) agenttest.Summariser {
	if gate == nil {
		return agenttest.ReplyWithSummary
	}
	return func(int, llm.Request) agenttest.Reply {
		return agenttest.Join(agenttest.WaitAtGate(gate), textReply(goodSummary))
	}
}

func failingSummaries(err error) agenttest.Summariser {
	return func(int, llm.Request) agenttest.Reply { return agenttest.Fail(err) }
}

// startChat returns an idle rig after that many turns with the server.
func startChat(t *testing.T, s *agenttest.Provider, turns, tokens int, change func(*core.Options)) *rig {
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
		r.sendAndWait(textOf(tokens))
	}
	return r
}

func summaryRequests(s *agenttest.Provider) int {
	n := 0
	for _, served := range s.Served() {
		if served.Purpose == conversation.PurposeSummary {
			n++
		}
	}
	return n
}

func (r *rig) overlayKinds() []conversation.Kind {
	var out []conversation.Kind
	for _, e := range r.overlays() {
		out = append(out, e.Body.Kind())
	}
	return out
}

// modelSummaries returns the summaries in the log that have a text by a model.
func (r *rig) modelSummaries() []conversation.Summary {
	var out []conversation.Summary
	for _, e := range r.overlays() {
		if s, isSummary := e.Body.(conversation.Summary); isSummary && s.Text != "" {
			out = append(out, s)
		}
	}
	return out
}

// pauseUpdates returns the updates that summaries are paused (true) or resumed, in order.
func (r *rig) pauseUpdates() []bool {
	var out []bool
	for _, u := range agenttest.UpdatesOf[updates.SummariesPaused](r.watch) {
		out = append(out, u.Paused)
	}
	return out
}

func (r *rig) requestWaits() bool {
	all := agenttest.UpdatesOf[updates.Compacting](r.watch)
	return len(all) > 0 && all[len(all)-1].RequestWaits
}

// checkAnswered checks that the newest message has a reply, and that nothing failed.
func (r *rig) checkAnswered() {
	r.t.Helper()
	r.checkIdle()
	all := messageLines(r.memory.Events())
	if !strings.HasPrefix(all[len(all)-1], "assistant stop") || len(r.failures()) > 0 {
		r.t.Errorf("the newest message is %.40q, want the assistant's; failures %v", all[len(all)-1], r.failures())
	}
}

// compactionSources returns the source of each compaction, in order.
func (r *rig) compactionSources() []conversation.Source {
	var out []conversation.Source
	for _, m := range r.compactions() {
		out = append(out, m.Source)
	}
	return out
}

func TestSummariesPauseAfterThreeFailures(t *testing.T) {
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
		"a profile under jcli": {combine(jcli, func(o *core.Options) { o.Rules.Auto.Profile, o.Model.Window.Tokens = preset.ProfileHeavy, autoWindow }), 3},
	} {
		runBubble(t, name, func(t *testing.T) {
			s := serverWithoutUsage(failingSummaries(serverFault()))
			r := startChat(t, s, 0, 0, test.change)
			for i := range 40 {
				r.sendAndWait(textOf(1550))
				time.Sleep(time.Minute) // for whoever tries again
				r.waitIdle()
				failed := len(r.failedCompactions())
				if failed > 3 || (failed == 3) != slices.Equal(r.pauseUpdates(), []bool{true}) || failed < 3 && len(r.pauseUpdates()) > 0 {
					t.Errorf("after turn %d, with %d failed compactions, the pause updates are %v", i, failed, r.pauseUpdates())
					break
				}
			}
			for i, a := range r.failedCompactions() { // what the user is told comes next is what comes
				later := r.failedCompactions()[i+1:]
				if a.Paused != (i == 2) || a.RetryTokens > 0 && (a.RetryTokens <= a.Before || len(later) > 0 && later[0].Before < a.RetryTokens) {
					t.Errorf("failed compaction %d is %+v, the next %+v: paused or retried at the wrong size", i, a, later)
				}
			}
			if n := summaryRequests(s); n != test.requests || len(r.failedCompactions()) != 3 {
				t.Errorf("%d requests for %d summaries, want %d for 3", n, len(r.failedCompactions()), test.requests)
			}
			r.checkAnswered()
			r.finish()
		})
	}
}

// The tests below change the model, its window or the rules during automatic compaction.

// largeWindow and smallWindow are the windows of the models in these tests, in tokens.
const (
	largeWindow = 200_000
	smallWindow = autoWindow
)

func otherModel(id string, window int) llm.Model {
	m := testModel
	m.ID, m.Window = id, meter.Window{Tokens: window, Source: meter.WindowCatalogue}
	return m
}

func withWindowTokens(tokens int) func(*core.Options) {
	return func(o *core.Options) { o.Model.Window.Tokens = tokens }
}

func (r *rig) checkOnlyStale() {
	r.t.Helper()
	if len(r.overlays()) > 0 || len(r.compactions()) > 0 {
		r.t.Errorf("overlays %v and compaction updates %+v, want none", r.overlayKinds(), r.compactions())
	}
	if a := r.failedCompactions(); len(a) != 1 || a[0].Outcome != conversation.AttemptStale {
		r.t.Errorf("not made %+v, want one that is stale", a)
	}
}

// When the former model fails, a note replaces the old turns. The new model is not asked for a summary.
func TestNoteReplacesTurnsWhenTheFormerModelFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		old := serverWithoutUsage(failingSummaries(&llm.Error{Class: llm.Auth, Message: "key revoked", Status: 401}))
		now := serverWithoutUsage(goodSummaries(nil))
		r := startChat(t, old, 10, 5000, withWindowTokens(largeWindow))
		r.SwitchModel(otherModel("small", smallWindow), now)
		r.waitIdle()
		r.sendAndWait("go on")
		if summaryRequests(old) != 1 || summaryRequests(now) != 0 || r.requestWaits() {
			t.Errorf("summary requests: %d, then %d, want 1, 0; waits %v", summaryRequests(old), summaryRequests(now), r.requestWaits())
		}
		if diff := cmp.Diff([]conversation.Kind{conversation.KindSummary}, r.overlayKinds()); diff != "" || len(r.modelSummaries()) != 0 || len(r.failedCompactions()) != 1 {
			t.Errorf("overlays (-want +got): %s; summaries %v, failed %+v", diff, r.modelSummaries(), r.failedCompactions())
		}
		r.checkAnswered()
		r.finish()
	})
}

func TestRequestThatFitsAgainStopsWaitingForItsSummary(t *testing.T) {
	under := func(change func(*preset.Rules)) func(*rig, *agenttest.Provider) {
		return func(r *rig, _ *agenttest.Provider) {
			rules := preset.RulesOf(preset.Plimsoll)
			change(&rules)
			r.Configure(nil, rules)
		}
	}
	for name, act := range map[string]func(*rig, *agenttest.Provider){
		"a larger model": func(r *rig, s *agenttest.Provider) { r.SwitchModel(otherModel("big", largeWindow), s) },
		"a larger window": func(r *rig, _ *agenttest.Provider) {
			r.SetWindow("test/m", meter.Window{Tokens: largeWindow, Source: meter.WindowServer})
		},
		"nothing by itself":         under(func(r *preset.Rules) { r.Auto.Enabled = false }),
		"compaction is turned off":  under(func(r *preset.Rules) { r.Enabled = false }),
		"a load line further above": under(func(r *preset.Rules) { r.TriggerRatio, r.HardRatio = 1.2, 1.3 }),
	} {
		runBubble(t, name, func(t *testing.T) {
			gate := agenttest.NewGate()
			s := serverWithoutUsage(goodSummaries(gate))
			r := startChat(t, s, belowLoad, eachTokens, summariesBlock)
			r.sendAndWait(textOf(6500))
			if summaryRequests(s) != 1 || !r.requestWaits() {
				t.Errorf("%d summary requests, the reply request waits %v; want 1, true", summaryRequests(s), r.requestWaits())
			}
			act(r, s)
			r.waitIdle()
			r.checkAnswered()
			gate.Open()
			r.waitIdle()
			r.checkOnlyStale()
			if summaryRequests(s) != 1 {
				t.Errorf("%d summary requests, want 1", summaryRequests(s))
			}
			r.finish()
		})
	}
}

func TestSummariesStayPausedWhenTheWindowBecomesKnown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serverWithoutUsage(failingSummaries(serverFault()))
		r := startChat(t, s, 0, 0, nil)
		more := func() {
			for range 20 {
				r.sendAndWait(textOf(1550))
				time.Sleep(time.Minute)
				r.waitIdle()
			}
		}
		more()
		more()
		asked := summaryRequests(s)
		r.SetWindow("test/m", meter.Window{Tokens: autoWindow - 1000, Source: meter.WindowLearned})
		r.waitIdle()
		more()
		if diff := cmp.Diff([]bool{true}, r.pauseUpdates()); diff != "" || asked == 0 || summaryRequests(s) != asked {
			t.Errorf("%d summary requests, then %d more, want 0; pauses (-want +got): %s", asked, summaryRequests(s)-asked, diff)
		}
		r.SwitchModel(otherModel("another", autoWindow), s)
		r.waitIdle()
		if diff := cmp.Diff([]bool{true, false}, r.pauseUpdates()); diff != "" {
			t.Errorf("pause updates after the switch of the model (-want +got): %s", diff)
		}
		r.finish()
	})
}

// After a switch to a smaller model, the former model writes the summary, also when the
// program was restarted in between.
func TestFormerModelSummarisesAStoredConversation(t *testing.T) {
	for name, there := range map[string]bool{"while it is there": true, "otherwise the new one": false} {
		runBubble(t, name, func(t *testing.T) {
			old, now := serverWithoutUsage(goodSummaries(nil)), serverWithoutUsage(goodSummaries(nil))
			first := startChat(t, old, 10, 5000, combine(withWindowTokens(largeWindow), withPreset(preset.OneClaw)))
			first.finish()
			r := start(t, func(o *core.Options) {
				o.Provider, o.Model, o.Rules, o.Interactive = now, otherModel("small", smallWindow), preset.RulesOf(preset.OneClaw), false
				o.Log, o.Stored = first.memory, core.Stored{ID: "conversation", Events: first.memory.Events()}
				o.Summarisers = func(name string) (llm.Model, llm.Provider, bool) {
					m := testModel
					m.Window = meter.Window{Tokens: largeWindow, Source: meter.WindowCatalogue}
					return m, old, there && name == m.Name()
				}
			})
			r.sendAndWait("go on")
			if n := summaryRequests(old); (n == 1) != there || (summaryRequests(now) == 0) != there {
				t.Errorf("%d summary requests to the former model, %d to the new one", n, summaryRequests(now))
			}
			r.checkAnswered()
			r.finish()
		})
	}
}

// A user action can make a summary stale while a request waits for it. That is no
// failure: another summary is requested, and no turns are dropped.
func TestStaleSummaryIsRequestedAgain(t *testing.T) {
	for name, act := range map[string]func(*rig, *agenttest.Provider){
		"a smaller model": func(r *rig, s *agenttest.Provider) { r.SwitchModel(otherModel("m2", 28_000), s) },
		"a smaller window": func(r *rig, _ *agenttest.Provider) {
			r.SetWindow("test/m", meter.Window{Tokens: 28_000, Source: meter.WindowServer})
		},
		"an undo": func(r *rig, _ *agenttest.Provider) { r.UndoCompaction(0) },
	} {
		runBubble(t, name, func(t *testing.T) {
			gate, calls := agenttest.NewGate(), 0
			s := serverWithoutUsage(goodSummaries(gate))
			s.Answer = func(int, llm.Request) agenttest.Reply {
				if calls++; calls < 4 {
					return callsLook(calls)
				}
				return textReply("yes")
			}
			r := startChat(t, s, 6, 3200, combine(combine(withTools(lookTool()), summariesBlock), func(o *core.Options) {
				o.Rules.Mask.Enabled = false
				o.Model.Window.Source = meter.WindowCatalogue
			}))
			if name == "an undo" {
				r.compact(profileRequest(preset.ProfileDefault, 1))
			}
			for range 12 {
				if r.sendAndWait(textOf(2600)); r.requestWaits() {
					break
				}
			}
			if !r.requestWaits() {
				t.Fatal("nothing waits")
			}
			act(r, s)
			r.waitIdle()
			gate.Open()
			r.waitIdle()
			if slices.Contains(r.overlayKinds(), conversation.KindDrop) || summaryRequests(s) != 2 {
				t.Errorf("overlays %v after %d summary requests, want no drop after 2", r.overlayKinds(), summaryRequests(s))
			}
			r.checkAnswered()
			r.finish()
		})
	}
}

// nearLoad messages of eachTokens tokens leave the load line one or two turns away.
const nearLoad = 7

func TestPreparedSummaryIsCommittedWithTheNextEviction(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serverWithoutUsage(goodSummaries(nil))
		r := startChat(t, s, nearLoad, eachTokens, nil)
		if n := len(agenttest.UpdatesOf[updates.Prepared](r.watch)); n != 1 || summaryRequests(s) != 1 || len(r.overlays()) != 0 {
			t.Fatalf("prepared %d, summary requests %d, want 1 each; overlays %v", n, summaryRequests(s), r.overlayKinds())
		}
		for range beyondLoad - nearLoad {
			r.sendAndWait(textOf(eachTokens))
		}
		epochs := conversation.Epochs(r.memory.Events())
		if len(epochs) != 1 || epochs[0].Origin.Trigger != planner.TriggerLoadLine || len(r.modelSummaries()) != 1 || summaryRequests(s) != 1 || r.requestWaits() {
			t.Errorf("overlays %v, %d summary requests, waits %t", r.overlayKinds(), summaryRequests(s), r.requestWaits())
		}
		r.checkAnswered()
		r.finish()
	})
}

func TestUnusedPreparedSummaryIsRecordedAsStale(t *testing.T) {
	for name, act := range map[string]func(*rig){
		"the program ends": func(*rig) {},
		"a pin":            func(r *rig) { r.Pin([]uint64{3}, true); r.waitIdle() },
		"an undo of a summary by hand": func(r *rig) {
			w := heavyRequest()
			w.Focus = "words"
			r.compact(w)
			r.UndoCompaction(0)
			r.waitIdle()
		},
	} {
		runBubble(t, name, func(t *testing.T) {
			s := serverWithoutUsage(goodSummaries(nil))
			r := startChat(t, s, nearLoad, eachTokens, nil)
			act(r)
			r.finish()
			a := r.failedCompactions()
			if len(a) == 0 || a[0].Outcome != conversation.AttemptStale || a[0].Model == "" || a[0].Why == "" || a[0].Trigger != planner.TriggerPrepare {
				t.Errorf("failed compactions %+v, want first the stale prepared summary with its model", a)
			}
			if b := agenttest.UpdatesOf[updates.CompactionFailed](r.watch); slices.ContainsFunc(b, func(f updates.CompactionFailed) bool {
				return f.Request.Source == conversation.SourceManual
			}) {
				t.Errorf("failure updates %+v, want none of a manual compaction", b)
			}
		})
	}
}

func TestNoSummaryIsPreparedWhenTheOptionsExcludeIt(t *testing.T) {
	for name, change := range map[string]func(*core.Options){
		"no chat":      func(o *core.Options) { o.Interactive = false },
		"by hand only": func(o *core.Options) { o.Rules.Summary.When = preset.SummaryByHand },
		"never":        func(o *core.Options) { o.Rules.Summary.When = preset.SummaryNever },
		"it waits":     summariesBlock,
	} {
		runBubble(t, name, func(t *testing.T) {
			s := serverWithoutUsage(goodSummaries(nil))
			r := startChat(t, s, belowLoad, eachTokens, change)
			if summaryRequests(s) != 0 || len(r.overlays()) != 0 {
				t.Errorf("%d summary requests, overlays %v; want none", summaryRequests(s), r.overlayKinds())
			}
			r.checkAnswered()
			r.finish()
		})
	}
}

// When the rules allow no summary, the compact tool evicts.
func TestCompactToolEvictsWhenSummariesAreDisabled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serverWithoutUsage(goodSummaries(nil))
		asked := false
		s.Answer = func(n int, _ llm.Request) agenttest.Reply {
			if n == 6 && !asked {
				asked = true
				return callsReply(agenttest.StreamCall(0, "c1", conversation.ToolCompact, `{}`))
			}
			return textReply("yes")
		}
		r := startChat(t, s, 7, eachTokens, combine(withTools(compactTool()), func(o *core.Options) {
			o.Rules.Summary.When = preset.SummaryNever
			o.Rules.Profiles[preset.ProfileHeavy] = preset.Profile{Summarize: true, Summary: o.Rules.Summary}
		}))
		epochs := conversation.Epochs(r.memory.Events())
		if len(epochs) != 1 || epochs[0].Origin.Source != conversation.SourceTool || len(r.modelSummaries()) != 0 || summaryRequests(s) != 0 {
			t.Errorf("epochs %+v, want one; errors %v, %d summary requests", epochs, r.compactionErrors(), summaryRequests(s))
		}
		r.compact(heavyRequest())
		if told := r.compactionErrors(); len(told) != 1 || !strings.Contains(told[0].Message, "compaction.summary.when") || summaryRequests(s) != 0 {
			t.Errorf("compaction errors %v, want one that names compaction.summary.when", told)
		}
		r.checkAnswered()
		r.finish()
	})
}

// Overflow recovery evicts, also when automatic compaction is off.
func TestOverflowEvictsOldTurnsAndLeavesANote(t *testing.T) {
	for name, change := range map[string]func(*core.Options){
		"by the rules":      func(*core.Options) {},
		"nothing automatic": func(o *core.Options) { o.Rules.Auto.Enabled = false },
		"turned off":        func(o *core.Options) { o.Rules.Enabled = false },
	} {
		runBubble(t, name, func(t *testing.T) {
			s := serverWithoutUsage(goodSummaries(nil))
			s.Window = 20_000
			r := startChat(t, s, 5, eachTokens, combine(withWindowTokens(200_000), change))
			r.sendAndWait(textOf(eachTokens))
			epochs := conversation.Epochs(r.memory.Events())
			if len(epochs) == 0 || epochs[0].Origin.Source != conversation.SourceRecovery || epochs[0].Origin.Trigger != planner.TriggerOverflow ||
				epochs[0].Overlays[0].Body.Kind() != conversation.KindSummary || summaryRequests(s) != 0 || len(r.modelSummaries()) != 0 {
				t.Errorf("epochs %+v, %d summary requests; want a note without a request", epochs, summaryRequests(s))
			}
			if n := len(r.compactions()); n != len(epochs) {
				t.Errorf("%d compaction updates for %d epochs", n, len(epochs))
			}
			r.checkAnswered()
			r.finish()
		})
	}
}
