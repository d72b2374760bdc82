package tui_test

import (
	"errors"
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
		r.wantText("rewound to turn 1 · 1 turn undone")
		r.wantNoText("Fine.", "package upload")
		if got := r.draft(); !strings.HasPrefix(got, "look at @upload.go") || strings.Contains(got, "package upload") {
			t.Errorf("the draft is %q", got)
		}
	})
}
