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
	text := waiting().Text
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
		screenOf(t, name, telling, func(r *rig) {
			views["review"](r)
			r.calls = nil
			r.press(c.keys...)
			if c.want == "" {
				r.did()
			} else {
				r.did(c.want)
			}
			r.at("review") // until it is in force, or is not any more
			r.has(c.says)
			r.happen(updates.Reviewed{})
			r.at("")
			r.lacks("a summary is ready")
		})
	}
}

// A summary never opens by itself: it is said that it waits, and how to open it.
func TestASummaryThatWaitsIsAnnounced(t *testing.T) {
	for name, busy := range map[string]func(*rig){
		"nothing":  func(*rig) {},
		"a draft":  func(r *rig) { r.write("half a sentence") },
		"a view":   func(r *rig) { r.press("ctrl+t") },
		"a dialog": func(r *rig) { r.press("ctrl+p") },
	} {
		screenOf(t, name, telling, func(r *rig) {
			busy(r)
			r.happen(waiting())
			r.lacks(titles["review"])
			if r.row("Commands") >= 0 {
				r.press("esc") // it hides the status line
			}
			r.has("a summary is ready: /review opens it")
		})
	}
}

// Who types the command that opens a summary as the summary comes edits nothing in it.
func TestTypingAsASummaryComesEditsNothing(t *testing.T) {
	screen(t, telling, func(r *rig) {
		r.write("/re")
		r.happen(waiting())
		r.calls = nil
		r.write("view")
		r.press("enter")
		r.did()
		r.at("review")
		r.has("## Goal")
		r.press("x", "x")
		r.did(`first review "" false`)
	})
}

func TestAReviewThatIsClosedWaitsAndOpensAgain(t *testing.T) {
	for _, key := range []string{"esc", "q", "ctrl+c"} {
		screenOf(t, key, telling, func(r *rig) {
			views["review"](r)
			r.calls = nil
			r.press(key)
			r.at("")
			r.did()
			r.has("a summary is ready: /review opens it")
			r.enter("/review")
			r.at("review")
			r.has("## Goal")
		})
	}
}

// The summary of a conversation that was left waits there, not here.
func TestAReviewEndsWithItsConversation(t *testing.T) {
	screen(t, func(r *rig, o *tui.Options) {
		telling(r, o)
		r.next.Events = log(conversation.UserMessage{Text: "hello"})
	}, func(r *rig) {
		views["review"](r)
		r.press("ctrl+p")
		r.write("/new")
		r.press("enter")
		r.at("")
		r.lacks("a summary is ready")
		r.enter("/review")
		r.has("no summary is pending")
	})
}

func TestAReviewSaysThatARequestWaits(t *testing.T) {
	screen(t, telling, func(r *rig) {
		r.write("x")
		u := waiting()
		u.RequestWaits = true
		r.happen(u)
		r.has("a summary is ready, and the request waits for it")
	})
}

func quoted(text string) string { return strconv.Quote(text) }
