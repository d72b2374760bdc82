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

// heavyWithReview is heavyRequest with a review of the summary before it takes effect.
func heavyWithReview() edit.Request {
	w := heavyRequest()
	w.Review = true
	return w
}

// summaryInReview returns the summary that waits for the user's review, if any.
func (r *rig) summaryInReview() (shown updates.Reviewing, waits bool) {
	for _, u := range r.watch.Updates() {
		switch u := u.(type) {
		case updates.Reviewing:
			shown, waits = u, true
		case updates.Reviewed:
			if !waits {
				r.t.Error("a review was closed that was not open")
			}
			waits = false
		}
	}
	return shown, waits
}

// reviewErrors returns the errors about edited texts that were refused.
func (r *rig) reviewErrors() (told []string) {
	for _, u := range agenttest.UpdatesOf[updates.Edited](r.watch) {
		if u.What == updates.EditReview {
			told = append(told, u.Err.Message)
		}
	}
	return told
}

// lastSummary returns the newest overlay, which must be a summary.
func (r *rig) lastSummary() conversation.Summary {
	r.t.Helper()
	all := r.overlays()
	if len(all) == 0 {
		r.t.Fatalf("no overlay was committed, errors %v", r.compactionErrors())
	}
	s, _ := all[len(all)-1].Body.(conversation.Summary)
	return s
}

// slowSummary returns a summary that takes that long.
func slowSummary(d time.Duration) agenttest.Reply {
	return agenttest.Join(agenttest.Pause(d), summaryReply(goodSummary))
}

func TestSummaryWaitsForReviewWhileTheConversationContinues(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 4, nil, slowSummary(3*time.Second), callsLook(9), textReply("one"), textReply("two"))
		covers := 0
		r.Preview(heavyRequest())
		r.waitIdle()
		for _, p := range agenttest.UpdatesOf[updates.Previewed](r.watch) {
			covers = p.Preview.Summary.Covers
		}
		before := r.view()
		r.compact(heavyWithReview())
		if _, waits := r.summaryInReview(); waits {
			t.Error("the summary is in review before it is written")
		}
		time.Sleep(3 * time.Second)
		r.waitIdle()
		shown, waits := r.summaryInReview()
		want := updates.Reviewing{Text: goodSummary, Appendix: shown.Appendix, Request: heavyWithReview(), FromTurn: 0, ToTurn: 2, Covers: covers}
		if diff := cmp.Diff(want, shown); diff != "" || !waits || shown.Appendix == "" {
			t.Fatalf("in review %t, want true; the summary shown (-want +got): %s", waits, diff)
		}
		time.Sleep(time.Hour) // the review does not count towards the time limit
		r.sendAndWait("look once more")
		if diff := cmp.Diff(before, r.view()[:len(before)]); diff != "" || len(r.overlays()) > 0 || len(r.failedCompactions()) > 0 {
			t.Fatalf("undecided: %d overlays, failed %v, view (-want +got): %s", len(r.overlays()), r.failedCompactions(), diff)
		}
		r.Review(shown.Text, true)
		r.waitIdle()
		s := r.lastSummary()
		if _, waits := r.summaryInReview(); waits || s.Text != goodSummary || s.Edited || s.Duration != 3000 || len(r.compactions()) != 1 {
			t.Errorf("accepted: still in review %t, compactions %+v, summary %+v", waits, r.compactions(), s)
		}
		if shown.Appendix != s.Appendix {
			t.Errorf("the appendix is %q in the review, %q in the log", shown.Appendix, s.Appendix)
		}
		r.Review(shown.Text, false) // too late
		r.sendAndWait("and now")
		if got := wireMessages(r.lastRequest().Messages); !strings.Contains(got[0].Text, goodSummary) || got[len(got)-1].Text != "and now" {
			t.Errorf("the request has %d messages, the first %.80q, want the summary", len(got), got[0].Text)
		}
		r.checkIdle()
		r.finish()
	})
}

