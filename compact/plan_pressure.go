package compact

import (
	"math"
	"time"

	"plimsoll/conversation"
)

// What is done above the load line. Rules:
//
//   - Masks alone, first with full protection, then without that of the first and
//     the current turn, if they reach the target.
//   - Otherwise a summary of the oldest units, as few as reach the target. What is
//     newer then stays as it was said: newest words raw and oldest ones summarised
//     tell more, for as many tokens, than everything behind stubs. Only if the
//     summary does not make enough room are old results masked as well.
//   - A summary takes in what was left out before, and once the block is long
//     all earlier ones: it stays one block.
//   - In a window that system prompt and tools nearly fill, the target leaves room
//     to talk.

// pressure makes room above the load line.
func (p *planner) pressure() Plan {
	over := p.over()
	if !p.above(p.reading.Used) || !over && !p.armed() {
		return Plan{}
	}
	plan := p.plan(TriggerLoadLine)
	switch plan.Hold = over; {
	case p.check.Refused:
		plan.Trigger = TriggerOverflow
	case over:
		plan.Trigger = TriggerHardLine
	}
	return p.makeRoom(plan)
}

// makeRoom is the plan with what brings a request to the target.
func (p *planner) makeRoom(plan Plan) Plan {
	var last worth
	for _, relaxed := range []bool{false, true} {
		last = p.worth(p.items(relaxed))
		if p.used-last.gain <= p.goal(p.rules.Planner.TargetRatio) && p.progress(last.gain) {
			return p.with(plan, last)
		}
	}
	if p.rules.asks(p.check.Past) {
		if summary, ok := p.summarise(plan); ok {
			return summary
		}
	}
	if p.progress(last.gain) {
		return p.with(plan, last)
	}
	return Plan{Hold: plan.Hold, Used: plan.Used}
}

// progress reports whether so many tokens less are worth a pass.
func (p *planner) progress(tokens float64) bool {
	return tokens > 0 && tokens >= p.rules.Planner.ProgressRatio*p.used
}

// goal is a share of the load line, or more where system prompt and tools take
// most of that.
func (p *planner) goal(share float64) float64 {
	soft := float64(p.reading.LoadLine)
	base := float64(p.reading.Segments[System] + p.reading.Segments[Tools])
	return max(share*soft, base+p.rules.Planner.TalkRatio*max(0, soft-base))
}

// summarise covers the oldest units, and masks what is old behind them if that
// is not enough. It reports false if that would save too little.
func (p *planner) summarise(plan Plan) (Plan, bool) {
	rule := BandRule{Target: p.goal(p.rules.Planner.TargetRatio), Protected: p.rules.ProtectedRatio * p.window}
	before := float64(p.check.Meter.EstimatedTokens())
	var b band
	least := math.Inf(1)
	for _, items := range []func() []conversation.MaskItem{
		func() []conversation.MaskItem { return nil },
		func() []conversation.MaskItem { return p.items(false) },
		func() []conversation.MaskItem { return p.items(true) },
	} {
		hidden := items()
		v := p.masked(hidden)
		if next := bandOf(v, p.check.Meter, rule); len(next.spans) > 0 {
			b = next
		} else { // what stubs leave is all protected: what could be covered without them still is
			hidden = outside(hidden, b.spans)
			v = p.masked(hidden)
		}
		left := float64(p.check.Meter.WithView(v).EstimatedTokens()) - b.saves()
		if len(b.spans) == 0 || left >= least || !p.progress(before-left) {
			continue
		}
		least = left
		spans := p.block(b)
		plan = p.with(plan, p.worth(outside(hidden, spans)))
		if plan.Spans = spans; left <= p.goal(p.rules.Planner.EnoughRatio) {
			break
		}
	}
	return plan, len(plan.Spans) > 0
}

// block is the spans of a band with what becomes part of its text: what was left
// out before its end, and all earlier summaries if the block would be too long.
func (p *planner) block(b band) []conversation.Span {
	all := b.spans
	if p.blockIsFull() {
		for _, s := range summaries(p.check.Log) {
			if s.shown {
				all = union(all, s.Spans)
			}
		}
	}
	var taken spans
	end, covered := all[len(all)-1].Last, conversation.Disjoint(all)
	for i := range p.check.View.Messages {
		m := &p.check.View.Messages[i]
		switch {
		case m.State == StatePinned:
		case m.State == StateDropped && m.Why != whyLeftOut && m.Events[0] < end, covered.HoldsAny(m.Events):
			taken.take(m)
		default:
			taken.end()
		}
	}
	return taken.taken
}

// blockIsFull reports whether another summary would make the block too long.
func (p *planner) blockIsFull() bool {
	bands, tokens := 0, 0.0
	for _, s := range summaries(p.check.Log) {
		if s.shown {
			bands++
			tokens += p.check.Meter.Weigh(conversation.Measure(s.Text))
		}
	}
	r := p.rules.Planner
	next, most := float64(r.summaryMost(int(p.window))), float64(r.BlockTokens)
	if p.window > 0 {
		most = max(2*next, min(most, r.BlockRatio*p.window))
	}
	return bands >= r.Bands || bands > 0 && tokens+next > most
}

// masked is the view with items hidden.
func (p *planner) masked(items []conversation.MaskItem) View {
	if len(items) == 0 {
		return p.check.View
	}
	return Project(behind(p.check.Log, time.Time{}, p.rules.MaskOf(items)))
}

// outside lists the items that spans do not hold.
func outside(items []conversation.MaskItem, spans []conversation.Span) []conversation.MaskItem {
	var out []conversation.MaskItem
	covered := conversation.Disjoint(spans)
	for _, item := range items {
		if !covered.Holds(item.Event) {
			out = append(out, item)
		}
	}
	return out
}
