package planner_test

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

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

// These properties hold for every plan of every conversation.

func TestPlanIsDeterministicAndChangesNoInput(t *testing.T) {
	t.Parallel()
	triggers := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		log := compacttest.AnyLog(t)
		r, c := compacttest.AnyCheck(t, log)
		said := encoded(t, log)
		tools, before := maps.Clone(r.Tools), projection.Project(log)
		p := c.Plan(r)
		triggers[p.Trigger]++
		if p.Acts() && len(p.Masks) == 0 && len(p.Spans) == 0 && p.Note == nil && p.Profile == "" && !p.Drops {
			t.Fatalf("the plan acts without an effect: %+v", p)
		}
		if again := c.Plan(r); !reflect.DeepEqual(p, again) {
			t.Fatalf("first %q, then %q", describePlan(p), describePlan(again))
		}
		if extended := c; len(log) > 0 {
			extended.View = projection.Project(log[:len(log)/2]).Extend(log)
			if again := extended.Plan(r); !reflect.DeepEqual(p, again) {
				t.Fatalf("projected view: plan %q, extended: %q", describePlan(p), describePlan(again))
			}
		}
		bodies := c.Recover(r)
		if !reflect.DeepEqual(bodies, c.Recover(r)) {
			t.Fatal("the second recovery differs from the first")
		}
		if d := cmp.Diff(said, encoded(t, log)); d != "" {
			t.Fatalf("the log was changed:\n%s", d)
		}
		if d := cmp.Diff(before, c.View, compacttest.IgnoreUnexported); d != "" {
			t.Fatalf("the view was changed:\n%s", d)
		}
		if !reflect.DeepEqual(tools, r.Tools) {
			t.Fatal("the rules were changed")
		}
	})
	if len(triggers) < 3 && !testing.Short() {
		t.Errorf("too few triggers were met: %v", triggers)
	}
}

func TestPlansCoverWholeUnitsAndNeverTheNewest(t *testing.T) {
	t.Parallel()
	covered := 0
	rapid.Check(t, func(t *rapid.T) {
		log := compacttest.ExtendedLog(t)
		if rapid.Bool().Draw(t, "foreign overlays") {
			log = conversationtest.WithOverlays(t, log)
		}
		r, c := compacttest.AnyCheck(t, log)
		p := c.Plan(r)
		if len(p.Spans) == 0 {
			return
		}
		covered++
		if !slices.IsSortedFunc(p.Spans, func(a, b conversation.Span) int { return int(a.First) - int(b.Last) - 1 }) {
			t.Fatalf("spans that are not in order: %v", p.Spans)
		}
		checkUnits(t, log, c.View, p.Spans)
		last := c.View.Messages[len(c.View.Messages)-1]
		for _, seq := range last.Events {
			if conversation.Disjoint(p.Spans).Contains(seq) && last.State != projection.StatePinned {
				t.Fatalf("e%d, the last, is covered: %v", seq, p.Spans)
			}
		}
		for _, m := range slices.Backward(c.View.Messages) {
			if m.Role == projection.RoleUser && (m.State == projection.StateVerbatim || m.State == projection.StatePinned) {
				if conversation.Disjoint(p.Spans).Contains(m.Events[0]) && m.State != projection.StatePinned {
					t.Fatalf("e%d, the newest message of the user, is covered: %v", m.Events[0], p.Spans)
				}
				break
			}
		}
	})
	if covered == 0 && !testing.Short() {
		t.Error("no plan covered anything")
	}
}

// checkUnits fails if spans hold a part of a unit that a view shows, and not the rest of it.
func checkUnits(t *rapid.T, log []conversation.Event, v projection.View, spans []conversation.Span) {
	shown := map[uint64]bool{}
	for _, m := range v.Messages {
		for _, seq := range m.Events {
			shown[seq] = true
		}
	}
	for _, u := range conversation.Units(log) {
		in, out := 0, 0
		for _, i := range u.Events {
			switch seq := log[i].Seq; {
			case !shown[seq]:
			case conversation.Disjoint(spans).Contains(seq):
				in++
			default:
				out++
			}
		}
		if in > 0 && out > 0 {
			t.Fatalf("%v part the unit that begins with e%d", spans, log[u.Events[0]].Seq)
		}
	}
}

