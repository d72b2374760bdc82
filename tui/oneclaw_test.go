package tui_test

import (
	"testing"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// Acceptance criteria of OneClaw's FEAT-011 about the screen. The indicator and the notification also have their own
// tests, which run here under the names of the source.
func TestOneClawAcceptanceCriteria(t *testing.T) {
	t.Run("A brief UI indicator appears during compact", TestTheSummaryIndicatorMovesWithoutATurn)
	t.Run("If retry also fails, system falls back to truncation (drop oldest messages) and shows a Snackbar", TestOnlyRequestedCompactionsShowASnackbar)
	t.Run("The indicator must NOT block user input – the user can still type while compact runs", TestTheSummaryIndicatorBlocksNothing)
	screenOf(t, "Text: “Optimizing conversation context…”, visible only during the summarization API call", func(r *rig, _ *tui.Options) { r.first.Events = history() }, func(r *rig) {
		r.wantNoText("Optimizing")
		startAutomaticSummary(r)
		r.wantText("Optimizing conversation context…")
		r.sendUpdates(updates.CompactionFailed{Err: &llm.Error{Class: llm.ServerFault, Message: "no summary was written"},
			Request: edit.Request{Source: conversation.SourceAuto}})
		r.wantNoText("Optimizing", "no summary was written")
	})
}
