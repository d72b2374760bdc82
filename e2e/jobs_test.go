package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// mkfifo makes a FIFO in the workspace.
func (p *sandbox) mkfifo(name string) {
	p.t.Helper()
	if err := syscall.Mkfifo(filepath.Join(p.work, name), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

const yolo = "permissions.mode=yolo"

func TestARunningCommandGoesOnInTheBackground(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	p.mkfifo("gate")
	s := newServer(t, commandCall("c1", "echo hoisting; read x <gate; echo sails set; exit 3"), textReply("It goes on."), textReply("It failed."))
	term := p.startChat(defaultSize, s, "--cfg", yolo)
	term.press("ctrl+b")
	term.awaitIdle("no command or task of the model runs")
	term.sendMessage("set sail")
	term.awaitText("hoisting", "running tools")
	term.press("ctrl+b")
	term.awaitIdle("It goes on.", "moved to the background as p1: echo", "1 job")
	if body := s.request(1); !strings.Contains(body, "the user moved it to the background as p1") || !strings.Contains(body, `\nhoisting`) {
		t.Errorf("the model is told %s", body)
	}
	term.slashCommand("/jobs")
	term.awaitText("In the background", "p1 · echo hoisting", "running")
	p.writeFile("gate", "go\n") // waits for the command
	term.awaitText("exit code 3", "sails set")
	term.press("enter")
	term.awaitText("hoisting", "sails set", "esc close")
	term.awaitWithout("In the background")
	term.press("esc")
	term.awaitWithout("esc close")
	term.awaitIdle("background command p1", "exit code 3")
	term.awaitWithout("1 job")
	term.sendMessage("how is it?")
	term.awaitIdle("It failed.")
	const note = "[background command p1 (echo hoisting; read x <gate; echo sails set; exit 3): exit code 3"
	if body := s.request(2); strings.Count(strings.ReplaceAll(body, `\u003c`, "<"), note) != 1 {
		t.Errorf("the model is not told once of the end: %s", body)
	}
	store := p.openStore()
	id := p.newestConversation(store)
	p.quit(term)
	for at := range 3 {
		p.checkPrintedRequest(s, id, at)
	}
	if text := string(p.output("export", id)); !strings.Contains(text, "background command p1") {
		t.Errorf("the export has no line of it:\n%s", text)
	}
}

func TestAJobEndsWithAKilledProgramAndTheModelIsTold(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	p.mkfifo("held")
	s := newServer(t, callReply("c1", "run_command", object{"command": "exec 3>held; trap '' TERM; sleep 1000", "background": true}), textReply("It serves."), textReply("I start it again."))
	term := p.startChat(defaultSize, s, "--cfg", yolo)
	term.sendMessage("serve")
	held, err := os.Open(filepath.Join(p.work, "held")) // waits for the command
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	term.awaitIdle("It serves.", "1 job")
	term.kill()
	term.awaitExit()
	if n, err := held.Read(make([]byte, 1)); n != 0 || err == nil { // at once, or the test takes as long as the command
		t.Errorf("read %d bytes of the command, %v", n, err)
	}
	term = p.start(defaultSize, s.flags("-c")...)
	term.awaitIdle("ended with the program")
	term.sendMessage("is it up?")
	term.awaitIdle("I start it again.")
	if body := s.request(2); !strings.Contains(body, "ended with the program; its output is gone]") {
		t.Errorf("the model is told %s", body)
	}
	p.quit(term)
}
