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
func (f forecast) steps(a *Ahead) {
	if f.window == 0 {
		return
	}
	target, cold := f.goals()
	a.Cold, a.ColdLine = f.check.Cold(), int(cold) // whole tokens are above one exactly where they are above the other
	if f.used > float64(a.ColdLine) && a.Wait == 0 && f.rests.settled() {
		a.ColdStep = f.stepOf(f.step(f.plan(TriggerCold), cold, false))
	}
	growth, goal := float64(max(0, a.At-f.reading.Used)), target
	if growth == 0 && a.Cold {
		goal = min(goal, cold)
	}
	if growth > 0 {
		a.Step = f.stepAhead(goal, growth)
		return
	}
	plan := f.plan(TriggerLoadLine)
	plan.Hold = f.over()
	a.Step = f.stepOf(f.step(plan, goal, f.check.Past.asks(f.rules)))
}

// stepOf is the step that a plan makes on the log as it is, nil if it makes none.
func (f forecast) stepOf(plan Plan) *Step {
	note, ok := plan.Note.(conversation.Summary)
	if !ok {
		return nil
	}
	return &Step{Note: note, Summarised: plan.Spans, After: f.tokensOf(f.check.View) - plan.Gain + f.summaryTokens(plan.Spans)}
}

// stepAhead foretells a step down to a target after so many tokens more, nil if none
// is made then.
func (f forecast) stepAhead(target, growth float64) *Step {
	used := float64(f.tokensOf(f.check.View))
	spans := f.spansAhead(target, growth)
	if len(spans) == 0 {
		return nil
	}
	body := Evicted(f.check.Log, f.check.View, spans, f.noteRoom())
	after := float64(f.tokensOf(f.after(Plan{Masks: []conversation.Body{body}}))) + growth
	more := after > target
	if more {
		after = target // what is still to be said goes as well
	}
	if gain := used + growth - after; gain <= 0 || gain < f.rules.Planner.ProgressRatio*(f.used+growth) {
		return nil
	}
	s := Step{Note: body, More: more}
	if f.check.Past.asks(f.rules) {
		s.Summarised = f.block(spans)
	}
	s.After = int(math.Round(after)) + f.summaryTokens(s.Summarised)
	return &s
}

// summaryTokens is the longest summary of spans, 0 without any.
func (f forecast) summaryTokens(spans []conversation.Span) int {
	if len(spans) == 0 {
		return 0
	}
	return int(math.Round(f.check.Meter.Factor() * float64(SummaryMost(f.rules.Planner, int(f.window)))))
}