// planReasons returns the reasons of a plan. Each reason may cause one plan at a moment: after it
// a plan for another reason may be worth its cost. A layer of a source may act once on each
// result, because hiding a result can show another one in full that pointed to it.
func planReasons(r preset.Rules, p planner.Plan) []string {
	layers := r.Micro.Enabled || r.Dedupe.Enabled
	switch p.Trigger {
	case planner.TriggerLoadLine, planner.TriggerHardLine:
		return []string{"pressure"}
	case planner.TriggerCold, planner.TriggerStride:
		if p.Note != nil {
			return []string{"evict"}
		}
		if layers {
			return nil // what a layer changed may be worth it once more
		}
		return []string{"economy"}
	case planner.TriggerThreshold:
		return []string{"threshold"}
	}
	var out []string
	for _, b := range p.Masks {
		m, _ := b.(conversation.Mask) // the planner makes no others
		for _, item := range m.Items {
			out = append(out, fmt.Sprintf("%s %d %s", m.Style, item.Event, item.Call))
		}
	}
	return out
}

func TestCatalogueB1ExecutedPlanIsNotRepeated(t *testing.T) {
	t.Parallel()
	committed := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, conversationtest.Rich(t))
		for range rapid.IntRange(0, 4).Draw(t, "further turns") {
			w.Turn(t)
		}
		r, c := compacttest.AnyCheck(t, w.Events())
		if r.Preset == preset.OneClaw || r.Preset == preset.JPAuto {
			return // theirs act after every reply above their line, and fail then
		}
		if r.Preset == preset.Plimsoll { // what others leave behind may come back by the letter of theirs
			w.Add(t, w.Reduction(t))
			w.Turn(t)
			c.Log = w.Events()
			c.View = projection.Project(c.Log)
			c.Meter = c.Meter.WithView(c.View)
		}
		p := c.Plan(r)
		done := map[string]bool{}
		for p.Acts() {
			committed[p.Trigger]++
			for _, cause := range planReasons(r, p) {
				done[cause] = true
			}
			used := c.Meter.Reading().Used
			bodies := p.WithoutSummary().Masks
			if len(p.Spans) > 0 {
				bodies = append(slices.Clip(p.Masks), conversation.Summary{Style: r.Preset.Style(), Version: projection.BlockVersion, Spans: p.Spans, Text: "what was said"})
			}
			seq := uint64(len(w.Events()) + 1)
			after := projection.Project(append(slices.Clip(w.Events()), conversation.NextEvents(w.Events(), time.Time{}, bodies...)...))
			w.Add(t, conversation.AssignEpoch(bodies, seq, conversation.Origin{Source: conversation.SourceAuto, Trigger: p.Trigger, Before: used,
				After: c.Meter.WithView(after).Reading().Used})...)
			c.Log = w.Events()
			c.View = projection.Project(c.Log)
			c.Meter = c.Meter.WithView(c.View)
			failures := c.History.Failures
			c.History = planner.HistoryOf(c.Log)
			c.History.Failures = max(c.History.Failures, failures)
			again := c.Plan(r)
			if again.Acts() && !again.BlocksRequest && slices.ContainsFunc(planReasons(r, again), func(cause string) bool { return done[cause] }) {
				t.Fatalf("plan %q at %d tokens, then again %q at %d", describePlan(p), used, describePlan(again), c.Meter.Reading().Used)
			}
			if again.BlocksRequest {
				return
			}
			p = again
		}
	})
	if len(committed) < 2 && !testing.Short() {
		t.Errorf("too few plans were committed: %v", committed)
	}
}

// evictedBy returns the spans that a plan evicts, or nil.
func evictedBy(p planner.Plan) []conversation.Span {
	note, _ := p.Note.(conversation.Summary)
	return note.Spans
}

