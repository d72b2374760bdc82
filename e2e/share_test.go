package e2e_test

import (
	"strings"
	"testing"
	"time"
)

// Two programs on one data directory: the one that comes second reads, and may
// go on with a copy.

func TestSecondProgramReadsAndForks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, says("The first answer."), says("Still here."), says("Still here."), says("Still here."))
	first := p.talking(usual, s)
	first.say("first question")
	first.idle("The first answer.")

	second := p.start(usual, s.args("-c")...)
	second.idle("▌ first question", "The first answer.", "Read-only", "/fork to continue in a copy")
	second.typed("may I?")
	second.key("enter")
	second.wait("refusal above what the hints say", func(s screen) bool {
		return s.has("│ may I?") && strings.Count(s.text, "/fork to continue in a copy") == 2
	})
	if s.count() != 1 {
		t.Errorf("a message of the meantime was sent")
	}
	second.key("ctrl+c")
	second.see("A draft stays here.")
	second.typed("/fork")
	second.key("enter")
	second.wait("copy", func(s screen) bool { return s.has("The first answer.") && !s.has("Read-only") })
	second.checkContinues()
	if sent := s.request(-1); !strings.Contains(sent, "The first answer.") {
		t.Errorf("the copy does not carry the conversation: %s", sent)
	}
	first.checkContinues()
	p.quits(first)
	p.quits(second)
	store := p.store()
	if id, other := resumeLine(first), resumeLine(second); id == other || id == "" || other == "" {
		t.Errorf("the copy has the ID %q, the original %q", other, id)
	}
	findings, err := store.Check(t.Context(), nil)
	if err != nil || len(findings) > 0 {
		t.Errorf("doctor finds %v, %v", findings, err)
	}
}

// What happens in the first window appears in the second, which takes over when the
// first is left.
func TestSecondProgramFollowsTheFirstAndTakesOver(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, func(w *wire) {
		w.text("A rising gale.")
		w.end("stop", 12_000, 5)
	}, says("Still here."))
	first := p.aboard(s, usual)
	second := p.start(usual, s.args("-c", "--window", "400000")...)
	second.idle("Fair winds.", "Read-only: open in another window", "following", modelName)
	same := func(what string) { // in the end both show the same
		t.Helper()
		first.idle(what)
		late := time.After(patience)
		for again := time.Tick(20 * time.Millisecond); ; {
			a, b := first.shown(), second.see(what)
			if a.used() == b.used() && epochLine(a) == epochLine(b) && b.broken() == "" {
				return
			}
			select {
			case <-again:
			case <-late:
				t.Fatalf("one shows\n%s\nand the other\n%s", a.text, b.text)
			}
		}
	}
	same("Fair winds.")
	first.say("and tomorrow?")
	first.wait("reply and what it used", func(s screen) bool { return s.has("A rising gale.") && s.used() == "75%" && !s.busy() })
	same("A rising gale.")
	second.see("▌ and tomorrow?")
	first.command("/compact")
	same("ctrl+x undo")
	first.key("ctrl+x")
	same("(undone)")
	p.quits(first)
	id := resumeLine(first)
	second.typed("and now?")
	second.see("The other window closed · enter to continue here", "│ and now?")
	second.key("enter")
	second.wait("conversation that is open here", func(s screen) bool { return s.has("(undone)", "400k", "│ and now?", "enter send") && !s.busy() })
	second.key("enter")
	second.idle("▌ and now?", "Still here.")
	p.quits(second)
	if got := resumeLine(second); got != id {
		t.Errorf("taken over is %q, not %s", got, id)
	}
}

// A window that is killed in mid-reply leaves two that follow it: both see the reply so
// far, one of them takes over, and the other follows that one.
func TestOfTwoFollowersOneTakesOverFromAKilledProgram(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, says("The first answer."), func(w *wire) {
		w.text("Ferries cross", " the **river**", " all day and")
		w.hang()
	}, says("Still here."), says("Still here."))
	first := p.talking(usual, s)
	first.say("first question")
	first.idle("The first answer.")
	followers := []*terminal{p.start(usual, s.args("-c")...), p.start(usual, s.args("-c")...)}
	for _, f := range followers {
		f.idle("The first answer.", "Read-only: open in another window", "following")
	}
	first.say("tell me of ferries")
	for _, f := range followers {
		f.see("▌ tell me of ferries", "Ferries cross the river all day and")
	}
	first.kill()
	first.end()
	for _, f := range followers {
		f.see("The other window closed · enter to continue here")
	}
	for _, f := range followers {
		f.key("enter")
	}
	for _, f := range followers {
		f.see("■ interrupted", "Ferries cross the river all day and")
		f.wait("owner or follower", func(s screen) bool { return s.broken() == "" && s.has("enter send") != s.has("following") })
	}
	owner, late := followers[0], followers[1]
	if late.shown().has("enter send") {
		owner, late = late, owner
	}
	if !owner.shown().has("enter send") || !late.shown().has("following") {
		t.Fatalf("of two that take over one is\n%s\nand the other\n%s", owner.shown().text, late.shown().text)
	}
	owner.checkContinues()
	late.see("▌ and now?", "Still here.")
	if sent := s.request(-1); !strings.Contains(sent, "Ferries cross the **river** all day and") {
		t.Errorf("the next request does not carry the reply so far: %s", sent)
	}
	for _, one := range []*terminal{owner, late} { // at once
		one.key("ctrl+d")
	}
	for _, one := range []*terminal{owner, late} {
		if code := one.end(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	p.checkStored()
}

// A conversation that is deleted where it is open is not followed any more.
func TestFollowedConversationIsDeleted(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, says("The first answer."))
	first := p.talking(usual, s)
	first.say("first question")
	first.idle("The first answer.")
	second := p.start(usual, s.args("-c")...)
	second.idle("The first answer.", "following")
	second.typed("a thought")
	first.command("/delete")
	first.asked("Delete this conversation permanently?")
	first.typed("y")
	first.idle("Talking to")
	second.see("This conversation was deleted in the other window. /new to start another", "│ a thought", "The first answer.")
	second.key("ctrl+u")
	second.command("/fork")
	second.see("nothing is left to copy")
	second.key("ctrl+u")
	second.command("/new")
	second.idle("Talking to")
}

// resumeLine is the ID that a program named when it was left, "" if none.
func resumeLine(term *terminal) string {
	_, id, _ := strings.Cut(term.written(), "plimsoll -r ")
	if fields := strings.Fields(id); len(fields) > 0 {
		return fields[0]
	}
	return ""
}
