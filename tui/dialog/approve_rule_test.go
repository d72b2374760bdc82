package dialog_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"plimsoll/conversation"
)

func TestApproveMarksInvisibleCharactersInARule(t *testing.T) {
	t.Parallel()
	review := editReview()
	review.Offer = conversation.Offer{Rules: []string{"edit(a\u202e\x1b[31m\u200db)"}, Meaning: "edits"}
	s := openDialog(80, 24, newApprove(review))
	if view := s.View(); strings.Contains(view, "\u202e") || strings.Contains(view, "\x1b[31m\u200d") || !strings.Contains(view, "«U+200D»") {
		t.Errorf("%q", view)
	}
	wantAction(t, press(s, "w", "x"), nil) // a rule with invisible characters cannot be edited
	wantAction(t, press(s, "a"), approved{Grant: conversation.GrantAlways, Rules: review.Offer.Rules})
}

// Characters that do not end a line of a file do not end a shown line either. Otherwise a new line could look like an old one.
func TestApproveShowsNoForgedDiffLines(t *testing.T) {
	t.Parallel()
	review := editReview()
	review.Diff = "--- a\n+++ b\n@@ -1,1 +1,5 @@\n same\n+note\r evil()\n+note\u2028 evil()\n+win\r\n+if (ok,\u3164)\n"
	review.Offer = conversation.Offer{Rules: []string{"run_command(git status\nevil)"}, Meaning: "exactly this command"}
	view := plainView(openDialog(80, 40, newApprove(review)))
	for _, want := range []string{"2 + note␍ evil()", "3 + note«U+2028» evil()", "5 + if (ok,«U+3164»)", "run_command(git status␊evil)"} {
		if !strings.Contains(view, want) {
			t.Errorf("no %q in\n%s", want, view)
		}
	}
	if strings.Contains(view, "win␍") {
		t.Error("line ends of Windows are marked")
	}
}

// No arrow key makes an answer grant more, in whatever order they are pressed.
func TestNoArrowWidensARule(t *testing.T) {
	t.Parallel()
	review := editReview()
	for _, wider := range []string{"edit(docs/**)", "edit(**)"} {
		review.Wider = append(review.Wider, conversation.Offer{Rules: []string{wider}, Meaning: "files", Warning: "wide"})
	}
	rules := []string{review.Offer.Rules[0], review.Wider[0].Rules[0], review.Wider[1].Rules[0]}
	for level := range rules {
		for _, arrows := range [][]string{{"up"}, {"up", "up", "up"}, {"right", "left"}, {"down", "up"}, {"down", "down", "up", "up"}, {"shift+up", "alt+up", "ctrl+p", "k"}} {
			s := openDialog(80, 24, newApprove(review))
			for range level {
				press(s, "+")
			}
			press(s, arrows...)
			got, _ := press(s, "a").(approved)
			if at := slices.Index(rules, strings.Join(got.Rules, "")); at < 0 || at > level {
				t.Errorf("%q after level %d grants %q", arrows, level, got.Rules)
			}
		}
	}
	s := openDialog(80, 24, newApprove(review))
	wantAction(t, press(s, "+", "+", "+", "down", "a"), approved{Grant: conversation.GrantAlways, Rules: []string{rules[1]}})
}

func TestAnEditedRuleIsGrantedAfterItsCheck(t *testing.T) {
	t.Parallel()
	wide := conversation.Offer{Rules: []string{"edit(*)"}, Meaning: "edits of files", Warning: "wide"}
	checkRules := func(rules []string) (conversation.Offer, error) {
		if len(rules) != 1 || rules[0] != "edit(*)" {
			return conversation.Offer{}, errors.New("it does not cover this call")
		}
		return wide, nil
	}
	s := openDialog(80, 24, newApprove(editReview(), checkRules))
	press(s, "w", "ctrl+u", "e", "d", "i", "t", "(", "*", "enter")
	if view := plainView(s); s.Cursor() == nil || !strings.Contains(view, "! it does not cover this call") {
		t.Fatal(view)
	}
	press(s, ")")
	if view := plainView(s); !strings.Contains(view, "allows edits of files") {
		t.Fatal(view)
	}
	wantAction(t, press(s, "enter", "a"), approved{Grant: conversation.GrantAlways, Rules: wide.Rules})
	s = openDialog(80, 24, newApprove(editReview(), checkRules))
	wantAction(t, press(s, "w", "backspace", "esc", "a"), approved{Grant: conversation.GrantAlways, Rules: []string{"edit(./upload.go)"}})
}
