package planner_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// Recovery in a window of 100,000 tokens: enough is 52,000, and what is left out
// goes down to 40,000. The figures are explained in plan_look_test.go.

func tellBodies(bodies []conversation.Body) string {
	var parts []string
	for _, b := range bodies {
		var items []string
		switch b := b.(type) {
		case conversation.Mask:
			for _, i := range b.Items {
				items = append(items, fmt.Sprintf("e%d", i.Event))
			}
			parts = append(parts, "mask "+strings.Join(items, " "))
		case conversation.Cap:
			for _, i := range b.Items {
				item := fmt.Sprintf("e%d", i.Event)
				if i.Call != "" {
					item += " " + i.Call
				}
				items = append(items, fmt.Sprintf("%s %d+%d", item, i.Head, i.Tail))
			}
			parts = append(parts, "cap "+strings.Join(items, ", "))
		case conversation.Drop:
			parts = append(parts, "drop "+compacttest.SpansText(b.Spans))
		default:
			parts = append(parts, fmt.Sprintf("%T", b))
		}
	}
	return strings.Join(parts, "; ")
}

// task is a turn of so many calls whose results are never masked by their age.
func task(calls, tokens int) *compacttest.Tale {
	l := (&compacttest.Tale{}).Says(10)
	for range calls {
		l.Uses("task", "{}", tokens)
	}
	return l
}

func TestRecoveryGoesOnlyAsFarAsItHasTo(t *testing.T) {
	t.Parallel()
	cuts := func(n, chars int) string {
		var items []string
		for i := range n {
			items = append(items, fmt.Sprintf("e%d %d+%d", 3+2*i, chars, chars))
		}
		return strings.Join(items, ", ")
	}
	for name, c := range map[string]struct {
		log  *compacttest.Tale
		want string
	}{
		"nothing": {(&compacttest.Tale{}).Stints(10).Says(1990), ""},
		// All but the newest three results, of the first turn as well.
		"masks": {(&compacttest.Tale{}).Stints(14), "mask e3 e7 e11 e15 e19 e23 e27 e31 e35 e39 e43"},
		// Three results of 30,000: the newest three stay, and the oldest go to 1,000
		// each until 38,015 less are sent.
		"caps of the current turn": {(&compacttest.Tale{}).Says(10).Reads(30_000).Reads(30_000).Reads(29_990), "cap e3 2000+2000, e5 2000+2000"},
		"one cap is enough":        {(&compacttest.Tale{}).Says(10).Reads(30_000).Reads(24_000).Reads(22_000), "cap e3 2000+2000"},
		"masks, then caps":         {(&compacttest.Tale{}).Talks(4).Stints(2).Says(10).Reads(20_000).Reads(20_000).Reads(19_990), "mask e11 e15; cap e19 2000+2000, e21 2000+2000"},
		// 80 results of 1,000 and calls of 1.5 tokens: 28,130 have to go. No result
		// has more than 4,000 characters. Of one that is cut to 1,000, at least 700
		// tokens go.
		"shorter caps": {task(80, 1000), "cap " + cuts(41, 500)},
		// 60 results of 5,200 characters: cut to 4,000 and a note they have 61,500
		// tokens, and cut to 1,000 some 720 less each.
		"caps twice": {task(60, 1300), "cap " + cuts(60, 2000) + "; cap " + cuts(14, 500)},
		// Nothing to mask or cap: from 90,000 down to 40,000, the newest message and
		// the first stay.
		"drops":                        {(&compacttest.Tale{}).Talks(18), "drop 2-21"},
		"only the current turn is cut": {(&compacttest.Tale{}).Says(10).Uses("task", "{}", 60_000).Answers(10).Says(10).Reads(299), "drop 2-3"},
		"masks, then drops":            {(&compacttest.Tale{}).Talks(12).Stints(4).Says(10), "mask e27; drop 2-16"},
		// A long first message goes only where nothing else makes the room.
		"a first message without end":      {(&compacttest.Tale{}).Says(98_000).Answers(10).Says(990), "drop 1-1"},
		"a first message that is too long": {(&compacttest.Tale{}).Says(60_000).Talks(18), "drop 1-21"},
		"a first message that has room":    {(&compacttest.Tale{}).Says(30_000).Talks(18), "drop 2-33"},
	} {
		k := compacttest.At(planner.MomentRequest)
		if got := recovered(k, c.log); got != c.want {
			t.Errorf("%s: %q, want %q (%d tokens)", name, got, c.want, k.After(c.log, nil))
		}
		if left := k.After(c.log, k.Of(c.log.Events()).Recover(k.Rules)); left > 52_000 {
			t.Errorf("%s: %d tokens are left", name, left)
		}
	}
}

