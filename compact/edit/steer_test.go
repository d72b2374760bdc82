package edit_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// appendManual appends an overlay as the agent does.
func appendManual(log []conversation.Event, body conversation.Body) []conversation.Event {
	made, _ := conversation.OriginOf(body)
	made.Source, made.Trigger, made.Epoch = conversation.SourceManual, "command", uint64(len(log)+1)
	return compacttest.AppendTo(log, conversation.WithOrigin(body, made))
}

// logWithValidEpochs is a random log in which no overlay names a future epoch: an overlay
// that is appended gets its own.
func logWithValidEpochs(t *rapid.T) []conversation.Event {
	log := slices.Clone(compacttest.RandomLog(t))
	for i, e := range log {
		if made, ok := conversation.OriginOf(e.Body); ok && made.Epoch > e.Seq {
			made.Epoch = e.Seq
			log[i].Body = conversation.WithOrigin(e.Body, made)
		}
	}
	return log
}

// someEvents draws events: mostly of the log, in any order, some twice.
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

func TestPinnedEventsAreShownInFull(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, logWithValidEpochs(t))
		log, events := w.Events(), someEvents(t, w)
		before := pinnedIn(projection.Project(log))
		body, err := edit.PinOf(log, events, true)
		if err != nil {
			if err == nil || body != nil {
				t.Fatalf("pin %+v, error %v; want nothing to pin", body, err)
			}
			gone := conversation.RewoundBy(log)
			for _, seq := range events {
				if seq == 0 || seq > uint64(len(log)) || gone != nil && gone[seq-1] != 0 || before[seq] != nil {
					continue
				}
				if _, said := compacttest.OriginalSize(log[seq-1].Body); said {
					t.Fatalf("event %d has a text, but cannot be pinned: %v", seq, err)
				}
			}
			return
		}
		chosen := body.(conversation.Pin).Events
		if len(chosen) == 0 || !slices.IsSorted(chosen) || len(slices.Compact(slices.Clone(chosen))) != len(chosen) {
			t.Fatalf("the pinned events %v are not sorted and unique", chosen)
		}
		pinned := appendManual(log, body)
		after := pinnedIn(projection.Project(pinned))
		sameMessages(t, projection.Project(log), projection.Project(appendManual(pinned, conversation.Revert{Epoch: uint64(len(pinned))})))
		raw := projection.Project(withoutOverlays(log))
		for _, seq := range chosen {
			m := after[seq]
			if m == nil || before[seq] != nil || !slices.Contains(events, seq) {
				t.Fatalf("event %d: pin %+v before, %+v after, want only after", seq, before[seq], m)
			}
			i := slices.IndexFunc(raw.Messages, func(m projection.Message) bool { return m.Events[0] == seq })
			if said := raw.Messages[i]; m.Text != said.Text || !cmp.Equal(m.Calls, said.Calls) {
				t.Fatalf("pinned event %d is shown as %q, want %q", seq, m.Text, said.Text)
			}
		}
	})
}

// withoutOverlays is a log whose view shows every message in full.
func withoutOverlays(log []conversation.Event) (out []conversation.Event) {
	for _, e := range log {
		if r, ok := e.Body.(conversation.ToolResult); ok {
			r.Repeats = 0
			e.Body = r
		}
		if !e.Body.Kind().IsOverlay() {
			out = append(out, e)
		}
	}
	return out
}

func TestRestoreShowsRewoundTurnsAsBefore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		log := logWithValidEpochs(t)
		before := projection.Project(log)
		last := 0
		if n := len(log); n > 0 {
			last = log[n-1].Turn
		}
		log = appendManual(log, conversation.Rewind{Turn: rapid.IntRange(0, last).Draw(t, "turn")})
		rewound := projection.Project(log)
		back, err := edit.Restore(log)
		conversationtest.Must(t, err)
		if back.Redoes != 0 || back.Epoch != uint64(len(log)) {
			t.Fatalf("the restore is %+v, want its own epoch and no redo", back)
		}
		log = appendManual(log, back)
		sameMessages(t, before, projection.Project(log))
		for _, e := range conversation.Epochs(log) {
			if e.RevertedBy == uint64(len(log)) {
				t.Fatalf("the restore reverted the epoch %+v", e)
			}
		}
		// The restore can be undone like any overlay.
		sameMessages(t, rewound, projection.Project(appendManual(log, conversation.Revert{Epoch: uint64(len(log))})))
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

