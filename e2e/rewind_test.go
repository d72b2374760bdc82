package e2e_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Going back: a fork before an earlier message, an earlier message that is edited and sent again, turns that are undone and
// redone. The next request contains what `print --compacted` showed.

// awaitIdleDraft waits for an idle screen with a draft.
func (t *terminal) awaitIdleDraft(text string) screen {
	t.t.Helper()
	return t.awaitIdle("│ " + text)
}

// asks50 is the message of turn 50 of a recording, whose result is sent unchanged.
const asks50 = "What does the log of day 50 say?"

func TestForkFromTheHistoryContinuesInACopy(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2), replyNumber(3))
	term, id := p.openCompacted(s, defaultSize)
	original := p.nextMessages(id)
	term.openHistory()
	term.searchFor(`"day 50 say"`, asks50)
	term.typeText("f")
	term.awaitIdleDraft(asks50)
	copied := p.newestConversation(p.openStore())
	if copied == id {
		t.Fatal("there is no copy")
	}
	next := p.nextMessages(copied)
	if len(next) == 0 || containText(next, sighting(verbatim)) || !containText(next, sighting(verbatim-1)) || containText(next, sighting(masked)) {
		t.Error("the copy does not end before the turn, or is not compacted any more")
	}
	outside := strings.TrimSpace(string(p.output("fork", id, "--turn", "50")))
	if diff := cmp.Diff(next, p.nextMessages(outside)); diff != "" {
		t.Errorf("fork --turn copies something else (-here +there):\n%.2000s", diff)
	}
	term.press("enter")
	term.awaitIdle("This is reply 2.")
	checkSent(t, s.request(1), next, asks50)
	if diff := cmp.Diff(original, p.nextMessages(id)); diff != "" {
		t.Errorf("the original was changed (-before +after):\n%.2000s", diff)
	}

	// A fork on a result continues after it.
	term.openHistory()
	term.searchFor(sighting(verbatim-1), sighting(verbatim-1))
	term.typeText("f")
	term.wait("copy of the copy", func(s screen) bool { return !s.has(" History") && s.frameFault() == "" && !s.has("This is reply 2.") })
	third := p.newestConversation(p.openStore())
	next = p.nextMessages(third)
	if third == copied || next[len(next)-1].Role != "tool" || !strings.Contains(next[len(next)-1].Content, sighting(verbatim-1)) {
		t.Fatalf("the copy ends with %.200v", next[len(next)-1])
	}
	term.converseUntil("and now?", 3)
	checkSent(t, s.request(2), next, "and now?")
}

func TestMessageIsEditedAndSentAgainFromTheHistory(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2), replyNumber(3))
	term, id := p.openCompacted(s, defaultSize)
	before := p.nextMessages(id)
	term.openHistory()
	term.searchFor(`"day 50 say"`, asks50)
	term.typeText("e")
	term.awaitText("e again undoes turns")
	term.typeText("e")
	term.awaitIdleDraft(asks50)
	next := p.nextMessages(id)
	if containText(next, sighting(verbatim)) || !containText(next, sighting(verbatim-1)) {
		t.Error("the turns from the message on are not undone")
	}
	term.press("ctrl+u")
	term.slashCommand("/redo")
	term.awaitText("turns redone")
	if diff := cmp.Diff(before, p.nextMessages(id)); diff != "" {
		t.Errorf("after redo, something else is sent (-before +after):\n%.2000s", diff)
	}
	term.converseUntil("and now?", 2)
	checkSent(t, s.request(1), before, "and now?")

	term.openHistory()
	term.searchFor(`"day 50 say"`, asks50)
	term.typeText("e")
	term.awaitText("e again undoes turns")
	term.typeText("e")
	term.awaitIdleDraft(asks50)
	next = p.nextMessages(id)
	term.typeText(" In one word!")
	term.awaitIdleDraft(asks50 + " In one word!")
	term.press("enter")
	term.awaitIdle("This is reply 3.")
	checkSent(t, s.request(2), next, asks50+" In one word!")
	term.openHistory()
	term.searchFor(sighting(verbatim), "undone", sighting(verbatim))
}

func TestTurnsAreUndoneAndRedone(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2), replyNumber(3), replyNumber(4))
	term, id := p.openRecording(s, defaultSize)
	term.converseUntil("first", 1)
	begun := p.nextMessages(id)
	term.converseUntil("second", 2)
	both := p.nextMessages(id)
	term.slashCommand("/undo")
	term.awaitIdleDraft("second")
	if diff := cmp.Diff(begun, p.nextMessages(id)); diff != "" {
		t.Errorf("a turn was undone, and something else is sent (-before +after):\n%.2000s", diff)
	}
	term.press("ctrl+u")
	term.slashCommand("/undo")
	term.awaitIdleDraft("first")
	term.press("ctrl+u")
	term.slashCommand("/redo")
	term.awaitText("turns redone")
	if diff := cmp.Diff(begun, p.nextMessages(id)); diff != "" {
		t.Errorf("one of two was redone, and something else is sent (-before +after):\n%.2000s", diff)
	}
	term.slashCommand("/redo")
	term.awaitIdle("This is reply 2.")
	if diff := cmp.Diff(both, p.nextMessages(id)); diff != "" {
		t.Errorf("both were redone, and something else is sent (-before +after):\n%.2000s", diff)
	}
	term.converseUntil("third", 3)
	checkSent(t, s.request(2), both, "third")

	term.press("esc")
	term.awaitText("esc again to go back")
	term.press("esc")
	term.awaitQuestion("Go back to", "third", "second")
	term.press("down", "enter")
	term.awaitIdleDraft("second")
	if diff := cmp.Diff(begun, p.nextMessages(id)); diff != "" {
		t.Errorf("two turns were undone, and something else is sent (-before +after):\n%.2000s", diff)
	}
	term.press("enter")
	term.awaitIdle("This is reply 4.")
	checkSent(t, s.request(3), begun, "second")
}