func TestEvictionsCoverWholeUnitsAndShortenTheView(t *testing.T) {
	t.Parallel()
	steps := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		log := compacttest.AnyLog(t)
		if rapid.Bool().Draw(t, "foreign overlays") {
			log = conversationtest.WithOverlays(t, log)
		}
		r, c := compacttest.AnyCheck(t, log)
		if rapid.IntRange(0, 3).Draw(t, "as it comes") > 0 { // mostly so that a step is due
			r, c = withFullWindow(t, c)
		}
		p := c.Plan(r)
		if p.Note == nil {
			return
		}
		steps[p.Trigger]++
		spans := evictedBy(p)
		checkUnits(t, log, c.View, spans)
		checkUncovered(t, c, spans)
		bodies := p.WithoutSummary().Masks
		stamped := conversation.AssignEpoch(bodies, uint64(len(log)+1), conversation.Origin{Source: conversation.SourceAuto, Trigger: p.Trigger})
		then := compacttest.AppendTo(log, stamped...)
		after := projection.Project(then)
		if after.Sizes.Length() >= c.View.Sizes.Length() {
			t.Fatalf("%d code points became %d", c.View.Sizes.Length(), after.Sizes.Length())
		}
		checkNamed(t, then, after, spans)
		if d := cmp.Diff(after, projection.Project(log).Extend(then), compacttest.IgnoreUnexported); d != "" {
			t.Fatalf("the extended view (-project +extend):\n%s", d)
		}
		hard, err := projection.Harden(after, projection.Capabilities{})
		if err != nil && after.Sizes.Length() > 0 {
			return // a log that holds nothing to be sent
		}
		for _, problem := range compacttest.RequestProblems(hard, projection.Capabilities{}) {
			t.Fatal(problem)
		}
		undone := compacttest.AppendTo(then, conversation.Revert{Epoch: uint64(len(log) + 1)})
		if got := projection.Project(undone); !reflect.DeepEqual(viewTexts(got), viewTexts(c.View)) {
			t.Fatalf("after the undo the view is %q, want %q", viewTexts(got), viewTexts(c.View))
		}
		redone := compacttest.AppendTo(undone, conversation.Revert{Event: uint64(len(undone))})
		if got := projection.Project(redone); !reflect.DeepEqual(viewTexts(got), viewTexts(after)) {
			t.Fatalf("after the redo the view is %q, want %q", viewTexts(got), viewTexts(after))
		}
	})
	if len(steps) < 2 && !testing.Short() {
		t.Errorf("too few evictions were met: %v", steps)
	}
}

// withFullWindow returns the default rules and a check with a nearly full window, or with a
// half full one after a pause.
func withFullWindow(t *rapid.T, c planner.Check) (preset.Rules, planner.Check) {
	r := preset.RulesOf(preset.Plimsoll)
	c.Meter = c.Meter.WithRules(r)
	used := float64(c.Meter.Reading().Used)
	share := rapid.SampledFrom([]float64{0.6, 0.7, 0.9, 0.94, 1.1}).Draw(t, "full")
	c.Meter = c.Meter.WithWindow(meter.Window{Tokens: int(used/share) + 1, Source: meter.WindowFlag})
	c.Moment, c.CacheInvalid, c.History = planner.MomentTurn, share < 0.8, planner.History{}
	return r, c
}

