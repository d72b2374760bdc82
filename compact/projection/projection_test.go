package projection_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestEveryEventIsShownOrAbsentOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := compacttest.RandomLog(t)
		v := projection.Project(events)
		places := map[uint64]int{}
		for i, m := range v.Messages {
			if len(m.Events) == 0 || !slices.IsSorted(m.Events) {
				t.Fatalf("message %d stands for %v", i, m.Events)
			}
			if i > 0 && m.Events[0] < v.Messages[i-1].Events[0] {
				t.Fatalf("message %d stands for %v, after %v", i, m.Events, v.Messages[i-1].Events)
			}
			pair := i > 0 && m.State == projection.StateSummarised && slices.Equal(m.Events, v.Messages[i-1].Events)
			if pair {
				continue
			}
			for _, seq := range m.Events {
				places[seq]++
			}
		}
		for _, a := range v.Absent {
			if a.Overlay == 0 || a.State == "" || a.Why == "" {
				t.Fatalf("no reason: %+v", a)
			}
			places[a.Event]++
		}
		for _, e := range events {
			want := 0
			if _, sent := compacttest.OriginalSize(e.Body); sent {
				want = 1
			}
			if places[e.Seq] != want {
				t.Fatalf("event %d stands in %d places, want %d", e.Seq, places[e.Seq], want)
			}
			delete(places, e.Seq)
		}
		if len(places) > 0 {
			t.Fatalf("events that the log does not hold: %v", places)
		}
	})
}

func TestPointersNameResultsShownInFull(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := compacttest.RandomLog(t)
		full := map[uint64]bool{}
		for _, m := range projection.Project(events).Messages {
			if m.Repeats != 0 && !full[m.Repeats] {
				t.Fatalf("event %d points to event %d, which is not shown in full above it", m.Events[0], m.Repeats)
			}
			if r, ok := events[m.Events[0]-1].Body.(conversation.ToolResult); ok && m.Text == r.Text && len(m.Events) == 1 {
				full[m.Events[0]] = true
			}
		}
	})
}

func TestRevertRestoresTheMessages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, compacttest.RandomLog(t))
		before := projection.Project(w.Events())
		const epoch, revert = 1 << 40, 1 << 41 // taken by none
		made := conversation.Origin{Epoch: epoch}
		for range rapid.IntRange(1, 3).Draw(t, "overlays") {
			body := w.Overlay(t)
			if _, ok := body.(conversation.Revert); ok {
				continue
			}
			w.Add(t, conversation.WithOrigin(body, made))
		}
		committed := projection.Project(w.Events())
		w.Add(t, conversation.Revert{Origin: conversation.Origin{Epoch: revert}, Epoch: epoch})
		if d := cmp.Diff(before.Messages, projection.Project(w.Events()).Messages, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("reverted (-before +after):\n%s", d)
		}
		w.Add(t, conversation.Revert{Epoch: revert})
		if d := cmp.Diff(committed.Messages, projection.Project(w.Events()).Messages, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("the revert reverted (-committed +again):\n%s", d)
		}
	})
}

func TestReductionsNeverMakeAViewLonger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, compacttest.PlimsollLog(t))
		before := projection.Project(w.Events()).Sizes.Length()
		w.Add(t, w.Reduction(t))
		if after := projection.Project(w.Events()).Sizes.Length(); after > before {
			t.Fatalf("%d code points became %d by %+v", before, after, w.Events()[len(w.Events())-1].Body)
		}
	})
}

func TestProjectDoesNotChangeTheLog(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		stored := func(events []conversation.Event) (lines []string) {
			for _, e := range events {
				data, err := conversation.Marshal(e)
				conversationtest.Must(t, err)
				lines = append(lines, string(data))
			}
			return lines
		}
		events := compacttest.RandomLog(t)
		before := stored(events)
		v := projection.Project(events)
		_, _ = projection.Harden(v, compacttest.Capabilities(t)) // what cannot be sent is hardened too
		if d := cmp.Diff(before, stored(events)); d != "" {
			t.Fatal(d)
		}
	})
}

