package edit_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// copyUntil returns the copy of a log that a fork before an event makes.
func copyUntil(t interface{ Fatalf(string, ...any) }, log []conversation.Event, before uint64) (copied []conversation.Event, kept int) {
	events, behind := edit.CutBefore(log, before)
	l, err := conversation.NewLog(events)
	if err != nil {
		t.Fatalf("the copied events are not a valid log: %v", err)
	}
	if err := l.Commit(l.Prepare(conversationtest.Epoch, behind...)); err != nil {
		t.Fatalf("commit: %v", err)
	}
	return l.Events(), len(events)
}

// inForceAmong lists the Seq of the overlays and reverts in force among the first n
// events of a log.
func inForceAmong(log []conversation.Event, n int) []uint64 {
	var seqs []uint64
	for _, i := range append(conversation.OverlaysInForce(log), conversation.RevertsInForce(log)...) {
		if i < n {
			seqs = append(seqs, log[i].Seq)
		}
	}
	slices.Sort(seqs)
	return seqs
}

// accountedFor lists the events that a view shows or lists as absent, ascending.
func accountedFor(v projection.View) []uint64 {
	var seqs []uint64
	for i, m := range v.Messages {
		if i > 0 && m.State == projection.StateSummarised && slices.Equal(m.Events, v.Messages[i-1].Events) {
			continue // the second of a pair
		}
		seqs = append(seqs, m.Events...)
	}
	for _, a := range v.Absent {
		seqs = append(seqs, a.Event)
	}
	slices.Sort(seqs)
	return seqs
}

// hasFutureEpoch reports whether an overlay names an epoch that has not begun, as only a
// damaged log does.
func hasFutureEpoch(log []conversation.Event) bool {
	return slices.ContainsFunc(log, func(e conversation.Event) bool { return conversation.EpochOf(e) > e.Seq })
}

func TestCopyAtAnyCutShowsOrAccountsForItsMessages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := compacttest.RandomLog(t)
		before := uint64(rapid.IntRange(0, len(log)+2).Draw(t, "before"))
		events, kept := copyUntil(t, log, before)
		if d := cmp.Diff(log[:kept], events[:kept], cmpopts.EquateEmpty()); d != "" || kept > 0 && log[kept-1].Seq >= before {
			t.Fatalf("cut before event %d: the copy has %d events (-log +copy)\n%s", before, kept, d)
		}
		if before > uint64(len(log)) && len(events) != len(log) {
			t.Fatalf("cut after its end: the log has %d events, the copy %d", len(log), len(events))
		}
		var said []uint64
		for _, e := range events[:kept] {
			if _, sent := compacttest.OriginalSize(e.Body); sent {
				said = append(said, e.Seq)
			}
		}
		v := projection.Project(events)
		if d := cmp.Diff(said, accountedFor(v), cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("cut before event %d (-log +view)\n%s", before, d)
		}
		c := compacttest.Capabilities(t)
		messages, _ := projection.Harden(v, c) // a reply may stand last
		compacttest.CheckRequest(t, messages, c)
		if !hasFutureEpoch(log) {
			if d := cmp.Diff(inForceAmong(log, kept), inForceAmong(events, kept)); d != "" {
				t.Fatalf("overlays in force in the copy (-log +copy)\n%s", d)
			}
		}
	})
}

// Overlays after the cut show the kept events in the copy as in the log.
func TestOverlaysAfterACutShowTheSameInTheCopy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := compacttest.RandomLog(t)
		w, end := conversationtest.NewWriter(t, base), uint64(len(base))
		for range rapid.IntRange(0, 4).Draw(t, "proposals") {
			epoch := uint64(len(w.Events()) + 1)
			for range rapid.IntRange(1, 3).Draw(t, "overlays") {
				if body := w.Overlay(t); !reachesPast(body, end) {
					w.Add(t, conversation.WithOrigin(body, conversation.Origin{Epoch: epoch}))
				}
			}
		}
		log := w.Events()
		if hasFutureEpoch(log) {
			t.Skip("a damaged log")
		}
		events, _ := copyUntil(t, log, end+1)
		numbers := cmp.Options{
			cmpopts.IgnoreFields(projection.Message{}, "Overlay"), cmpopts.IgnoreFields(projection.Absence{}, "Overlay"), cmpopts.EquateEmpty(),
		}
		want, got := projection.Project(log), projection.Project(events)
		if d := cmp.Diff(want.Messages, got.Messages, numbers); d != "" {
			t.Fatalf("messages (-log +copy)\n%s", d)
		}
		if d := cmp.Diff(want.Absent, got.Absent, numbers); d != "" {
			t.Fatalf("absent (-log +copy)\n%s", d)
		}
	})
}