func TestTheUserChangesASummaryBeforeItTakesEffect(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 4, nil, summaryReply(goodSummary), textReply("fine"))
		r.compact(heavyWithReview())
		for _, text := range []string{" \n", strings.Repeat("far too many words ", 4000), "--"} {
			r.Review(text, true)
			r.waitIdle()
		}
		want := []string{"the summary has no text", "the summary would not be short enough", "the summary has no text"}
		told := r.reviewErrors()
		for i := range want {
			if len(told) != len(want) || !strings.HasPrefix(told[i], want[i]) {
				t.Fatalf("errors %q, want %q", told, want)
			}
		}
		if _, waits := r.summaryInReview(); !waits || len(r.overlays()) > 0 || len(r.compactionErrors()) > 0 {
			t.Fatalf("the review closed, or took effect: %d overlays, errors %v", len(r.overlays()), r.compactionErrors())
		}
		mine := "Keep in mind: the uploads are on server two.\x1b[31m\n" + goodSummary
		r.Review("\n"+mine+"\n\n", true)
		r.waitIdle()
		s := r.lastSummary()
		if s.Text != conversation.Clean(mine) || !s.Edited || s.Model != "test/m" || len(r.failedCompactions()) > 0 {
			t.Errorf("the summary is %+v, want the edited text; failed compactions %+v", s, r.failedCompactions())
		}
		r.UndoCompaction(0)
		r.RedoCompaction()
		r.waitIdle()
		r.sendAndWait("go on")
		if got := wireMessages(r.lastRequest().Messages); !strings.Contains(got[0].Text, "the uploads are on server two.") {
			t.Errorf("the request begins with %.80q, want the edited summary", got[0].Text)
		}
		r.finish()
	})
}

func withReview(o *core.Options) { o.Rules.Summary.Review = true }

func TestAutomaticSummariesAreReviewedWhenTheRulesRequireIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serverWithoutUsage(goodSummaries(nil))
		r := startChat(t, s, beyondLoad, eachTokens, withReview)
		shown, waits := r.summaryInReview()
		if !waits || shown.RequestWaits || shown.Request.Source != conversation.SourceAuto || len(r.overlays()) > 0 {
			t.Fatalf("in review %t: %+v, want an automatic summary that no request waits for", waits, shown)
		}
		r.sendAndWait("meanwhile")
		if summaryRequests(s) != 1 {
			t.Errorf("%d summary requests, want 1", summaryRequests(s))
		}
		r.Review(shown.Text, true)
		r.waitIdle()
		if diff := cmp.Diff([]conversation.Source{conversation.SourceAuto}, r.compactionSources()); diff != "" {
			t.Errorf("sources of the compactions (-want +got): %s; errors %v", diff, r.compactionErrors())
		}
		r.checkAnswered()
		r.finish()
	})
}

func TestSummariesAreNotReviewedWithoutAUser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 4, combine(withReview, func(o *core.Options) { o.Interactive = false }), summaryReply(goodSummary))
		r.compact(heavyWithReview())
		if n := len(agenttest.UpdatesOf[updates.Reviewing](r.watch)); n > 0 || len(r.compactions()) != 1 {
			t.Errorf("%d reviews, want none; compactions %+v, want one", n, r.compactions())
		}
		r.finish()
	})
}

// heldForReview returns a rig in which a request above the hard line waits for the
// review: under OneClaw's rules, or when background summaries are off.
func heldForReview(t *testing.T, s *agenttest.Provider, p preset.Name) *rig {
	t.Helper()
	var r *rig
	if p == preset.OneClaw {
		r = startChat(t, s, beyondLoad, eachTokens, combine(withPreset(p), withReview))
		if _, waits := r.summaryInReview(); !waits {
			t.Fatalf("nothing waits, reported %v", r.compactionErrors())
		}
		r.sendAndWait(textOf(3200))
	} else {
		r = startChat(t, s, belowLoad, eachTokens, combine(summariesBlock, withReview))
		r.sendAndWait(textOf(6500))
	}
	shown, waits := r.summaryInReview()
	if phases := r.watch.Phases(); !waits || !shown.RequestWaits || !r.requestWaits() || phases[len(phases)-1] != updates.PhaseCompacting {
		t.Fatalf("in review %t, the request waits %t, want both; phases %v", waits, shown.RequestWaits, phases)
	}
	time.Sleep(10 * time.Minute)
	r.waitIdle()
	if _, waits := r.summaryInReview(); !waits || len(r.failedCompactions()) > 0 {
		t.Fatalf("after some minutes: in review %t, want true; failed compactions %+v, want none", waits, r.failedCompactions())
	}
	return r
}