func TestManualMasksShortenTheViewAndCanBeUndone(t *testing.T) {
	t.Parallel()
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, logWithValidEpochs(t))
		log, events := w.Events(), someEvents(t, w)
		rules := preset.RulesOf(rapid.SampledFrom(preset.All()).Draw(t, "preset"))
		rules.Mask.Preview = rapid.SampledFrom([]int{250, 0, 60}).Draw(t, "preview")
		before := projection.Project(log)
		body, err := edit.ManualMask(rules, log, before, events)
		if err != nil {
			if err == nil || body != nil {
				t.Fatalf("mask %+v, error %v; want nothing to mask", body, err)
			}
			return
		}
		made++
		masked := appendManual(log, body)
		after := projection.Project(masked)
		if after.Sizes.Length() >= before.Sizes.Length() {
			t.Fatalf("view: %d characters, now %d, want fewer", before.Sizes.Length(), after.Sizes.Length())
		}
		mask := body.(conversation.Mask)
		if mask.Style != conversation.StylePlimsoll || mask.Version != projection.StubVersion || mask.Preview != rules.Mask.Preview {
			t.Fatalf("the mask is %+v, want our style with the configured preview", mask)
		}
		for _, item := range mask.Items {
			if _, ok := log[item.Event-1].Body.(conversation.ToolResult); !ok || item.Part != conversation.PartResult {
				t.Fatalf("the masked item is %+v, want a tool result", item)
			}
		}
		for _, m := range after.Messages {
			said := slices.ContainsFunc(mask.Items, func(i conversation.MaskItem) bool { return i.Event == m.Events[0] })
			if said && m.State == projection.StatePinned {
				t.Fatalf("the pinned event %d is masked", m.Events[0])
			}
		}
		epochs := conversation.Epochs(masked)
		if e := epochs[len(epochs)-1]; e.ID != uint64(len(masked)) || !e.InForce {
			t.Fatalf("the newest epoch is %+v, want the mask in force", e)
		}
		undo, err := edit.Undo(masked, uint64(len(masked)))
		conversationtest.Must(t, err)
		sameMessages(t, before, projection.Project(appendManual(masked, undo)))
	})
	if made == 0 && !testing.Short() {
		t.Error("nothing was masked in any conversation")
	}
}

func TestManualMasksCoverOnlyResultsShownInFull(t *testing.T) {
	t.Parallel()
	long := compacttest.NumberedLines(100, "of a file")
	twice := (&compacttest.LogBuilder{}).User("Read both.").Add(
		conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "a", Name: "read_file", Arguments: "{}"}, {ID: "b", Name: "run_command", Arguments: "{}"},
			{ID: "c", Name: "run_command", Arguments: "{}"}}},
		conversation.ToolResult{CallID: "a", Tool: "read_file", Text: long}, conversation.ToolResult{CallID: "b", Tool: "run_command", Text: "short"},
		conversation.ToolResult{CallID: "c", Tool: "run_command", Text: compacttest.NumberedLines(100, "of another")})
	again := compacttest.FilesRead(2, 100).User("Once more.").Add(
		conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "a", Name: "read_file", Arguments: "{}"}}},
		conversation.ToolResult{CallID: "a", Tool: "read_file", Text: compacttest.FilesRead(1, 100).Events()[2].Body.(conversation.ToolResult).Text, Repeats: 3})
	capped := compacttest.FilesRead(2, 400).Epoch(conversation.Cap{Items: []conversation.CapItem{{Event: 3, Head: 2000, Tail: 2000}}})
	for name, c := range map[string]struct {
		log    *compacttest.LogBuilder
		events []uint64
		want   []uint64
	}{
		"a result":                       {compacttest.FilesRead(2, 60), []uint64{7, 7}, []uint64{7}},
		"a reply stands for its results": {twice, []uint64{2}, []uint64{3, 5}},
		"a reply and one of them":        {twice, []uint64{3, 2}, []uint64{3, 5}},
		"one of them":                    {twice, []uint64{5}, []uint64{5}},
		"what points to it goes with it": {again, []uint64{3}, []uint64{3, 11}},
		"capped":                         {capped, []uint64{3}, []uint64{3}},
		"not what is pinned":             {compacttest.FilesRead(2, 60).Epoch(conversation.Pin{Events: []uint64{3}}), []uint64{3, 7}, []uint64{7}},
		"not what is masked":             {compacttest.FilesRead(2, 60).Epoch(compacttest.MaskResults(3)), []uint64{2, 6}, []uint64{7}},
		"what the first turn has":        {compacttest.FilesRead(1, 60), []uint64{1, 2, 3, 4, 99}, []uint64{3}},
	} {
		v := projection.Project(c.log.Events())
		body, err := edit.ManualMask(compacttest.PlanRules(), c.log.Events(), v, c.events)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []uint64
		for _, item := range body.(conversation.Mask).Items {
			got = append(got, item.Event)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
		after := projection.Project(appendManual(c.log.Events(), body))
		for _, seq := range c.want {
			i := slices.IndexFunc(after.Messages, func(m projection.Message) bool { return m.Events[0] == seq })
			if m := after.Messages[i]; m.State != projection.StateMasked || m.Repeats != 0 {
				t.Errorf("%s: event %d is %s", name, seq, m.State)
			}
		}
	}
}
