package e2e_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The views while a turn runs below them, and while another window has the conversation open.

func TestReadOnlyWindowOpensEveryViewAndChangesNothing(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, replyNumber(1))
	_, id := p.openCompacted(s, defaultSize)
	overlays, next := p.overlayKinds(id), p.nextMessages(id)

	reader := p.start(defaultSize, append(s.flags(roomy...), "-r", id)...)
	reader.awaitIdle("Read-only")
	reader.openHistory()
	reader.searchFor(sighting(masked), "shortened", sighting(masked))
	for _, key := range []string{"p", "m", "u", "r", "e"} {
		reader.closeView(" match ")
		reader.typeText(key)
		reader.awaitText(" Read-only: open in another window (pid ")
		reader.searchFor(sighting(masked), "shortened")
	}
	reader.closeView(" match ")
	reader.showNewestRequest(s)
	reader.awaitText("as sent in request 1 of 1")
	reader.typeText("q")
	reader.awaitIdle("Read-only")
	reader.slashCommand("/search " + sighting(summarised))
	reader.awaitText(" Search", "1 hit in 1 of 1 conversation")
	reader.press("enter")
	reader.awaitCursorRow(sighting(summarised))
	reader.typeText("q")
	reader.awaitText(" Search")
	reader.press("esc")
	reader.awaitIdle("Read-only")
	reader.slashCommand("/context")
	reader.awaitText(" Context", "What fills it")
	if diff := cmp.Diff(overlays, p.overlayKinds(id)); diff != "" {
		t.Errorf("the reader left %s", diff)
	}
	if diff := cmp.Diff(next, p.nextMessages(id)); diff != "" {
		t.Errorf("something else is sent (-before +after):\n%.2000s", diff)
	}
}

func TestContextViewIsUpdatedWhileAReplyStreams(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	more, enough := make(chan struct{}), make(chan struct{})
	s := newServer(t, func(w *wire) {
		w.text("Once upon a time ")
		w.awaitGate(more)
		w.text(strings.Repeat("a ship sailed on, ", 600))
		w.awaitGate(enough)
		w.text("and that was that.")
		w.end("stop", 0, 0)
	}, textReply("Still here."))
	term := p.startChat(defaultSize, s)
	term.sendMessage("tell me a story")
	term.awaitText("Once upon a time")
	const draft = "a draft with 漢字"
	term.typeText(draft)
	term.awaitText("│ " + draft)
	term.press("ctrl+p")
	term.awaitText("/context")
	term.typeText("context")
	term.awaitText("what fills the window")
	term.press("enter")
	begun := term.awaitText(" Context", "What fills it", "with the draft")
	before := begun.rowNamed("replies")
	close(more)
	streamed := term.wait("moving numbers", func(s screen) bool {
		return s.has(" Context") && s.rowNamed("replies") != before && strings.HasPrefix(firstNumber(s.rowNamed("replies")), "~2")
	})
	if head := strings.TrimSpace(strings.TrimPrefix(streamed.row(2), "❯")); head == strings.TrimSpace(strings.TrimPrefix(begun.row(2), "❯")) {
		t.Errorf("the replies moved from %q to %q, and the head stayed:\n%s", before, streamed.rowNamed("replies"), streamed.text)
	}
	term.typeText("q")
	term.awaitText("│ "+draft, "a ship sailed on")
	term.press("ctrl+t")
	term.awaitText(" History", "tell me a story")
	term.typeText("jjkk")
	close(enough)
	term.awaitText(" History", "Once upon a time")
	term.typeText("q")
	term.awaitIdle("and that was that.", "│ "+draft)
	term.press("enter")
	term.awaitIdle("Still here.")
	if got := s.parsedRequest(1).decode(t); got[len(got)-1].Content != draft {
		t.Errorf("the draft was sent as %q", got[len(got)-1].Content)
	}
}

func firstNumber(row string) string {
	for _, f := range strings.Fields(row) {
		if strings.ContainsAny(f, "0123456789") {
			return f
		}
	}
	return ""
}

func TestCallIsApprovedWhileAViewIsOpen(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, project)
	gate := make(chan struct{})
	s := newServer(t, func(w *wire) {
		w.text("I change it.")
		w.awaitGate(gate)
		w.call(0, "c1", "modify_file", object{"path": "ships.go", "old": "return 42", "new": "return 43"})
		w.end("tool_calls", 0, 0)
	}, replyNumber(1))
	term := p.startChat(high, s)
	term.sendMessage("one more ship")
	term.awaitText("I change it.")
	term.openHistory("one more ship")
	close(gate)
	term.awaitQuestion("Allow this?", "+ func ships() int { return 43 }")
	if got := p.readFile("ships.go"); got != project["ships.go"] {
		t.Errorf("it was changed before the answer: %q", got)
	}
	term.typeText("y")
	shown := term.awaitText(" History", "▸ edit", "This is reply 1.")
	if shown.has("Allow this?") {
		t.Errorf("the question is still open:\n%s", shown.text)
	}
	if got, want := p.readFile("ships.go"), strings.Replace(project["ships.go"], "42", "43", 1); got != want {
		t.Errorf("the file is %q, not %q", got, want)
	}
	term.typeText("q")
	term.awaitIdle("▾ edit ships.go", "This is reply 1.")
}
