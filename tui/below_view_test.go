package tui_test

import (
	"testing"
	"time"

	"plimsoll/agent/updates"
)

// The status line below a view.

func TestStatusLineBelowAViewNamesTheKeyThatStopsASummary(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		views["ledger"](r)
		byItself(r)
		r.pass(20 * time.Second)
		r.has("so far (ctrl+c stops it)")
		r.press("esc")
		r.has("so far (esc stops it)")
	})
}

func TestAVisibleReviewIsNotAnnounced(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		views["review"](r)
		r.lacks("/review opens it")
		r.press("esc")
		r.has("/review opens it")
	})
}

// A fork requested while another conversation opens must not fork that one.
func TestNoCopyIsMadeWhileAnotherConversationOpens(t *testing.T) {
	screen(t, told, func(r *rig) {
		r.press("ctrl+t", "g", "}")
		r.hold = make(chan struct{})
		r.press("ctrl+p")
		r.write("/new")
		r.press("enter")
		r.calls = nil
		r.press("f")
		r.wantCalls()
		r.has("a conversation is still being opened")
		close(r.hold)
		r.happen(updates.Status{})
		if got := r.draft(); got != "" {
			t.Errorf("the composer has %q", got)
		}
	})
}
