package agent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
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

// Without a profile a wish to read a summary is one for a summary, and a wish that
// does not say so need not be.
func TestAWishWithoutAProfileJoinsOnlyWhatItMeans(t *testing.T) {
	unnamed := func(review bool) edit.Request {
		w := heavy()
		w.Profile, w.Review = "", review
		return w
	}
	type came struct{ Asked, Summaries, Policies int }
	for name, c := range map[string]struct {
		first, second edit.Request
		want          came
	}{
		"a review joins the summary that it means":              {heavy(), unnamed(true), came{1, 1, 0}},
		"a review follows what makes no summary":                {unnamed(false), unnamed(true), came{1, 1, 1}},
		"what makes no summary is done, and overtakes a review": {unnamed(true), unnamed(false), came{1, 0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := talk(t, 4, nil, takesTime(time.Second), takesTime(time.Second))
				before := len(r.provider.Requests())
				r.Compact(c.first)
				r.Compact(c.second) // as the first waits for its turn
				r.wait()
				time.Sleep(5 * time.Second)
				r.wait()
				if shown, waits := r.waiting(); waits {
					r.Review(shown.Text, true)
					r.wait()
				}
				got := came{Asked: len(r.provider.Requests()) - before}
				for _, e := range r.overlays() {
					switch s, ok := e.Body.(conversation.Summary); {
					case ok && s.Policies != nil:
						got.Policies++
					case ok:
						got.Summaries++
					}
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("%v\n%s", r.refused(), d)
				}
				r.finish()
			})
		})
	}
}
