package tui_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui"
)

func TestDrawsBeforeTheConversationIsOpen(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.portGate = make(chan struct{}) }, func(r *rig) {
		r.wantText("plimsoll", "opening…", "Ask something.", "enter send")
		r.typeText("typed early")
		r.wantText("typed early")
		close(r.portGate)
		r.settle()
		r.wantNoText("opening…")
		r.wantText("Talking to openai/gpt-5.6-luna.", "typed early")
	})
}

func TestEarlyMessagesAreSentOnceOpen(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.portGate = make(chan struct{}) }, func(r *rig) {
		r.submit("one")
		r.submit("with @upload.go two")
		r.submit("three")
		r.wantText("queued: one", "queued: three", "12.8k") // the file's weight
		r.wantCalls()
		if d := cmp.Diff([]string{"one", "with @upload.go two", "three"}, r.prompts); d != "" {
			t.Errorf("a kill would lose: %s", d) // the prompt history has the messages that are not sent yet
		}
		close(r.portGate)
		r.settle()
		r.wantCalls("first send one", "attach upload.go", "first send with @upload.go two + upload.go", "first send three")
		r.wantNoText("queued")
		if d := cmp.Diff([]string{"one", "with @upload.go two", "three"}, r.prompts); d != "" {
			t.Errorf("remembered: %s", d)
		}
	})
}

func TestNothingIsLostIfNoConversationOpens(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.portGate, r.failing["open"] = make(chan struct{}), errors.New("no model can be reached: set OPENAI_API_KEY")
	}, func(r *rig) {
		r.submit("one")
		r.submit("two")
		close(r.portGate)
		r.settle()
		r.wantText("no model can be reached: set OPENAI_API_KEY", "/new tries again", "│ one", "│ two")
		r.press("enter")
		r.wantText("no conversation is open", "│ one")
		r.press("ctrl+c")
		r.submit("/new")
		r.wantCalls("new")
		r.submit("hello")
		r.wantCalls("next send hello")
	})
}

func TestShowsTheStoredConversation(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.first.Title = "Fix the test"
		r.first.Events = log(conversation.UserMessage{Text: "why?"}, conversation.AssistantMessage{Text: "because", Stop: conversation.StopEnd})
		r.first.Notes = []string{"AGENTS.md was read"}
	}, func(r *rig) {
		r.wantText("Fix the test", "▌ why?", "because", "AGENTS.md was read")
		if title := r.m.View().WindowTitle; title != "⊖ 0% Fix the test" {
			t.Errorf("the window title is %q", title)
		}
		r.sendAppended(conversation.Renamed{Title: "Another \x1b]0;title"})
		if title := r.m.View().WindowTitle; title != "⊖ 0% Another ␛]0;title" {
			t.Errorf("the window title is %q", title)
		}
		r.wantText("Another ␛]0;title")
	})
}

func TestReadOnly(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.first.ReadOnly = "read only: open elsewhere. /fork continues a copy" }, func(r *rig) {
		r.wantText("/fork continues a copy")
		r.submit("hello")
		r.wantCalls()
		r.wantText("│ hello")
		r.press("ctrl+c")
		r.submit("!ls")
		r.wantText("│ !ls")
		r.press("ctrl+c")
		r.submit("/rename title")
		r.wantText("cannot be renamed")
		r.press("ctrl+c")
		r.submit("/delete")
		r.wantText("cannot be deleted")
		r.press("ctrl+c")
		r.press("shift+tab")
		r.wantCalls()
		r.submit("/fork")
		r.wantCalls("fork")
		r.submit("hello")
		r.wantCalls("next send hello")
	})
}

// A follower sees new events, and whether the conversation is still open in another window.
func TestFollowing(t *testing.T) {
	screen(t, withFollowedConversation, func(r *rig) {
		r.wantText(openElsewhereUpdate.Why, "following", "A draft stays here.")
		r.wantNoText("enter send")
		r.sendAppended(conversation.UserMessage{Text: "said elsewhere"})
		r.wantText("▌ said elsewhere")
		r.sendUpdates(updates.Delta{Text: "half a rep"})
		r.wantText("half a rep")
		r.submit("hello")
		r.wantText("│ hello", openElsewhereUpdate.Why)
		r.sendUpdates(updates.OpenElsewhere{Why: "This conversation was deleted"})
		r.wantText("This conversation was deleted", "│ hello")
		r.wantNoText("following")
		r.press("enter")
		r.wantCalls()
	})
}

