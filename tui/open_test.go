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
	screen(t, func(r *rig, _ *tui.Options) { r.hold = make(chan struct{}) }, func(r *rig) {
		r.has("plimsoll", "opening…", "Ask something.", "enter send")
		r.write("typed early")
		r.has("typed early")
		close(r.hold)
		r.settle()
		r.lacks("opening…")
		r.has("Talking to openai/gpt-5.6-luna.", "typed early")
	})
}

func TestEarlyMessagesAreSentOnceOpen(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.hold = make(chan struct{}) }, func(r *rig) {
		r.enter("one")
		r.enter("with @upload.go two")
		r.enter("three")
		r.has("queued: one", "queued: three", "12.8k") // the file's weight
		r.wantCalls("open")
		if d := cmp.Diff([]string{"one", "with @upload.go two", "three"}, r.prompts); d != "" {
			t.Errorf("a kill would lose: %s", d) // the prompt history has what is not handed over yet
		}
		close(r.hold)
		r.settle()
		r.wantCalls("first send one", "attach upload.go", "first send with @upload.go two + upload.go", "first send three")
		r.lacks("queued")
		if d := cmp.Diff([]string{"one", "with @upload.go two", "three"}, r.prompts); d != "" {
			t.Errorf("remembered: %s", d)
		}
	})
}

func TestNothingIsLostIfNoConversationOpens(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.hold, r.failing["open"] = make(chan struct{}), errors.New("no model can be reached: set OPENAI_API_KEY")
	}, func(r *rig) {
		r.enter("one")
		r.enter("two")
		close(r.hold)
		r.settle()
		r.has("no model can be reached: set OPENAI_API_KEY", "/new tries again", "│ one", "│ two")
		r.press("enter")
		r.has("no conversation is open", "│ one")
		r.press("ctrl+c")
		r.enter("/new")
		r.wantCalls("open", "new")
		r.enter("hello")
		r.wantCalls("next send hello")
	})
}

func TestShowsTheStoredConversation(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.first.Title = "Fix the test"
		r.first.Events = log(conversation.UserMessage{Text: "why?"}, conversation.AssistantMessage{Text: "because", Stop: conversation.StopEnd})
		r.first.Notes = []string{"AGENTS.md was read"}
	}, func(r *rig) {
		r.has("Fix the test", "▌ why?", "because", "AGENTS.md was read")
		if title := r.m.View().WindowTitle; title != "plimsoll · Fix the test" {
			t.Errorf("the window is called %q", title)
		}
		r.append(conversation.Renamed{Title: "Another \x1b]0;title"})
		if title := r.m.View().WindowTitle; title != "plimsoll · Another ␛]0;title" {
			t.Errorf("the window is called %q", title)
		}
		r.has("Another ␛]0;title")
	})
}

func TestReadOnly(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.first.ReadOnly = "read only: open elsewhere. /fork continues a copy" }, func(r *rig) {
		r.has("/fork continues a copy")
		r.calls = nil
		r.enter("hello")
		r.wantCalls()
		r.has("│ hello")
		r.press("ctrl+c")
		r.enter("!ls")
		r.has("│ !ls")
		r.press("ctrl+c")
		r.enter("/rename title")
		r.has("cannot be renamed")
		r.press("ctrl+c")
		r.enter("/delete")
		r.has("cannot be deleted")
		r.press("ctrl+c")
		r.press("shift+tab")
		r.wantCalls()
		r.enter("/fork")
		r.wantCalls("fork")
		r.enter("hello")
		r.wantCalls("next send hello")
	})
}

// A follower sees new events, and whether the conversation is still open in another window.
func TestFollowing(t *testing.T) {
	screen(t, followed, func(r *rig) {
		r.has(opened.Why, "following", "A draft stays here.")
		r.lacks("enter send")
		r.append(conversation.UserMessage{Text: "said elsewhere"})
		r.has("▌ said elsewhere")
		r.happen(updates.Delta{Text: "half a rep"})
		r.has("half a rep")
		r.enter("hello")
		r.has("│ hello", opened.Why)
		r.happen(updates.Elsewhere{Why: "This conversation was deleted"})
		r.has("This conversation was deleted", "│ hello")
		r.lacks("following")
		r.calls = nil
		r.press("enter")
		r.wantCalls()
	})
}

