package inspect_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// entered is what tests look at of an entry.
type entered struct {
	Kind   inspect.EntryKind
	Event  uint64
	Result inspect.EntryResult
	About  uint64
}

func logEntries(l *compacttest.LogBuilder) (list []entered) {
	for _, e := range inspect.CompactionLog(l.Events()) {
		list = append(list, entered{e.Kind, e.Event, e.Result, e.Target})
	}
	return list
}

func TestCompactionLogListsEntriesInTheirOrder(t *testing.T) {
	t.Parallel()
	l := compacttest.FilesRead(4, 60)                                   // 16 events
	l.Epoch(compacttest.MaskResults(3), compacttest.MaskResults(7))     // 17, 18
	l.Epoch(conversation.Pin{Events: []uint64{11}})                     // 19
	l.Epoch(conversation.Unpin{Events: []uint64{11}})                   // 20
	l.Add(conversation.Attempt{Outcome: conversation.AttemptStale})     // 21
	l.Epoch(conversation.Revert{Epoch: 17})                             // 22
	l.Epoch(conversation.Revert{Epoch: 22, Redoes: 17})                 // 23
	l.Epoch(conversation.Rewind{Turn: 2})                               // 24
	l.Epoch(conversation.Revert{Epoch: 24})                             // 25
	l.Epoch(conversation.Rewind{Turn: 3})                               // 26
	l.Add(conversation.Attempt{Outcome: conversation.AttemptCancelled}) // 27
	l.Epoch(compacttest.MaskResults(11))                                // 28
	l.Epoch(conversation.Revert{Event: 28})                             // 29
	l.Add(conversation.Attempt{Outcome: "odd"})                         // 30
	want := []entered{
		{inspect.EntryEpoch, 17, inspect.ResultInForce, 0},
		{inspect.EntryPin, 19, inspect.ResultInForce, 0},
		{inspect.EntryUnpin, 20, inspect.ResultInForce, 0},
		{inspect.EntryAttempt, 21, inspect.ResultStale, 0},
		{inspect.EntryUndo, 22, inspect.ResultUndone, 17},
		{inspect.EntryRedo, 23, inspect.ResultInForce, 17},
		{inspect.EntryRewind, 24, inspect.ResultUndone, 0},
		{inspect.EntryRestore, 25, inspect.ResultInForce, 24},
		{inspect.EntryRewind, 26, inspect.ResultInForce, 0},
		{inspect.EntryAttempt, 27, inspect.ResultCancelled, 0},
		{inspect.EntryEpoch, 28, inspect.ResultUndone, 0},
		{inspect.EntryUndo, 29, inspect.ResultInForce, 28},
		{inspect.EntryAttempt, 30, inspect.ResultFailed, 0},
	}
	if d := cmp.Diff(want, logEntries(l)); d != "" {
		t.Error(d)
	}
}

func TestEveryOverlayIsPartOfOneEntry(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, compacttest.RandomLog(t))
		for range rapid.IntRange(0, 3).Draw(t, "attempts") {
			w.Add(t, conversation.Attempt{Outcome: rapid.SampledFrom([]string{"failed", "cancelled", "stale", ""}).Draw(t, "outcome")})
			w.AddEpoch(t)
		}
		log := w.Events()
		if rapid.Bool().Draw(t, "a part") && len(log) > 0 {
			log = log[rapid.IntRange(0, len(log)-1).Draw(t, "begins"):]
		}
		force := map[uint64]bool{}
		for _, i := range append(conversation.OverlaysInForce(log), conversation.RevertsInForce(log)...) {
			force[log[i].Seq] = true
		}
		type key struct {
			isEpoch bool
			event   uint64
		}
		type state struct {
			overlays int
			force    bool
		}
		want, attempts := map[key]state{}, 0
		for _, e := range log {
			k := key{event: e.Seq}
			switch e.Body.(type) {
			case conversation.Attempt:
				attempts++
			case conversation.Cap, conversation.Mask, conversation.Summary, conversation.Drop:
				k = key{true, conversation.EpochOf(e)}
			}
			if _, ok := conversation.OriginOf(e.Body); ok {
				want[k] = state{want[k].overlays + 1, want[k].force || force[e.Seq]}
			}
		}
		got := map[key]state{}
		list := inspect.CompactionLog(log)
		for _, e := range list {
			if e.Result == inspect.ResultUnused {
				continue // it has neither an overlay nor an attempt
			}
			if e.Kind == inspect.EntryAttempt {
				attempts--
				continue
			}
			k := key{e.Kind == inspect.EntryEpoch, e.Event}
			if _, twice := got[k]; twice {
				t.Fatalf("two entries for %+v", k)
			}
			got[k] = state{e.Overlays, e.Result == inspect.ResultInForce}
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(key{}, state{})); d != "" || attempts != 0 {
			t.Fatalf("%d attempts are not listed; %s", attempts, d)
		}
		checkEpochs(t, log, list)
	})
}

// checkEpochs compares the compactions of a compaction log with the epochs of its log.
func checkEpochs(t *rapid.T, log []conversation.Event, list []inspect.Entry) {
	list = slices.DeleteFunc(slices.Clone(list), func(e inspect.Entry) bool { return e.Kind != inspect.EntryEpoch })
	epochs := conversation.Epochs(log)
	if len(epochs) != len(list) {
		t.Fatalf("%d epochs, %d entries", len(epochs), len(list))
	}
	for i, e := range epochs {
		if l := list[i]; l.Event != e.ID || l.Overlays != len(e.Overlays) || (l.Result == inspect.ResultInForce) != e.InForce {
			t.Fatalf("epoch %+v is listed as %+v", e, l)
		}
	}
}
