package tui_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/updates"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// The keys of the history make these calls, by the row of the cursor.
func TestTheHistoryActs(t *testing.T) {
	for name, c := range map[string]struct {
		row, key string
		want     string // of the ports
		says     string // on screen then
		leaves   bool   // for the conversation
	}{
		"pin":                  {row: "e7", key: "p", want: "first pin [7] true"},
		"pin a call":           {row: "e10", key: "p", want: "first pin [8 10] true"},
		"mask":                 {row: "e10", key: "m", want: "first mask [10]"},
		"undo":                 {row: "e13", key: "u", want: "first undo 13"},
		"undo what it covers":  {row: "e5", key: "u", want: "first undo 13"},
		"redo":                 {row: "e14", key: "r", want: "first redo"},
		"restore":              {row: "e22", key: "r", want: "first restore turns"},
		"restore what is gone": {row: "e19", key: "r", want: "first restore turns"},
		"resend":               {row: "e11", key: "e e", want: "first rewind 1", leaves: true},
		"resend, once":         {row: "e11", key: "e", says: "e again undoes turns 2–5 and returns the message to the composer"},
		"fork":                 {row: "e16", key: "f", want: "fork at 16", leaves: true},
		"a request":            {row: "e24", key: "[", want: "request 25", says: "byte for byte as sent"},
		"a full text":          {row: "e4", key: "enter enter", want: "page result e4"},
		"a word":               {row: "e24", key: "n", says: "no search yet"},
		"copy":                 {row: "e7", key: "y", says: "copied the message"},
		"refused":              {row: "e19", key: "e", says: "it was undone"},
	} {
		screenOf(t, name, withSampleLog, func(r *rig) {
			r.press("ctrl+t")
			r.selectRow(c.row + " ")
			r.press(strings.Fields(c.key)...)
			if c.want == "" {
				r.wantCalls()
			} else {
				r.wantCalls(c.want)
			}
			r.wantText(c.says)
			r.wantView(map[bool]string{false: "history"}[c.leaves])
		})
	}
}

func TestLateAnswersOfTheArchiveAreIgnored(t *testing.T) {
	withSampleAndHeldArchive := func(r *rig, o *tui.Options) { withSampleLog(r, o); r.holdArchive() }
	leave := func(r *rig) { r.press("ctrl+p"); r.typeText("new"); r.press("enter") }
	for name, c := range map[string]struct{ asks, between func(*rig) }{
		"a request of one that was opened anew":    {func(r *rig) { r.press("[") }, func(r *rig) { r.press("ctrl+t", "ctrl+t") }},
		"a request that was left":                  {func(r *rig) { r.press("[") }, func(r *rig) { r.press("tab") }},
		"a request of a conversation that is left": {func(r *rig) { r.press("[") }, leave},
	} {
		for _, fails := range []bool{false, true} {
			screenOf(t, map[bool]string{false: name, true: name + ", failed"}[fails], withSampleAndHeldArchive, func(r *rig) {
				if fails {
					r.failing["request"] = errors.New("the log is cut")
				}
				r.press("ctrl+t")
				c.asks(r)
				c.between(r)
				before := r.text()
				r.release()
				if d := cmp.Diff(before, r.text()); d != "" {
					r.t.Error(d)
				}
			})
		}
	}
}

// New rows appear once their events are in the log, and the cursor stays on its row.
func TestTheHistoryShowsNewEvents(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		r.press("ctrl+t")
		r.selectRow("e7 ")
		y := r.row("e7 ")
		streaming(r, "Eleven of eleven.")
		r.wantNoText("Eleven")
		body := func() []string { return r.lines()[4 : r.height-6] }
		before := body()
		r.appendEvents(conversation.UserMessage{Text: "once more"}, conversation.AssistantMessage{Text: "Eleven of eleven.", Stop: conversation.StopEnd})
		if d := cmp.Diff(before, body()); d != "" || r.row("e7 ") != y {
			r.t.Errorf("the rows moved: %s", d)
		}
		r.wantText("of 20")
		r.press("G")
		r.wantText("Eleven of eleven.", "e26 ", "e27 ")
		r.appendEvents(conversation.UserMessage{Text: "the newest"})
		r.wantText("20 of 21") // also at the end nothing moves by itself
	})
}

// Events that the meter does not count yet are not shown, so that rows and numbers agree.
func TestTheHistoryShowsNoMoreThanTheMeterKnows(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		r.press("ctrl+t")
		events := r.commitEvents(conversation.UserMessage{Text: "not measured yet"})
		r.sendUpdates(updates.Appended{Events: events})
		r.wantNoText("not measured yet")
		r.sendUpdates(updates.Metered{Meter: r.first.Meter.WithView(projection.Project(r.openLog.Events()))})
		r.wantText("of 19")
		r.press("G")
		r.wantText("not measured yet")
	})
}

func TestTheHistoryOpensAtAnEvent(t *testing.T) {
	for typed, want := range map[string]string{"/history": "e24 ", "/history 2": "e7 ", "/history e10": "e10 "} {
		screenOf(t, typed, withSampleLog, func(r *rig) {
			r.submit(typed)
			r.wantView("history")
			if !strings.HasPrefix(r.lines()[r.row(want)], "▌") {
				r.t.Errorf("the cursor is not at %s:\n%s", want, r.text())
			}
		})
	}
	screenOf(t, "nothing said", nil, func(r *rig) {
		r.press("ctrl+t")
		r.wantView("")
		r.wantText("no history yet")
	})
	screenOf(t, "no such turn", withSampleLog, func(r *rig) {
		r.submit("/history 99")
		r.wantView("")
		r.wantText("no turn or message")
	})
}