// reachesPast reports whether spans of an overlay end after an event.
func reachesPast(b conversation.Body, end uint64) bool {
	var spans []conversation.Span
	switch b := b.(type) {
	case conversation.Summary:
		spans = b.Spans
	case conversation.Drop:
		spans = b.Spans
	}
	return slices.ContainsFunc(spans, func(s conversation.Span) bool { return s.Last > end })
}

func TestCopiedEpochsCanBeUndoneAndRedone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := compacttest.PlimsollLog(t)
		events, kept := copyUntil(t, log, uint64(rapid.IntRange(1, len(log)+1).Draw(t, "before")))
		for _, e := range events[kept:] {
			if made, _ := conversation.OriginOf(e.Body); made.Epoch == 0 || made.Epoch > e.Seq || conversation.EpochOf(events[made.Epoch-1]) != made.Epoch {
				t.Fatalf("overlay %d has the epoch %d, which the copy lacks", e.Seq, made.Epoch)
			}
		}
		revert, err := edit.Undo(events, 0)
		if err != nil {
			return
		}
		undone := append(slices.Clip(events), conversation.NextEvents(events, conversationtest.Epoch, revert)...)
		for _, e := range conversation.Epochs(undone) {
			if e.ID == revert.Epoch && e.InForce {
				t.Fatalf("epoch %d is in force although it was undone", e.ID)
			}
		}
		again, err := edit.Redo(undone)
		conversationtest.Must(t, err)
		redone := append(slices.Clip(undone), conversation.NextEvents(undone, conversationtest.Epoch, again)...)
		if d := cmp.Diff(projection.Project(events).Messages, projection.Project(redone).Messages); d != "" {
			t.Fatalf("the view after undo and redo (-before +after)\n%s", d)
		}
	})
}

// threeTurns is a log of three turns with a call each, of five events: user, reply,
// usage, result, reply.
func threeTurns(overlays ...conversation.Body) []conversation.Event {
	var bodies []conversation.Body
	for _, id := range []string{"a", "b", "c"} {
		bodies = append(bodies, conversation.UserMessage{Text: "do " + id},
			conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: id, Name: "ls", Arguments: "{}"}}, Stop: conversation.StopCalls},
			conversation.Usage{Reply: 2}, conversation.ToolResult{CallID: id, Tool: "ls", Status: conversation.ResultOK, Text: "files of " + id},
			conversation.AssistantMessage{Text: "did " + id, Stop: conversation.StopEnd})
	}
	return compacttest.AppendTo(nil, append(bodies, overlays...)...)
}

func ofEpoch(epoch uint64) conversation.Origin { return conversation.Origin{Epoch: epoch} }

func oneSpan(first, last uint64) []conversation.Span {
	return []conversation.Span{{First: first, Last: last}}
}