// opened is the update for a conversation that is open in another window, closed for one that is not.
var (
	opened = updates.Elsewhere{Open: true, Why: "Read-only: open in another window (pid 7). /fork to continue in a copy"}
	closed = updates.Elsewhere{Closed: true, Why: "The other window closed. /resume first to continue here"}
)

// followed is a conversation with more than a screen, open in another window.
func followed(r *rig, _ *tui.Options) {
	for n := range 40 {
		r.first.Events = append(r.first.Events, conversation.Event{Seq: uint64(n + 1), Turn: n, Body: conversation.UserMessage{Text: fmt.Sprintf("message %d", n)}})
	}
	r.first.ReadOnly, r.first.Elsewhere = opened.Why, opened
	r.next = r.conversation("first", updates.NewMailbox())
	r.next.Events = append(slices.Clone(r.first.Events), conversation.Event{Seq: 41, Turn: 40, Body: conversation.UserMessage{Text: "the newest"}})
}

// A key takes over a conversation that no other window has open; nothing does so automatically. The draft stays in the
// composer, and the transcript does not scroll.
func TestAFollowedConversationIsTakenOver(t *testing.T) {
	for name, draft := range map[string]string{"nothing written": "", "a draft": "half a thought", "a command": "!ls", "another command": "/fork"} {
		screenOf(t, name, followed, func(r *rig) {
			r.happen(updates.Delta{Text: "half a rep"})
			r.write(draft)
			r.happen(closed)
			r.has("The other window closed · enter to continue here", "│ "+draft)
			r.press("pgup", "pgup")
			top := r.lines()[3]
			r.calls = nil
			r.press("enter")
			if draft == "/fork" {
				r.wantCalls("fork")
				return
			}
			r.wantCalls("resume first")
			r.lacks("other window", "half a rep")
			r.has("enter send", "│ "+draft, "new")
			if now := r.lines()[3]; now != top {
				t.Errorf("it was scrolled from %q to %q", top, now)
			}
			r.press("pgdown", "pgdown", "pgdown")
			r.has("▌ the newest")
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
		followed(r, o)
		r.next.ReadOnly, r.next.Elsewhere = opened.Why, opened
	}, func(r *rig) {
		r.happen(closed)
		r.enter("mine")
		r.has("another window was first", opened.Why, "│ mine", "▌ the newest")
	})
	screenOf(t, "failing", followed, func(r *rig) {
		r.failing["resume"] = errors.New("the disk is gone")
		r.happen(closed)
		r.enter("mine")
		r.has("the disk is gone", "│ mine", "enter to continue here")
		r.happen(opened)
		r.append(conversation.UserMessage{Text: "said elsewhere"})
		r.has("▌ said elsewhere", opened.Why)
	})
}

func TestPickAtTheStart(t *testing.T) {
	screen(t, func(r *rig, o *tui.Options) {
		o.Pick, r.hold = true, make(chan struct{})
		r.stored = []tui.Stored{{ID: "abc", Title: "The flaky test", Note: "yesterday"}}
	}, func(r *rig) {
		r.has("Continue", "The flaky test")
		r.calls = nil
		r.press("enter")
		r.wantCalls()
		close(r.hold)
		r.settle()
		r.wantCalls("resume abc")
		r.enter("hi")
		r.wantCalls("next send hi")
	})
}

func TestAnotherConversation(t *testing.T) {
	for command, port := range map[string]string{"/new": "new", "/clear": "new", "/fork": "fork", "/branch": "fork", "/resume abc": "resume abc"} {
		t.Run(command, func(t *testing.T) {
			screen(t, func(r *rig, _ *tui.Options) {
				r.next.Title = "The next"
				r.next.Events = log(conversation.UserMessage{Text: "old question"})
			}, func(r *rig) {
				r.append(conversation.UserMessage{Text: "said before"})
				r.wantCalls("open")
				r.enter(command)
				r.wantCalls(port)
				r.has("The next", "old question")
				r.lacks("said before")
				r.happen(updates.Delta{Text: "late"}, updates.Status{Phase: updates.Streaming})
				r.lacks("late", "answering")
				r.enter("hi")
				r.wantCalls("next send hi")
			})
		})
	}
}

func TestAConversationThatCannotBeOpenedLeavesTheOldOne(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.failing["resume"] = errors.New("there is no conversation abc") }, func(r *rig) {
		r.enter("/resume abc")
		r.has("there is no conversation abc", "│ /resume abc")
		r.press("ctrl+c")
		r.calls = nil
		r.enter("hi")
		r.wantCalls("first send hi")
	})
}

