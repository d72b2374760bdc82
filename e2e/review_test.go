package e2e_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

// A summary that the user reviews: it is applied with the user's edits, or discarded. Nothing changes before.

// openReview opens a recording, requests a summary of it for review, and opens the review.
func (p *sandbox) openReview(s *server) (term *terminal, id string) {
	p.t.Helper()
	term, id = p.openRecording(s, defaultSize)
	term.converseUntil("how is the wind?", 1)
	term.slashCommand("/compact --review --profile heavy --keep-last 20")
	term.awaitIdle("a summary is ready")
	term.slashCommand("/review")
	term.awaitText("Summary of turns 1–41", "Know what the logbooks say (t0).", "enter apply")
	return term, id
}

func TestReviewedSummaryIsAppliedWithTheUsersEdits(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2))
	s.scriptSummaries(summaryReply(openGate()))
	term, id := p.openReview(s)
	before := p.nextMessages(id)
	if got := p.overlayKinds(id); len(got) > 0 || !containText(before, sighting(5)) {
		t.Errorf("the summary is in force during the review: %v", got)
	}
	term.typeText("e")
	term.awaitText("esc done")
	const mine = "Never trust the barometer of the Beagle. 信じるな"
	term.paste(mine + "\n\n")
	term.awaitText(mine)
	term.press("esc")
	term.awaitText("changed by you", "enter apply")
	term.press("enter")
	term.awaitIdle("Compacted turns 1–41   ")
	next := p.nextMessages(id)
	if !strings.Contains(next[1].Content, mine) || !strings.Contains(next[1].Content, "Know what the logbooks say (t0).") || containText(next, sighting(5)) {
		t.Errorf("after it was applied the message is %.2000s", next[1].Content)
	}
	term.converseUntil("and now?", 2)
	checkSent(t, s.request(1), next, "and now?")
	term.slashCommand("/ledger")
	term.awaitText(" Ledger", "turns 1–41", "active")
}

func TestDiscardedSummaryChangesNothing(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2))
	s.scriptSummaries(summaryReply(openGate()))
	term, id := p.openReview(s)
	before := p.nextMessages(id)
	term.press("esc")
	term.awaitIdle("a summary is ready", "/review")
	term.slashCommand("/review")
	term.awaitText("Summary of turns 1–41", "enter apply")
	term.typeText("x")
	term.awaitText("x again discards the summary")
	term.typeText("x")
	left := term.wait("a conversation without a summary that waits", func(s screen) bool {
		return s.has("the compaction was stopped") && !s.has("a summary is ready")
	})
	if left.has("Compacted turns") {
		t.Errorf("after it was discarded:\n%s", left.text)
	}
	if diff := cmp.Diff([]conversation.Kind{conversation.KindAttempt}, p.overlayKinds(id)); diff != "" {
		t.Error(diff)
	}
	term.converseUntil("and now?", 2)
	checkSent(t, s.request(1), before, "and now?")
}