// Overlays begin at 16; the copy has the ten events of turns 0 and 1.
func TestOverlaysThatAForkCopies(t *testing.T) {
	t.Parallel()
	policies := &conversation.Policies{ToolCalls: conversation.ToolCallsStrip, Response: true}
	item := func(seq uint64) conversation.MaskItem {
		return conversation.MaskItem{Event: seq, Part: conversation.PartResult}
	}
	tests := map[string]struct{ made, want []conversation.Body }{
		"masks with what lies before": {
			[]conversation.Body{conversation.Mask{Origin: ofEpoch(16), Items: []conversation.MaskItem{item(4), item(14)}}, conversation.Mask{Origin: ofEpoch(16), Items: []conversation.MaskItem{item(14)}}},
			[]conversation.Body{conversation.Mask{Origin: ofEpoch(11), Items: []conversation.MaskItem{item(4)}}}},
		"caps and pins with what lies before": {
			[]conversation.Body{conversation.Cap{Items: []conversation.CapItem{{Event: 14}, {Event: 9}}}, conversation.Pin{Events: []uint64{1, 11}}, conversation.Unpin{Events: []uint64{11}}},
			[]conversation.Body{conversation.Cap{Origin: ofEpoch(11), Items: []conversation.CapItem{{Event: 9}}}, conversation.Pin{Origin: ofEpoch(12), Events: []uint64{1}}}},
		"summaries and drops that lie before": {
			[]conversation.Body{
				conversation.Drop{Origin: ofEpoch(16), Spans: oneSpan(1, 5)}, conversation.Drop{Origin: ofEpoch(16), Spans: oneSpan(1, 15)},
				conversation.Summary{Origin: ofEpoch(18), Spans: oneSpan(6, 10), Text: "b"}, conversation.Summary{Origin: ofEpoch(18), Spans: oneSpan(6, 15), Text: "b, c"},
				conversation.Summary{Origin: ofEpoch(18), Spans: oneSpan(1, 10), Text: "a, b", Parents: []uint64{18, 19}},
			},
			[]conversation.Body{conversation.Drop{Origin: ofEpoch(11), Spans: oneSpan(1, 5)}, conversation.Summary{Origin: ofEpoch(12), Spans: oneSpan(6, 10), Text: "b"},
				conversation.Summary{Origin: ofEpoch(12), Spans: oneSpan(1, 10), Text: "a, b", Parents: []uint64{12}}}},
		"policies, cut": {
			[]conversation.Body{conversation.Summary{Spans: oneSpan(1, 15), ToTurn: 2, Policies: policies}, conversation.Summary{Spans: oneSpan(11, 15), Policies: policies}},
			[]conversation.Body{conversation.Summary{Origin: ofEpoch(11), Spans: oneSpan(1, 10), ToTurn: 1, Policies: policies}}},
		"nothing that was taken back": {
			[]conversation.Body{conversation.Pin{Origin: ofEpoch(16), Events: []uint64{1}}, conversation.Revert{Origin: ofEpoch(17), Epoch: 16}}, nil},
		"what was brought back": {
			[]conversation.Body{conversation.Pin{Origin: ofEpoch(16), Events: []uint64{1}}, conversation.Revert{Origin: ofEpoch(17), Epoch: 16}, conversation.Revert{Origin: ofEpoch(18), Epoch: 17, Redoes: 16}},
			[]conversation.Body{conversation.Pin{Origin: ofEpoch(11), Events: []uint64{1}}}},
		"no turns that were taken back around the cut": {[]conversation.Body{conversation.Rewind{Origin: ofEpoch(16), Turn: 1}}, nil},
	}
	for name, tt := range tests {
		_, got := edit.CutBefore(threeTurns(tt.made...), 11)
		if d := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
	}
}

func TestTurnStartCountsFromBothEnds(t *testing.T) {
	t.Parallel()
	log := threeTurns(conversation.Rewind{Turn: 2}, conversation.UserMessage{Text: "instead"})
	for turn, want := range map[int]uint64{0: 1, 1: 6, 2: 11, 3: 17, -1: 6, -2: 1} {
		if got, err := edit.TurnStart(log, turn); got != want || err != nil {
			t.Errorf("turn %d begins at %d, %v; want %d", turn, got, err, want)
		}
	}
	for _, turn := range []int{4, -3, -1 << 63, 1<<63 - 1} {
		if got, err := edit.TurnStart(log, turn); !errors.Is(err, edit.ErrNoTurn) {
			t.Errorf("turn %d begins at %d, %v; want no such turn", turn, got, err)
		}
	}
	if _, err := edit.TurnStart(nil, 0); !errors.Is(err, edit.ErrNoTurn) {
		t.Errorf("an empty log has a turn: %v", err)
	}
}
