package tui_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"plimsoll/agent/updates"
	"plimsoll/tui"
)

func TestBackgroundCommandsAreListedShownAndEnded(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.width, r.height = 80, 24
		r.jobs = []tui.Job{
			{ID: "p2", Command: "npm run dev", Took: 61 * time.Second, Tokens: 1500, Tail: "compiled\nlistening on \x1b[31m3000"},
			{ID: "p1", Command: "make\ttest", How: "exit code 2", Took: 5 * time.Second, Tail: strings.Repeat("ok\n", 100) + "the last line"},
		}
	}, func(r *rig) {
		r.submit("/jobs")
		r.wantCalls("jobs")
		r.wantText("In the background", "p2 · npm run dev", "running", "1m1s", "1.5k", "listening on", "p1 · make test", "exit code 2")
		if strings.Contains(r.text(), "\x1b[31m3000") {
			t.Error("an escape sequence is shown")
		}
		r.press("ctrl+x")
		r.wantCalls("end job p2", "jobs")
		r.press("down")
		r.wantText("the last line")
		r.press("enter")
		r.wantText("p1 · make test", "the last line", "of 101")
	})
}

func TestTheListOfBackgroundCommandsMovesOn(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.submit("/jobs")
		r.wantText("nothing is in the background; ctrl+b moves a running command or task there")
		r.jobs = []tui.Job{{ID: "p1", Command: "make"}}
		r.wait(2 * time.Second)
		r.wantText("p1 · make")
		r.press("esc")
	})
}

func TestAKeyMovesTheRunningCommandToTheBackground(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.failing["background"] = errors.New("no command or task of the model runs that could go on in the background")
		r.press("ctrl+b")
		r.wantCalls("background")
		r.wantText("no command or task of the model runs")
		delete(r.failing, "background")
		r.typeText("ab")
		r.press("ctrl+b")
		r.wantCalls()
		r.typeText("c")
		if got := r.draft(); got != "acb" {
			t.Errorf("while nothing runs the key is to move the cursor; the draft is %q", got)
		}
		r.sendUpdates(updates.Status{Phase: updates.Running})
		r.press("ctrl+b")
		r.wantCalls("background")
	})
}

func TestTheStatusLineSaysHowManyCommandsRun(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.sendUpdates(updates.Jobs{Running: 1})
		r.wantText("1 job")
		r.sendUpdates(updates.Jobs{Running: 3}, updates.Status{Phase: updates.Running})
		r.wantText("3 jobs", "running tools")
		r.sendUpdates(updates.Jobs{})
		r.wantNoText("3 jobs")
	})
}
