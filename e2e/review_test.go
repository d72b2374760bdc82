package e2e_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

// A summary that is read before it takes effect: taken in as the user made it, or
// given up, and until then nothing has changed.

// reviewed opens a recording, and has a summary of it written that waits, in sight.
func (p *place) reviewed(s *server) (term *terminal, id string) {
	p.t.Helper()
	term, id = p.underway(s, usual)
	term.converseUntil("how is the wind?", 1)
	term.command("/compact --review --profile heavy --keep-last 20")
	term.idle("a summary is ready")
	term.command("/review")
	term.see("Summary of turns 0–40", "Know what the logbooks say (t0).", "enter apply")
	return term, id
}

func TestSummaryIsTakenInAsTheUserMadeIt(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2))
	s.aside(summarises(openGate()))
	term, id := p.reviewed(s)
	before := p.next(id)
	if got := p.overlays(id); len(got) > 0 || !holds(before, sighting(5)) {
		t.Errorf("the summary that is read is in force: %v", got)
	}
	term.typed("e")
	term.see("esc done")
	const mine = "Never trust the barometer of the Beagle. 信じるな"
	term.paste(mine + "\n\n")
	term.see(mine)
	term.key("esc")
	term.see("changed by you", "enter apply")
	term.key("enter")
	term.idle("compacted turns 0–40: ", "1 summary")
	next := p.next(id)
	if !strings.Contains(next[1].Content, mine) || !strings.Contains(next[1].Content, "Know what the logbooks say (t0).") || holds(next, sighting(5)) {
		t.Errorf("after it was taken in it says %.2000s", next[1].Content)
	}
	term.converseUntil("and now?", 2)
	promised(t, s.request(1), next, "and now?")
	term.command("/ledger")
	term.see(" Ledger", "turns 0–40", "active")
}

func TestSummaryThatIsGivenUpChangesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2))
	s.aside(summarises(openGate()))
	term, id := p.reviewed(s)
	before := p.next(id)
	term.key("esc")
	term.idle("a summary is ready", "/review")
	term.command("/review")
	term.see("Summary of turns 0–40", "enter apply")
	term.typed("x")
	term.see("x again discards the summary")
	term.typed("x")
	left := term.wait("a conversation without a summary that waits", func(s screen) bool {
		return s.has("the compaction was stopped") && !s.has("a summary is ready")
	})
	if left.has("compacted turns") {
		t.Errorf("after it was given up:\n%s", left.text)
	}
	if diff := cmp.Diff([]conversation.Kind{conversation.KindAttempt}, p.overlays(id)); diff != "" {
		t.Error(diff)
	}
	term.converseUntil("and now?", 2)
	promised(t, s.request(1), before, "and now?")
}
