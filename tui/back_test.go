package tui_test

import (
	"testing"
	"time"

	"plimsoll/compact/projection"
	"plimsoll/tui"
)

// withHistory opens the screen with two turns and a compaction.
func withHistory(r *rig, _ *tui.Options) {
	r.first.Events = history()
	r.first.Meter = r.first.Meter.WithView(projection.Project(r.first.Events))
}

func TestEscTwiceListsMessagesToGoBackTo(t *testing.T) {
	screen(t, withHistory, func(r *rig) {
		r.press("esc")
		r.wantText("esc again to go back to an earlier message")
		r.press("esc")
		r.wantText("Go back to", "2  fix it", "1  why does it fail?")
		r.press("enter")
		r.wantCalls("first rewind 1")
	})
}

func TestEscTwiceMustBeConsecutive(t *testing.T) {
	for name, between := range map[string]func(*rig){
		"a key":       func(r *rig) { r.press("x", "backspace") },
		"a while":     func(r *rig) { r.wait(10 * time.Second) },
		"no messages": nil,
	} {
		t.Run(name, func(t *testing.T) {
			change := withHistory
			if between == nil {
				change, between = nil, func(*rig) {}
			}
			screen(t, change, func(r *rig) {
				r.press("esc")
				between(r)
				r.press("esc")
				r.wantNoText("Go back to")
			})
		})
	}
}

func TestThePaletteRunsCommands(t *testing.T) {
	screen(t, withHistory, func(r *rig) {
		r.press("ctrl+p")
		r.wantText("Commands", "/new")
		r.typeText("undo-comp")
		r.wantText("/undo-compact", "ctrl+x")
		r.press("enter")
		r.wantCalls("first undo 0")
	})
}

func TestPinning(t *testing.T) {
	for typed, want := range map[string]string{
		"/pin":       "first pin [3] true",
		"/pin 1":     "first pin [1 2] true",
		"/pin t0-1":  "first pin [1 2 3 4] true",
		"/pin e2":    "first pin [2] true",
		"/unpin e2":  "first pin [2] false",
		"/pin 7":     "",
		"/pin e5":    "",
		"/pin a few": "",
	} {
		screenOf(t, typed, withHistory, func(r *rig) {
			r.submit(typed)
			if want == "" {
				r.wantCalls()
				r.wantText("no turn or message")
				return
			}
			r.wantCalls(want)
		})
	}
}