func TestRecoveryShortensAndNeverTakesTheLast(t *testing.T) {
	t.Parallel()
	acted := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, compacttest.WorkedLog(t))
		w.Turn(t)
		if rapid.Bool().Draw(t, "more overlays") {
			w.Pass(t)
		}
		log := w.Events()
		rules := compacttest.MaskRules(t)
		rules.Preset = rapid.SampledFrom([]preset.Name{preset.Plimsoll, preset.OneClaw, preset.JCLI}).Draw(t, "preset")
		v := projection.Project(log)
		c := planner.Check{Moment: planner.MomentRequest, Log: log, View: v, Meter: meter.New(compacttest.MeterOptions(t)).WithView(v)}
		bodies := c.Recover(rules)
		for _, b := range bodies {
			acted[fmt.Sprintf("%T", b)]++
		}
		if len(bodies) == 0 {
			return
		}
		then := projection.Project(append(slices.Clip(log), conversation.Following(log, conversationtest.Epoch, bodies...)...))
		before, after := c.Meter.EstimatedTokens(), c.Meter.WithView(then).EstimatedTokens()
		if after >= before {
			t.Fatalf("%s: %d tokens became %d", tellBodies(bodies), before, after)
		}
		checkKept(t, log, v, then, c.Meter)
		messages, err := projection.Harden(then, projection.Capabilities{})
		if _, was := projection.Harden(v, projection.Capabilities{}); err != nil && was == nil {
			t.Fatalf("the request cannot be made any more: %v", err)
		}
		for _, problem := range compacttest.Problems(messages, projection.Capabilities{}) {
			t.Fatalf("%s: %s", tellBodies(bodies), problem)
		}
	})
	for _, kind := range []string{"conversation.Mask", "conversation.Cap", "conversation.Drop"} {
		if acted[kind] == 0 {
			t.Errorf("there was no %s: the test is empty", kind)
		}
	}
}

// checkKept fails unless a view still shows what no pass may take: pins, the
// user's first text of up to 2,000 tokens and newest message, and the last unit.
func checkKept(t *rapid.T, log []conversation.Event, before, after projection.View, meter meter.Meter) {
	shown := map[uint64]*projection.Message{}
	for i := range after.Messages {
		for _, seq := range after.Messages[i].Events {
			shown[seq] = &after.Messages[i]
		}
	}
	alone := func(seq uint64) bool {
		m := shown[seq]
		return m != nil && m.State != projection.StateDropped && m.State != projection.StateSummarised
	}
	newest := uint64(0)
	for i, m := range before.Messages {
		switch {
		case m.State == projection.StatePinned:
			if d := cmp.Diff(m.Text, shown[m.Events[0]].Text); d != "" || !alone(m.Events[0]) {
				t.Fatalf("the pin of e%d is gone\n%s", m.Events[0], d)
			}
		case i == 0 && m.Role == projection.RoleUser && m.State == projection.StateVerbatim && meter.Weigh(m.Size) <= 2000:
			if !alone(m.Events[0]) {
				t.Fatal("the first text is gone")
			}
		}
		if m.Role == projection.RoleUser && (m.State == projection.StateVerbatim || m.State == projection.StatePinned) {
			newest = m.Events[0]
		}
	}
	if newest != 0 && !alone(newest) {
		t.Fatalf("the newest message of the user, e%d, is gone", newest)
	}
	last := before.Messages[len(before.Messages)-1]
	if last.State == projection.StateDropped || last.State == projection.StateSummarised {
		return
	}
	for _, u := range conversation.Units(log) {
		if slices.ContainsFunc(u.Events, func(i int) bool { return log[i].Seq == last.Events[0] }) {
			for _, i := range u.Events {
				if was := slices.ContainsFunc(before.Messages, func(m projection.Message) bool {
					return m.Events[0] == log[i].Seq && m.State != projection.StateDropped && m.State != projection.StateSummarised
				}); was && !alone(log[i].Seq) {
					t.Fatalf("e%d of the last unit is gone", log[i].Seq)
				}
			}
		}
	}
}

// recovered is what a recovery does, in a line; "" for nothing.
func recovered(k compacttest.Look, l *compacttest.Tale) string {
	return tellBodies(k.Of(l.Events()).Recover(k.Rules))
}
