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

// Evicting makes room without a model: the oldest units go, and a note stands for
// them. Rules:
//
//   - Above the load line a step goes down to the target. Where a summary is wanted
//     it joins the note in the same epoch.
//   - While the provider's cache is cold, a step breaks no prefix that was not lost
//     already. It is made wherever more than the cold share is used, without a model.
//   - A step that saves less than a tenth of what is used is not made.
//   - When the next turns lead to the load line, the summary of what the step will
//     evict is prepared beside the conversation.

func (p *planner) evict() Plan {
	if p.window == 0 {
		return Plan{}
	}
	target, cold := p.goals()
	over := p.over()
	switch {
	case p.above(p.reading.Used) && (over || p.rests.armed()):
		plan, goal := p.plan(TriggerLoadLine), target
		switch plan.Hold = over; {
		case p.check.Refused:
			plan.Trigger = TriggerOverflow
		case over:
			plan.Trigger = TriggerHardLine
		}
		if p.check.Cold() {
			goal = min(goal, cold)
		}
		return p.step(plan, goal, p.check.Past.asks(p.rules))
	case p.check.Cold() && p.check.Moment != MomentReply && p.rests.settled() && p.used > cold:
		return p.step(p.plan(TriggerCold), cold, false)
	}
	return Plan{}
}

func (p *planner) goals() (target, cold float64) {
	target, cold = p.rules.Evict.Goals(int(p.window), p.capacity, p.reading.LoadLine)
	return p.besidePrompt(target), p.besidePrompt(cold)
}

// besidePrompt is a target, or more where system prompt and tools take more than
// usual: what the conversation gets of the window shrinks by as much.
func (p *planner) besidePrompt(target float64) float64 {
	usual := promptShare * float64(p.capacity)
	prompt := promptTokens(p.reading)
	if prompt <= usual {
		return target
	}
	return prompt + roomLeft(p.capacity, p.reading)*max(0, target-usual)
}

// noteRoom is what a note may have, in estimates of texts, and noteTokens the same in
// tokens of the model.
func (p *planner) noteRoom() summary.NoteRoom {
	return noteRoomOf(p.rules, &p.check.Meter, p.capacity, p.reading)
}

// NoteRoom is what a note may have in a window of so many tokens, 0 unknown.
func NoteRoomOf(r preset.Rules, m meter.Meter, window int) summary.NoteRoom {
	reading := m.Reading()
	return noteRoomOf(&r, &m, preset.CapacityOf(window, reading.LoadLine), reading)
}

func noteRoomOf(r *preset.Rules, m *meter.Meter, capacity int, reading meter.Reading) summary.NoteRoom {
	return noteRoomIn(r.Evict, capacity).Scaled(roomLeft(capacity, reading) / m.Factor())
}

func (p *planner) noteTokens() float64 { return p.check.Meter.Factor() * p.noteRoom().All() }

func (p *planner) protected() float64 {
	return roomLeft(p.capacity, p.reading) * p.rules.ProtectedShare(p.capacity) * float64(p.capacity)
}

// step is the plan with what brings a request down to so many tokens, or one that
// does nothing where too little can be evicted.
func (p *planner) step(plan Plan, target float64, summary bool) Plan {
	nothing := Plan{Hold: plan.Hold, Used: p.reading.Used}
	room := p.noteTokens()
	e := oldestUnits(p.check.View, p.check.Meter, target, room, p.protected())
	if len(e.spans) == 0 || !p.progress(p.mayGain(plan, e, room)) {
		return nothing
	}
	note := Evicted(p.check.Log, p.check.View, e.spans, p.noteRoom())
	view := projection.Project(conversation.Extend(p.check.Log, time.Time{}, note))
	after := p.usedBy(view)
	if !p.progress(p.used-float64(after)) || view.Sizes.Chars() >= p.check.View.Sizes.Chars() {
		return nothing // fewer messages alone, with more text, make no view shorter
	}
	plan.Note, plan.Gain = note, p.reading.Used-after
	if summary {
		plan.Spans = p.block(note.Spans)
	}
	return plan
}

// mayGain is what evicting is expected to save. What would not be enough is not
// written out: above the load line that is asked before every request. In a cold
// cache it is asked once, and every step is worth it that saves enough after all.
func (p *planner) mayGain(plan Plan, e eviction, room float64) float64 {
	if plan.Hold || plan.Trigger == TriggerCold {
		return e.tokens
	}
	return e.gains(room)
}

func (p *planner) progress(tokens float64) bool {
	return tokens > 0 && tokens >= p.rules.Planner.ProgressRatio*p.used
}

// Evicted is the overlay that evicts spans of whole units, with the note that
// stands for them and for all that was evicted before.
func Evicted(log []conversation.Event, v projection.View, spans []conversation.Span, room summary.NoteRoom) conversation.Summary {
	spans = withoutParts(log, conversation.SpansWithoutRewound(log, spans))
	body := conversation.Summary{Style: preset.OwnStyle, Version: projection.BlockVersion, Spans: spans}
	body.FromTurn, body.ToTurn = conversation.TurnRange(conversation.MessagesIn(log, spans))
	body.Appendix = summary.Note(log, v, spans, room)
	return body
}

// withoutParts is spans without units that they do not hold whole: a result that came
// long after its call stands in a view apart from it, and neither goes alone.
func withoutParts(log []conversation.Event, spans []conversation.Span) []conversation.Span {
	held, parts := conversation.Disjoint(spans), map[uint64]bool{}
	for _, u := range conversation.Units(log) {
		in := 0
		for _, i := range u.Events {
			if held.Contains(log[i].Seq) {
				in++
			}
		}
		if in == 0 || in == len(u.Events) {
			continue
		}
		for _, i := range u.Events {
			parts[log[i].Seq] = true
		}
	}
	if len(parts) == 0 {
		return spans
	}
	return conversation.SpansWithout(log, spans, func(seq uint64) bool { return parts[seq] })
}

// block is the spans of a summary: with all earlier summaries if the block of them
// would be too long.
func (p *planner) block(evicted []conversation.Span) []conversation.Span {
	if !p.blockIsFull() {
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

func (p *planner) blockIsFull() bool {
	bands, tokens := 0, 0.0
	for _, s := range projection.Summaries(p.check.Log) {
		if s.Shown && s.Text != "" {
			bands++
			tokens += p.check.Meter.Weigh(conversation.Measure(s.Text))
		}
	}
	r := p.rules.Planner
	next, most := float64(SummaryMost(r, int(p.window))), min(float64(r.BlockTokens), r.BlockRatio*p.window)
	return bands >= r.Bands || bands > 0 && tokens+next > max(2*next, most)
}

const (
	// smallestSummary is the longest that is asked for in however small a window.
	smallestSummary = 300 // tokens
)

// SummaryMost is the longest summary that is asked for in a window of so many
// tokens, 0 unknown: a small one would be filled by words about words.
func SummaryMost(r preset.PlannerRules, window int) int {
	if window <= 0 {
		return summary.MaxTokens
	}
	return min(summary.MaxTokens, max(int(r.SummaryRatio*float64(window)), smallestSummary))
}
