package planner_test

import (
	"slices"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// withSummaries adds n summaries that cover a log.
func withSummaries(events []conversation.Event, n int) []conversation.Event {
	var bodies []conversation.Body
	for i := range n {
		bodies = append(bodies, conversation.Summary{Style: conversation.StylePlimsoll, Version: 1, Text: "what was said, in short",
			Spans: []conversation.Span{{First: uint64(i*len(events)/n + 1), Last: uint64((i + 1) * len(events) / n)}}})
	}
	return compacttest.AppendTo(events, bodies...)
}

// withPolicies returns a log with a policy that strips all calls and results.
func withPolicies(events []conversation.Event, omit bool) []conversation.Event {
	p := &conversation.Policies{Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip,
		Request: true, Response: true, Preview: 250, MinChars: 800}
	if omit {
		p.ToolCalls = conversation.ToolCallsOmit
	}
	return compacttest.AppendTo(events, conversation.Summary{Style: conversation.StylePlimsoll, Version: 1, Policies: p,
		Spans: []conversation.Span{{First: 1, Last: uint64(len(events))}}})
}

// withRepeatedResults returns a log in which every result repeats the first.
func withRepeatedResults(events []conversation.Event) []conversation.Event {
	out := slices.Clone(events)
	first := uint64(0)
	for i, e := range out {
		if r, ok := e.Body.(conversation.ToolResult); ok {
			r.Repeats = first
			out[i].Body = r
			if first == 0 {
				first = e.Seq
			}
		}
	}
	return out
}

// BenchmarkProject projects 10,000 events of 1 KB. Budget: 5 ms each.
func BenchmarkProject(b *testing.B) {
	events := longLog(10_000)
	for _, c := range []struct {
		name string
		log  []conversation.Event
	}{
		{"raw", events},
		{"3000masks", maskAll(events, 3000)},
		{"40bands", withSummaries(events, 40)},
		{"strip", withPolicies(events, false)},
		{"omit", withPolicies(events, true)},
		{"pin", compacttest.AppendTo(events, conversation.Pin{Events: []uint64{7}})},
		{"repeats", withRepeatedResults(events)},
		{"repeatsMasked", maskAll(withRepeatedResults(events), 1)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				projection.Project(c.log)
			}
		})
	}
}

// BenchmarkExtend adds one event to a view of 10,000. Budget: 50 us.
func BenchmarkExtend(b *testing.B) {
	const grown = 5000
	for _, c := range []struct {
		name string
		log  []conversation.Event
	}{
		{"raw", longLog(10_000 + grown)},
		{"repeats", withRepeatedResults(longLog(10_000 + grown))},
	} {
		b.Run(c.name, func(b *testing.B) {
			begin := projection.Project(c.log[:10_000])
			v := begin
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%grown == 0 {
					v = begin // the log does not go on for ever
				}
				v = v.Extend(c.log[:10_001+i%grown])
			}
		})
	}
}

// BenchmarkMeterKeystroke measures the meter's work for a key with 10,000 events open.
// Budget: 50 us, hardly any allocation.
func BenchmarkMeterKeystroke(b *testing.B) {
	m := meter.New(compacttest.Window(128_000)).WithView(projection.Project(longLog(10_000)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m = m.WithDraft(conversation.Size{ASCII: i % 4096}, 1)
		if r := m.Reading(); r.AfterSend < r.Used {
			b.Fatal(r)
		}
	}
}

// BenchmarkPlan plans before a request with 10,000 events of 1 KB. Budget: under 50 us for a check without a plan; no
// budget for checks that plan, and for reading a changed log.
func BenchmarkPlan(b *testing.B) {
	for _, c := range []struct {
		name   string
		window int
		at     planner.Moment
		change func(*preset.Rules, *planner.Check)
		acts   bool
	}{
		{"warm in a turn", 5_000_000, planner.MomentRequest, func(*preset.Rules, *planner.Check) {}, false},
		{"warm turn start", 5_000_000, planner.MomentTurn, func(*preset.Rules, *planner.Check) {}, false},
		{"near the load line with a summary to prepare", 3_300_000, planner.MomentReply, func(_ *preset.Rules, c *planner.Check) { c.Prepares = true }, false},
		{"above the load line not armed", 3_000_000, planner.MomentRequest, func(_ *preset.Rules, c *planner.Check) { c.History.After = 2_600_000 }, false},
		{"cold below the cold share", 10_000_000, planner.MomentRequest, func(_ *preset.Rules, c *planner.Check) { c.CacheInvalid = true }, false},
		{"evicts", 3_000_000, planner.MomentRequest, func(r *preset.Rules, _ *planner.Check) { r.Summary.When = preset.SummaryNever }, true},
		{"evicts with a summary", 3_000_000, planner.MomentRequest, func(*preset.Rules, *planner.Check) {}, true},
		{"evicts in the cold", 4_000_000, planner.MomentRequest, func(_ *preset.Rules, c *planner.Check) { c.CacheInvalid = true }, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			r, check := longCheck(c.window, c.at)
			c.change(&r, &check)
			if plan := check.Plan(r); plan.Acts() != c.acts {
				b.Fatalf("used %d of %+v: %v", check.Meter.Reading().Used, check.Meter.Reading(), plan.Trigger)
			}
			b.ReportAllocs()
			for b.Loop() {
				check.Plan(r)
			}
		})
	}
}
