package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Going back: a fork before an earlier message, an earlier message that is edited and sent again, turns that are undone and
// redone. The next request contains what `print --compacted` showed.

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

// Files go back with the conversation, and come back with it; what somebody else changed stays.
func TestFilesAreBroughtBackWithTheirTurns(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, project)
	s := newServer(t, callReply("c1", "modify_file", object{"path": "ships.go", "old": "return 42", "new": "return 43"}), textReply("It is 43 now."),
		callReply("c2", "create_file", object{"path": "fleet.txt", "content": "three ships\n"}), textReply("There it is."))
	term := p.startChat(defaultSize, s, "--cfg", "permissions.mode=auto-edit")
	term.sendMessage("one more ship")
	term.awaitIdle("It is 43 now.")
	term.sendMessage("and a fleet")
	term.awaitIdle("There it is.")
	term.slashCommand("/rewind 1")
	term.awaitText("Go back to before turn 1", "fleet.txt: removed: it was not there", "ships.go: as it was (+1 −1)")
	term.press("enter")
	term.awaitIdle("2 files brought back: fleet.txt, ships.go", "undid 2 turns", "│ one more ship")
	term.press("ctrl+u")
	if _, err := os.Stat(filepath.Join(p.work, "fleet.txt")); p.readFile("ships.go") != project["ships.go"] || !os.IsNotExist(err) {
		t.Errorf("ships.go is %q; fleet.txt: %v", p.readFile("ships.go"), err)
	}
	term.slashCommand("/redo")
	term.awaitIdle("There it is.")
	if !strings.Contains(p.readFile("ships.go"), "43") || p.readFile("fleet.txt") != "three ships\n" {
		t.Error("the files did not come back")
	}
	p.writeFile("fleet.txt", "sunk\n")
	term.slashCommand("/checkpoints")
	term.awaitText("Turns that changed files", "2  and a fleet", "1 file")
	term.press("esc")
	term.wait("closed list", func(s screen) bool { return !s.has("Turns that changed files") })
	term.slashCommand("/diff 2")
	term.awaitText("from turn 2 on", "fleet.txt", "changed since")
	term.typeText("q")
	term.awaitIdle("There it is.")
	term.slashCommand("/fork")
	term.awaitIdle("not as this conversation remembers: fleet.txt (/diff)")
	p.quit(term)
	store := p.openStore()
	id := p.newestConversation(store)
	if out := string(p.output("rewind", id, "--turn", "0", "--dry-run")); !strings.Contains(out, "fleet.txt: left as it is: somebody else changed it\n") ||
		!strings.Contains(out, "+func ships() int { return 42 }") {
		t.Errorf("the dry run says\n%s", out)
	}
	p.output("rewind", id, "--turn", "0")
	if got := p.readFile("ships.go"); got != project["ships.go"] || p.readFile("fleet.txt") != "sunk\n" {
		t.Errorf("after the command: %q, %q", got, p.readFile("fleet.txt"))
	}
}
