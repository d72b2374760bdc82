package planner

import (
	"cmp"
	"slices"
	"time"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// An eviction takes the oldest units out of the view and puts a note in their place, without a model. The documents for users
// call it a step. Rules:
//
//   - Above the load line, the planner evicts down to the target. A summary, if the rules want one, is committed with the note
//     in one epoch.
//   - While the provider's cache is cold, changing the prefix costs nothing. Then the planner evicts, without a summary, as soon
//     as more than the cold share is used.
//   - The planner does not evict if that saves less than the progress ratio (a tenth) of the request.
//   - When the next turns are expected to reach the load line, a summary of the units that will be evicted is prepared in the
//     background.

// planEviction returns the plan of an eviction that is due now, or an empty plan.
func (p *planner) planEviction() Plan {
	if p.window == 0 {
		return Plan{}
	}
	atLine, cold := p.evictionTargets()
	blocks := p.aboveHardLine()
	switch {
	case p.aboveLoadLine(p.reading.Used) && (blocks || p.cooldown.allowsEviction()):
		plan := p.newPlan(TriggerLoadLine)
		switch plan.BlocksRequest = blocks; {
		case p.check.Refused:
			plan.Trigger = TriggerOverflow
		case blocks:
			plan.Trigger = TriggerHardLine
		}
		if p.check.Cold() {
			atLine = atLine.andCold(cold)
		}
		return p.evictTo(plan, atLine, true)
	case p.check.Cold() && p.check.Moment != MomentReply && p.cooldown.allowsColdEviction() && p.used > cold.target:
		return p.evictTo(p.newPlan(TriggerCold), cold, false)
	}
	return Plan{}
}

// evictionTarget is how far an eviction goes, in tokens.
type evictionTarget struct {
	target    float64 // size of the request after it
	protected float64 // newest tokens that it leaves alone
}

// andCold returns the target of an eviction at the load line while the cache is cold: it goes as far as either.
func (t evictionTarget) andCold(cold evictionTarget) evictionTarget {
	return evictionTarget{min(t.target, cold.target), min(t.protected, cold.protected)}
}

// evictionTargets returns the targets of an eviction at the load line, and with a cold cache.
func (p *planner) evictionTargets() (atLine, cold evictionTarget) {
	target, coldTarget := p.rules.Evict.Targets(int(p.window), p.capacity, p.reading.LoadLine)
	left := shareLeftByPrompt(p.capacity, p.reading) * float64(p.capacity)
	atLine = evictionTarget{p.raisedForPrompt(target), left * p.rules.ProtectedShare(p.capacity)}
	return atLine, evictionTarget{p.raisedForPrompt(coldTarget), left * p.rules.ColdProtectedShare(p.capacity)}
}

// EvictionSizes returns the sizes to which evictions by the rules bring requests.
func EvictionSizes(r preset.Rules, m meter.Meter) promptcache.EvictionSizes {
	p := newPlanner(&r, &Check{Meter: m})
	if p.window == 0 || !r.ActsAutomatically() || !r.EvictsAutomatically() {
		return promptcache.EvictionSizes{}
	}
	atLine, cold := p.evictionTargets()
	return promptcache.EvictionSizes{Cold: cold.target, Line: float64(p.reading.LoadLine), Target: atLine.target}
}

// raisedForPrompt raises a target where system prompt and tools are larger than usual.
func (p *planner) raisedForPrompt(target float64) float64 {
	usualPrompt := promptShare * float64(p.capacity)
	prompt := promptTokens(p.reading)
	if prompt <= usualPrompt {
		return target
	}
	return prompt + shareLeftByPrompt(p.capacity, p.reading)*max(0, target-usualPrompt)
}

// noteLimits returns the size limits of a note in estimated tokens. The method noteTokens
// returns their sum in calibrated tokens of the model.
func (p *planner) noteLimits() summary.NoteLimits {
	return noteLimitsOf(p.rules, &p.check.Meter, p.capacity, p.reading)
}

// NoteLimitsOf returns the size limits of a note for a window of so many tokens, 0 unknown.
func NoteLimitsOf(r preset.Rules, m meter.Meter, window int) summary.NoteLimits {
	reading := m.Reading()
	return noteLimitsOf(&r, &m, preset.EffectiveWindow(window, reading.LoadLine), reading)
}

func noteLimitsOf(r *preset.Rules, m *meter.Meter, capacity int, reading meter.Reading) summary.NoteLimits {
	w := cmp.Or(capacity, assumedWindow)
	rules := r.Evict.Resolve(w)
	quotes := rules.Words * float64(w)
	limits := summary.NoteLimits{Lists: listsShare * quotes, Quotes: quotes, Index: rules.Index * float64(w)}
	return limits.Scaled(shareLeftByPrompt(capacity, reading) / m.Factor())
}

func (p *planner) noteTokens() float64 { return p.check.Meter.Factor() * p.noteLimits().All() }

// evictTo adds a note to a plan that brings the request down to a target. It returns an empty plan if too few tokens can be
// evicted. withSummary says that an eviction of this kind may have a summary.
func (p *planner) evictTo(plan Plan, to evictionTarget, withSummary bool) Plan {
	nothing := Plan{BlocksRequest: plan.BlocksRequest, Used: p.reading.Used}
	noteTokens := p.noteTokens()
	eviction := chooseEviction(p.check.View, p.check.Meter, to.target, noteTokens, to.protected)
	if len(eviction.spans) == 0 || !p.savesEnough(p.expectedGain(plan, eviction, noteTokens)) {
		return nothing
	}
	note := EvictionNote(p.check.Log, p.check.View, eviction.spans, p.noteLimits())
	view := projection.Project(conversation.Extend(p.check.Log, time.Time{}, note))
	after := p.usedWith(view)
	if !p.savesEnough(p.used-float64(after)) || view.Sizes.Length() >= p.check.View.Sizes.Length() {
		return nothing // the view would have fewer messages, but more text
	}
	plan.Note, plan.Gain = note, p.reading.Used-after
	if withSummary && p.wantsSummary() {
		plan.Spans = p.summarySpans(note.Spans)
	}
	return plan
}

// expectedGain returns the tokens that an eviction is expected to save, before its note of at most room tokens is
// written. At the load line, where the planner calls it before every request, that is the least possible saving:
// a note grows by less than half of the tokens that it replaces. Otherwise it is the tokens of the evicted messages.
func (p *planner) expectedGain(plan Plan, e eviction, room float64) float64 {
	if plan.BlocksRequest || plan.Trigger == TriggerCold {
		return e.tokens
	}
	return e.tokens - min(max(room-e.note, 0), e.tokens/2)
}

// savesEnough reports whether saving so many tokens reaches the progress ratio of the rules.
func (p *planner) savesEnough(tokens float64) bool {
	return tokens > 0 && tokens >= p.rules.Planner.ProgressRatio*p.used
}

// EvictionNote returns the overlay that evicts spans of whole units. Its note describes
// them and all units that were evicted before.
func EvictionNote(log []conversation.Event, v projection.View, spans []conversation.Span, limits summary.NoteLimits) conversation.Summary {
	spans = withoutSplitUnits(log, conversation.SpansWithoutRewound(log, spans))
	body := conversation.Summary{Style: preset.OwnStyle, Version: projection.BlockVersion, Spans: spans}
	body.FromTurn, body.ToTurn = conversation.TurnRange(conversation.MessagesIn(log, spans))
	body.Appendix = summary.Note(log, v, spans, limits)
	return body
}

// withoutSplitUnits returns spans without the units that they contain only partly. A result
// that came long after its call may lie outside the spans, and only whole units are evicted.
func withoutSplitUnits(log []conversation.Event, spans []conversation.Span) []conversation.Span {
	covered, split := conversation.Disjoint(spans), map[uint64]bool{}
	for _, u := range conversation.Units(log) {
		in := 0
		for _, i := range u.Events {
			if covered.Contains(log[i].Seq) {
				in++
			}
		}
		if in == 0 || in == len(u.Events) {
			continue
		}
		for _, i := range u.Events {
			split[log[i].Seq] = true
		}
	}
	if len(split) == 0 {
		return spans
	}
	return conversation.SpansWithout(log, spans, func(seq uint64) bool { return split[seq] })
}

// summarySpans returns the spans of a summary of evicted units. They include those of the earlier summaries if one
// more would exceed the rules' limits for a view.
func (p *planner) summarySpans(evicted []conversation.Span) []conversation.Span {
	all, summaries, tokens := slices.Clone(evicted), 0, 0.0
	for _, s := range projection.Summaries(p.check.Log) {
		if s.Shown && s.Text != "" {
			all = conversation.JoinSpans(all, s.Spans)
			summaries++
			tokens += p.check.Meter.TextTokens(conversation.Measure(s.Text))
		}
	}
	r := p.rules.Planner
	next, most := float64(MaxSummaryTokens(r, int(p.window))), min(float64(r.BlockTokens), r.BlockRatio*p.window)
	if summaries >= r.Bands || summaries > 0 && tokens+next > max(2*next, most) {
		return all
	}
	return evicted
}

// minSummaryTokens is the length that a summary may have even in a very small window.
const minSummaryTokens = 300

// MaxSummaryTokens returns the longest summary, in tokens, to request in a window of so many
// tokens, 0 unknown: a longer one would fill a small window.
func MaxSummaryTokens(r preset.PlannerRules, window int) int {
	if window <= 0 {
		return summary.MaxSummary
	}
	return min(summary.MaxSummary, max(int(r.SummaryRatio*float64(window)), minSummaryTokens))
}
