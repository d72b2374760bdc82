package history_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
)

func TestMessagesSentInFullHaveTheWholeWidthAndNoBadge(t *testing.T) {
	t.Parallel()
	r := newRig(t, 200, 30)
	r.add(conversation.UserMessage{Text: "why?"})
	r.add(conversation.AssistantMessage{Text: strings.Repeat("words and more words ", 12), Stop: conversation.StopEnd})
	r.add(conversation.UserMessage{Text: "thanks"})
	r.showLog()
	screen := r.screen()
	for _, bad := range []string{"verbatim", "│", "what the model is sent"} {
		if strings.Contains(screen, bad) {
			t.Errorf("%q is on the screen:\n%s", bad, screen)
		}
	}
	wantTexts(t, screen, "\n= assistant  ")
	for l := range strings.Lines(screen) {
		if strings.Contains(l, "words and") && ansi.StringWidth(strings.TrimSpace(l)) > 100 {
			t.Errorf("a line of prose is too long to read: %q", l)
		}
	}
}

func TestAWideScreenHasAllOfTheRowBesideTheRows(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]bool{120: false, 160: true} {
		r := newRig(t, width, 30)
		r.add(conversation.UserMessage{Text: "why?"})
		r.add(conversation.AssistantMessage{Text: strings.Repeat("a line\n\n", 9) + "the last line", Stop: conversation.StopEnd})
		r.showLog()
		r.press("tab")
		if got := strings.Contains(r.screen(), "the last line"); got != want {
			t.Errorf("%d columns: all of the reply is on the screen: %v\n%s", width, got, r.screen())
		}
	}
}

func TestAnExpandedCompactionListsWhatItShortened(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	at := r.addSample()
	r.showLog()
	r.moveTo(at["mask"])
	wantTexts(t, cursorRow(r), "▸ compacted: 1 result shortened", "91k → 34k")
	r.press("enter")
	wantTexts(t, cursorRow(r), "▾ compacted", "e12", "188  ran go test ./upload")
}
