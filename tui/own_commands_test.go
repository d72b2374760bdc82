package tui_test

import (
	"errors"
	"testing"
	"time"

	"plimsoll/tui"
)

func withOwnCommands(r *rig, _ *tui.Options) {
	r.own = []tui.OwnCommand{
		{Name: "explain", Args: "[FILE]", Help: "look at a file", Origin: "user", File: "~/.config/plimsoll/commands/explain.md", Text: "Look at $1."},
		{Name: "git:log", Origin: "workspace", File: "/w/.claude/commands/git/log.md", Text: "Hostile \x1b[2J text"},
		{Name: "deploy", Help: "hostile \x1b]0;x\a help", Origin: "workspace", Text: "!`make deploy`"},
	}
}

func TestOwnCommandsAreCompletedAndSent(t *testing.T) {
	screen(t, withOwnCommands, func(r *rig) {
		r.typeText("/expl")
		r.wantText("/explain [FILE]", "user · look at a file")
		r.press("enter") // it takes arguments
		r.typeText("main.go")
		r.press("enter")
		r.wantCalls("make explain main.go", "first send The text of explain: main.go")
		r.press("up")
		r.wantText("/explain main.go")
		r.press("ctrl+c")
		r.typeText("/git:l")
		r.wantText("/git:log", "workspace")
	})
}

func TestOwnCommandsKeepTheirPlaceAmongMessages(t *testing.T) {
	screen(t, withOwnCommands, func(r *rig) {
		r.portGate = make(chan struct{})
		r.submit("/explain a.go")
		r.submit("and then this")
		r.calls = nil
		close(r.portGate)
		r.settle()
		r.wantCalls("first send The text of explain: a.go", "first send and then this")
	})
}

func TestOwnCommandsAskBeforeTheyRunCommands(t *testing.T) {
	for _, yes := range []bool{true, false} {
		screenOf(t, map[bool]string{true: "yes", false: "no"}[yes], withOwnCommands, func(r *rig) {
			r.submit("/deploy now")
			r.wait(2 * time.Second)
			r.wantText("/deploy runs a command", "make deploy␛[2J --now")
			r.wantNoText("always")
			r.calls = nil
			if yes {
				r.press("y")
				r.wantCalls("make deploy now make deploy\x1b[2J --now", "first send The text of deploy: now")
				return
			}
			r.press("n", "enter")
			r.wantCalls()
			r.wantText("not sent: you said no")
			if r.row("/deploy now") < 0 {
				t.Errorf("the line is lost:\n%s", r.text())
			}
		})
	}
}

func TestFailedOwnCommandsReturnToTheComposer(t *testing.T) {
	screen(t, withOwnCommands, func(r *rig) {
		r.failing["make"] = errors.New("not sent: rm is refused")
		r.submit("/explain a.go")
		r.wantText("not sent: rm is refused", "/explain a.go")
	})
	screenOf(t, "stopped", withOwnCommands, func(r *rig) {
		r.portGate = make(chan struct{})
		r.submit("/explain a.go")
		r.press("esc")
		r.wantText("/explain a.go", "stopped: nothing was sent")
		r.wantNoText("explain: a.go")
	})
}

func TestOwnCommandsAreListedWithTheirWeight(t *testing.T) {
	screen(t, withOwnCommands, func(r *rig) {
		r.failing["own commands"] = errors.New("/w/.claude/commands/big.md: it is larger than 64 KiB")
		r.submit("/commands")
		r.wantText("/explain [FILE]", "~", "user", "workspace", "larger than 64 KiB")
		r.typeText("git")
		r.press("enter")
		r.wantText("/git:log · /w/.claude/commands/git/log.md", "Hostile ␛[2J text")
	})
}
