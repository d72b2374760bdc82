package tui_test

import (
	"context"
	"errors"
	"testing"

	"plimsoll/tui"
	"plimsoll/tui/dialog"
)

func TestInstructionsAreListedAndTakenOver(t *testing.T) {
	screen(t, func(r *rig, o *tui.Options) {
		r.width, r.height = 80, 24
		o.EditFile = func(context.Context, string) (tui.Editor, error) { return nil, errors.New("no editor") }
		r.memory = tui.Memory{Changed: "AGENTS.md changed.", Files: []tui.MemoryFile{
			{Path: "/home/AGENTS.md", Name: "~/AGENTS.md", From: "yours", Text: "Be kind.", Tokens: 1500, State: "in the prompt"},
			{Path: "/ws/AGENTS.md", Name: "AGENTS.md", From: "project", Tokens: 900, State: "changed on disk"},
			{Name: "../x.md", From: "by AGENTS.md", State: "not used", Note: "../x.md is not used: it is outside"},
		}}
	}, func(r *rig) {
		r.submit("/memory")
		r.wantCalls("memory false")
		r.wantText("Instructions", "AGENTS.md changed.", "take the change over", "~/AGENTS.md", "1.5k", "in the prompt", "changed on disk")
		r.press("enter")
		r.wantText("take it over", "keep what it has")
		r.wait(2 * dialog.ReadingTime)
		r.press("y")
		r.wantCalls("memory true")
		r.press("down", "down", "down")
		r.wantText("../x.md is not used: it is outside")
		r.press("up", "up", "enter")
		r.wantText("Be kind.")
	})
}
