package history_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/tui/history"
	"plimsoll/tui/pane"
)

func TestTheLedger(t *testing.T) {
	t.Parallel()
	price := 0.02
	r := newRig(t, 90, 24)
	r.Model = history.New(&r.keys, time.UTC, true)
	r.SetSize(40, 10)
	wantTexts(t, r.screen(), "No compactions yet.", "automatically.", "c preview a compaction · q close")
	r.SetSize(40, 8)
	if top, _ := r.screen(), r.press("j"); !strings.Contains(top, "No compactions yet.") || !strings.Contains(r.screen(), "2–6 of 6") {
		t.Errorf("without a compaction the ledger shows\n%s\nand after a step down\n%s", top, r.screen())
	}
	r.SetSize(90, 24)
	r.add(conversation.UserMessage{Text: "hello"}, conversation.AssistantMessage{Text: "hi"})
	r.add(conversation.UserMessage{Text: "and more"})
	r.add(conversation.Usage{Model: "m", Purpose: conversation.PurposeSummary, CostUSD: &price, Prompt: 900, Completion: 40},
		conversation.Attempt{Source: conversation.SourceAuto, Trigger: "load line", Outcome: conversation.AttemptFailed, Why: "it was \x1b[31mempty", Model: "m", Before: 91_000})
	undone := r.compact("all shortened", maskOf(2))
	revert, err := edit.Undo(r.log.Events(), 0)
	if err != nil {
		t.Fatal(err)
	}
	r.add(revert)
	kept := r.compact("turn 0 evicted", conversation.Drop{Spans: []conversation.Span{{First: 1, Last: 2}}})
	r.showLog()
	view := r.screen()
	for _, want := range []string{"2 compactions, 1 active · 1 failed attempt · $0.02 for summaries", "at ~91k", "failed", "all shortened", "undone", "~91k → ~34k     active"} {
		if !strings.Contains(view, want) {
			t.Errorf("no %q in\n%s", want, view)
		}
	}
	for _, c := range []struct {
		at   uint64
		key  string
		want pane.Action
	}{
		{kept, "u", pane.Undo{Epoch: kept}},
		{kept, "o", pane.Jump{Event: kept}},
		{kept, "c", pane.Preview{}},
		{undone, "r", pane.Redo{}},
		{undone, "u", pane.Snackbar{Text: "this compaction is already undone", Failure: true}},
		{kept, "tab", nil},
		{kept, "q", pane.Closed{}},
	} {
		r.moveTo(c.at)
		if diff := cmp.Diff(c.want, r.press(c.key)); diff != "" {
			t.Errorf("%s on e%d:\n%s", c.key, c.at, diff)
		}
	}
	r.press("home", "enter")
	if view := r.screen(); !strings.Contains(view, "set off by load line") || !strings.Contains(view, "summary by m, 900 tokens read, 40 written\n") {
		t.Errorf("the unfolded row shows\n%s", view)
	}
	r.SetSize(120, 24)
	if diff := cmp.Diff(pane.Action(pane.Jump{Event: kept}), r.press("end", "enter")); diff != "" {
		t.Errorf("with the details beside it Enter gives\n%s", diff)
	}
}
