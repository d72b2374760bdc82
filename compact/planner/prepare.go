package planner

import (
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// A summary takes a model half a minute, and a request waits for none. So the one
// that belongs to the step at the load line is written before that is reached.

const (
	// prepareTurns is how many turns before the load line a summary is prepared, as
	// the last turns grew.
	prepareTurns = 2
)

func (p *planner) prepare() Plan {
	past := p.check.Past
	if !p.check.Prepares || p.window == 0 || p.check.Refused || !past.asks(p.rules) || p.rests.held() || !p.rests.mayTry() {
		return Plan{}
	}
	if !p.reading.NearsLoadLine() {
		return Plan{} // before anything is read
	}
	o := p.timing()
	if left := float64(o.Left); left <= 0 || left > meter.NearShare*p.window || o.Wait > 0 || o.Turns == 0 || o.Turns > prepareTurns {
		return Plan{}
	}
	spans := p.evictedAt(float64(o.Left))
	if len(spans) == 0 {
		return Plan{}
	}
	return Plan{Prepare: true, Spans: p.block(spans), Used: p.reading.Used}
}

func (p *planner) evictedAt(more float64) []conversation.Span {
	target, _ := p.goals()
	spans := p.spansAhead(target, more)
	evicted := p.check.Meter.Factor()*float64(meter.CoveredTokens(p.check.View, spans)) + p.check.Meter.BoundTokens() - p.noteTokens()
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
