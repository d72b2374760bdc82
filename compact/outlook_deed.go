package compact

import (
	"time"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// What the planner would do if it had to act on the log as it is by now.

// forced are rules and a look by which the planner acts if there is anything to
// be done: its line lies below what is used, and no rest speaks against it.
func (p *planner) forced() (Rules, Check) {
	r, c := p.rules, p.check
	c.Moment = MomentReply
	c.Past = Past{Failures: c.Past.Failures, Settled: c.Past.Settled}
	r.Auto.MinTurns, c.capacity = 0, p.capacity
	if below := max(p.reading.Used-1, 1); p.reading.LoadLine >= p.reading.Used {
		c.Meter.options.TokenThreshold = below
	}
	if r.Preset.Design().Acts == preset.ActSummariseAll && r.Auto.Profile == "" {
		c.Moment = MomentRequest
	}
	return r, c
}

// deed foretells what is done. Where layers are all that ever acts, it is what they
// do.
func (p *planner) deed(o *Outlook, layers Plan) {
	// What is used may be counted from a report, what is left is estimated: told
	// beside each other they are in one measure.
	defer func() {
		if before := p.check.Meter.EstimatedTokens(); before > 0 {
			by := p.used / float64(before)
			o.After, o.ColdAfter = whole(float64(o.After)*by), whole(float64(o.ColdAfter)*by)
		}
	}()
	r, c := p.forced()
	if r.Evicts() {
		p.steps(o)
		return
	}
	plan := layers
	if r.Auto.Profile != "" || r.Preset.Design().Acts != preset.ActOnRepeats {
		plan = r.Plan(c)
	}
	switch {
	case !plan.Acts():
	case plan.Wish != nil:
		p.profileDeed(o, *plan.Wish)
	case plan.Drops && len(plan.Spans) == 0:
		o.Drops = true
		o.After = p.tokensOf(Project(conversation.Extend(c.Log, time.Time{}, r.Recover(c)...)))
	default:
		p.planDeed(o, plan)
	}
}

// planDeed is what masks and a summary come to.
func (p *planner) planDeed(o *Outlook, plan Plan) {
	o.Masks, o.Arguments = hiddenBy(plan.Masks, plan.Spans)
	if len(plan.Spans) == 0 {
		o.After = p.tokensOf(p.after(plan))
		return
	}
	v := p.after(plan)
	spans := plan.Spans
	if p.rules.Summary.Mode == ModeRawUnion {
		spans = withEarlier(p.check.Log, spans)
	}
	o.SummaryFrom, o.Until = conversation.TurnsOf(conversation.MessagesIn(p.check.Log, spans))
	o.After = p.summarised(v, spans)
}

// after is the view with the masks of a plan.
func (p *planner) after(plan Plan) View {
	if len(plan.Masks) == 0 {
		return p.check.View
	}
	return Project(conversation.Extend(p.check.Log, time.Time{}, plan.Masks...))
}

// summarised is the tokens of a request with a summary of spans of a view, the
// longest that is expected. Nothing is written out for it.
func (p *planner) summarised(v View, spans []conversation.Span) int {
	m := p.check.Meter.WithView(v)
	pass := Pass{Spans: spans, log: p.check.Log, rules: p.rules, before: v,
		now: Situation{Meter: m, Cold: p.cold()}}
	ask := SummaryAsk{Rules: p.rules.Summary}
	if window := m.Window().Tokens; window > 0 && pass.readsView(p.rules.Summary) {
		ask.Free = max(window-m.EstimatedTokens(), 1)
	}
	pass.Job = &SummaryJob{MaxTokens: ask.maxTokens(), CoveredTokens: CoveredTokens(v, spans)}
	return pass.Preview().After
}

// profileDeed is what a profile would do (D17).
func (p *planner) profileDeed(o *Outlook, w Wish) {
	pass, err := NewPass(p.check.Log, p.rules, Situation{Meter: p.check.Meter.WithView(p.check.View), Cold: p.cold()}, w)
	if err != nil {
		return // it would be refused: nothing would be done
	}
	preview := pass.Preview()
	o.After = preview.After
	for _, l := range preview.Layers {
		switch l.Kind {
		case layerSummary:
			o.SummaryFrom, o.Until = preview.Range.From, preview.Range.To
		case layerResults:
			o.Masks += l.Events
		case layerArguments:
			o.Masks, o.Arguments = o.Masks+l.Events, o.Arguments+l.Events
		}
	}
}

// cold reports whether the provider's cache no longer holds the conversation.
func (p *planner) cold() bool {
	return p.check.Gone || p.check.AtOnce || p.check.Sheet.Cold(p.check.Idle)
}

// tokensOf is a request with a view, in tokens.
func (p *planner) tokensOf(v View) int { return p.check.Meter.WithView(v).EstimatedTokens() }

// hiddenBy is how many results and arguments masks hide outside of spans, and how
// many of them are arguments.
func hiddenBy(masks []conversation.Body, spans []conversation.Span) (all, arguments int) {
	covered := conversation.Disjoint(spans)
	for _, b := range masks {
		mask, ok := b.(conversation.Mask)
		if !ok {
			continue
		}
		for _, item := range mask.Items {
			if covered.Holds(item.Event) {
				continue
			}
			all++
			if item.Part == conversation.PartArguments {
				arguments++
			}
		}
	}
	return all, arguments
}
