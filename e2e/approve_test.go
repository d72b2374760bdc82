package e2e_test

import (
	"strings"
	"testing"
	"time"

	"plimsoll/tui/overlay"
)

// Calls that change something ask first, and show what they would do.

// asked waits for an approval question, and until it accepts keys: earlier ones are ignored, because the user cannot have read
// the question yet.
func (t *terminal) asked(texts ...string) screen {
	t.t.Helper()
	t.see(texts...)
	grace := time.NewTimer(overlay.Grace + 100*time.Millisecond)
	defer grace.Stop()
	<-grace.C
	return t.see(texts...)
}

func calls(id, name string, args object) reply {
	return func(w *wire) {
		w.call(0, id, name, args)
		w.end("tool_calls", 0, 0)
	}
}

func TestEditIsShownAndMadeWhenApproved(t *testing.T) {
	t.Parallel()
	p := newPlace(t, project)
	edit := object{"path": "ships.go", "old": "return 42", "new": "return 43"}
	s := newServer(t, calls("c1", "modify_file", edit), says("Then not."), calls("c2", "modify_file", edit), says("It is 43 now."),
		calls("c3", "ask_user", object{"question": "Which harbour?", "options": []string{"Odessa", "Genoa"}}), says("Genoa it is."))
	term := p.talking(usual, s)
	term.say("one more ship")
	term.see("Allow this?")
	term.typed("y") // too soon: it was meant for the composer
	term.see("│ y ")
	term.key("ctrl+u")
	asked := term.asked("Allow this?", "ships.go", "- func ships() int { return 42 }", "+ func ships() int { return 43 }")
	if s.count() != 1 || asked.has("Then not.") {
		t.Error("the turn went on without an answer")
	}
	term.typed("n")
	term.see("Reason")
	term.typed("the count is right")
	term.see("the count is right")
	term.key("enter")
	term.idle("Then not.")
	if got := p.read("ships.go"); got != project["ships.go"] {
		t.Errorf("a refused edit changed the file: %q", got)
	}
	if sent := s.request(-1); !strings.Contains(sent, "the count is right") {
		t.Errorf("the model is not told why: %s", sent)
	}
	term.say("but I want it")
	term.asked("Allow this?")
	term.typed("y")
	term.idle("▾ edit ships.go", "It is 43 now.")
	if got, want := p.read("ships.go"), strings.Replace(project["ships.go"], "42", "43", 1); got != want {
		t.Errorf("the file is %q, not %q", got, want)
	}
	term.say("ask me")
	term.asked("Which harbour?", "Odessa", "Genoa")
	term.key("down", "enter")
	term.idle("Genoa it is.")
	if sent := s.request(-1); !strings.Contains(sent, "Genoa") {
		t.Errorf("the answer is not sent: %s", sent)
	}
}

func TestCommandRunsWhenApproved(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	p.env["PLIMSOLL_API_KEY"] = secret
	s := newServer(t, calls("c1", "run_command", object{"command": "echo made > made.txt; env; echo done"}),
		says("It ran."), calls("c2", "run_command", object{"command": "rm made.txt"}), says("Left alone."), says("Still here."))
	term := p.talking(usual, s)
	term.say("run it")
	term.asked("Allow this?", "echo made > made.txt; env; echo done")
	term.typed("y")
	term.idle("▸ ran ", "It ran.")
	if got := p.read("made.txt"); got != "made\n" {
		t.Errorf("the command made %q", got)
	}
	if sent := s.request(-1); !strings.Contains(sent, "done") || strings.Contains(sent, secret) {
		t.Error("the output is not there, or the key is")
	}
	term.say("remove it")
	term.asked("Allow this?", "rm made.txt")
	term.key("esc")
	term.idle("Left alone.")
	if got := p.read("made.txt"); got != "made\n" {
		t.Errorf("a refused command changed the file to %q", got)
	}
	term.checkContinues()
	p.quits(term)
}
