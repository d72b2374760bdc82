package compact

import (
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// What steps would evict, told before they are made. Rules:
//
//   - A step at the load line is foretold as of the load line: by then the
//     conversation has grown, so that more of what is there by now has to go, and
//     less of it is protected.
//   - A step with a cold cache is foretold as of now, as it would be made before the
//     next request.

// steps foretells what the steps would do. The tokens that it tells of are
// estimates, as those of the view are.
func (p *planner) steps(o *Outlook) {
	if p.window == 0 {
		return
	}
	target, cold := p.goals()
	o.Cold, o.ColdLine = p.cold(), int(cold) // whole tokens are above one exactly where they are above the other
	if p.used > float64(o.ColdLine) && o.Wait == 0 && p.settled() {
		plan := p.step(p.plan(TriggerCold), cold, false)
		if note, ok := plan.Note.(conversation.Summary); ok {
			o.ColdFrom, o.ColdTo, o.ColdAfter = note.FromTurn, note.ToTurn, p.tokensOf(p.check.View)-plan.Gain
		}
	}
	growth, goal := float64(max(0, o.At-p.reading.Used)), target
	if growth == 0 && o.Cold {
		goal = min(goal, cold)
	}
	if growth > 0 {
		p.stepAhead(o, goal, growth)
		return
	}
	plan := p.plan(TriggerLoadLine)
	plan.Hold = p.over()
	plan = p.step(plan, goal, p.rules.asks(p.check.Past))
	if note, ok := plan.Note.(conversation.Summary); ok {
		p.tellStep(o, note, plan.Spans, p.tokensOf(p.check.View)-plan.Gain)
	}
}

// stepAhead foretells a step down to a target after so many tokens more.
func (p *planner) stepAhead(o *Outlook, target, growth float64) {
	used := float64(p.tokensOf(p.check.View))
	spans := p.spansAhead(target, growth)
	if len(spans) == 0 {
		return
	}
	body := Evicted(p.check.Log, p.check.View, spans, p.noteRoom())
	after := float64(p.tokensOf(p.after(Plan{Masks: []conversation.Body{body}}))) + growth
	more := after > target
	if more {
		after = target // what is still to be said goes as well
	}
	if gain := used + growth - after; gain <= 0 || gain < p.rules.Planner.ProgressRatio*(p.used+growth) {
		return
	}
	o.EvictMore = more
	var summarised []conversation.Span
	if p.rules.asks(p.check.Past) {
		summarised = p.block(spans)
	}
	p.tellStep(o, body, summarised, whole(after))
}

// tellStep tells of a step with its note, with a summary of spans unless there are
// none, and what it leaves without that.
func (p *planner) tellStep(o *Outlook, note conversation.Summary, spans []conversation.Span, after int) {
	o.EvictFrom, o.EvictTo, o.After = note.FromTurn, note.ToTurn, after
	if len(spans) > 0 {
		o.SummaryFrom, o.Until = conversation.TurnsOf(conversation.MessagesIn(p.check.Log, spans))
		o.After += whole(p.check.Meter.Factor() * float64(p.rules.Planner.summaryMost(int(p.window))))
	}
}

// evictWords says what a step at the load line evicts, and what stands for it.
func (o Outlook) evictWords() string {
	text, them := evictedWords(o.EvictFrom, o.EvictTo)
	if o.EvictMore {
		text, them = "the oldest turns are evicted", "them"
	}
	switch {
	case o.Until < 0:
		text += ", and a note stands for " + them
	case o.EvictMore || o.SummaryFrom == o.EvictFrom && o.Until == o.EvictTo:
		text += ", and a note with a summary stands for " + them
	default:
		text += ", and a note stands for " + them + " with one summary of " + numbers.Turns(o.SummaryFrom, o.Until)
	}
	return text + "; about " + numbers.Grouped(rough(o.After)) + " tokens are left"
}

// evictedWords says that turns are evicted, and how to speak of them.
func evictedWords(from, to int) (text, them string) {
	if from == to {
		return numbers.Turns(from, to) + " is evicted", "it"
	}
	return numbers.Turns(from, to) + " are evicted", "them"
}

// coldWords says what a cold cache leads to, "" if it changes nothing: at is when the
// cache goes cold, in words, "" unknown.
func (o Outlook) coldWords(at string) string {
	if o.ColdTo < 0 || o.State == OutlookNow {
		return ""
	}
	evicted, them := evictedWords(o.ColdFrom, o.ColdTo)
	rest := evicted + " before the next request, and a note stands for " + them + "; about " + numbers.Grouped(rough(o.ColdAfter)) + " tokens are left."
	switch {
	case o.Cold:
		return "The provider's cache is cold, so that a step costs nothing extra: " + rest
	case at == "":
		return "If you pause until the provider's cache goes cold, " + rest
	}
	return "If you pause until " + at + ", the provider's cache goes cold: then " + rest
}
