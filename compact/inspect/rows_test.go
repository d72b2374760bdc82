package inspect_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// checkRows checks what holds for the rows of any log and view.
func checkRows(t *rapid.T, log []conversation.Event, v projection.View) []inspect.HistoryRow {
	rows := inspect.HistoryRows(log, v)
	said := map[uint64]bool{}
	k := 0
	for i, e := range log {
		if _, ok := compacttest.OriginalSize(e.Body); !ok {
			continue
		}
		said[e.Seq] = true
		if k == len(rows) || rows[k].Event != i {
			t.Fatalf("row %d is not that of event %d", k, e.Seq)
		}
		k++
	}
	if k != len(rows) {
		t.Fatalf("%d rows for %d events that say something", len(rows), k)
	}
	var want, got conversation.Size
	for i := range v.Messages {
		m := &v.Messages[i]
		if slices.ContainsFunc(m.Events, func(seq uint64) bool { return said[seq] }) {
			want = want.Plus(m.After())
		}
	}
	for _, r := range rows {
		got = got.Plus(r.After)
		if r.State == "" || r.Message >= len(v.Messages) || r.ShowsMessage && r.Message < 0 {
			t.Fatalf("%+v", r)
		}
	}
	if got != want {
		t.Fatalf("the rows are sent as %+v, the messages as %+v", got, want)
	}
	return rows
}

func TestEveryEventThatSaysSomethingHasOneRow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := brokenLog(t)
		v := projection.Project(log)
		rows := checkRows(t, log, v)
		firsts := map[int]int{}
		for _, r := range rows {
			seq := log[r.Event].Seq
			if r.ShowsMessage {
				firsts[r.Message]++
			}
			if r.Message >= 0 {
				m := v.Messages[r.Message]
				if !slices.Contains(m.Events, seq) || r.State != m.State || r.Why != m.Why || r.Overlay != m.Overlay {
					t.Fatalf("row of event %d: %+v; message %+v", seq, r, m)
				}
				continue
			}
			i := slices.IndexFunc(v.Absent, func(a projection.Absence) bool { return a.Event == seq })
			if i < 0 || r.State != v.Absent[i].State || r.Why != v.Absent[i].Why || r.Overlay != v.Absent[i].Overlay {
				t.Fatalf("row of event %d: %+v; absent %+v", seq, r, v.Absent)
			}
		}
		for message, n := range firsts {
			if n != 1 {
				t.Fatalf("message %d is shown on %d rows", message, n)
			}
		}
	})
}

func TestRowsSayWhatBecameOfEachEvent(t *testing.T) {
	t.Parallel()
	l := compacttest.FilesRead(4, 60).Epoch(compacttest.MaskResults(3)).Epoch(conversation.Pin{Events: []uint64{7}}).Epoch(conversation.Rewind{Turn: 3})
	log := l.Events()
	type told struct {
		Event   uint64
		State   projection.State
		Overlay uint64
		Sent    bool
	}
	var got []told
	for _, r := range inspect.HistoryRows(log, projection.Project(log)) {
		if r.State != projection.StateVerbatim {
			got = append(got, told{log[r.Event].Seq, r.State, r.Overlay, r.After.Chars() > 0})
		}
	}
	want := []told{{3, projection.StateMasked, 17, true}, {6, projection.StatePinned, 0, true}, {7, projection.StatePinned, 0, true},
		{13, projection.StateDropped, 19, false}, {14, projection.StateDropped, 19, false}, {15, projection.StateDropped, 19, false}, {16, projection.StateDropped, 19, false}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// brokenLog draws a log as it may be read from a damaged file: without its beginning, without some other events, or with events
// of unknown content.
func brokenLog(t *rapid.T) []conversation.Event {
	log := slices.Clone(compacttest.RandomLog(t))
	for range rapid.IntRange(0, 3).Draw(t, "breaks") {
		if len(log) == 0 {
			break
		}
		at := rapid.IntRange(0, len(log)-1).Draw(t, "at")
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			log = log[at:]
		case 1:
			log = slices.Delete(log, at, at+1)
		case 2:
			log[at].Body = conversation.Unknown{Name: log[at].Body.Kind(), Raw: conversation.RawJSON(`{`)}
		}
	}
	return log
}
