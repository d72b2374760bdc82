package overlay_test

import (
	"errors"
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tui/overlay"
)

func TestApproveMarksWhatHidesInARule(t *testing.T) {
	t.Parallel()
	review := editReview()
	review.Offer = conversation.Offer{Rules: []string{"edit(a\u202e\x1b[31m\u200db)"}, Means: "edits"}
	s := open(80, 24, overlay.NewApprove("x", review))
	if view := s.View(); strings.Contains(view, "\u202e") || strings.Contains(view, "\x1b[31m\u200d") || !strings.Contains(view, "«U+200D»") {
		t.Errorf("%q", view)
	}
	want(t, press(s, "e", "x"), nil) // it cannot be edited as it is seen
	want(t, press(s, "a"), overlay.Approved{ID: "x", Grant: conversation.GrantAlways, Rules: review.Offer.Rules})
}

// What ends no line of a file ends none of what is shown: else a new line could
// pass for an old one.
func TestApproveForgesNoLines(t *testing.T) {
	t.Parallel()
	review := editReview()
	review.Diff = "--- a\n+++ b\n@@ -1,1 +1,5 @@\n same\n+note\r evil()\n+note\u2028 evil()\n+win\r\n+if (ok,\u3164)\n"
	review.Offer = conversation.Offer{Rules: []string{"run_command(git status\nevil)"}, Means: "exactly this command"}
	view := strip(open(80, 40, overlay.NewApprove("x", review)))
	for _, want := range []string{"2 + note␍ evil()", "3 + note«U+2028» evil()", "5 + if (ok,«U+3164»)", "run_command(git status␊evil)"} {
		if !strings.Contains(view, want) {
			t.Errorf("no %q in\n%s", want, view)
		}
	}
	if strings.Contains(view, "win␍") {
		t.Error("line ends of Windows are marked")
	}
}

func TestEditedRuleIsGrantedOnceItIsJudged(t *testing.T) {
	t.Parallel()
	wide := conversation.Offer{Rules: []string{"edit(*)"}, Means: "edits of files", Warning: "wide"}
	approved := overlay.Approved{ID: "x", Grant: conversation.GrantAlways, Rules: wide.Rules}
	edit := func() (*overlay.Approve, *overlay.Stack) {
		d := overlay.NewApprove("x", editReview())
		s := open(80, 24, d)
		press(s, "e", "ctrl+u", "e", "d", "i", "t", "(")
		want(t, press(s, "*"), overlay.EditedRules{ID: "x", Rules: []string{"edit(*"}})
		want(t, press(s, ")"), overlay.EditedRules{ID: "x", Rules: []string{"edit(*)"}})
		return d, s
	}
	t.Run("judged before Enter", func(t *testing.T) {
		t.Parallel()
		d, s := edit()
		d.Judged(wide.Rules, wide, nil)
		want(t, press(s, "enter", "a"), approved)
	})
	t.Run("judged after Enter", func(t *testing.T) {
		t.Parallel()
		d, s := edit()
		press(s, "enter")
		if s.Cursor() == nil {
			t.Fatal("in force before it is known what it means")
		}
		d.Judged([]string{"edit(*"}, conversation.Offer{}, errors.New("late word about another text"))
		d.Judged(wide.Rules, wide, nil)
		want(t, press(s, "a"), approved)
	})
	t.Run("wrong", func(t *testing.T) {
		t.Parallel()
		d, s := edit()
		d.Judged(wide.Rules, conversation.Offer{}, errors.New("it does not cover this call"))
		want(t, press(s, "enter"), nil)
		if view := strip(s); s.Cursor() == nil || !strings.Contains(view, "! it does not cover this call") {
			t.Fatal(view)
		}
		d.Judged(wide.Rules, wide, nil)
		want(t, press(s, "esc", "a"), overlay.Approved{ID: "x", Grant: conversation.GrantAlways, Rules: []string{"edit(./upload.go)"}})
	})
}

// What is granted is on the screen as it is written and in words, at every size
// that has room for a dialog.
func TestApproveShowsTheRuleThatItGrants(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{200, 60}, {120, 40}, {80, 24}, {40, 12}} {
		view := strip(open(size[0], size[1], overlay.NewApprove("x", editReview())))
		if !strings.Contains(view, "edit(./upload.go)") || !strings.Contains(view, "edits of upload.go") {
			t.Errorf("%v: no rule in\n%s", size, view)
		}
	}
	if view := strip(open(80, 24, overlay.NewApprove("x", commandReview()))); !strings.Contains(view, "! runs this project's own code") {
		t.Error(view)
	}
}
