package tui_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// wantKept checks the stored draft of a conversation.
func (r *rig) wantKept(id, text, stashed string) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if got := r.drafts[id]; got != (tui.Draft{Text: text, Stashed: stashed}) {
		r.t.Errorf("%s has %+v, want %q and %q", id, got, text, stashed)
	}
}

func TestADraftIsStoredWhileTyping(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.write("half a thou")
		r.pass(2 * time.Second)
		r.wantKept("first", "half a thou", "")
		r.write("ght")
		if err := r.m.KeepDraft(t.Context()); err != nil { // the program is told to end
			t.Error(err)
		}
		r.wantKept("first", "half a thought", "")
		r.press("enter")
		r.wantKept("first", "", "")
		r.write("/connect openai secret")
		r.pass(2 * time.Second)
		r.wantKept("first", "", "") // a command may hold a key
	})
}

func TestADraftIsRestoredWithItsConversation(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.drafts["first"] = tui.Draft{Text: "to be continued", Stashed: "for later"}
	}, func(r *rig) {
		r.has("│ to be continued", "draft stashed · ctrl+s restores it")
		r.press("ctrl+s")
		r.has("│ for later")
		r.pass(2 * time.Second)
		r.wantKept("first", "for later", "to be continued")
	})
}

// toNext begins another conversation from the palette, with any draft.
func (r *rig) toNext() {
	r.press("ctrl+p")
	r.write("start a new")
	r.press("enter")
}

func TestADraftStaysWithTheConversationThatIsLeft(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.drafts["next"] = tui.Draft{Text: "of the next"} }, func(r *rig) {
		r.write("of the first")
		r.toNext()
		r.has("│ of the next")
		r.lacks("of the first")
		r.wantKept("first", "of the first", "")
		r.pass(2 * time.Second)
		r.wantKept("next", "of the next", "")
	})
}

// No draft is lost if another conversation does not open, or the draft cannot be stored.
func TestADraftStaysIfNoOtherConversationOpens(t *testing.T) {
	for name, port := range map[string]string{"it does not open": "new", "the draft cannot be stored": "keep draft"} {
		screenOf(t, name, nil, func(r *rig) {
			r.write("of the first")
			r.failing[port] = errors.New("disk full")
			r.toNext()
			r.has("│ of the first", "disk full")
		})
	}
}

// Text typed while another conversation opens goes to that one, and its stored draft is stashed.
func TestADraftIsNotMixedWithWhatIsTypedMeanwhile(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.drafts["next"] = tui.Draft{Text: "of the next"} }, func(r *rig) {
		r.hold = make(chan struct{})
		r.write("of the first")
		r.toNext()
		r.write("meanwhile")
		close(r.hold)
		r.settle()
		r.has("│ meanwhile", "draft stashed")
		r.pass(2 * time.Second)
		r.wantKept("first", "of the first", "")
		r.wantKept("next", "meanwhile", "of the next")
	})
}

func TestADraftOutlivesItsConversation(t *testing.T) {
	for command, keys := range map[string][]string{"/delete": {"enter"}, "/resume": {"enter", "ctrl+x"}} {
		screenOf(t, command, func(r *rig, _ *tui.Options) { r.stored = shelved()[:1] }, func(r *rig) {
			r.append(conversation.UserMessage{Text: "one"})
			r.write("of the first")
			r.press("ctrl+p")
			r.write(command)
			r.press(keys...)
			r.pass(2 * time.Second)
			r.press("y")
			r.has("│ of the first")
			r.lacks("Delete", "Continue")
			if !slices.Contains(r.calls, "delete") {
				t.Errorf("asked for %q", r.calls)
			}
		})
	}
}

func TestEscTwiceStashesTheDraft(t *testing.T) {
	screen(t, told, func(r *rig) {
		r.write("half a thought")
		r.press("esc")
		r.has("│ half a thought", "esc again to stash the draft")
		r.press("esc")
		r.has("draft stashed · ctrl+s restores it")
		r.lacks("│ half a thought", "esc again")
		r.calls = nil
		r.enter("a question in between")
		r.wantCalls("first send a question in between")
		r.press("ctrl+s")
		r.has("│ half a thought")
		r.lacks("draft stashed")
	})
}

// Stashing a second draft moves the first to the prompt history.
func TestNoStashedDraftIsLost(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.write("one")
		r.press("esc", "esc")
		r.write("two")
		r.press("esc", "esc", "up")
		r.has("│ one")
		r.press("down", "ctrl+s")
		r.has("│ two")
	})
}

func TestAFailureToStoreDraftsIsShownOnce(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.failing["keep draft"] = errors.New("disk full")
		r.write("word ")
		r.pass(2 * time.Second)
		r.has("keeping the draft: disk full")
		r.pass(10 * time.Second)
		r.write("more ")
		r.pass(2 * time.Second)
		r.lacks("disk full")
	})
}

// The draft of a read-only window does not replace the draft of the window that has the conversation open.
func TestADraftOfAReadOnlyConversationIsStoredSeparately(t *testing.T) {
	screen(t, func(r *rig, o *tui.Options) {
		followed(r, o)
		r.next = r.conversation("next", updates.NewMailbox())
		r.drafts["first"] = tui.Draft{Text: "of the owner"}
	}, func(r *rig) {
		r.write("half a thou")
		r.pass(2 * time.Second)
		r.wantKept("first read", "half a thou", "")
		r.write("ght")
		r.toNext()
		r.lacks("half a thought")
		r.wantKept("first read", "half a thought", "")
		r.wantKept("first", "of the owner", "")
		r.pass(2 * time.Second)
		r.wantKept("next", "", "")
	})
}

func TestADraftIsJoinedWhenAConversationIsTakenOver(t *testing.T) {
	for name, own := range map[string]string{"alone": "", "with the owner's": "of the owner"} {
		screenOf(t, name, func(r *rig, o *tui.Options) {
			followed(r, o)
			r.drafts["first"] = tui.Draft{Text: own}
		}, func(r *rig) {
			r.write("half a thought")
			r.pass(2 * time.Second)
			r.happen(closed)
			r.press("enter")
			r.has("│ half a thought", "enter send")
			r.pass(2 * time.Second)
			r.wantKept("first", "half a thought", own)
			r.wantKept("first read", "", "")
		})
	}
}
