package planner

import (
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// A summary takes a model half a minute, and a request waits for none. So the one
// that belongs to the step at the load line is written before that is reached.

const (
	// prepareTurns is how many turns before the load line a summary is prepared, as
	// the last turns grew.
	prepareTurns = 2
)

// prepare is the summary of what the step at the load line will evict, while that is
// a turn or two away.
func (p *planner) prepare() Plan {
	past := p.check.Past
	if !p.check.Prepares || p.window == 0 || p.check.Refused || !past.asks(p.rules) || p.held() ||
		!p.grown(past.Tried, p.rules.Stride(int(p.window))/triesPerStride) {
		return Plan{}
	}
	if !p.reading.NearsLoadLine() {
		return Plan{} // before anything is read
	}
	o := p.timing(Plan{})
	if left := float64(o.Left); left <= 0 || left > meter.NearShare*p.window || o.Wait > 0 || o.Turns == 0 || o.Turns > prepareTurns {
		return Plan{}
	}
	spans := p.evictedAt(float64(o.Left))
	if len(spans) == 0 {
		return Plan{}
	}
	return Plan{Prepare: true, Spans: p.block(spans), Used: p.reading.Used}
}

// evictedAt is what a step will evict when so many more tokens were added.
func (p *planner) evictedAt(more float64) []conversation.Span {
	target, _ := p.goals()
	spans := p.spansAhead(target, more)
	evicted := p.check.Meter.Factor()*float64(meter.CoveredTokens(p.check.View, spans)) - p.noteTokens()
	if !p.progress(evicted) {
		return nil
	}
	return spans
}

// spansAhead is what a step down to a target evicts when so many more tokens were
// added: they belong to the newest, which stay.
func (p *planner) spansAhead(target, more float64) []conversation.Span {
	protected := max(0, p.protected()-more)
	return oldestUnits(p.check.View, p.check.Meter, target-more, p.noteTokens(), protected).spans
}

// afterRefusal is what rules do that act only where a server did not take a request.
func (c Check) afterRefusal(r preset.Rules) Plan {
	if !c.Refused || !r.Evicts() {
		return Plan{}
	}
	r.Summary.When = preset.SummaryNever
	p := newPlanner(&r, &c)
	return p.evict()
}

// EvictNow is the step at the load line although that is not reached, without a
// summary: somebody asked for room.
func (c Check) EvictNow(r preset.Rules, trigger string) Plan {
	p := newPlanner(&r, &c)
	if p.window == 0 || len(c.View.Messages) == 0 {
		return Plan{}
	}
	target, _ := p.goals()
	return p.step(p.plan(trigger), target, false)
}
