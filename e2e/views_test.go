package e2e_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The views while the conversation goes on below them, while another program has it,
// and when the program is killed.

func TestReaderLooksAtEverythingAndChangesNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, replyNumber(1))
	_, id := p.openCompacted(s, usual)
	overlays, next := p.overlays(id), p.next(id)

	reader := p.start(usual, append(s.args(roomy...), "-r", id)...)
	reader.idle("Read-only")
	reader.browse()
	reader.searchFor(sighting(masked), "masked", sighting(masked))
	for _, key := range []string{"p", "m", "u", "r", "e"} {
		reader.closeView(" match ")
		reader.typed(key)
		reader.see(" Read-only: open in another window (pid ")
		reader.searchFor(sighting(masked), "masked")
	}
	reader.closeView(" match ")
	reader.newest(s)
	reader.see("as sent in request 1 of 1")
	reader.typed("q")
	reader.idle("Read-only")
	reader.command("/search " + sighting(summarised))
	reader.see(" Search", "1 hit in 1 of 1 conversation")
	reader.key("enter")
	reader.awaitCursorRow(sighting(summarised))
	reader.typed("q")
	reader.see(" Search")
	reader.key("esc")
	reader.idle("Read-only")
	reader.command("/context")
	reader.see(" Context", "What fills it")
	if diff := cmp.Diff(overlays, p.overlays(id)); diff != "" {
		t.Errorf("the reader left %s", diff)
	}
	if diff := cmp.Diff(next, p.next(id)); diff != "" {
		t.Errorf("something else is sent (-before +after):\n%.2000s", diff)
	}
}

func TestContextViewMovesWhileAReplyStreams(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	more, enough := make(chan struct{}), make(chan struct{})
	s := newServer(t, func(w *wire) {
		w.text("Once upon a time ")
		w.await(more)
		w.text(strings.Repeat("a ship sailed on, ", 600))
		w.await(enough)
		w.text("and that was that.")
		w.end("stop", 0, 0)
	}, says("Still here."))
	term := p.talking(usual, s)
	term.say("tell me a story")
	term.see("Once upon a time")
	const draft = "a draft with 漢字"
	term.typed(draft)
	term.see("│ " + draft)
	term.key("ctrl+p")
	term.see("/context")
	term.typed("context")
	term.see("what fills the window")
	term.key("enter")
	begun := term.see(" Context", "What fills it", "with the draft")
	before := begun.named("replies")
	close(more)
	streamed := term.wait("moving numbers", func(s screen) bool {
		return s.has(" Context") && s.named("replies") != before && strings.HasPrefix(figures(s.named("replies")), "~2")
	})
	if head := strings.TrimSpace(strings.TrimPrefix(streamed.row(2), "❯")); head == strings.TrimSpace(strings.TrimPrefix(begun.row(2), "❯")) {
		t.Errorf("the replies moved from %q to %q, and the head stayed:\n%s", before, streamed.named("replies"), streamed.text)
	}
	term.typed("q")
	term.see("│ "+draft, "a ship sailed on")
	term.key("ctrl+t")
	term.see(" History", "tell me a story")
	term.typed("jjkk")
	close(enough)
	term.see(" History", "Once upon a time")
	term.typed("q")
	term.idle("and that was that.", "│ "+draft)
	term.key("enter")
	term.idle("Still here.")
	if got := s.sent(1).read(t); got[len(got)-1].Content != draft {
		t.Errorf("the draft was sent as %q", got[len(got)-1].Content)
	}
}

// figures is the first number of tokens in a row.
func figures(row string) string {
	for _, f := range strings.Fields(row) {
		if strings.ContainsAny(f, "0123456789") {
			return f
		}
	}
	return ""
}

func TestApprovalIsGivenOverAView(t *testing.T) {
	t.Parallel()
	p := newPlace(t, project)
	gate := make(chan struct{})
	s := newServer(t, func(w *wire) {
		w.text("I change it.")
		w.await(gate)
		w.call(0, "c1", "modify_file", object{"path": "ships.go", "old": "return 42", "new": "return 43"})
		w.end("tool_calls", 0, 0)
	}, replyNumber(1))
	term := p.talking(usual, s)
	term.say("one more ship")
	term.see("I change it.")
	term.browse("one more ship")
	close(gate)
	term.asked("Allow this?", "+ func ships() int { return 43 }")
	if got := p.read("ships.go"); got != project["ships.go"] {
		t.Errorf("it was changed before the answer: %q", got)
	}
	term.typed("y")
	shown := term.see(" History", "▸ edit", "This is reply 1.")
	if shown.has("Allow this?") {
		t.Errorf("the question still stands:\n%s", shown.text)
	}
	if got, want := p.read("ships.go"), strings.Replace(project["ships.go"], "42", "43", 1); got != want {
		t.Errorf("the file is %q, not %q", got, want)
	}
	term.typed("q")
	term.idle("▾ edit ships.go", "This is reply 1.")
}
