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
		r.typeText("half a thou")
		r.wait(2 * time.Second)
		r.wantKept("first", "half a thou", "")
		r.typeText("ght")
		if err := r.m.KeepDraft(t.Context()); err != nil { // the program is told to end
			t.Error(err)
		}
		r.wantKept("first", "half a thought", "")
		r.press("enter")
		r.wantKept("first", "", "")
		r.typeText("/connect openai secret")
		r.wait(2 * time.Second)
		r.wantKept("first", "", "") // a command may hold a key
	})
}

func TestADraftIsRestoredWithItsConversation(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.drafts["first"] = tui.Draft{Text: "to be continued", Stashed: "for later"}
	}, func(r *rig) {
		r.wantText("│ to be continued", "draft stashed · ctrl+s restores it")
		r.press("ctrl+s")
		r.wantText("│ for later")
		r.wait(2 * time.Second)
		r.wantKept("first", "for later", "to be continued")
	})
}

// openNewConversation begins another conversation from the palette, with any draft.
func (r *rig) openNewConversation() {
	r.press("ctrl+p")
	r.typeText("start a new")
	r.press("enter")
}

func TestADraftStaysWithTheConversationThatIsLeft(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.drafts["next"] = tui.Draft{Text: "of the next"} }, func(r *rig) {
		r.typeText("of the first")
		r.openNewConversation()
		r.wantText("│ of the next")
		r.wantNoText("of the first")
		r.wantKept("first", "of the first", "")
		r.wait(2 * time.Second)
		r.wantKept("next", "of the next", "")
	})
}

// No draft is lost if another conversation does not open, or the draft cannot be stored.
func TestADraftStaysIfNoOtherConversationOpens(t *testing.T) {
	for name, port := range map[string]string{"it does not open": "new", "the draft cannot be stored": "keep draft"} {
		screenOf(t, name, nil, func(r *rig) {
			r.typeText("of the first")
			r.failing[port] = errors.New("disk full")
			r.openNewConversation()
			r.wantText("│ of the first", "disk full")
		})
	}
}

// Text typed while another conversation opens goes to that one, and its stored draft is stashed.
func TestADraftIsNotMixedWithWhatIsTypedMeanwhile(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.drafts["next"] = tui.Draft{Text: "of the next"} }, func(r *rig) {
		r.portGate = make(chan struct{})
		r.typeText("of the first")
		r.openNewConversation()
		r.typeText("meanwhile")
		close(r.portGate)
		r.settle()
		r.wantText("│ meanwhile", "draft stashed")
		r.wait(2 * time.Second)
		r.wantKept("first", "of the first", "")
		r.wantKept("next", "meanwhile", "of the next")
	})
}

func TestADraftOutlivesItsConversation(t *testing.T) {
	for command, keys := range map[string][]string{"/delete": {"enter"}, "/resume": {"enter", "ctrl+x"}} {
		screenOf(t, command, func(r *rig, _ *tui.Options) { r.stored = storedConversations()[:1] }, func(r *rig) {
			r.sendAppended(conversation.UserMessage{Text: "one"})
			r.typeText("of the first")
			r.press("ctrl+p")
			r.typeText(command)
			r.press(keys...)
			r.wait(2 * time.Second)
			r.press("y")
			r.wantText("│ of the first")
			r.wantNoText("Delete", "Continue")
			if !slices.Contains(r.calls, "delete") {
				t.Errorf("asked for %q", r.calls)
			}
		})
	}
}

func TestEscTwiceStashesTheDraft(t *testing.T) {
	screen(t, withHistory, func(r *rig) {
		r.typeText("half a thought")
		r.press("esc")
		r.wantText("│ half a thought", "esc again to stash the draft")
		r.press("esc")
		r.wantText("draft stashed · ctrl+s restores it")
		r.wantNoText("│ half a thought", "esc again")
		r.submit("a question in between")
		r.wantCalls("first send a question in between")
		r.press("ctrl+s")
		r.wantText("│ half a thought")
		r.wantNoText("draft stashed")
	})
}

// Stashing a second draft moves the first to the prompt history.
func TestNoStashedDraftIsLost(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.typeText("one")
		r.press("esc", "esc")
		r.typeText("two")
		r.press("esc", "esc", "up")
		r.wantText("│ one")
		r.press("down", "ctrl+s")
		r.wantText("│ two")
	})
}

func TestAFailureToStoreDraftsIsShownOnce(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.failing["keep draft"] = errors.New("disk full")
		r.typeText("word ")
		r.wait(2 * time.Second)
		r.wantText("keeping the draft: disk full")
		r.wait(10 * time.Second)
		r.typeText("more ")
		r.wait(2 * time.Second)
		r.wantNoText("disk full")
	})
}

func TestADraftOfAReadOnlyConversationIsStoredSeparately(t *testing.T) {
	screen(t, func(r *rig, o *tui.Options) {
		withFollowedConversation(r, o)
		r.next = r.conversation("next", updates.NewMailbox())
		r.drafts["first"] = tui.Draft{Text: "of the owner"}
	}, func(r *rig) {
		r.typeText("half a thou")
		r.wait(2 * time.Second)
		r.wantKept("first read", "half a thou", "")
		r.typeText("ght")
		r.openNewConversation()
		r.wantNoText("half a thought")
		r.wantKept("first read", "half a thought", "")
		r.wantKept("first", "of the owner", "")
		r.wait(2 * time.Second)
		r.wantKept("next", "", "")
	})
}

func TestADraftIsJoinedWhenAConversationIsTakenOver(t *testing.T) {
	for name, own := range map[string]string{"alone": "", "with the owner's": "of the owner"} {
		screenOf(t, name, func(r *rig, o *tui.Options) {
			withFollowedConversation(r, o)
			r.drafts["first"] = tui.Draft{Text: own}
		}, func(r *rig) {
			r.typeText("half a thought")
			r.wait(2 * time.Second)
			r.sendUpdates(closedElsewhereUpdate)
			r.press("enter")
			r.wantText("│ half a thought", "enter send")
			r.wait(2 * time.Second)
			r.wantKept("first", "half a thought", own)
			r.wantKept("first read", "", "")
		})
	}
}
