package tui_test

import (
	"fmt"
	"testing"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// Automatic compactions run while the conversation continues.

func startAutomaticSummary(r *rig) time.Time {
	since := time.Now()
	r.sendUpdates(updates.Compacting{Since: since, Summary: true, Source: conversation.SourceAuto})
	return since
}

// holdRequest makes the next request of a turn wait for the summary.
func holdRequest(r *rig, since time.Time) {
	r.sendUpdates(updates.Status{Phase: updates.PhaseCompacting, Since: time.Now()},
		updates.Compacting{Since: since, Summary: true, Source: conversation.SourceAuto, RequestWaits: true})
}

// streaming sends a delta of a reply.
func streaming(r *rig, text string) {
	r.sendUpdates(updates.Status{Phase: updates.Streaming, Since: time.Now()}, updates.Delta{Text: text})
}

func TestOnlyRequestedCompactionsShowASnackbar(t *testing.T) {
	const snackbar = "Conversation history has been automatically trimmed"
	for _, c := range []struct {
		source  conversation.Source
		epoch   uint64 // the card of 5 is in view
		trimmed bool
		want    string // the snackbar; "": there is no snackbar
	}{
		{conversation.SourceManual, 5, false, ""},
		{conversation.SourceManual, 1, false, "Compacted turns 1–5: 12.1k → 5.3k tokens"},
		{conversation.SourceAuto, 5, false, ""},
		{conversation.SourceTool, 5, false, ""},
		{conversation.SourceRecovery, 5, false, ""},
		{conversation.SourceAuto, 5, true, snackbar},
		{conversation.SourceTool, 5, true, snackbar},
		{conversation.SourceRecovery, 5, true, snackbar},
	} {
		screenOf(t, fmt.Sprint(c.source, c.epoch, c.trimmed), func(r *rig, _ *tui.Options) { r.first.Events = history() }, func(r *rig) {
			before := r.text()
			startAutomaticSummary(r)
			r.wantText("Optimizing conversation context…")
			r.sendUpdates(updates.Compacted{Epoch: c.epoch, Preview: plan, Source: c.source, Trimmed: c.trimmed})
			r.wantNoText("Optimizing")
			if c.want != "" {
				r.wantText(" " + c.want)
				r.wait(4*time.Second + time.Millisecond)
			}
			if r.text() != before {
				r.t.Errorf("the view differs from the one before:\n%s", r.text())
			}
		})
	}
}

// Esc stops the turn first, then the summary. The hint names esc only while it stops something.
func TestWhatEscStops(t *testing.T) {
	const hint, held = "(esc stops it)", " · the request waits"
	screen(t, func(r *rig, _ *tui.Options) { r.first.Events = history() }, func(r *rig) {
		since := startAutomaticSummary(r)
		streaming(r, "So")
		r.wait(20 * time.Second)
		r.wantNoText(hint, held)
		r.press("esc")
		r.wantCalls("first cancel")
		r.wantNoText("(stopping)") // the summary goes on
		r.sendUpdates(updates.Status{Phase: updates.Stopping, Since: time.Now()})
		r.wantNoText(hint)
		r.sendUpdates(updates.Status{Phase: updates.Idle})
		r.wantText("so far " + hint)

		r.submit("!sleep")
		r.wantNoText(hint) // it would stop the command
		r.press("esc")     // it ends
		r.wantText(hint)

		holdRequest(r, since)
		r.sendUpdates(updates.Queued{Texts: []string{"and then?"}})
		r.wantText(held+" "+hint, "queued: and then?  (alt+↑ to edit)")
		r.press("esc")
		r.wantCalls("first cancel")
		r.wantText("(stopping)")
		r.wantNoText(held)
		r.sendUpdates(updates.CompactionFailed{Err: &llm.Error{Class: llm.Cancelled}, Request: edit.Request{Source: conversation.SourceAuto}},
			updates.Status{Phase: updates.Waiting, Since: time.Now()})
		r.wantText("(esc or alt+↑ to edit)")
		r.wantNoText("Optimizing")
	})
}

// The spinner and the seconds move without a turn, and stop with the summary.
func TestTheSummaryIndicatorMovesWithoutATurn(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.first.Events = history() }, func(r *rig) {
		startAutomaticSummary(r)
		for _, seconds := range []string{"1 s", "2 s", "3 s"} {
			r.wait(time.Second + time.Millisecond)
			r.wantText("context… " + seconds)
		}
		r.sendUpdates(updates.Compacted{Preview: plan, Source: conversation.SourceAuto})
		r.wait(time.Second)
		r.wantNoMessages("after the summary")
	})
}
