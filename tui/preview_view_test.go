package tui_test

import (
	"testing"

	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
)

func previewed(profile string, saved int) updates.Previewed {
	p := plan
	p.Profile, p.After = profile, p.Before-saved
	u := previewAnswer(p)
	u.Request = edit.NewRequest()
	u.Request.Profile = profile
	return u
}

func TestTheNumbersFollowTheRequest(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		openView["preview"](r)
		r.wantText("12.1k → ~5.3k")
		r.calls = nil
		r.press("right")
		r.wantCalls("first preview profile=heavy")
		r.press("enter")
		r.wantCalls()
		r.wantText("still calculating")
		r.sendUpdates(previewed("heavy", 9_000))
		r.wantText("12.1k → ~3.1k")
		r.press("enter")
		r.wantCalls("first compact profile=heavy")
		r.wantView("")
	})
}

func TestAReopenedPreviewIgnoresOldNumbers(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		r.press("ctrl+k", "right", "esc")
		r.wantView("")
		r.press("ctrl+k")
		r.sendUpdates(previewed("", 1_000), previewed("heavy", 9_000))
		r.wantNoText("~11.1k", "~3.1k")
		r.calls = nil
		r.press("enter")
		r.wantCalls()
		r.sendUpdates(previewed("", 6_800))
		r.wantText("12.1k → ~5.3k")
		r.press("enter")
		r.wantCalls("first compact")
	})
}

func TestAcceptingReturnsToTheViewBelow(t *testing.T) {
	screen(t, withSampleLog, func(r *rig) {
		r.submit("/ledger")
		r.press("c")
		r.sendUpdates(previewAnswer(plan))
		r.calls = nil
		r.press("enter")
		r.wantCalls("first compact")
		r.wantView("ledger")
	})
}
