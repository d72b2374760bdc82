package tui_test

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// called has the screen keep what it calls the user for.
func called(calls *[]string) func(*rig, *tui.Options) {
	return func(_ *rig, o *tui.Options) {
		o.Progress = true
		o.Notify = func(_ context.Context, text string) string {
			*calls = append(*calls, text)
			return ""
		}
	}
}

func TestTheUserIsNotifiedWhileAway(t *testing.T) {
	var calls []string
	screen(t, called(&calls), func(r *rig) {
		say := func(want string) {
			r.t.Helper()
			if got := strings.Join(calls, "/"); got != want {
				r.t.Errorf("called for %q, want %q", got, want)
			}
			calls = nil
		}
		turn := func() {
			r.sendUpdates(updates.Status{Phase: updates.Waiting, Since: time.Now()})
			r.wait(time.Minute)
			r.sendUpdates(updates.Status{Phase: updates.Idle, Since: time.Now()})
		}
		r.send(tea.ModeReportMsg{Mode: ansi.ModeFocusEvent, Value: ansi.ModeSet})
		turn()
		say("")
		r.sendAppended(conversation.Renamed{Title: "Fix the test"})
		r.send(tea.BlurMsg{})
		turn()
		say("Fix the test · reply ready")
		r.sendUpdates(updates.Status{Phase: updates.Asking, Since: time.Now()}, approval("c1", "go test ./..."))
		say("Fix the test · waiting for your approval: run go")
		r.send(tea.FocusMsg{})
		turn()
		say("")
	})
}

func TestTheTerminalShowsProgress(t *testing.T) {
	var calls []string
	screen(t, called(&calls), func(r *rig) {
		shows := func(want tea.ProgressBarState) {
			r.t.Helper()
			got := tea.ProgressBarNone
			if bar := r.m.View().ProgressBar; bar != nil {
				got = bar.State
			}
			if got != want {
				r.t.Errorf("the bar is %v, want %v", got, want)
			}
		}
		shows(tea.ProgressBarNone)
		r.sendUpdates(updates.Status{Phase: updates.Running, Since: time.Now()})
		shows(tea.ProgressBarIndeterminate)
		r.sendUpdates(updates.Status{Phase: updates.Asking, Since: time.Now()})
		shows(tea.ProgressBarWarning)
		r.sendUpdates(updates.Status{Phase: updates.Idle, Since: time.Now()}, updates.Compacting{Since: time.Now(), Summary: true})
		shows(tea.ProgressBarIndeterminate)
		r.sendUpdates(updates.Compacted{})
		shows(tea.ProgressBarNone)
		r.sendUpdates(updates.Status{Phase: updates.Waiting, Since: time.Now()})
		r.sendUpdates(updates.Failed{Err: &llm.Error{Class: llm.Network, Message: "broke"}}, updates.Status{Phase: updates.Idle, Since: time.Now()})
		shows(tea.ProgressBarError)
		r.wait(10 * time.Second)
		shows(tea.ProgressBarNone)
	})
}

func TestCodeBlocksAreCopied(t *testing.T) {
	screen(t, nil, func(r *rig) {
		copies := func(command string, want ...string) {
			r.t.Helper()
			r.terminalRequests = nil
			r.submit(command)
			r.wantRequests(want...)
		}
		r.sendAppended(conversation.UserMessage{Text: "go"}, conversation.AssistantMessage{Text: "no code", Stop: conversation.StopEnd})
		copies("/copy code")
		r.wantText("the last reply has no code block")
		r.press("ctrl+u")
		r.sendAppended(conversation.AssistantMessage{Text: "one\n\n```go\nif x {\n\ty()\n}\n```", Stop: conversation.StopEnd})
		copies("/copy code", "setClipboardMsg if x {\n\ty()\n}")
		r.sendAppended(conversation.AssistantMessage{Text: "```go\nfirst()\n```\n- two\n  ```\n  second\n  third\n  ```", Stop: conversation.StopEnd})
		copies("/copy it")
		r.wantText("usage: /copy")
		r.press("ctrl+u")
		copies("/copy code")
		r.wantText("Copy a code block", "first()  1 line   go", "second   2 lines")
		r.press("down", "enter")
		r.wantText("copied the code block")
		r.wantRequests("setClipboardMsg second\nthird")
	})
}