// Only one conversation opens at a time; messages sent meanwhile go to it.
func TestMessagesDuringASwitchGoToTheNewConversation(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.calls, r.hold = nil, make(chan struct{})
		r.happen(updates.Status{Phase: updates.Streaming}, updates.Queued{Texts: []string{"queued one", "queued two"}})
		r.enter("/new")
		r.enter("for the new one")
		r.enter("/fork")
		r.has("still being opened", "queued: for the new one")
		r.wantCalls("new")
		r.happen(updates.Delta{Text: "still arriving"})
		r.has("still arriving")
		close(r.hold)
		r.settle()
		r.wantCalls("next send for the new one")
		r.has("│ queued one", "│ queued two")
		r.lacks("· queued")
	})
}

func TestQueuedMessagesReturnWhenTheConversationIsLeft(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.attached = make(chan struct{}) }, func(r *rig) {
		r.calls = nil
		r.enter("see @main.go now")
		r.enter("/new")
		r.wantCalls("new")
		close(r.attached)
		r.settle()
		r.wantCalls("attach main.go")
		r.has("│ see @main.go now")
	})
}

func TestAQuestionClosesWithItsConversation(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.hold = make(chan struct{})
		r.enter("/new")
		r.happen(updates.Status{Phase: updates.Asking}, approval("c1", "make"))
		r.has("Allow this?")
		close(r.hold)
		r.settle()
		r.lacks("Allow this?", "waiting for you")
		r.calls = nil
		r.enter("hi")
		r.wantCalls("next send hi")
	})
}

func TestDelete(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.calls = nil
		r.enter("/delete")
		r.has("Delete this conversation permanently?")
		r.pass(time.Second)
		r.press("enter") // keep it
		r.lacks("permanently")
		r.wantCalls()
		r.enter("/delete")
		r.pass(time.Second)
		r.press("y")
		r.wantCalls("delete")
		r.enter("hi")
		r.wantCalls("next send hi")
	})
}

// Failures to list or store something are shown, but not as events of the conversation.
func TestFailuresAtStartAreShown(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.failing["files"] = errors.New("permission denied")
	}, func(r *rig) {
		r.has("listing files for @: permission denied")
		r.pass(time.Minute)
		r.lacks("permission denied")
	})
}

func TestPastedTextThatLooksLikeAFileIsReturnedInFull(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.first.Waiting = []string{"why @a.go?" + conversation.FormatAttachments(conversation.AttachedFile{Path: "pasted.go", Text: "package pasted"})}
	}, func(r *rig) {
		r.has("│ why @a.go?", "package pasted")
	})
}

func TestMessagesFromBeforeACrashReturnToTheComposer(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.first.Waiting = []string{`and @a.go @"b c"` + conversation.FormatAttachments(conversation.AttachedFile{Path: "a.go", Text: "package a"}, conversation.AttachedFile{Path: "b c"}), "then this"}
	}, func(r *rig) {
		r.has("│ and @a.go @\"b c\"", "│ then this", "is back in the composer")
		r.lacks("package a")
	})
}