// Updates of a followed conversation, while another window has it open and after that.
var (
	openElsewhereUpdate   = updates.OpenElsewhere{Open: true, Why: "Read-only: open in another window (pid 7). /fork to continue in a copy"}
	closedElsewhereUpdate = updates.OpenElsewhere{Closed: true, Why: "The other window closed. /resume first to continue here"}
)

// withFollowedConversation opens a conversation longer than the screen that another window has open.
func withFollowedConversation(r *rig, _ *tui.Options) {
	for n := range 40 {
		r.first.Events = append(r.first.Events, conversation.Event{Seq: uint64(n + 1), Turn: n, Body: conversation.UserMessage{Text: fmt.Sprintf("message %d", n)}})
	}
	r.first.ReadOnly, r.first.Elsewhere = openElsewhereUpdate.Why, openElsewhereUpdate
	r.next = r.conversation("first", updates.NewMailbox())
	r.next.Events = append(slices.Clone(r.first.Events), conversation.Event{Seq: 41, Turn: 40, Body: conversation.UserMessage{Text: "the newest"}})
}

// A key takes over a conversation that no other window has open; nothing does so automatically. The draft stays in the
// composer, and the transcript does not scroll.
func TestAFollowedConversationIsTakenOver(t *testing.T) {
	for name, draft := range map[string]string{"nothing written": "", "a draft": "half a thought", "a command": "!ls", "another command": "/fork"} {
		screenOf(t, name, withFollowedConversation, func(r *rig) {
			r.sendUpdates(updates.Delta{Text: "half a rep"})
			r.typeText(draft)
			r.sendUpdates(closedElsewhereUpdate)
			r.wantText("The other window closed · enter to continue here", "│ "+draft)
			r.press("pgup", "pgup")
			top := r.lines()[3]
			r.press("enter")
			if draft == "/fork" {
				r.wantCalls("fork")
				return
			}
			r.wantCalls("resume first")
			r.wantNoText("other window", "half a rep")
			r.wantText("enter send", "│ "+draft, "new")
			if now := r.lines()[3]; now != top {
				t.Errorf("the transcript scrolled from %q to %q", top, now)
			}
			r.press("pgdown", "pgdown", "pgdown")
			r.wantText("▌ the newest")
			if draft == "half a thought" {
				r.press("enter")
				r.wantCalls("first send half a thought")
			}
		})
	}
}

// If two windows take a conversation over, one is first, and the other continues to follow.
func TestALateTakeoverKeepsFollowing(t *testing.T) {
	screen(t, func(r *rig, o *tui.Options) {
		withFollowedConversation(r, o)
		r.next.ReadOnly, r.next.Elsewhere = openElsewhereUpdate.Why, openElsewhereUpdate
	}, func(r *rig) {
		r.sendUpdates(closedElsewhereUpdate)
		r.submit("mine")
		r.wantText("another window was first", openElsewhereUpdate.Why, "│ mine", "▌ the newest")
	})
	screenOf(t, "failing", withFollowedConversation, func(r *rig) {
		r.failing["resume"] = errors.New("the disk is gone")
		r.sendUpdates(closedElsewhereUpdate)
		r.submit("mine")
		r.wantText("the disk is gone", "│ mine", "enter to continue here")
		r.sendUpdates(openElsewhereUpdate)
		r.sendAppended(conversation.UserMessage{Text: "said elsewhere"})
		r.wantText("▌ said elsewhere", openElsewhereUpdate.Why)
	})
}

func TestPickAtTheStart(t *testing.T) {
	screen(t, func(r *rig, o *tui.Options) {
		o.Pick, r.portGate = true, make(chan struct{})
		r.stored = []tui.Stored{{ID: "abc", Title: "The flaky test"}}
	}, func(r *rig) {
		r.wantText("Continue", "The flaky test")
		r.press("enter")
		r.wantCalls()
		close(r.portGate)
		r.settle()
		r.wantCalls("resume abc")
		r.submit("hi")
		r.wantCalls("next send hi")
	})
}

