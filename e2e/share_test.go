package e2e_test

import (
	"strings"
	"testing"
	"time"
)

// Two programs with the same conversation: the second is read-only, and can fork it.

func TestSecondWindowIsReadOnlyAndForks(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, textReply("The first answer."), textReply("Still here."), textReply("Still here."), textReply("Still here."))
	first := p.startChat(defaultSize, s)
	first.sendMessage("first question")
	first.awaitIdle("The first answer.")

	second := p.start(defaultSize, s.flags("-c")...)
	second.awaitIdle("▌ first question", "The first answer.", "Read-only", "/fork to continue in a copy")
	second.typeText("may I?")
	second.press("enter")
	second.wait("refusal above the hints", func(s screen) bool {
		return s.has("│ may I?") && strings.Count(s.text, "/fork to continue in a copy") == 2
	})
	if s.requestCount() != 1 {
		t.Errorf("a message was sent from the read-only window")
	}
	second.press("ctrl+c")
	second.awaitText("A draft stays here.")
	second.typeText("/fork")
	second.press("enter")
	second.wait("copy", func(s screen) bool { return s.has("The first answer.") && !s.has("Read-only") })
	second.checkContinues()
	if sent := s.request(-1); !strings.Contains(sent, "The first answer.") {
		t.Errorf("the copy does not carry the conversation: %s", sent)
	}
	first.checkContinues()
	p.quit(first)
	p.quit(second)
	store := p.openStore()
	if id, other := resumeLine(first), resumeLine(second); id == other || id == "" || other == "" {
		t.Errorf("the copy has the ID %q, the original %q", other, id)
	}
	findings, err := store.Check(t.Context(), nil)
	if err != nil || len(findings) > 0 {
		t.Errorf("doctor finds %v, %v", findings, err)
	}
}

// The second window shows what happens in the first, and takes over when the first is closed.
func TestSecondWindowFollowsTheFirstAndTakesOver(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, func(w *wire) {
		w.text("A rising gale.")
		w.end("stop", 12_000, 5)
	}, textReply("Still here."))
	first := p.openVoyage(s, defaultSize)
	second := p.start(defaultSize, s.flags("-c", "--window", "400000")...)
	second.awaitIdle("Fair winds.", "Read-only: open in another window", "following", modelName)
	same := func(what string) { // waits until both windows show the same
		t.Helper()
		first.awaitIdle(what)
		late := time.After(patience)
		for again := time.Tick(20 * time.Millisecond); ; {
			a, b := first.shown(), second.awaitText(what)
			if a.gaugeShare() == b.gaugeShare() && epochLine(a) == epochLine(b) && b.frameFault() == "" {
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
	first.sendMessage("and tomorrow?")
	first.wait("reply and what it used", func(s screen) bool { return s.has("A rising gale.") && s.gaugeShare() == "75%" && !s.busy() })
	same("A rising gale.")
	second.awaitText("▌ and tomorrow?")
	first.slashCommand("/compact")
	same("ctrl+x undo")
	first.press("ctrl+x")
	same("(undone)")
	p.quit(first)
	id := resumeLine(first)
	second.typeText("and now?")
	second.awaitText("The other window closed · enter to continue here", "│ and now?")
	second.press("enter")
	second.wait("conversation that is open here", func(s screen) bool { return s.has("(undone)", "400k", "│ and now?", "enter send") && !s.busy() })
	second.press("enter")
	second.awaitIdle("▌ and now?", "Still here.")
	p.quit(second)
	if got := resumeLine(second); got != id {
		t.Errorf("the conversation taken over is %q, not %s", got, id)
	}
}

// Two windows follow one that is killed during a reply. Both show the partial reply, one takes over, the other follows it.
func TestOneOfTwoFollowersTakesOverFromAKilledProgram(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, textReply("The first answer."), func(w *wire) {
		w.text("Ferries cross", " the **river**", " all day and")
		w.hang()
	}, textReply("Still here."), textReply("Still here."))
	first := p.startChat(defaultSize, s)
	first.sendMessage("first question")
	first.awaitIdle("The first answer.")
	followers := []*terminal{p.start(defaultSize, s.flags("-c")...), p.start(defaultSize, s.flags("-c")...)}
	for _, f := range followers {
		f.awaitIdle("The first answer.", "Read-only: open in another window", "following")
	}
	first.sendMessage("tell me of ferries")
	for _, f := range followers {
		f.awaitText("▌ tell me of ferries", "Ferries cross the river all day and")
	}
	first.kill()
	first.awaitExit()
	for _, f := range followers {
		f.awaitText("The other window closed · enter to continue here")
	}
	for _, f := range followers {
		f.press("enter")
	}
	for _, f := range followers {
		f.awaitText("■ interrupted", "Ferries cross the river all day and")
		f.wait("owner or follower", func(s screen) bool { return s.frameFault() == "" && s.has("enter send") != s.has("following") })
	}
	owner, late := followers[0], followers[1]
	if late.shown().has("enter send") {
		owner, late = late, owner
	}
	if !owner.shown().has("enter send") || !late.shown().has("following") {
		t.Fatalf("of two followers one shows\n%s\nand the other\n%s", owner.shown().text, late.shown().text)
	}
	owner.checkContinues()
	late.awaitText("▌ and now?", "Still here.")
	if sent := s.request(-1); !strings.Contains(sent, "Ferries cross the **river** all day and") {
		t.Errorf("the next request does not carry the reply so far: %s", sent)
	}
	for _, one := range []*terminal{owner, late} { // at once
		one.press("ctrl+d")
	}
	for _, one := range []*terminal{owner, late} {
		if code := one.awaitExit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	p.checkStored()
}

// A conversation that is deleted in one window is no longer followed in the other.
func TestDeletedConversationIsNoLongerFollowed(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, textReply("The first answer."))
	first := p.startChat(defaultSize, s)
	first.sendMessage("first question")
	first.awaitIdle("The first answer.")
	second := p.start(defaultSize, s.flags("-c")...)
	second.awaitIdle("The first answer.", "following")
	second.typeText("a thought")
	first.slashCommand("/delete")
	first.awaitQuestion("Delete this conversation permanently?")
	first.typeText("y")
	first.awaitIdle("Talking to")
	second.awaitText("This conversation was deleted in the other window. /new to start another", "│ a thought", "The first answer.")
	second.press("ctrl+u")
	second.slashCommand("/fork")
	second.awaitText("nothing is left to copy")
	second.press("ctrl+u")
	second.slashCommand("/new")
	second.awaitIdle("Talking to")
}

// resumeLine returns the ID that a program printed when it quit, or "".
func resumeLine(term *terminal) string {
	_, id, _ := strings.Cut(term.written(), "plimsoll -r ")
	if fields := strings.Fields(id); len(fields) > 0 {
		return fields[0]
	}
	return ""
}
