package planner

import (
	"slices"
	"time"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// A step evicts the oldest units and puts a note in their place, without a model.
// Rules:
//
//   - Above the load line a step goes down to the target. A summary, if the rules want
//     one, is committed with the note in one epoch.
//   - While the provider's cache is cold, changing the prefix costs nothing. A step is
//     then made wherever more than the cold share is used, without a summary.
//   - A step that saves less than the progress ratio (a tenth) of the request is not made.
//   - When the next turns are expected to reach the load line, a summary of the units
//     that the step will evict is prepared in the background.

func (p *planner) evict() Plan {
	if p.window == 0 {
		return Plan{}
	}
	target, cold := p.goals()
	hold := p.mustHold()
	switch {
	case p.aboveLoadLine(p.reading.Used) && (hold || p.cooldown.allowsStep()):
		plan, goal := p.plan(TriggerLoadLine), target
		switch plan.Hold = hold; {
		case p.check.Refused:
			plan.Trigger = TriggerOverflow
		case hold:
			plan.Trigger = TriggerHardLine
		}
		if p.check.Cold() {
			goal = min(goal, cold)
		}
		return p.step(plan, goal, p.check.Past.mayAskModel(p.rules))
	case p.check.Cold() && p.check.Moment != MomentReply && p.cooldown.allowsColdStep() && p.used > cold:
		return p.step(p.plan(TriggerCold), cold, false)
	}
	return Plan{}
}

// goals returns the tokens of a request after a step at the load line and with a cold cache.
func (p *planner) goals() (target, cold float64) {
	target, cold = p.rules.Evict.Targets(int(p.window), p.capacity, p.reading.LoadLine)
	return p.withPrompt(target), p.withPrompt(cold)
}

// withPrompt raises a target where system prompt and tools are larger than usual.
func (p *planner) withPrompt(target float64) float64 {
	usual := promptShare * float64(p.capacity)
	prompt := promptTokens(p.reading)
	if prompt <= usual {
		return target
	}
	return prompt + roomLeft(p.capacity, p.reading)*max(0, target-usual)
}

// noteRoom returns the size limits of a note in estimated tokens. The method noteTokens
// returns their sum in calibrated tokens of the model.
func (p *planner) noteRoom() summary.NoteRoom {
	return noteRoomOf(p.rules, &p.check.Meter, p.capacity, p.reading)
}

// NoteRoomOf returns the size limits of a note for a window of so many tokens, 0 unknown.
func NoteRoomOf(r preset.Rules, m meter.Meter, window int) summary.NoteRoom {
	reading := m.Reading()
	return noteRoomOf(&r, &m, preset.EffectiveWindow(window, reading.LoadLine), reading)
}

func noteRoomOf(r *preset.Rules, m *meter.Meter, capacity int, reading meter.Reading) summary.NoteRoom {
	return noteRoomIn(r.Evict, capacity).Scaled(roomLeft(capacity, reading) / m.Factor())
}

func (p *planner) noteTokens() float64 { return p.check.Meter.Factor() * p.noteRoom().All() }

// protected returns the number of newest tokens that are never evicted.
func (p *planner) protected() float64 {
	return roomLeft(p.capacity, p.reading) * p.rules.ProtectedShare(p.capacity) * float64(p.capacity)
}

// step returns the plan with a note that brings the request down to target tokens, or
// one that does nothing if too little can be evicted.
func (p *planner) step(plan Plan, target float64, withSummary bool) Plan {
	nothing := Plan{Hold: plan.Hold, Used: p.reading.Used}
	room := p.noteTokens()
	e := oldestUnits(p.check.View, p.check.Meter, target, room, p.protected())
	if len(e.spans) == 0 || !p.isProgress(p.expectedGain(plan, e, room)) {
		return nothing
	}
	note := EvictionNote(p.check.Log, p.check.View, e.spans, p.noteRoom())
	view := projection.Project(conversation.Extend(p.check.Log, time.Time{}, note))
	after := p.usedBy(view)
	if !p.isProgress(p.used-float64(after)) || view.Sizes.Chars() >= p.check.View.Sizes.Chars() {
		return nothing // fewer messages with more text are no gain
	}
	plan.Note, plan.Gain = note, p.reading.Used-after
	if withSummary {
		plan.Spans = p.summarySpans(note.Spans)
	}
	return plan
}

// expectedGain returns the tokens that an eviction is expected to save, before its note is
// written. Above the load line, where this is asked before every request, it is the least
// that is saved. With a cold cache or above the hard line the note is written anyway.
func (p *planner) expectedGain(plan Plan, e eviction, room float64) float64 {
	if plan.Hold || plan.Trigger == TriggerCold {
		return e.tokens
	}
	return e.leastGain(room)
}

// isProgress reports whether saving so many tokens is worth a compaction.
func (p *planner) isProgress(tokens float64) bool {
	return tokens > 0 && tokens >= p.rules.Planner.ProgressRatio*p.used
}

// EvictionNote returns the overlay that evicts spans of whole units. Its note describes
// them and all units that were evicted before.
func EvictionNote(log []conversation.Event, v projection.View, spans []conversation.Span, room summary.NoteRoom) conversation.Summary {
	spans = withoutSplitUnits(log, conversation.SpansWithoutRewound(log, spans))
	body := conversation.Summary{Style: preset.OwnStyle, Version: projection.BlockVersion, Spans: spans}
	body.FromTurn, body.ToTurn = conversation.TurnRange(conversation.MessagesIn(log, spans))
	body.Appendix = summary.Note(log, v, spans, room)
	return body
}

// withoutSplitUnits returns spans without the units that they contain only partly: a result
// that came long after its call is shown apart from it, and neither is evicted alone.
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

// summarySpans returns the spans of a summary of evicted units. They include those of the
// earlier summaries if all their texts together would be too long.
func (p *planner) summarySpans(evicted []conversation.Span) []conversation.Span {
	if !p.summariesAreFull() {
		return evicted
	}
	all := slices.Clone(evicted)
	for _, s := range projection.Summaries(p.check.Log) {
		if s.Shown && s.Text != "" {
			all = conversation.JoinSpans(all, s.Spans)
		}
	}
	return all
}

// summariesAreFull reports whether one more summary would exceed the rules' limits for a view.
func (p *planner) summariesAreFull() bool {
	summaries, tokens := 0, 0.0
	for _, s := range projection.Summaries(p.check.Log) {
		if s.Shown && s.Text != "" {
			summaries++
			tokens += p.check.Meter.TextTokens(conversation.Measure(s.Text))
		}
	}
	r := p.rules.Planner
	next, most := float64(SummaryMost(r, int(p.window))), min(float64(r.BlockTokens), r.BlockRatio*p.window)
	return summaries >= r.Bands || summaries > 0 && tokens+next > max(2*next, most)
}

// smallestSummary is how long, in tokens, a summary may be in however small a window.
const smallestSummary = 300

// SummaryMost returns the longest summary, in tokens, to request in a window of so many
// tokens, 0 unknown: a longer one would fill a small window.
func SummaryMost(r preset.PlannerRules, window int) int {
	if window <= 0 {
		return summary.MaxTokens
	}
	return min(summary.MaxTokens, max(int(r.SummaryRatio*float64(window)), smallestSummary))
}