func TestAnotherConversation(t *testing.T) {
	for command, port := range map[string]string{"/new": "new", "/clear": "new", "/fork": "fork", "/branch": "fork", "/resume abc": "resume abc"} {
		screenOf(t, command, func(r *rig, _ *tui.Options) {
			r.next.Title = "The next"
			r.next.Events = log(conversation.UserMessage{Text: "old question"})
		}, func(r *rig) {
			r.sendAppended(conversation.UserMessage{Text: "said before"})
			r.submit(command)
			r.wantCalls(port)
			r.wantText("The next", "old question")
			r.wantNoText("said before")
			r.sendUpdates(updates.Delta{Text: "late"}, updates.Status{Phase: updates.Streaming})
			r.wantNoText("late", "answering")
			r.submit("hi")
			r.wantCalls("next send hi")
		})
	}
}

func TestAConversationThatCannotBeOpenedLeavesTheOldOne(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.failing["resume"] = errors.New("there is no conversation abc") }, func(r *rig) {
		r.submit("/resume abc")
		r.wantText("there is no conversation abc", "│ /resume abc")
		r.press("ctrl+c")
		r.calls = nil
		r.submit("hi")
		r.wantCalls("first send hi")
	})
}

func TestMessagesDuringASwitchGoToTheNewConversation(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.calls, r.portGate = nil, make(chan struct{})
		r.sendUpdates(updates.Status{Phase: updates.Streaming}, updates.Queued{Texts: []string{"queued one", "queued two"}})
		r.submit("/new")
		r.submit("for the new one")
		r.submit("/fork")
		r.wantText("still being opened", "queued: for the new one")
		r.wantCalls("new")
		r.sendUpdates(updates.Delta{Text: "still arriving"})
		r.wantText("still arriving")
		close(r.portGate)
		r.settle()
		r.wantCalls("next send for the new one")
		r.wantText("│ queued one", "│ queued two")
		r.wantNoText("· queued")
	})
}

func TestQueuedMessagesReturnWhenTheConversationIsLeft(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.attachGate = make(chan struct{}) }, func(r *rig) {
		r.submit("see @main.go now")
		r.submit("/new")
		r.wantCalls("new")
		close(r.attachGate)
		r.settle()
		r.wantCalls("attach main.go")
		r.wantText("│ see @main.go now")
	})
}

func TestAQuestionClosesWithItsConversation(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.portGate = make(chan struct{})
		r.submit("/new")
		r.sendUpdates(updates.Status{Phase: updates.Asking}, approval("c1", "make"))
		r.wantText("Allow this?")
		close(r.portGate)
		r.settle()
		r.wantNoText("Allow this?", "waiting for your answer")
		r.calls = nil
		r.submit("hi")
		r.wantCalls("next send hi")
	})
}

func TestDelete(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.submit("/delete")
		r.wantText("Delete this conversation permanently?")
		r.wait(time.Second)
		r.press("enter") // keep it
		r.wantNoText("permanently")
		r.wantCalls()
		r.submit("/delete")
		r.wait(time.Second)
		r.press("y")
		r.wantCalls("delete")
		r.submit("hi")
		r.wantCalls("next send hi")
	})
}

// Failures to list or store something are shown, but not as events of the conversation.
func TestFailuresAtStartAreShown(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.failing["files"] = errors.New("permission denied")
	}, func(r *rig) {
		r.wantText("listing files for @: permission denied")
		r.wait(time.Minute)
		r.wantNoText("permission denied")
	})
}

func TestPastedTextThatLooksLikeAFileIsReturnedInFull(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.first.Waiting = []string{"why @a.go?" + conversation.FormatAttachments(conversation.AttachedFile{Path: "pasted.go", Text: "package pasted"})}
	}, func(r *rig) {
		r.wantText("│ why @a.go?", "package pasted")
	})
}

func TestMessagesFromBeforeACrashReturnToTheComposer(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.first.Waiting = []string{`and @a.go @"b c"` + conversation.FormatAttachments(conversation.AttachedFile{Path: "a.go", Text: "package a"}, conversation.AttachedFile{Path: "b c"}), "then this"}
	}, func(r *rig) {
		r.wantText("│ and @a.go @\"b c\"", "│ then this", "is back in the composer")
		r.wantNoText("package a")
	})
}