func TestRequestThatDoesNotFitWaitsForTheReview(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serverWithoutUsage(goodSummaries(nil))
		r := heldForReview(t, s, preset.OneClaw)
		r.Send("queued") // is stored, and sent in its turn
		r.waitIdle()
		r.checkQueue("queued")
		shown, _ := r.summaryInReview()
		r.Review(shown.Text+"\nAnd this is mine.", true)
		r.waitIdle()
		if s := r.overlays()[0].Body.(conversation.Summary); !s.Edited || !strings.HasSuffix(s.Text, "mine.") {
			t.Errorf("the summary is %+v, want the edited one", s)
		}
		all := messageLines(r.memory.Events())
		if !strings.HasPrefix(all[len(all)-4], "user word") || all[len(all)-2] != "user queued" {
			t.Errorf("the log ends with %.60q", all[len(all)-4:])
		}
		r.checkAnswered()
		r.finish()
	})
}

func TestRejectedReviewEvictsForTheWaitingRequest(t *testing.T) {
	for name, act := range map[string]func(*rig){"esc": func(r *rig) { r.Cancel() }, "refused": func(r *rig) { r.Review("", false) }} {
		runBubble(t, name, func(t *testing.T) {
			s := serverWithoutUsage(goodSummaries(nil))
			r := heldForReview(t, s, preset.Plimsoll)
			act(r)
			r.waitIdle()
			if a := r.failedCompactions(); len(a) != 1 || a[0].Outcome != conversation.AttemptCancelled || summaryRequests(s) != 1 {
				t.Errorf("failed compactions %+v, want one cancelled; %d summary requests, want 1", a, summaryRequests(s))
			}
			if k := r.overlayKinds(); !slices.Equal(k, []conversation.Kind{conversation.KindSummary}) || len(r.modelSummaries()) > 0 {
				t.Errorf("overlays %v, model summaries %v; want a note alone", k, r.modelSummaries())
			}
			if _, waits := r.summaryInReview(); waits {
				t.Error("the rejected summary is still in review")
			}
			r.checkAnswered()
			r.finish()
		})
	}
}

// Under rules that evict, no request waits for the review: a note replaces old turns,
// and the accepted text is committed with the next eviction.
func TestRequestEvictsInsteadOfWaitingForTheReview(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serverWithoutUsage(goodSummaries(nil))
		r := startChat(t, s, beyondLoad, eachTokens, withReview)
		r.sendAndWait(textOf(3200))
		shown, waits := r.summaryInReview()
		if !waits || shown.RequestWaits || len(r.overlays()) != 1 || len(r.modelSummaries()) != 0 {
			t.Fatalf("in review %t, overlays %v; want true and a note alone", waits, r.overlayKinds())
		}
		r.checkAnswered()
		r.Review(shown.Text+"\nAnd this is mine.", true)
		r.waitIdle()
		if len(r.overlays()) != 1 || len(agenttest.UpdatesOf[updates.Prepared](r.watch)) != 1 {
			t.Errorf("overlays %v, want one, and the accepted summary prepared", r.overlayKinds())
		}
		for range belowLoad {
			if r.sendAndWait(textOf(eachTokens)); len(r.modelSummaries()) > 0 {
				break
			}
		}
		if all := r.modelSummaries(); len(all) != 1 || !all[0].Edited || !strings.HasSuffix(all[0].Text, "mine.") || len(r.failedCompactions()) > 0 {
			t.Errorf("%d summaries, edited %v, failed %+v", len(all), len(all) > 0 && all[0].Edited, r.failedCompactions())
		}
		r.checkAnswered()
		r.finish()
	})
}
