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
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// reviewed is the wish of heavy, to be read before it takes effect.
func reviewed() edit.Request {
	w := heavy()
	w.Review = true
	return w
}

// waiting is the summary that waits for the user, false if none does.
func (r *rig) waiting() (shown updates.Reviewing, waits bool) {
	for _, u := range r.watch.Updates() {
		switch u := u.(type) {
		case updates.Reviewing:
			shown, waits = u, true
		case updates.Reviewed:
			if !waits {
				r.t.Error("told that no summary waits any more, and none did")
			}
			waits = false
		}
	}
	return shown, waits
}

// notTaken are the texts that did not count, as the user was told.
func (r *rig) notTaken() (told []string) {
	for _, u := range agenttest.Of[updates.Edited](r.watch) {
		if u.What == updates.EditReview {
			told = append(told, u.Err.Message)
		}
	}
	return told
}

// lastSummary is the newest overlay, which is a summary.
func (r *rig) lastSummary() conversation.Summary {
	r.t.Helper()
	all := r.overlays()
	if len(all) == 0 {
		r.t.Fatalf("there is no overlay, refused %v", r.refused())
	}
	s, _ := all[len(all)-1].Body.(conversation.Summary)
	return s
}

// takesTime is a summary that takes so long to be written.
func takesTime(d time.Duration) agenttest.Reply {
	return agenttest.Join(agenttest.Pause(d), summarises(account))
}

func TestSummaryWaitsForItsReaderAndTheConversationGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 4, nil, takesTime(3*time.Second), looks(9), answers("one"), answers("two"))
		covers := 0
		r.Preview(heavy())
		r.wait()
		for _, p := range agenttest.Of[updates.Previewed](r.watch) {
			covers = p.Preview.Summary.Covers
		}
		before := r.view()
		r.compacts(reviewed())
		if _, waits := r.waiting(); waits {
			t.Error("it waits before it is written")
		}
		time.Sleep(3 * time.Second)
		r.wait()
		shown, waits := r.waiting()
		want := updates.Reviewing{Text: account, Appendix: shown.Appendix, Request: reviewed(), FromTurn: 0, ToTurn: 2, Covers: covers}
		if diff := cmp.Diff(want, shown); diff != "" || !waits || shown.Appendix == "" {
			t.Fatalf("it waits: %t; %s", waits, diff)
		}
		time.Sleep(time.Hour) // his reading is not in the limit
		r.say("look once more")
		if diff := cmp.Diff(before, r.view()[:len(before)]); diff != "" || len(r.overlays()) > 0 || len(r.attempts()) > 0 {
			t.Fatalf("before he has decided %d overlays, %v: %s", len(r.overlays()), r.attempts(), diff)
		}
		r.Review(shown.Text, true)
		r.wait()
		s := r.lastSummary()
		if _, waits := r.waiting(); waits || s.Text != account || s.Edited || s.Duration != 3000 || len(r.made()) != 1 {
			t.Errorf("waits %t, made %+v: %+v", waits, r.made(), s)
		}
		if shown.Appendix != s.Appendix {
			t.Errorf("shown with %q, made with %q", shown.Appendix, s.Appendix)
		}
		r.Review(shown.Text, false) // too late
		r.say("and now")
		if got := onWire(r.last().Messages); !strings.Contains(got[0].Text, account) || got[len(got)-1].Text != "and now" {
			t.Errorf("sent %d messages, the first %.80q", len(got), got[0].Text)
		}
		r.idle()
		r.finish()
	})
}

func TestTheUserChangesASummaryBeforeItTakesEffect(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 4, nil, summarises(account), answers("fine"))
		r.compacts(reviewed())
		for _, text := range []string{" \n", strings.Repeat("far too many words ", 4000), "--"} {
			r.Review(text, true)
			r.wait()
		}
		want := []string{"the summary has no text", "the summary would not be short enough", "the summary has no text"}
		told := r.notTaken()
		for i := range want {
			if len(told) != len(want) || !strings.HasPrefix(told[i], want[i]) {
				t.Fatalf("told %q", told)
			}
		}
		if _, waits := r.waiting(); !waits || len(r.overlays()) > 0 || len(r.refused()) > 0 {
			t.Fatalf("it waits no more, with %d overlays, told %v", len(r.overlays()), r.refused())
		}
		mine := "Keep in mind: the uploads are on server two.\x1b[31m\n" + account
		r.Review("\n"+mine+"\n\n", true)
		r.wait()
		s := r.lastSummary()
		if s.Text != conversation.Clean(mine) || !s.Edited || s.Model != "test/m" || len(r.attempts()) > 0 {
			t.Errorf("the summary is %+v, not made %+v", s, r.attempts())
		}
		r.UndoCompaction(0)
		r.RedoCompaction()
		r.wait()
		r.say("go on")
		if got := onWire(r.last().Messages); !strings.Contains(got[0].Text, "the uploads are on server two.") {
			t.Errorf("sent first %.80q", got[0].Text)
		}
		r.finish()
	})
}

func reviewing(o *core.Options) { o.Rules.Summary.Review = true }

func TestAutomaticSummariesAreReadWhereTheRulesSaySo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := quiet(accounts(nil))
		r := chatted(t, s, beyondLoad, eachTokens, reviewing)
		shown, waits := r.waiting()
		if !waits || shown.RequestWaits || shown.Request.Source != conversation.SourceAuto || len(r.overlays()) > 0 {
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
	if phases := r.watch.Phases(); !waits || !shown.RequestWaits || !r.held() || phases[len(phases)-1] != updates.PhaseCompacting {
		t.Fatalf("waits %t, held %t, phases %v", waits, shown.RequestWaits, phases)
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
		runBubble(t, name, func(t *testing.T) {
			s := quiet(accounts(nil))
			r := heldForReview(t, s, preset.Plimsoll)
			act(r)
			r.wait()
			if a := r.attempts(); len(a) != 1 || a[0].Outcome != conversation.AttemptCancelled || summaries(s) != 1 {
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
		if !waits || shown.RequestWaits || len(r.overlays()) != 1 || len(r.texts()) != 0 {
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