func TestExtendedViewsShareNoMessages(t *testing.T) {
	t.Parallel()
	l := compacttest.FilesRead(2, 3)
	stem := projection.Project(l.Events()[:7]).Extend(l.Events()) // with room for more
	one := append(slices.Clone(l.Events()), conversation.Event{Seq: 9, Body: conversation.UserMessage{Text: "one way"}})
	other := append(slices.Clone(l.Events()), conversation.Event{Seq: 9, Body: conversation.UserMessage{Text: "the other"}})
	a, b := stem.Extend(one), stem.Extend(other)
	if a.Messages[8].Text != "one way" || b.Messages[8].Text != "the other" || len(stem.Messages) != 8 {
		t.Errorf("%q, %q, %d", a.Messages[8].Text, b.Messages[8].Text, len(stem.Messages))
	}
	if d := cmp.Diff(projection.Project(l.Events()[:3]), a.Extend(l.Events()[:3]), compacttest.IgnoreUnexported); d != "" {
		t.Errorf("with a shorter log:\n%s", d)
	}
}

// TestHidingOneOfSeveralEqualResultsNeverMakesAViewLonger checks results with the same text,
// some of which point to others: reducing one must not show another in full.
func TestHidingOneOfSeveralEqualResultsNeverMakesAViewLonger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat("a line of it\n", rapid.SampledFrom([]int{40, 15, 800}).Draw(t, "lines"))
		w := conversationtest.NewWriter(t, nil)
		w.Add(t, conversation.UserMessage{Text: "begin"})
		var alike []uint64
		for range 12 {
			log, view := w.Events(), projection.Project(w.Events())
			if rapid.Bool().Draw(t, "again") {
				id := "call_" + strings.Repeat("x", len(log))
				r := conversation.ToolResult{CallID: id, Tool: "read_file", Status: conversation.ResultOK, Text: text}
				if len(alike) > 0 {
					r.Repeats = rapid.SampledFrom(alike).Draw(t, "repeats")
				}
				w.Add(t, conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: id, Name: "read_file", Arguments: `{}`}}}, r)
				alike = append(alike, uint64(len(log)+2))
				if longer := view.Extend(w.Events()); cmp.Diff(longer, projection.Project(w.Events()), compacttest.IgnoreUnexported) != "" ||
					cmp.Diff(view.Messages, longer.Messages[:len(view.Messages)], cmpopts.EquateEmpty()) != "" {
					t.Fatal("a result more changed what came before it")
				}
				continue
			}
			if len(alike) > 0 && rapid.IntRange(0, 5).Draw(t, "to the letter") == 5 { // which may make it longer
				seq := rapid.SampledFrom(alike).Draw(t, "of one")
				w.Add(t, rapid.SampledFrom([]conversation.Body{conversation.Pin{Events: []uint64{seq}}, conversation.Unpin{Events: []uint64{seq}},
					conversation.Mask{Style: conversation.StyleJCLI, Items: []conversation.MaskItem{{Event: seq, Part: conversation.PartResult}}},
					conversation.Summary{Spans: []conversation.Span{{First: seq - 1, Last: seq}}, Text: "s"}}).Draw(t, "letter"))
				continue
			}
			var reduced []uint64
			for _, seq := range alike {
				if rapid.Bool().Draw(t, "reduced") {
					reduced = append(reduced, seq)
				}
			}
			w.Add(t, drawReduction(t, reduced))
			if after := projection.Project(w.Events()); after.Sizes.Length() > view.Sizes.Length() {
				t.Fatalf("%d code points became %d by %+v", view.Sizes.Length(), after.Sizes.Length(), w.Events()[len(log)].Body)
			}
		}
	})
}

// drawReduction draws an overlay of Plimsoll's own style that reduces results.
func drawReduction(t *rapid.T, results []uint64) conversation.Body {
	var c conversation.Cap
	m := conversation.Mask{Style: conversation.StylePlimsoll, Preview: rapid.SampledFrom([]int{0, 250, 60}).Draw(t, "preview")}
	s := conversation.Summary{Style: conversation.StylePlimsoll, Policies: &conversation.Policies{ToolCalls: conversation.ToolCallsOmit}}
	for _, seq := range results {
		c.Items = append(c.Items, conversation.CapItem{Event: seq, Head: m.Preview, Tail: m.Preview})
		m.Items = append(m.Items, conversation.MaskItem{Event: seq, Part: conversation.PartResult})
		s.Spans = append(s.Spans, conversation.Span{First: seq - 1, Last: seq})
	}
	return rapid.SampledFrom([]conversation.Body{m, c, s}).Draw(t, "overlay")
}