// checkUncovered fails if spans cover what must stay in the view: pins, the newest user
// message, the last unit and units with open calls.
func checkUncovered(t *rapid.T, c planner.Check, spans []conversation.Span) {
	t.Helper()
	after := projection.Project(append(slices.Clip(c.Log), conversation.NextEvents(c.Log, time.Time{},
		conversation.Summary{Style: conversation.StylePlimsoll, Version: projection.BlockVersion, Spans: spans, Appendix: "## Note"})...))
	stays := map[uint64]bool{}
	for _, m := range after.Messages {
		if m.State != projection.StateSummarised {
			for _, seq := range m.Events {
				stays[seq] = true
			}
		}
	}
	newest := false
	for i, m := range slices.Backward(c.View.Messages) {
		first := m.Role == projection.RoleUser && (m.State == projection.StateVerbatim || m.State == projection.StatePinned) && !newest
		newest = newest || first
		if m.State == projection.StateSummarised { // it may join the new block, and stays as it is in that
			if conversation.Disjoint(spans).ContainsAny(m.Events) {
				t.Fatalf("e%d, which a summary covers, is evicted by %v", m.Events[0], spans)
			}
			continue
		}
		if (first || m.State == projection.StatePinned || i == len(c.View.Messages)-1) && !stays[m.Events[0]] {
			t.Fatalf("e%d (%s, %s) is evicted by %v", m.Events[0], m.Role, m.State, spans)
		}
	}
}

// checkNamed fails unless the view names every event that the spans removed from it.
func checkNamed(t *rapid.T, log []conversation.Event, v projection.View, spans []conversation.Span) {
	t.Helper()
	for _, m := range v.Messages {
		if m.State != projection.StateSummarised {
			continue
		}
		named := eventsNamedIn(m.Text)
		for _, seq := range m.Events {
			if conversation.Disjoint(spans).Contains(seq) && !named(seq, log[seq-1].Turn) {
				t.Fatalf("the note does not name e%d of turn %d: %q", seq, log[seq-1].Turn, m.Text)
			}
		}
	}
}

// eventsNamedIn returns a test for the events that a text names, by number or by turn.
func eventsNamedIn(text string) func(seq uint64, turn int) bool {
	type ids struct{ first, last uint64 }
	var events, turns []ids
	for _, found := range recallIDs.FindAllStringSubmatch(text, -1) {
		first, _ := strconv.ParseUint(found[2]+found[4], 10, 64)
		last := first
		if end := found[3] + found[5]; end != "" {
			last, _ = strconv.ParseUint(end, 10, 64)
		}
		if found[1] == "e" {
			events = append(events, ids{first, last})
		} else {
			turns = append(turns, ids{first, last})
		}
	}
	has := func(all []ids, n uint64) bool {
		return slices.ContainsFunc(all, func(i ids) bool { return i.first <= n && n <= i.last })
	}
	return func(seq uint64, turn int) bool { return has(events, seq) || has(turns, uint64(turn)) }
}

var recallIDs = regexp.MustCompile(`\b([et])([0-9]+)(?:-([0-9]+))?\b|(?i:\bturns?) ([0-9]+)(?:–([0-9]+))?`)

// viewTexts returns the texts of a view, message by message.
func viewTexts(v projection.View) []string {
	var out []string
	for _, m := range v.Messages {
		text := string(m.Role) + " " + m.Text
		for _, c := range m.Calls {
			text += " " + c.ID + " " + c.Name + " " + c.Arguments
		}
		out = append(out, text)
	}
	return out
}

// checkProjection projects any events, also invalid ones, and hardens the view for every kind of endpoint.
func checkProjection(t *testing.T, events []conversation.Event) {
	t.Helper()
	v := projection.Project(events)
	if len(events) > 0 {
		extended := projection.Project(events[:len(events)/2]).Extend(events)
		if len(extended.Messages)+len(extended.Absent) == 0 && len(v.Messages)+len(v.Absent) > 0 {
			t.Fatal("extending lost everything")
		}
	}
	for _, c := range []projection.Capabilities{{}, {Alternate: true}, {NoTools: true}, {CallIDs: projection.CallIDMistral, EchoReasoning: true}} {
		messages, err := projection.Harden(v, c)
		for _, problem := range compacttest.RequestProblems(messages, c) {
			t.Error(problem)
		}
		if sendable := len(messages) > 0 && messages[len(messages)-1].Role != projection.RoleAssistant; sendable != (err == nil) {
			t.Errorf("sendable %v, error %v", sendable, err)
		}
	}
	conversation.Epochs(events)
	m := meter.New(compacttest.Window(1000)).WithView(v)
	planner.SpansToSummarise(v, m, planner.SummaryLimits{Target: 100, Protected: 10})
	planner.DropSpans(v, m, 100)
	planner.MaskItems(&v, &preset.Rules{Values: preset.Values{Mask: preset.MaskRules{Enabled: true}}}, m, false)
}

