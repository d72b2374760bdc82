package planner

import (
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// A model takes half a minute for a summary, and no request waits for it. So the summary
// for the eviction at the load line is written before the request reaches that line.

// prepareTurns is how many turns before the load line, by estimate, a summary is prepared.
const prepareTurns = 2

func (p *planner) planSummaryAhead() Plan {
	if !p.check.Prepares || p.window == 0 || p.check.Refused || !p.check.History.mayAskModel(p.rules) || p.cooldown.isAfterUndo() || !p.cooldown.mayRetry() {
		return Plan{}
	}
	if !p.reading.IsNearLoadLine() {
		return Plan{} // without reading the log
	}
	timing := p.timing()
	if left := float64(timing.TokensLeft); left <= 0 || left > meter.NearShare*p.window || timing.TurnsRequired > 0 || timing.Turns == 0 || timing.Turns > prepareTurns {
		return Plan{}
	}
	if !p.wantsSummary() {
		return Plan{}
	}
	spans := p.spansToPrepare(float64(timing.TokensLeft))
	if len(spans) == 0 {
		return Plan{}
	}
	return Plan{Prepare: true, Spans: p.summarySpans(spans), Used: p.reading.Used}
}

// spansToPrepare returns the spans that are evicted at the load line after more tokens, nil if that saves too little.
func (p *planner) spansToPrepare(more float64) []conversation.Span {
	atLine, _ := p.evictionTargets()
	spans := p.spansEvictedAfter(atLine, more)
	evicted := p.check.Meter.Factor()*float64(meter.EstimateCovered(p.check.View, spans)) + p.check.Meter.BoundThinkingTokens() - p.noteTokens()
	if !p.savesEnough(evicted) {
		return nil
	}
	return spans
}

// spansEvictedAfter returns the present spans that an eviction down to a target takes after so many
// more tokens, which count among the protected newest ones.
func (p *planner) spansEvictedAfter(to evictionTarget, more float64) []conversation.Span {
	return chooseEviction(p.check.View, p.check.Meter, to.target-more, p.noteTokens(), max(0, to.protected-more)).spans
}
