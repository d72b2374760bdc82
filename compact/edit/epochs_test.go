package edit_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func redo(t *testing.T, l *compacttest.Tale) bool {
	t.Helper()
	r, err := edit.Redo(l.Events())
	if err != nil && !errors.Is(err, edit.ErrNothingToRedo) {
		t.Fatal(err)
	}
	if err == nil {
		l.Epoch(r)
	}
	return err == nil
}

func TestUndoAndRedoWalkThroughTheEpochs(t *testing.T) {
	t.Parallel()
	l := compacttest.FilesRead(4, 60)
	if compacttest.Undo(t, l) || redo(t, l) {
		t.Fatal("there is something to undo in a conversation that was never compacted")
	}
	var views [][]projection.Message
	look := func() []projection.Message { return projection.Project(l.Events()).Messages }
	views = append(views, look())
	l.Epoch(compacttest.Masks(3), compacttest.Masks(7)) // epoch 17
	views = append(views, look())
	l.Epoch(compacttest.Masks(11)) // epoch 19
	views = append(views, look())

	steps := []struct {
		do   func(*testing.T, *compacttest.Tale) bool
		done bool
		view int
	}{
		{redo, false, 2}, {compacttest.Undo, true, 1}, {compacttest.Undo, true, 0}, {compacttest.Undo, false, 0},
		{redo, true, 1}, {redo, true, 2}, {redo, false, 2},
		{compacttest.Undo, true, 1}, {redo, true, 2}, {compacttest.Undo, true, 1}, {compacttest.Undo, true, 0}, {redo, true, 1}, {compacttest.Undo, true, 0},
	}
	for i, s := range steps {
		if s.do(t, l) != s.done {
			t.Fatalf("step %d: done is %v", i, !s.done)
		}
		if d := cmp.Diff(views[s.view], look(), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("step %d:\n%s", i, d)
		}
	}
	l.Epoch(compacttest.Masks(15))
	if redo(t, l) {
		t.Error("a compaction was brought back although another one was made since")
	}
}

func TestARangeFromTheLastCompactionBeginsBehindWhatThoseInForceCover(t *testing.T) {
	t.Parallel()
	byProfile := conversation.Made{Source: conversation.SourceManual, Profile: preset.ProfileDefault}
	l := compacttest.FilesRead(6, 60) // each turn has four events
	check := func(want int) {
		t.Helper()
		if turn := edit.AfterLastCompaction(l.Events()); turn != want {
			t.Errorf("turn %d, want %d", turn, want)
		}
	}
	check(0)
	l.EpochOf(byProfile, covering(l, 0, 1)) // made when the newest turn was 5
	check(2)
	l.User("And more.").Reply("Here.").EpochOf(byProfile, covering(l, 2, 3))
	check(4)
	l.EpochOf(byProfile, covering(l, 0, 0)) // what reaches less far takes nothing back
	check(4)
	compacttest.Undo(t, l)
	compacttest.Undo(t, l)
	check(2)
	l.Epoch(compacttest.Masks(15)) // by hand
	check(2)
	redo(t, l)
	check(2)
	compacttest.Undo(t, l)
	compacttest.Undo(t, l)
	check(0)
}

func TestATurnThatIsCoveredInPartIsNotBehindARangeFromTheLastCompaction(t *testing.T) {
	t.Parallel()
	auto := conversation.Made{Source: conversation.SourceAuto, Trigger: planner.TriggerLoadLine}
	for name, c := range map[string]struct {
		overlay conversation.Body
		want    int
	}{
		"a summary of half a turn":           {conversation.Summary{Text: "Read.", Spans: []conversation.Span{{First: 1, Last: 7}}, ToTurn: 1}, 1},
		"a summary of whole turns":           {conversation.Summary{Text: "Read.", Spans: []conversation.Span{{First: 1, Last: 8}}, ToTurn: 1}, 2},
		"units left out":                     {conversation.Drop{Spans: []conversation.Span{{First: 5, Last: 8}}}, 2},
		"a stub for the only result":         {compacttest.Masks(3, 7), 2},
		"an overlay of events that are gone": {compacttest.Masks(900), 0},
		"a summary of events that are gone":  {conversation.Summary{Text: "Read.", Spans: []conversation.Span{{First: 1, Last: 900}}, ToTurn: 1}, 0},
		"results shown in part":              {conversation.Cap{Items: []conversation.CapItem{{Event: 7, Head: 10, Tail: 10}}}, 2},
		"a summary that covers nothing":      {conversation.Summary{Text: "Read.", ToTurn: 3}, 0},
	} {
		l := compacttest.FilesRead(4, 60).EpochOf(auto, c.overlay)
		if got := edit.AfterLastCompaction(l.Events()); got != c.want {
			t.Errorf("%s: turn %d, want %d", name, got, c.want)
		}
	}
	l := compacttest.FilesRead(4, 60).EpochOf(auto, covering(compacttest.FilesRead(4, 60), 0, 2)).Add(conversation.Rewind{Turn: 1})
	if got := edit.AfterLastCompaction(l.Events()); got != 0 {
		t.Errorf("a summary of turns that were undone later: turn %d", got)
	}
	two := (&compacttest.Tale{}).User("Read both.").Call("read_file", `{"path":"a"}`, conversation.ResultOK, "one").Call("read_file", `{"path":"b"}`, conversation.ResultOK, "two").Reply("Read.")
	if got := edit.AfterLastCompaction(two.EpochOf(auto, compacttest.Masks(3)).Events()); got != 0 {
		t.Errorf("one of two results of a turn: turn %d", got)
	}
}

// covering is a summary of turns of a log.
func covering(l *compacttest.Tale, from, to int) conversation.Summary {
	r := edit.Range{From: from, To: to}
	return conversation.Summary{Text: "Read.", FromTurn: from, ToTurn: to, Spans: r.Spans(l.Events(), nil)}
}

func TestWhatWasUndoneIsNotInForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, compacttest.RandomLog(t))
		for range 3 {
			r, err := edit.Undo(w.Events(), 0)
			if err != nil {
				return
			}
			w.Add(t, conversation.WithMade(r, conversation.Made{Epoch: uint64(len(w.Events()) + 1)}))
			for _, e := range conversation.Epochs(w.Events()) {
				if e.ID == r.Epoch && (e.InForce || e.Reverted != uint64(len(w.Events()))) {
					t.Fatalf("%+v was undone, and is %+v", r, e)
				}
			}
		}
	})
}
