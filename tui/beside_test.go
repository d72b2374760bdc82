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

// Automatic compactions, while the conversation continues.

// byItself begins an automatic summary.
func byItself(r *rig) time.Time {
	since := time.Now()
	r.happen(updates.Compacting{Since: since, Summary: true, Source: conversation.SourceAuto})
	return since
}

// hold makes the next request of a turn wait for the summary.
func hold(r *rig, since time.Time) {
	r.happen(updates.Status{Phase: updates.PhaseCompacting, Since: time.Now()},
		updates.Compacting{Since: since, Summary: true, Source: conversation.SourceAuto, RequestWaits: true})
}

// streaming sends a delta of a reply.
func streaming(r *rig, text string) {
	r.happen(updates.Status{Phase: updates.Streaming, Since: time.Now()}, updates.Delta{Text: text})
}

func TestOnlyRequestedCompactionsShowASnackbar(t *testing.T) {
	const snackbar = "Conversation history has been automatically trimmed"
	for _, c := range []struct {
		source  conversation.Source
		trimmed bool
		want    string // "": nothing is said
	}{
		{conversation.SourceManual, false, "compacted turns 0–4 · 12.1k → 5.3k tokens"},
		{conversation.SourceAuto, false, ""},
		{conversation.SourceTool, false, ""},
		{conversation.SourceRecovery, false, ""},
		{conversation.SourceAuto, true, snackbar},
		{conversation.SourceTool, true, snackbar},
		{conversation.SourceRecovery, true, snackbar},
	} {
		t.Run(fmt.Sprint(c.source, c.trimmed), func(t *testing.T) {
			screen(t, func(r *rig, _ *tui.Options) { r.first.Events = history() }, func(r *rig) {
				before := r.text()
				byItself(r)
				r.has("Optimizing conversation context…")
				r.happen(updates.Compacted{Epoch: 5, Preview: plan, Source: c.source, Trimmed: c.trimmed})
				r.lacks("Optimizing")
				if c.want != "" {
					r.has(" " + c.want)
					r.pass(4*time.Second + time.Millisecond)
				}
				if r.text() != before {
					t.Errorf("it leaves something behind:\n%s", r.text())
				}
			})
		})
	}
}

// Esc stops the turn first, then the summary. The hint names esc only while it stops something.
func TestWhatEscStops(t *testing.T) {
	const hint, held = "(esc stops it)", " · the request waits"
	screen(t, func(r *rig, _ *tui.Options) { r.first.Events = history() }, func(r *rig) {
		since := byItself(r)
		streaming(r, "So")
		r.pass(20 * time.Second)
		r.lacks(hint, held)
		r.calls = nil
		r.press("esc")
		r.wantCalls("first cancel")
		r.lacks("(stopping)") // the summary goes on
		r.happen(updates.Status{Phase: updates.Stopping, Since: time.Now()})
		r.lacks(hint)
		r.happen(updates.Status{Phase: updates.Idle})
		r.has("so far " + hint)

		r.enter("!sleep")
		r.lacks(hint)  // it would stop the command
		r.press("esc") // it ends
		r.has(hint)

		hold(r, since)
		r.happen(updates.Queued{Texts: []string{"and then?"}})
		r.has(held+" "+hint, "queued: and then?  (alt+↑ to edit)")
		r.calls = nil
		r.press("esc")
		r.wantCalls("first cancel")
		r.has("(stopping)")
		r.lacks(held)
		r.happen(updates.CompactionFailed{Err: &llm.Error{Class: llm.Cancelled}, Request: edit.Request{Source: conversation.SourceAuto}},
			updates.Status{Phase: updates.Waiting, Since: time.Now()})
		r.has("(esc or alt+↑ to edit)")
		r.lacks("Optimizing")
	})
}

// The spinner and the seconds move without a turn, and stop with the summary.
func TestTheSummaryIndicatorMovesWithoutATurn(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.first.Events = history() }, func(r *rig) {
		byItself(r)
		for _, seconds := range []string{"1s", "2s", "3s"} {
			r.pass(time.Second + time.Millisecond)
			r.has("context… " + seconds)
		}
		r.happen(updates.Compacted{Preview: plan, Source: conversation.SourceAuto})
		r.pass(time.Second)
		r.rests("at rest")
	})
}
