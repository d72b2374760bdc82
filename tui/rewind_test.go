package tui_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui"
)

func TestRewindRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change      func(*rig, *tui.Options)
		typed, want string
	}{
		"no number":        {func(r *rig, _ *tui.Options) { r.first.Events = history() }, "/rewind last", "usage: /rewind"},
		"no such turn":     {func(r *rig, _ *tui.Options) { r.first.Events = history() }, "/rewind 7", "no such turn"},
		"negative":         {func(r *rig, _ *tui.Options) { r.first.Events = history() }, "/rewind -2", "usage: /rewind"},
		"nothing was said": {nil, "/undo", "nothing to undo yet"},
		"read only":        {func(r *rig, _ *tui.Options) { r.first.Events, r.first.ReadOnly = history(), "open elsewhere" }, "/undo", "open elsewhere"},
		"not open":         {func(r *rig, _ *tui.Options) { r.failing["open"] = errors.New("the disk is gone") }, "/rewind", "no conversation is open"},
	} {
		screenOf(t, name, c.change, func(r *rig) {
			r.submit(c.typed)
			r.wantCalls()
			r.wantText(c.want)
		})
	}
}

func TestTheRewoundMessageReturnsToTheComposer(t *testing.T) {
	screen(t, nil, func(r *rig) {
		sent := "look at @upload.go" + conversation.FormatAttachments(conversation.AttachedFile{Path: "upload.go", Text: "package upload"})
		r.sendAppended(append(append([]conversation.Body{}, twoTurns...), conversation.UserMessage{Text: sent}, conversation.AssistantMessage{Text: "Fine.", Stop: conversation.StopEnd})...)
		r.wantText("▌ look at @upload.go", "Fine.")
		r.submit("/undo")
		events := log(append(append([]conversation.Body{}, twoTurns...), conversation.UserMessage{Text: sent}, conversation.AssistantMessage{}, conversation.Rewind{Turn: 2})...)
		r.sendUpdates(updates.Appended{Events: events[6:]}, updates.Returned{Texts: []string{sent}})
		r.wantText("undid 1 turn")
		r.wantNoText("Fine.", "package upload")
		if got := r.draft(); !strings.HasPrefix(got, "look at @upload.go") || strings.Contains(got, "package upload") {
			t.Errorf("the draft is %q", got)
		}
	})
}

// withEditedFiles is a conversation whose newest turn changed files, and a plan to bring them back.
func withEditedFiles(r *rig, plan tui.FilePlan) {
	changed := conversation.Checkpoint{By: "modify_file", Files: []conversation.FileVersion{{Path: "a.go", From: "1", To: "2"}}}
	r.first.Events = log(append(append([]conversation.Body{}, twoTurns...), changed)...)
	r.filePlan = plan
	r.filePlan.Apply = func(ctx context.Context, overwrite bool) (string, error) {
		return "2 files brought back: a.go, b.go", r.call(ctx, "apply", strconv.FormatBool(overwrite))
	}
}

func TestARewindAsksAboutTheFiles(t *testing.T) {
	edited := tui.FilePlan{Files: []tui.PlannedFile{{Path: "a.go", Diff: "--- a/a.go\n+++ b/a.go\n@@ -1 +1,2 @@\n-two\n+one\n+and\n"},
		{Path: "b\x1b[2J.go", Foreign: true, Removed: true}, {Path: "c.go", Problem: "what was in it is no longer kept"}}}
	for name, c := range map[string]struct {
		plan  tui.FilePlan
		keys  []string
		want  string   // on the screen at the end
		calls []string // of the session and the plan
	}{
		"both":                 {edited, []string{"enter"}, "2 files brought back: a.go, b.go", []string{"apply false", "first rewind 1"}},
		"conversation only":    {edited, []string{"down", "enter"}, "its files stay as they are", []string{"first rewind 1"}},
		"files only":           {edited, []string{"down", "down", "enter"}, "2 files brought back", []string{"apply false"}},
		"with those of others": {edited, []string{"right", "enter"}, "2 files brought back", []string{"apply true", "first rewind 1"}},
		"the diff":             {edited, []string{"down", "down", "down", "enter"}, "back to before turn 2", nil},
		"nothing":              {edited, []string{"esc"}, "", nil},
		"already as before":    {tui.FilePlan{}, nil, "already as before", []string{"first rewind 1"}},
	} {
		screenOf(t, name, func(r *rig, _ *tui.Options) { withEditedFiles(r, c.plan) }, func(r *rig) {
			r.submit("/rewind 2")
			if len(c.keys) > 0 {
				r.wantText("Go back to before turn 2", "a.go: as it was (+2 −1)", "somebody else changed it since", "changed by others", "left as they are",
					"c.go: cannot be brought back: what was in it is no longer kept")
			}
			r.press(c.keys...)
			r.wantText(c.want)
			r.wantCalls(c.calls...)
		})
	}
}
