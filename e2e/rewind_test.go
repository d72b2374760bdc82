package e2e_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Going back: copies that go on from an earlier message, messages that are sent
// again in other words, turns that are undone and redone. The next request
// carries what the program said it would.

// drafted waits for an idle screen with a draft.
func (t *terminal) drafted(text string) screen {
	t.t.Helper()
	return t.idle("│ " + text)
}

// asks50 is what the user says in a turn of a recording whose result is sent
// unchanged.
const asks50 = "What does the log of day 50 say?"

func TestForkFromTheHistoryGoesOnInACopy(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2), replyNumber(3))
	term, id := p.openCompacted(s, usual)
	original := p.next(id)
	term.browse()
	term.searchFor(`"day 50 say"`, asks50)
	term.typed("f")
	term.drafted(asks50)
	copied := p.newest(p.store())
	if copied == id {
		t.Fatal("there is no copy")
	}
	next := p.next(copied)
	if len(next) == 0 || holds(next, sighting(verbatim)) || !holds(next, sighting(verbatim-1)) || holds(next, sighting(masked)) {
		t.Error("the copy does not end before the turn, or is not compacted any more")
	}
	outside := strings.TrimSpace(string(p.prints("fork", id, "--turn", "50")))
	if diff := cmp.Diff(next, p.next(outside)); diff != "" {
		t.Errorf("fork --turn copies something else (-here +there):\n%.2000s", diff)
	}
	term.key("enter")
	term.idle("This is reply 2.")
	promised(t, s.request(1), next, asks50)
	if diff := cmp.Diff(original, p.next(id)); diff != "" {
		t.Errorf("the original was changed (-before +after):\n%.2000s", diff)
	}

	// On a result the copy goes on behind it.
	term.browse()
	term.searchFor(sighting(verbatim-1), sighting(verbatim-1))
	term.typed("f")
	term.wait("copy of the copy", func(s screen) bool { return !s.has(" History") && s.broken() == "" && !s.has("This is reply 2.") })
	third := p.newest(p.store())
	next = p.next(third)
	if third == copied || next[len(next)-1].Role != "tool" || !strings.Contains(next[len(next)-1].Content, sighting(verbatim-1)) {
		t.Fatalf("the copy ends with %.200v", next[len(next)-1])
	}
	term.converseUntil("and now?", 3)
	promised(t, s.request(2), next, "and now?")
}

func TestMessageIsEditedAndSentAgainFromTheHistory(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2), replyNumber(3))
	term, id := p.openCompacted(s, usual)
	before := p.next(id)
	term.browse()
	term.searchFor(`"day 50 say"`, asks50)
	term.typed("e")
	term.see("e again undoes turns")
	term.typed("e")
	term.drafted(asks50)
	next := p.next(id)
	if holds(next, sighting(verbatim)) || !holds(next, sighting(verbatim-1)) {
		t.Error("the turns from the message on are not undone")
	}
	term.key("ctrl+u")
	term.command("/redo")
	term.see("turns redone")
	if diff := cmp.Diff(before, p.next(id)); diff != "" {
		t.Errorf("after redo, something else is sent (-before +after):\n%.2000s", diff)
	}
	term.converseUntil("and now?", 2)
	promised(t, s.request(1), before, "and now?")

	term.browse()
	term.searchFor(`"day 50 say"`, asks50)
	term.typed("e")
	term.see("e again undoes turns")
	term.typed("e")
	term.drafted(asks50)
	next = p.next(id)
	term.typed(" In one word!")
	term.drafted(asks50 + " In one word!")
	term.key("enter")
	term.idle("This is reply 3.")
	promised(t, s.request(2), next, asks50+" In one word!")
	term.browse()
	term.searchFor(sighting(verbatim), "undone", sighting(verbatim))
}

func TestTurnsAreUndoneAndRedone(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2), replyNumber(3), replyNumber(4))
	term, id := p.underway(s, usual)
	term.converseUntil("first", 1)
	begun := p.next(id)
	term.converseUntil("second", 2)
	both := p.next(id)
	term.command("/undo")
	term.drafted("second")
	if diff := cmp.Diff(begun, p.next(id)); diff != "" {
		t.Errorf("a turn was undone, and something else is sent (-before +after):\n%.2000s", diff)
	}
	term.key("ctrl+u")
	term.command("/undo")
	term.drafted("first")
	term.key("ctrl+u")
	term.command("/redo")
	term.see("turns redone")
	if diff := cmp.Diff(begun, p.next(id)); diff != "" {
		t.Errorf("one of two was redone, and something else is sent (-before +after):\n%.2000s", diff)
	}
	term.command("/redo")
	term.idle("This is reply 2.")
	if diff := cmp.Diff(both, p.next(id)); diff != "" {
		t.Errorf("both were redone, and something else is sent (-before +after):\n%.2000s", diff)
	}
	term.converseUntil("third", 3)
	promised(t, s.request(2), both, "third")

	term.key("esc")
	term.see("esc again to go back")
	term.key("esc")
	term.asked("Go back to", "third", "second")
	term.key("down", "enter")
	term.drafted("second")
	if diff := cmp.Diff(begun, p.next(id)); diff != "" {
		t.Errorf("two turns were undone, and something else is sent (-before +after):\n%.2000s", diff)
	}
	term.key("enter")
	term.idle("This is reply 4.")
	promised(t, s.request(3), begun, "second")
}