// FuzzProject reads bytes as lines of a stored log, in any order and with any numbers.
func FuzzProject(f *testing.F) {
	for i := range 40 {
		var data []byte
		for _, e := range rapid.Custom(compacttest.RandomLog).Example(i) {
			line, err := conversation.Marshal(e)
			if err != nil {
				f.Fatal(err)
			}
			data = append(append(data, line...), '\n')
		}
		f.Add(data)
	}
	f.Add([]byte(`{"seq":18446744073709551615,"turn":0,"time":"2026-01-01T00:00:00Z","user":{"text":"x"}}
{"seq":3,"turn":9,"time":"2026-01-01T00:00:00Z","drop":{"spans":[{"first":0,"last":18446744073709551615},{"first":9,"last":2}]}}
{"seq":3,"turn":0,"time":"2026-01-01T00:00:00Z","pin":{"events":[3,3,0]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var events []conversation.Event
		for line := range bytes.Lines(data) {
			if e, err := conversation.Unmarshal(line); err == nil {
				events = append(events, e)
			}
		}
		checkProjection(t, events)
	})
}

// These tests recover from an overflow in a window of 100,000 tokens: recovery must free the
// request to 52,000 tokens, and evictions go down to 40,000.

func describeBodies(bodies []conversation.Body) string {
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
			parts = append(parts, "drop "+spansText(b.Spans))
		default:
			parts = append(parts, fmt.Sprintf("%T", b))
		}
	}
	return strings.Join(parts, "; ")
}

// turnOfCalls returns a turn of that many calls, whose results are too new to be masked.
func turnOfCalls(calls, tokens int) *compacttest.LogBuilder {
	l := (&compacttest.LogBuilder{}).UserTokens(10)
	for range calls {
		l.CallTokens("task", "{}", tokens)
	}
	return l
}

func TestRecoveryStopsWhenEnoughIsFree(t *testing.T) {
	t.Parallel()
	cuts := func(n, chars int) string {
		var items []string
		for i := range n {
			items = append(items, fmt.Sprintf("e%d %d+%d", 3+2*i, chars, chars))
		}
		return strings.Join(items, ", ")
	}
	for name, c := range map[string]struct {
		log  *compacttest.LogBuilder
		want string
	}{
		"nothing": {(&compacttest.LogBuilder{}).ToolTurns(10).UserTokens(1990), ""},
		// All but the newest three results, of the first turn as well.
		"masks": {(&compacttest.LogBuilder{}).ToolTurns(14), "mask e3 e7 e11 e15 e19 e23 e27 e31 e35 e39 e43"},
		// Three results of 30,000: the newest three stay, and the oldest go to 1,000 each until 38,015 less are sent.
		"caps of the current turn": {(&compacttest.LogBuilder{}).UserTokens(10).ReadTokens(30_000).ReadTokens(30_000).ReadTokens(29_990), "cap e3 2000+2000, e5 2000+2000"},
		"one cap is enough":        {(&compacttest.LogBuilder{}).UserTokens(10).ReadTokens(30_000).ReadTokens(24_000).ReadTokens(22_000), "cap e3 2000+2000"},
		"masks, then caps":         {(&compacttest.LogBuilder{}).ChatTurns(4).ToolTurns(2).UserTokens(10).ReadTokens(20_000).ReadTokens(20_000).ReadTokens(19_990), "mask e11 e15; cap e19 2000+2000, e21 2000+2000"},
		// 80 results of 1,000 and calls of 1.5 tokens: 28,130 have to go. No result has more than 4,000 characters.
		// Of one that is cut to 1,000, at least 700 tokens go.
		"shorter caps": {turnOfCalls(80, 1000), "cap " + cuts(41, 500)},
		// 60 results of 5,200 characters: cut to 4,000 and a note they have 61,500
		// tokens, and cut to 1,000 some 720 less each.
		"caps twice": {turnOfCalls(60, 1300), "cap " + cuts(60, 2000) + "; cap " + cuts(14, 500)},
		// Nothing to mask or cap: from 90,000 down to 40,000, the newest message and the first stay.
		"drops":                        {(&compacttest.LogBuilder{}).ChatTurns(18), "drop 2-21"},
		"only the current turn is cut": {(&compacttest.LogBuilder{}).UserTokens(10).CallTokens("task", "{}", 60_000).ReplyTokens(10).UserTokens(10).ReadTokens(299), "drop 2-3"},
		"masks, then drops":            {(&compacttest.LogBuilder{}).ChatTurns(12).ToolTurns(4).UserTokens(10), "mask e27; drop 2-16"},
		// A long first message goes only where nothing else makes the room.
		"a first message without end":      {(&compacttest.LogBuilder{}).UserTokens(98_000).ReplyTokens(10).UserTokens(990), "drop 1-1"},
		"a first message that is too long": {(&compacttest.LogBuilder{}).UserTokens(60_000).ChatTurns(18), "drop 1-21"},
		"a first message that has room":    {(&compacttest.LogBuilder{}).UserTokens(30_000).ChatTurns(18), "drop 2-33"},
	} {
		k := compacttest.PlannerInputAt(planner.MomentRequest)
		if got := describeRecovery(k, c.log); got != c.want {
			t.Errorf("%s: %q, want %q (%d tokens)", name, got, c.want, k.TokensAfter(c.log, nil))
		}
		if left := k.TokensAfter(c.log, k.CheckOf(c.log.Events()).Recover(k.Rules)); left > 52_000 {
			t.Errorf("%s: %d tokens are left, want 52000 at most", name, left)
		}
	}
}

func TestRecoveryShortensAndKeepsTheLastUnit(t *testing.T) {
	t.Parallel()
	acted := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := conversationtest.NewWriter(t, compacttest.ExtendedLog(t))
		w.Turn(t)
		if rapid.Bool().Draw(t, "more overlays") {
			w.AddEpoch(t)
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
		then := projection.Project(append(slices.Clip(log), conversation.NextEvents(log, conversationtest.Epoch, bodies...)...))
		before, after := c.Meter.EstimatedTokens(), c.Meter.WithView(then).EstimatedTokens()
		if after >= before {
			t.Fatalf("%s: %d tokens became %d", describeBodies(bodies), before, after)
		}
		checkKept(t, log, v, then, c.Meter)
		messages, err := projection.Harden(then, projection.Capabilities{})
		if _, was := projection.Harden(v, projection.Capabilities{}); err != nil && was == nil {
			t.Fatalf("the request cannot be made any more: %v", err)
		}
		for _, problem := range compacttest.RequestProblems(messages, projection.Capabilities{}) {
			t.Fatalf("%s: %s", describeBodies(bodies), problem)
		}
	})
	for _, kind := range []string{"conversation.Mask", "conversation.Cap", "conversation.Drop"} {
		if acted[kind] == 0 && !testing.Short() {
			t.Errorf("no recovery made a %s", kind)
		}
	}
}

// checkKept fails unless the view has what no compaction may cover: pins, the user's
// first text of up to 2,000 tokens and newest message, and the last unit.
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
		case i == 0 && m.Role == projection.RoleUser && m.State == projection.StateVerbatim && meter.TextTokens(m.Size) <= 2000:
			if !alone(m.Events[0]) {
				t.Fatal("the first text is not shown alone")
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

// describeRecovery describes a recovery in a line; "" if it is empty.
func describeRecovery(k compacttest.PlannerInput, l *compacttest.LogBuilder) string {
	return describeBodies(k.CheckOf(l.Events()).Recover(k.Rules))
}
