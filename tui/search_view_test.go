package tui_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/tui"
)

func TestASearchBeginsWhenTypingPauses(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		r.submit("/search")
		r.wantView("search")
		for _, letter := range []string{"f", "i", "x"} {
			r.press(letter)
			r.wait(150 * time.Millisecond)
		}
		r.wantCalls()
		r.wait(50 * time.Millisecond)
		r.wantCalls("search fix")
		r.wantText("so fix it", "2 hits in 2 of 12 conversations")
	})
}

func TestASearchIsCancelled(t *testing.T) {
	for name, leave := range map[string]func(*rig){
		"by another letter":           func(r *rig) { r.typeText("e") },
		"with the view":               func(r *rig) { r.press("esc") },
		"with the view, by interrupt": func(r *rig) { r.press("ctrl+c") },
		"with the conversation":       func(r *rig) { r.press("ctrl+t", "ctrl+p"); r.typeText("/new"); r.press("enter") }, // ctrl+p is a key of the search
	} {
		screenOf(t, name, func(r *rig, o *tui.Options) { withSampleLog(r, o); r.holdArchive() }, func(r *rig) {
			r.submit("/search fix")
			r.calls = nil
			leave(r)
			r.settle()
			if !strings.Contains(strings.Join(r.calls, "\n"), "search given up") {
				r.t.Errorf("the search goes on: %q", r.calls)
			}
			r.wantNoText("2 hits", "context canceled")
		})
	}
}

func TestAHitInThisConversationOpensItsHistory(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		r.submit("/search fix")
		r.calls = nil
		r.press("enter")
		r.wantCalls()
		r.wantView("history")
		if !strings.HasPrefix(r.lines()[r.row("e7 ")], "▌") {
			r.t.Errorf("the cursor is not at the place:\n%s", r.text())
		}
		r.press("n")
		r.wantNoText("no search yet") // the query came along
		r.press("ctrl+t")
		r.wantView("search")
		r.wantText("so fix it")
	})
}

func saidInNext(r *rig) {
	r.next.Events = log(conversation.UserMessage{Text: "hello"}, conversation.AssistantMessage{Text: "Hello.", Stop: conversation.StopEnd},
		conversation.UserMessage{Text: "a fix is wanted"}, conversation.AssistantMessage{Text: "Here.", Stop: conversation.StopEnd})
	r.next.Meter = r.next.Meter.WithView(projection.Project(r.next.Events))
}

func TestAHitInAnotherConversationOpensItThere(t *testing.T) {
	screen(t, func(r *rig, o *tui.Options) { withSampleLog(r, o); saidInNext(r) }, func(r *rig) {
		r.submit("/search fix")
		r.calls = nil
		r.portGate = make(chan struct{})
		r.press("down", "enter")
		r.wantCalls("resume other")
		r.wantView("search") // until it is open
		r.press("enter")
		r.wantText("a conversation is still being opened")
		close(r.portGate)
		r.settle()
		r.wantView("history")
		if !strings.HasPrefix(r.lines()[r.row("e3 ")], "▌") {
			r.t.Errorf("the cursor is not at the place:\n%s", r.text())
		}
		r.press("esc", "esc") // the first ends what is searched for there
		r.wantView("search")  // the list of hits is where it was
		r.wantText("❯ turn 2", "2 hits in 2 of 12 conversations")
		r.press("up", "down", "enter")
		r.wantView("history")
		r.press("ctrl+t", "esc")
		r.wantView("")
	})
}

func TestAHitThatCannotBeOpenedShowsAnError(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		r.failing["resume"] = errors.New("it is open elsewhere")
		r.submit("/search fix")
		r.press("down", "enter")
		r.wantView("search")
		r.wantText("it is open elsewhere")
		delete(r.failing, "resume")
		r.press("esc")
		r.submit("/resume other") // the place is forgotten with the failure
		r.wantView("")
	})
}
