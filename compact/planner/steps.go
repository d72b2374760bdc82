package planner

import (
	"math"

	"plimsoll/conversation"
)

// What steps would evict, told before they are made. Rules:
//
//   - A step at the load line is foretold as of the load line: by then the
//     conversation has grown, so that more of what is there now has to go, and less
//     of it is protected.
//   - A step with a cold cache is foretold as of now, as it would be made before the
//     next request.

// steps foretells what the steps would do. Tokens are estimates, as those of the view
// are.
func (p *planner) steps(a *Ahead) {
	if p.window == 0 {
		return
	}
	target, cold := p.goals()
	a.Cold, a.ColdLine = p.check.Cold(), int(cold) // whole tokens are above one exactly where they are above the other
	if p.used > float64(a.ColdLine) && a.Wait == 0 && p.settled() {
		a.ColdStep = p.stepOf(p.step(p.plan(TriggerCold), cold, false))
	}
	growth, goal := float64(max(0, a.At-p.reading.Used)), target
	if growth == 0 && a.Cold {
		goal = min(goal, cold)
	}
	if growth > 0 {
		a.Step = p.stepAhead(goal, growth)
		return
	}
	plan := p.plan(TriggerLoadLine)
	plan.Hold = p.over()
	a.Step = p.stepOf(p.step(plan, goal, p.check.Past.asks(p.rules)))
}

// stepOf is the step that a plan makes on the log as it is, nil if it makes none.
func (p *planner) stepOf(plan Plan) *Step {
	note, ok := plan.Note.(conversation.Summary)
	if !ok {
		return nil
	}
	return &Step{Note: note, Summarised: plan.Spans, After: p.tokensOf(p.check.View) - plan.Gain + p.summaryTokens(plan.Spans)}
}

// stepAhead foretells a step down to a target after so many tokens more, nil if none
// is made then.
func (p *planner) stepAhead(target, growth float64) *Step {
	used := float64(p.tokensOf(p.check.View))
	spans := p.spansAhead(target, growth)
	if len(spans) == 0 {
		return nil
	}
	body := Evicted(p.check.Log, p.check.View, spans, p.noteRoom())
	after := float64(p.tokensOf(p.after(Plan{Masks: []conversation.Body{body}}))) + growth
	more := after > target
	if more {
		after = target // what is still to be said goes as well
	}
	if gain := used + growth - after; gain <= 0 || gain < p.rules.Planner.ProgressRatio*(p.used+growth) {
		return nil
	}
	s := Step{Note: body, More: more}
	if p.check.Past.asks(p.rules) {
		s.Summarised = p.block(spans)
	}
	s.After = int(math.Round(after)) + p.summaryTokens(s.Summarised)
	return &s
}

// summaryTokens is the longest summary of spans, 0 without any.
func (p *planner) summaryTokens(spans []conversation.Span) int {
	if len(spans) == 0 {
		return 0
	}
	return int(math.Round(p.check.Meter.Factor() * float64(SummaryMost(p.rules.Planner, int(p.window)))))
}
