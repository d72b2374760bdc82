package compact_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// undo and redo do what the commands do, and report whether there was anything.
func (l *tale) undo(t *testing.T) bool {
	t.Helper()
	r, err := compact.Undo(l.events(), 0)
	if err != nil && !errors.Is(err, compact.ErrNothingToUndo) {
		t.Fatal(err)
	}
	if err == nil {
		l.pass(r)
	}
	return err == nil
}

func (l *tale) redo(t *testing.T) bool {
	t.Helper()
	r, err := compact.Redo(l.events())
	if err != nil && !errors.Is(err, compact.ErrNothingToRedo) {
		t.Fatal(err)
	}
	if err == nil {
		l.pass(r)
	}
	return err == nil
}

// inForce is which epochs are in force, in the order of the log.
func inForce(l *tale) (ids []uint64) {
	for _, e := range compact.Epochs(l.events()) {
		if e.InForce != (e.Reverted == 0) {
			panic("an epoch is in force or was taken back by something")
		}
		if e.InForce {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

func TestUndoAndRedoWalkThroughTheEpochs(t *testing.T) {
	t.Parallel()
	l := filesRead(4, 60)
	if l.undo(t) || l.redo(t) {
		t.Fatal("there is something to undo in a conversation that was never compacted")
	}
	var views [][]compact.Message
	look := func() []compact.Message { return compact.Project(l.events()).Messages }
	views = append(views, look())
	l.pass(masks(3), masks(7)) // epoch 17
	views = append(views, look())
	l.pass(masks(11)) // epoch 19
	views = append(views, look())

	steps := []struct {
		do   func(*testing.T) bool
		done bool
		view int
	}{
		{l.redo, false, 2}, {l.undo, true, 1}, {l.undo, true, 0}, {l.undo, false, 0},
		{l.redo, true, 1}, {l.redo, true, 2}, {l.redo, false, 2},
		{l.undo, true, 1}, {l.redo, true, 2}, {l.undo, true, 1}, {l.undo, true, 0}, {l.redo, true, 1}, {l.undo, true, 0},
	}
	for i, s := range steps {
		if s.do(t) != s.done {
			t.Fatalf("step %d: done is %v", i, !s.done)
		}
		if d := cmp.Diff(views[s.view], look(), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("step %d:\n%s", i, d)
		}
	}
	l.pass(masks(15))
	if l.redo(t) {
		t.Error("a compaction was brought back although another one was made since")
	}
}

func TestUndoTakesBackTheEpochAskedFor(t *testing.T) {
	t.Parallel()
	l := filesRead(4, 60).pass(masks(3)).pass(masks(7))
	r, err := compact.Undo(l.events(), 17)
	if err != nil || r.Epoch != 17 {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := compact.Undo(l.events(), 3); !errors.Is(err, compact.ErrNothingToUndo) {
		t.Errorf("event 3 is no compaction: %v", err)
	}
	if d := cmp.Diff([]uint64{18}, inForce(l.pass(r))); d != "" {
		t.Error(d)
	}
}

func TestEpochsWithoutANumberAreTheirOwn(t *testing.T) {
	t.Parallel()
	l := filesRead(4, 60).add(masks(3), masks(7)) // as a foreign log may have them
	if !l.undo(t) {
		t.Fatal("nothing to undo")
	}
	if d := cmp.Diff([]uint64{17}, inForce(l)); d != "" {
		t.Error(d)
	}
	l.redo(t)
	if d := cmp.Diff([]uint64{17, 18}, inForce(l)); d != "" {
		t.Error(d)
	}
}

func TestAnOverlayTakenBackAloneCanBeBroughtBack(t *testing.T) {
	t.Parallel()
	l := filesRead(4, 60).pass(masks(3))
	l.pass(conversation.Revert{Event: 17})
	if d := cmp.Diff([]uint64(nil), inForce(l)); d != "" {
		t.Error(d)
	}
	if !l.redo(t) {
		t.Fatal("nothing to redo")
	}
	if d := cmp.Diff([]uint64{17}, inForce(l)); d != "" {
		t.Error(d)
	}
}

func TestLastCompactionIsTheNewestInForce(t *testing.T) {
	t.Parallel()
	byProfile := conversation.Made{Source: conversation.SourceManual, Profile: compact.ProfileDefault}
	l := filesRead(2, 60).passed(byProfile, masks(3))
	l.user("And more.").passed(byProfile, masks(7))
	check := func(want int, ok bool) {
		t.Helper()
		if turn, found := compact.LastCompaction(l.events()); turn != want || found != ok {
			t.Errorf("turn %d, %v; want %d, %v", turn, found, want, ok)
		}
	}
	check(2, true)
	l.undo(t)
	check(1, true)
	l.user("And even more.").pass(masks(7)) // by hand
	check(1, true)
	l.undo(t)
	l.undo(t)
	check(0, false)
}

func TestWhatWasUndoneIsNotInForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, randomLog(t))
		for range 3 {
			r, err := compact.Undo(w.Events(), 0)
			if err != nil {
				return
			}
			w.Add(t, conversation.WithMade(r, conversation.Made{Epoch: uint64(len(w.Events()) + 1)}))
			for _, e := range compact.Epochs(w.Events()) {
				if e.ID == r.Epoch && (e.InForce || e.Reverted != uint64(len(w.Events()))) {
					t.Fatalf("%+v was undone, and is %+v", r, e)
				}
			}
		}
	})
}
