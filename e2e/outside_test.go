package e2e_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// What the terminal is told beside the frames: who is called, how far a turn is, where links lead.

// focus says that the terminal has the focus, or has it no more, and waits until the program knows: it asks something
// after the report of a mode that comes behind.
func (t *terminal) focus(has bool) {
	t.t.Helper()
	asks := func() int { return strings.Count(t.written(), ansi.RequestModeFocusEvent) }
	before, said := asks(), ansi.Blur
	if has {
		said = ansi.Focus
	}
	t.send(said + ansi.ReportMode(ansi.ModeSynchronizedOutput, ansi.ModeReset))
	t.wait("answer to a report", func(screen) bool { return asks() > before })
}

const (
	busyBar = "\x1b]9;4;3\a"
	noBar   = "\x1b]9;4;0\a"
	notice  = "\x1b]777;notify;Plimsoll;"
)

// TestAQuestionCallsWhoLooksElsewhere has questions wait, seen and unseen, in a terminal that shows notifications and
// progress, and in one of which nothing is known.
func TestAQuestionCallsWhoLooksElsewhere(t *testing.T) {
	t.Parallel()
	for term, env := range map[string]map[string]string{
		"ghostty": {"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "1.2.3"},
		"other":   {},
	} {
		t.Run(term, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, nil)
			for name, value := range env {
				p.env[name] = value
			}
			gate := make(chan struct{})
			s := newServer(t, calls("c1", "run_command", object{"command": "touch one --token=hunter2"}), says("The first is done."),
				func(w *wire) {
					w.await(gate)
					w.call(0, "c2", "run_command", object{"command": "touch two"})
					w.end("tool_calls", 0, 0)
				}, says("The second is done."))
			term := p.talking(usual, s)
			notices := func() int {
				return strings.Count(term.written(), notice) + strings.Count(ansi.Strip(term.written()), "\a")
			}
			term.say("make one")
			term.asked("Allow this?")
			if n := notices(); n != 0 {
				t.Errorf("who looks at the question is called %d times", n)
			}
			term.typed("y")
			term.idle("The first is done.")
			term.say("make two")
			term.focus(false)
			close(gate)
			term.see("Allow this?")
			called := notice + "make one · waiting for your approval: run touch two\a"
			if len(env) == 0 {
				called = "\a"
			}
			term.wait("a call", func(screen) bool { return strings.Contains(term.written(), called) })
			term.focus(true)
			term.asked("Allow this?")
			term.typed("y")
			term.idle("The second is done.")
			if n := notices(); n != 1 {
				t.Errorf("called %d times, not once", n)
			}
			term.key("ctrl+c", "ctrl+c")
			term.end()
			written := term.written()
			if len(env) == 0 {
				if strings.Contains(written, "\x1b]9;") || strings.Contains(written, "\x1b]777;") {
					t.Error("a terminal is told what it may not know")
				}
				return
			}
			if strings.Count(written, busyBar) < 2 || strings.LastIndex(written, "\x1b]9;4;") != strings.LastIndex(written, noBar) {
				t.Error("a turn shows no progress, or it stays")
			}
		})
	}
}

// TestProgressEndsWithTheProgram leaves while a turn runs.
func TestProgressEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	p.env["WT_SESSION"] = "1"
	s := newServer(t, func(w *wire) { w.text("Half of"); w.hang() })
	term := p.talking(usual, s)
	term.say("go")
	term.wait("a bar", func(screen) bool { return strings.Contains(term.written(), busyBar) })
	term.see("Half of")
	if err := term.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	term.end()
	if written := term.written(); strings.LastIndex(written, "\x1b]9;4;") != strings.LastIndex(written, noBar) {
		t.Error("the bar stays when the program has ended")
	}
}
