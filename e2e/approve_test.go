package e2e_test

import (
	"strings"
	"testing"
	"time"

	"plimsoll/tui/dialog"
)

// Calls that change something ask first, and show what they would do.

// awaitQuestion waits for a question, and until it accepts keys: it ignores keys typed before the user can have read it.
func (t *terminal) awaitQuestion(texts ...string) screen {
	t.t.Helper()
	t.awaitText(texts...)
	grace := time.NewTimer(dialog.ReadingTime + 100*time.Millisecond)
	defer grace.Stop()
	<-grace.C
	return t.awaitText(texts...)
}

func callReply(id, name string, args object) reply {
	return func(w *wire) {
		w.call(0, id, name, args)
		w.end("tool_calls", 0, 0)
	}
}

func TestEditIsShownAndAppliedWhenApproved(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, project)
	edit := object{"path": "ships.go", "old": "return 42", "new": "return 43"}
	s := newServer(t, callReply("c1", "modify_file", edit), textReply("Then not."), callReply("c2", "modify_file", edit), textReply("It is 43 now."),
		callReply("c3", "ask_user", object{"question": "Which harbour?", "options": []string{"Odessa", "Genoa"}}), textReply("Genoa it is."))
	term := p.startChat(defaultSize, s)
	term.sendMessage("one more ship")
	term.awaitText("Allow this?")
	asked := term.awaitQuestion("Allow this?", "ships.go", "- func ships() int { return 42 }", "+ func ships() int { return 43 }")
	if s.requestCount() != 1 || asked.has("Then not.") {
		t.Error("the turn went on without an answer")
	}
	term.typeText("n")
	term.awaitText("Reason")
	term.typeText("the count is right")
	term.awaitText("the count is right")
	term.press("enter")
	term.awaitIdle("Then not.")
	if got := p.readFile("ships.go"); got != project["ships.go"] {
		t.Errorf("a refused edit changed the file: %q", got)
	}
	if sent := s.request(-1); !strings.Contains(sent, "the count is right") {
		t.Errorf("the model is not told why: %s", sent)
	}
	term.sendMessage("but I want it")
	term.awaitQuestion("Allow this?")
	term.typeText("y")
	term.awaitIdle("▾ edit ships.go", "It is 43 now.")
	if got, want := p.readFile("ships.go"), strings.Replace(project["ships.go"], "42", "43", 1); got != want {
		t.Errorf("the file is %q, not %q", got, want)
	}
	term.sendMessage("ask me")
	term.awaitQuestion("Which harbour?", "Odessa", "Genoa")
	term.press("down", "enter")
	term.awaitIdle("Genoa it is.")
	if sent := s.request(-1); !strings.Contains(sent, "Genoa") {
		t.Errorf("the answer is not sent: %s", sent)
	}
}

func TestCommandRunsWhenApproved(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	p.env["PLIMSOLL_API_KEY"] = secret
	s := newServer(t, callReply("c1", "run_command", object{"command": "echo made > made.txt; env; echo done"}),
		textReply("It ran."), callReply("c2", "run_command", object{"command": "rm made.txt"}), textReply("Left alone."), textReply("Still here."))
	term := p.startChat(defaultSize, s)
	term.sendMessage("run it")
	term.awaitQuestion("Allow this?", "echo made > made.txt; env; echo done")
	term.typeText("y")
	term.awaitIdle("▎ $ ", "It ran.")
	if got := p.readFile("made.txt"); got != "made\n" {
		t.Errorf("the command made %q", got)
	}
	if sent := s.request(-1); !strings.Contains(sent, "done") || strings.Contains(sent, secret) {
		t.Error("the output is not there, or the key is")
	}
	term.sendMessage("remove it")
	term.awaitQuestion("Allow this?", "rm made.txt")
	term.press("esc")
	term.awaitIdle("Left alone.")
	if got := p.readFile("made.txt"); got != "made\n" {
		t.Errorf("a refused command changed the file to %q", got)
	}
	term.checkContinues()
	p.quit(term)
}
