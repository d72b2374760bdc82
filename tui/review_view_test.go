package tui_test

import (
	"strconv"
	"strings"
	"testing"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui"
)

func TestReviewCommands(t *testing.T) {
	text := pendingReview().Text
	for name, c := range map[string]struct {
		keys []string
		want string
		says string
	}{
		"taken":        {[]string{"enter"}, "first review " + quoted(text) + " true", ""},
		"given up":     {[]string{"x", "x"}, `first review "" false`, ""},
		"thought over": {[]string{"x", "j", "x"}, "", ""},
		"changed":      {[]string{"e", "A", "B", "esc", "enter"}, "first review " + quoted("AB"+text) + " true", ""},
		"the editor":   {[]string{"ctrl+g"}, "edit " + strings.TrimSpace(text), ""},
		"in between":   {[]string{"e", "Z", "ctrl+g"}, "edit Z" + strings.TrimSpace(text), ""},
		"the keys":     {[]string{"?", "esc"}, "", "apply"},
	} {
		screenOf(t, name, withSampleLog, func(r *rig) {
			openView["review"](r)
			r.press(c.keys...)
			if c.want == "" {
				r.wantCalls()
			} else {
				r.wantCalls(c.want)
			}
			r.wantView("review") // until it is in force, or is not any more
			r.wantText(c.says)
			r.sendUpdates(updates.Reviewed{})
			r.wantView("")
			r.wantNoText("a summary is ready")
		})
	}
}

// A summary never opens automatically: a message announces it and names the command that opens it.
func TestAPendingSummaryIsAnnounced(t *testing.T) {
	for name, busy := range map[string]func(*rig){
		"nothing":  func(*rig) {},
		"a draft":  func(r *rig) { r.typeText("half a sentence") },
		"a view":   func(r *rig) { r.press("ctrl+t") },
		"a dialog": func(r *rig) { r.press("ctrl+p") },
	} {
		screenOf(t, name, withSampleLog, func(r *rig) {
			busy(r)
			r.sendUpdates(pendingReview())
			r.wantNoText(viewTitles["review"])
			if r.row("Commands") >= 0 {
				r.press("esc") // it hides the status line
			}
			r.wantText("a summary is ready: /review opens it")
		})
	}
}

func TestAClosedReviewCanBeOpenedAgain(t *testing.T) {
	for _, key := range []string{"esc", "q", "ctrl+c"} {
		screenOf(t, key, withSampleLog, func(r *rig) {
			openView["review"](r)
			r.press(key)
			r.wantView("")
			r.wantCalls()
			r.wantText("a summary is ready: /review opens it")
			r.submit("/review")
			r.wantView("review")
			r.wantText("## Goal")
		})
	}
}

func TestAReviewEndsWithItsConversation(t *testing.T) {
	screen(t, func(r *rig, o *tui.Options) {
		withSampleLog(r, o)
		r.next.Events = log(conversation.UserMessage{Text: "hello"})
	}, func(r *rig) {
		openView["review"](r)
		r.press("ctrl+p")
		r.typeText("/new")
		r.press("enter")
		r.wantView("")
		r.wantNoText("a summary is ready")
		r.submit("/review")
		r.wantText("no summary is pending")
	})
}

func TestAReviewShowsThatARequestWaits(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		r.typeText("x")
		u := pendingReview()
		u.RequestWaits = true
		r.sendUpdates(u)
		r.wantText("a summary is ready, and the request waits for it")
	})
}

func quoted(text string) string { return strconv.Quote(text) }
