package planner

import (
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// A model takes half a minute for a summary, and no request waits for it. So the summary
// for the step at the load line is written before the request reaches that line.

// prepareTurns is how many turns before the load line, by estimate, a summary is prepared.
const prepareTurns = 2

func (p *planner) prepare() Plan {
	if !p.check.Prepares || p.window == 0 || p.check.Refused || !p.check.Past.mayAskModel(p.rules) || p.cooldown.afterUndo() || !p.cooldown.mayRetry() {
		return Plan{}
	}
	if !p.reading.IsNearLoadLine() {
		return Plan{} // without reading the log
	}
	o := p.timing()
	if left := float64(o.Left); left <= 0 || left > meter.NearShare*p.window || o.Wait > 0 || o.Turns == 0 || o.Turns > prepareTurns {
		return Plan{}
	}
	spans := p.spansAfter(float64(o.Left))
	if len(spans) == 0 {
		return Plan{}
	}
	return Plan{Prepare: true, Spans: p.summarySpans(spans), Used: p.reading.Used}
}

// spansAfter returns what the step at the load line will evict after so many more tokens, nil if that saves too little.
func (p *planner) spansAfter(more float64) []conversation.Span {
	target, _ := p.goals()
	spans := p.spansAhead(target, more)
	evicted := p.check.Meter.Factor()*float64(meter.EstimateCovered(p.check.View, spans)) + p.check.Meter.BoundThinkingTokens() - p.noteTokens()
	if !p.isProgress(evicted) {
		return nil
	}
	return spans
}

// spansAhead returns the present spans that a step down to a target evicts after so many
// more tokens, which count among the protected newest ones.
func (p *planner) spansAhead(target, more float64) []conversation.Span {
	protected := max(0, p.protected()-more)
	return oldestUnits(p.check.View, p.check.Meter, target-more, p.noteTokens(), protected).spans
}
