package edit_test

import (
	"errors"
	"slices"
	"strings"
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

// byHand appends an overlay as the agent does.
func byHand(log []conversation.Event, body conversation.Body) []conversation.Event {
	made, _ := conversation.MadeOf(body)
	made.Source, made.Trigger, made.Epoch = conversation.SourceManual, "command", uint64(len(log)+1)
	return compacttest.With(log, conversation.WithMade(body, made))
}

// steerable is a random log in which no overlay claims an epoch to come: whatever is
// appended has one of its own.
func steerable(t *rapid.T) []conversation.Event {
	log := slices.Clone(compacttest.RandomLog(t))
	for i, e := range log {
		if made, ok := conversation.MadeOf(e.Body); ok && made.Epoch > e.Seq {
			made.Epoch = e.Seq
			log[i].Body = conversation.WithMade(e.Body, made)
		}
	}
	return log
}

// someEvents draws events to steer: mostly of the log, in any order, some twice.
func someEvents(t *rapid.T, w *conversationtest.Writer) (events []uint64) {
	for range rapid.IntRange(0, 6).Draw(t, "chosen") {
		events = append(events, w.Seq(t))
	}
	return events
}

// pinnedIn are the events that a view shows as pinned.
func pinnedIn(v projection.View) map[uint64]*projection.Message {
	pinned := map[uint64]*projection.Message{}
	for i := range v.Messages {
		if m := &v.Messages[i]; m.State == projection.StatePinned {
			pinned[m.Events[0]] = m
		}
	}
	return pinned
}

func TestPinnedEventsAreShownAsTheyWereSaid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, steerable(t))
		log, events := w.Events(), someEvents(t, w)
		before := pinnedIn(projection.Project(log))
		body, err := edit.PinOf(log, events, true)
		if err != nil {
			if !errors.Is(err, edit.ErrNothingToPin) || body != nil {
				t.Fatalf("%+v, %v", body, err)
			}
			gone := conversation.TakenBack(log)
			for _, seq := range events {
				if seq == 0 || seq > uint64(len(log)) || gone != nil && gone[seq-1] != 0 || before[seq] != nil {
					continue
				}
				if _, said := compacttest.SizeSaid(log[seq-1].Body); said {
					t.Fatalf("event %d was not pinned: %v", seq, err)
				}
			}
			return
		}
		chosen := body.(conversation.Pin).Events
		if len(chosen) == 0 || !slices.IsSorted(chosen) || len(slices.Compact(slices.Clone(chosen))) != len(chosen) {
			t.Fatalf("%v", chosen)
		}
		pinned := byHand(log, body)
		after := pinnedIn(projection.Project(pinned))
		sameMessages(t, projection.Project(log), projection.Project(byHand(pinned, conversation.Revert{Epoch: uint64(len(pinned))})))
		raw := projection.Project(withoutOverlays(log))
		for _, seq := range chosen {
			m := after[seq]
			if m == nil || before[seq] != nil || !slices.Contains(events, seq) {
				t.Fatalf("event %d: before %+v, after %+v", seq, before[seq], m)
			}
			i := slices.IndexFunc(raw.Messages, func(m projection.Message) bool { return m.Events[0] == seq })
			if said := raw.Messages[i]; m.Text != said.Text || !cmp.Equal(m.Calls, said.Calls) {
				t.Fatalf("event %d is shown as %q, and was said as %q", seq, m.Text, said.Text)
			}
		}
	})
}

// withoutOverlays is a log in which everything is shown as it was said.
func withoutOverlays(log []conversation.Event) (out []conversation.Event) {
	for _, e := range log {
		if r, ok := e.Body.(conversation.ToolResult); ok {
			r.Repeats = 0
			e.Body = r
		}
		if !e.Body.Kind().Overlay() {
			out = append(out, e)
		}
	}
	return out
}

func TestUnpinEndsPinsAndNothingElse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, steerable(t))
		log, events := w.Events(), someEvents(t, w)
		if pin, err := edit.PinOf(log, someEvents(t, w), true); err == nil {
			log = byHand(log, pin)
		}
		before := pinnedIn(projection.Project(log))
		body, err := edit.PinOf(log, events, false)
		if err != nil {
			if !errors.Is(err, edit.ErrNothingToUnpin) || body != nil {
				t.Fatalf("%+v, %v", body, err)
			}
			if slices.ContainsFunc(events, func(seq uint64) bool { return before[seq] != nil }) {
				t.Fatalf("pinned events among %v stay pinned: %v", events, err)
			}
			return
		}
		after := pinnedIn(projection.Project(byHand(log, body)))
		for _, seq := range body.(conversation.Unpin).Events {
			if after[seq] != nil {
				t.Fatalf("event %d is pinned still", seq)
			}
		}
		if len(after) > len(before) {
			t.Fatalf("pinned: %d before, %d after", len(before), len(after))
		}
	})
}

func TestTurnsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := steerable(t)
		before := projection.Project(log)
		last := 0
		if n := len(log); n > 0 {
			last = log[n-1].Turn
		}
		log = byHand(log, conversation.Rewind{Turn: rapid.IntRange(0, last).Draw(t, "turn")})
		rewound := projection.Project(log)
		back, err := edit.Restore(log)
		if err != nil {
			t.Fatal(err)
		}
		if back.Redoes != 0 || back.Epoch != uint64(len(log)) {
			t.Fatalf("%+v", back)
		}
		log = byHand(log, back)
		sameMessages(t, before, projection.Project(log))
		for _, e := range conversation.Epochs(log) {
			if e.Reverted == uint64(len(log)) {
				t.Fatalf("bringing turns back took %+v back", e)
			}
		}
		// It can be taken back like any overlay.
		sameMessages(t, rewound, projection.Project(byHand(log, conversation.Revert{Epoch: uint64(len(log))})))
	})
}

// sameMessages checks that two views send the same.
func sameMessages(t *rapid.T, want, got projection.View) {
	t.Helper()
	if d := cmp.Diff(want.Messages, got.Messages, cmpopts.EquateEmpty()); d != "" {
		t.Fatal(d)
	}
	if d := cmp.Diff(want.Absent, got.Absent, cmpopts.EquateEmpty()); d != "" {
		t.Fatal(d)
	}
}

func TestTurnsDoNotComeBackBesideNewOnes(t *testing.T) {
	t.Parallel()
	l := compacttest.FilesRead(2, 10).Epoch(conversation.Rewind{Turn: 1}).User("Something else.")
	r, err := edit.Restore(l.Events())
	if !errors.Is(err, edit.ErrNothingToRestore) || !strings.Contains(err.Error(), "fork from the turn") || r != (conversation.Revert{}) {
		t.Errorf("%+v, %v", r, err)
	}
	// What was said since can be taken back, and brought back, itself.
	l.Epoch(conversation.Rewind{Turn: 2})
	r, err = edit.Restore(l.Events())
	if err != nil || r.Epoch != 11 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err = edit.Restore(l.Epoch(r).Events()); !errors.Is(err, edit.ErrNothingToRestore) {
		t.Error(err)
	}
}
