package tui_test

import (
	"testing"
	"time"

	"plimsoll/agent/updates"
)

// The status line below a view.

func TestStatusLineBelowAViewNamesTheKeyThatStopsASummary(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		openView["ledger"](r)
		startAutomaticSummary(r)
		r.wait(20 * time.Second)
		r.wantText("so far (ctrl+c stops it)")
		r.press("esc")
		r.wantText("so far (esc stops it)")
	})
}

func TestAVisibleReviewIsNotAnnounced(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		openView["review"](r)
		r.wantNoText("/review opens it")
		r.press("esc")
		r.wantText("/review opens it")
	})
}

// A fork requested while another conversation opens must not fork that one.
func TestNoCopyIsMadeWhileAnotherConversationOpens(t *testing.T) {
	screen(t, withHistory, func(r *rig) {
		r.press("ctrl+t", "g", "}")
		r.portGate = make(chan struct{})
		r.press("ctrl+p")
		r.typeText("/new")
		r.press("enter")
		r.calls = nil
		r.press("f")
		r.wantCalls()
		r.wantText("a conversation is still being opened")
		close(r.portGate)
		r.sendUpdates(updates.Status{})
		if got := r.draft(); got != "" {
			t.Errorf("the composer has %q", got)
		}
	})
}
