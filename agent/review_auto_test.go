package agent_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/updates"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

func reviewing(o *core.Options) { o.Rules.Summary.Review = true }

func TestAutomaticSummariesAreReadWhereTheRulesSaySo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := quiet(accounts(nil))
		r := chatted(t, s, beyondLoad, eachTokens, reviewing)
		shown, waits := r.waiting()
		if !waits || shown.Held || shown.Request.Source != conversation.SourceAuto || len(r.overlays()) > 0 {
			t.Fatalf("waits %t: %+v", waits, shown)
		}
		r.say("meanwhile")
		if summaries(s) != 1 {
			t.Errorf("%d summaries are asked for", summaries(s))
		}
		r.Review(shown.Text, true)
		r.wait()
		if diff := cmp.Diff([]conversation.Source{conversation.SourceAuto}, r.sources()); diff != "" {
			t.Errorf("%s: told %v", diff, r.refused())
		}
		r.answered()
		r.finish()
	})
}

// What the user makes of an automatic summary has to save as much as one has to.
func TestATextThatSavesTooLittleIsNotTaken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := chatted(t, quiet(accounts(nil)), beyondLoad, eachTokens, both(reviewing, func(o *core.Options) { o.Rules.Planner.ProgressRatio = 0.35 }))
		shown, _ := r.waiting()
		r.Review(strings.Repeat("a word or two ", shown.Covers*10/95), true)
		r.wait()
		if _, waits := r.waiting(); !waits || !slices.Equal(r.notTaken(), []string{"the text is too long: with it the summary would save too little"}) {
			t.Fatalf("waits %t, told %q, of %d tokens", waits, r.notTaken(), shown.Covers)
		}
		r.Review(shown.Text+" It was read.", true)
		r.wait()
		if all := r.texts(); len(all) != 1 || !all[0].Edited || len(r.attempts()) > 0 {
			t.Errorf("made %+v, not made %+v", all, r.attempts())
		}
		r.finish()
	})
}

func TestNobodyIsAskedWhereNobodyIs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 4, both(reviewing, func(o *core.Options) { o.Interactive = false }), summarises(account))
		r.compacts(reviewed())
		if n := len(agenttest.Of[updates.Reviewing](r.watch)); n > 0 || len(r.made()) != 1 {
			t.Errorf("%d reviews, made %+v", n, r.made())
		}
		r.finish()
	})
}

// heldForReview is a rig where a request above the hard line waits for the user: as it
// does under ONE's rules, or where summaries are not written beside the conversation.
func heldForReview(t *testing.T, s *agenttest.Server, p preset.Name) *rig {
	t.Helper()
	var r *rig
	if p == preset.OneClaw {
		r = chatted(t, s, beyondLoad, eachTokens, both(byPreset(p), reviewing))
		if _, waits := r.waiting(); !waits {
			t.Fatalf("nothing waits, told %v", r.refused())
		}
		r.say(words(3200))
	} else {
		r = chatted(t, s, belowLoad, eachTokens, both(waits, reviewing))
		r.say(words(6500))
	}
	shown, waits := r.waiting()
	if phases := r.watch.Phases(); !waits || !shown.Held || !r.held() || phases[len(phases)-1] != updates.PhaseCompacting {
		t.Fatalf("waits %t, held %t, phases %v", waits, shown.Held, phases)
	}
	time.Sleep(10 * time.Minute)
	r.wait()
	if _, waits := r.waiting(); !waits || len(r.attempts()) > 0 {
		t.Fatalf("after some minutes: waits %t, recorded %+v", waits, r.attempts())
	}
	return r
}

func TestARequestThatDoesNotFitWaitsForTheReader(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := quiet(accounts(nil))
		r := heldForReview(t, s, preset.OneClaw)
		r.Send("queued") // is stored, and sent in its turn
		r.wait()
		r.stored("queued")
		shown, _ := r.waiting()
		r.Review(shown.Text+"\nAnd this is mine.", true)
		r.wait()
		if s := r.overlays()[0].Body.(conversation.Summary); !s.Edited || !strings.HasSuffix(s.Text, "mine.") {
			t.Errorf("made %+v", s)
		}
		all := said(r.memory.Events())
		if !strings.HasPrefix(all[len(all)-4], "user word") || all[len(all)-2] != "user queued" {
			t.Errorf("said %.60q", all[len(all)-4:])
		}
		r.answered()
		r.finish()
	})
}

func TestARequestThatWaitsForTheReaderIsEvictedForOnEsc(t *testing.T) {
	for name, act := range map[string]func(*rig){"esc": func(r *rig) { r.Cancel() }, "refused": func(r *rig) { r.Review("", false) }} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := quiet(accounts(nil))
				r := heldForReview(t, s, preset.Plimsoll)
				act(r)
				r.wait()
				if a := r.attempts(); len(a) != 1 || a[0].Outcome != conversation.OutcomeCancelled || summaries(s) != 1 {
					t.Errorf("recorded %+v, after %d requests for summaries", a, summaries(s))
				}
				if k := r.kinds(); !slices.Equal(k, []conversation.Kind{conversation.KindSummary}) || len(r.texts()) > 0 {
					t.Errorf("made %v, with %v", k, r.texts())
				}
				if _, waits := r.waiting(); waits {
					t.Error("it waits still")
				}
				r.answered()
				r.finish()
			})
		})
	}
}

// Where rules evict, no request waits for the reader: a note makes room, and the text
// that is accepted later joins the next step.
func TestARequestIsEvictedForWhileASummaryIsRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := quiet(accounts(nil))
		r := chatted(t, s, beyondLoad, eachTokens, reviewing)
		r.say(words(3200))
		shown, waits := r.waiting()
		if !waits || shown.Held || len(r.overlays()) != 1 || len(r.texts()) != 0 {
			t.Fatalf("waits %t, made %v", waits, r.kinds())
		}
		r.answered()
		r.Review(shown.Text+"\nAnd this is mine.", true)
		r.wait()
		if len(r.overlays()) != 1 || len(agenttest.Of[updates.Prepared](r.watch)) != 1 {
			t.Errorf("made %v, and the text is not kept", r.kinds())
		}
		for range belowLoad {
			if r.say(words(eachTokens)); len(r.texts()) > 0 {
				break
			}
		}
		if all := r.texts(); len(all) != 1 || !all[0].Edited || !strings.HasSuffix(all[0].Text, "mine.") || len(r.attempts()) > 0 {
			t.Errorf("%d texts, edited %v, not made %+v", len(all), len(all) > 0 && all[0].Edited, r.attempts())
		}
		r.answered()
		r.finish()
	})
}
