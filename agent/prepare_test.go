package agent_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

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
		if len(epochs) != 1 || epochs[0].Made.Trigger != planner.TriggerLoadLine || len(r.texts()) != 1 || summaries(s) != 1 || r.held() {
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
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := quiet(accounts(nil))
				r := chatted(t, s, nearLoad, eachTokens, nil)
				act(r)
				r.finish()
				a := r.attempts()
				if len(a) == 0 || a[0].Outcome != conversation.OutcomeStale || a[0].Model == "" || a[0].Why == "" || a[0].Trigger != planner.TriggerPrepare {
					t.Errorf("recorded %+v", a)
				}
				if b := agenttest.Of[updates.CompactionFailed](r.watch); slices.ContainsFunc(b, func(f updates.CompactionFailed) bool {
					return f.Request.Source == conversation.SourceManual
				}) {
					t.Errorf("the user is told %+v", b)
				}
			})
		})
	}
}

// Who wants to review the summary before it is applied reads one, also where one is written
// that nobody read.
func TestAReviewIsNotSkippedForASummaryThatIsWritten(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := quiet(accounts(nil))
		r := chatted(t, s, nearLoad, eachTokens, nil)
		w := byProfile(preset.ProfileHeavy, -1)
		w.Review = true
		r.compacts(w)
		shown, waits := r.waiting()
		if !waits || len(r.overlays()) != 0 {
			t.Fatalf("waits %t, made %v", waits, r.kinds())
		}
		r.Review(shown.Text+" It was read.", true)
		r.wait()
		if all := r.texts(); len(all) != 1 || !all[0].Edited || summaries(s) != 2 {
			t.Errorf("made %+v of %d requests", all, summaries(s))
		}
		r.answered()
		r.finish()
	})
}

// A user who asks for a compaction gets all that he asked for, also where a summary of
// less is written already.
func TestAPlainCompactionCoversNoLessThanWasAsked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := quiet(accounts(nil))
		r := chatted(t, s, nearLoad, eachTokens, func(o *core.Options) { o.Rules.KeepLast = 1 })
		w := byProfile(preset.ProfileHeavy, -1)
		r.Preview(w)
		r.wait()
		shown := agenttest.Of[updates.Previewed](r.watch)
		asked := shown[len(shown)-1].Preview.Range
		r.compacts(w)
		made := r.made()
		if len(made) != 1 || made[0].Preview.Range != asked || made[0].Source != conversation.SourceManual {
			t.Errorf("asked for %+v, made %+v", asked, made)
		}
		r.finish()
	})
}

func TestNothingIsPreparedWhereNobodyGoesOn(t *testing.T) {
	for name, change := range map[string]func(*core.Options){
		"no chat":      func(o *core.Options) { o.Interactive = false },
		"by hand only": func(o *core.Options) { o.Rules.Summary.When = preset.SummaryByHand },
		"never":        func(o *core.Options) { o.Rules.Summary.When = preset.SummaryNever },
		"it waits":     waits,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := quiet(accounts(nil))
				r := chatted(t, s, belowLoad, eachTokens, change)
				if summaries(s) != 0 || len(r.overlays()) != 0 {
					t.Errorf("%d asked for, made %v", summaries(s), r.kinds())
				}
				r.answered()
				r.finish()
			})
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
		if len(epochs) != 1 || epochs[0].Made.Source != conversation.SourceTool || len(r.texts()) != 0 || summaries(s) != 0 {
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
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := quiet(accounts(nil))
				s.Window = 20_000
				r := chatted(t, s, 5, eachTokens, both(windowed(200_000), change))
				r.say(words(eachTokens))
				epochs := conversation.Epochs(r.memory.Events())
				if len(epochs) == 0 || epochs[0].Made.Source != conversation.SourceRecovery || epochs[0].Made.Trigger != planner.TriggerOverflow ||
					epochs[0].Overlays[0].Body.Kind() != conversation.KindSummary || summaries(s) != 0 || len(r.texts()) != 0 {
					t.Errorf("made %+v, %d asked for", epochs, summaries(s))
				}
				if n := len(r.made()); n != len(epochs) {
					t.Errorf("told of %d of %d steps", n, len(epochs))
				}
				r.answered()
				r.finish()
			})
		})
	}
}
