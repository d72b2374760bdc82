package agent_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

func TestUndoShowsTheSameBytesAndRedoBringsTheCompactionBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 5, nil)
		before, full := r.view(), r.reading().Used
		r.compacts(byProfile("", 1))
		reduced, epoch, small := r.view(), r.overlays()[0].Seq, r.reading().Used
		r.UndoCompaction(0)
		r.wait()
		if diff := cmp.Diff(before, r.view()); diff != "" {
			t.Errorf("after the undo: %s", diff)
		}
		if got := r.reading(); got.Used != full || !got.Estimated {
			t.Errorf("the meter shows %d, want %d", got.Used, full)
		}
		r.RedoCompaction()
		r.wait()
		if diff := cmp.Diff(reduced, r.view()); diff != "" {
			t.Errorf("after the redo: %s", diff)
		}
		if got := r.reading().Used; got != small {
			t.Errorf("the meter shows %d, want %d", got, small)
		}
		made := r.made()
		if len(made) != 3 || made[1].Epoch != epoch || !made[1].Undone || made[1].Redone || made[2].Epoch != epoch || !made[2].Redone || made[2].Undone {
			t.Fatalf("told %+v", made)
		}
		if p := made[1].Preview; p.Before != small || p.After != full || p.Profile != preset.ProfileDefault || p.Range != (edit.Range{From: 0, To: 3}) {
			t.Errorf("the undo is told as %+v", p)
		}
		for _, o := range r.overlays()[1:] {
			b := o.Body.(conversation.Revert)
			if b.Made.Epoch != o.Seq || b.Made.Source != conversation.SourceManual || !strings.Contains(b.Made.Why, "turns 0–3") {
				t.Errorf("e%d is %+v", o.Seq, b)
			}
		}
		r.idle()
		r.finish()
	})
}

func TestRedoNeedsAnUndoAndNoNewCompaction(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := talk(t, 5, nil)
		r.RedoCompaction()
		r.compacts(byProfile("", 3))
		r.UndoCompaction(0)
		r.compacts(byProfile("", 1))
		r.RedoCompaction()
		r.wait()
		refused := r.refused()
		if len(refused) != 2 || !strings.Contains(refused[0].Message, "no compaction to redo") || !strings.Contains(refused[1].Message, "another one ran since") {
			t.Errorf("told %v", refused)
		}
		if n := len(r.overlays()); n != 3 {
			t.Errorf("%d overlays", n)
		}
		r.finish()
	})
}

func TestUndoThatCannotBeStoredLeavesTheCompactionInForce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var full atomic.Bool
		r := talk(t, 4, diskFullWhile(&full), answers("fine"))
		r.compacts(byProfile("", 1))
		reduced := r.view()
		full.Store(true)
		r.UndoCompaction(0)
		r.wait()
		full.Store(false)
		if refused := r.refused(); len(refused) != 1 || refused[0].Class != llm.NotSaved {
			t.Fatalf("told %v", refused)
		}
		r.say("go on")
		if diff := cmp.Diff(reduced, r.view()[:len(reduced)]); diff != "" {
			t.Error(diff)
		}
		r.finish()
	})
}
