package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/compact/planner"
	"plimsoll/conversation"
)

func automaticOrigin(trigger string, before, after int) conversation.Origin {
	return conversation.Origin{Source: conversation.SourceAuto, Trigger: trigger, Before: before, After: after}
}

func TestFailedAutomaticAttemptsAreNotShown(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 120, 60, turns(1)...)
	before := r.screen()
	for _, source := range []conversation.Source{conversation.SourceAuto, conversation.SourceRecovery} {
		for _, outcome := range []string{conversation.AttemptFailed, conversation.AttemptCancelled, conversation.AttemptStale} {
			r.addAt(timeAt(14, 6), conversation.Attempt{Source: source, Outcome: outcome, Why: "the summary came back empty"})
		}
	}
	r.Reset(r.log.Events())
	if r.screen() != before {
		t.Errorf("failed automatic attempts are shown:\n%s", r.screen())
	}
	for _, source := range []conversation.Source{conversation.SourceManual, conversation.SourceTool} {
		r.addAt(timeAt(14, 7), conversation.Attempt{Source: source, Outcome: conversation.AttemptFailed, Model: "dead/x", Why: "asked by " + string(source) + "; nothing was changed"})
		r.wantText(t, "▎ Compaction failed: asked by "+string(source), "▎ summary model dead/x · nothing changed")
		r.wantNoText(t, "nothing was changed")
	}
}

// addTurnWithCompactions adds a turn of n requests, each with a compaction before it that masks the
// previous result.
func (r *rig) addTurnWithCompactions(n int) (epochs []uint64) {
	r.addAt(timeAt(14, 0), user("go on"))
	for i := range n {
		id := fmt.Sprint(r.log.Len())
		r.addAt(timeAt(14, 2+i), calls(call(id, "read_file", `{"path":"upload.go"}`)), result(id, conversation.ResultOK, "one line"))
		epochs = append(epochs, r.addCompaction(timeAt(14, 2+i), automaticOrigin(planner.TriggerRequest, 31_000+1000*i, 30_500+1000*i), maskOf(uint64(r.log.Len()))))
	}
	r.addAt(timeAt(14, 9), reply("Done."))
	return epochs
}

func TestCompactionsBeforeRequestsOfATurnShareALine(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 120, 60)
	first, second := r.addTurnWithCompactions(3), r.addTurnWithCompactions(1)
	r.wantText(t, fmt.Sprintf(" · 14:02 compacted before 3 requests: 1.5k tokens less · /undo-compact %d", first[2]),
		" · 14:02 compacted before a request: 31k → 30.5k · ctrl+x undo")
	if n := strings.Count(r.screen(), "compacted"); n != 2 {
		t.Errorf("%d lines for two turns:\n%s", n, r.screen())
	}
	click := func(y int, word string) uint64 {
		t.Helper()
		before, _, _ := strings.Cut(r.lines()[y], word)
		r.Press(len([]rune(before)), y)
		return r.Release().Undo
	}
	if got := click(r.row("3 requests"), "/undo"); got != first[2] {
		t.Errorf("a click undoes %d, want %d", got, first[2])
	}

	r.addUndo(t, timeAt(15, 0), second[0])
	r.addUndo(t, timeAt(15, 1), first[2])
	r.wantText(t, "14:02 compacted (partly undone) before 3 requests: 1.5k tokens less · ctrl+x undo", "compacted (undone) before a request: 31k → 30.5k")
	if got := click(r.row("3 requests"), "ctrl+x"); got != first[1] {
		t.Errorf("a click undoes %d, want %d", got, first[1])
	}
	for _, width := range []int{200, 60, 20, 3, 1} {
		r.SetSize(width, 60)
		wantValidView(t, r.View(), width, 60)
	}
	r.SetSize(120, 60)
	for _, epoch := range first[:2] {
		r.addUndo(t, timeAt(15, 2), epoch)
	}
	r.wantText(t, "14:02 compacted (undone) before 3 requests: 1.5k tokens less")
	if got := click(r.row("3 requests"), "undone"); got != 0 {
		t.Errorf("a click on an undone compaction undoes %d", got)
	}
}

// A compaction after another overlay, or in the next turn, begins a new line.
func TestAnotherOverlayEndsTheSharedLine(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 100, 60)
	r.addTurnWithCompactions(2)
	r.addCompaction(timeAt(14, 5), automaticOrigin(planner.TriggerThreshold, 33_000, 9000), summaryOf(0, 0))
	r.addCompaction(timeAt(14, 6), automaticOrigin(planner.TriggerRequest, 10_000, 9000), maskOf(3))
	r.wantText(t, "before 2 requests", "▎ Compacted turn 1   33k", "14:06 compacted before a request")
}
