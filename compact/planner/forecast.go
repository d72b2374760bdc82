package planner

import (
	"math"
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// TimingState says whether the planner acts now or what it waits for.
type TimingState string

const (
	TimingReady     TimingState = "ready"   // it acts at AtTokens
	TimingNow       TimingState = "now"     // it acts at the next request or after the reply
	TimingAfterUndo TimingState = "held"    // the user undid a compaction: it acts again at AtTokens
	TimingCooldown  TimingState = "resting" // a compaction was made: it acts again at AtTokens
	TimingUnknown   TimingState = "unknown" // the window is unknown: it acts only after a refusal
	TimingOff       TimingState = "off"     // automatic compaction is off: it acts only after a refusal
)

// Timing says when the planner acts next, in tokens of a request and in turns.
type Timing struct {
	State                TimingState
	AtTokens, TokensLeft int // tokens of a request from which it acts, and tokens until then; AtTokens is 0 if it does not depend on tokens
	Turns                int // estimated turns until then, from the growth of the newest turns; 0 unknown
	TurnsRequired        int // turns that must be added before it acts, however long the request is (JP's RFD D17)
}

// Forecast is the next automatic compaction. The planner's functions compute it, so that it
// agrees with their later decision. For the preset of a published design (a source) it has a text only.
type Forecast struct {
	Timing
	Action                 string // text: what the rules of a source do at AtTokens, "" for an eviction
	EvictFrom, EvictTo     int    // present turns that are evicted at AtTokens; EvictTo is -1 without an eviction
	EvictsMore             bool   // the eviction also takes turns that are not in the log yet
	SummaryFrom, SummaryTo int    // turns that a summary with the eviction would cover; SummaryTo is -1 without one
	After                  int    // tokens of the request after the eviction
	// Turns that are evicted before the next request if the provider's cache is cold then,
	// and the tokens after that. ColdTo is -1 without such an eviction, which needs more than ColdLine tokens.
	ColdFrom, ColdTo, ColdAfter int
	ColdLine                    int
	Cold                        bool   // the cache is cold now
	MayAskModel                 bool   // a model may be asked for a summary
	Failures                    int    // summaries that failed in a row
	Rule                        string // the rules in force, in a few words
}

// Forecast predicts the next automatic compaction. An eviction at the load line is computed for
// the size of the load line: until then the conversation grows, so that more of the present
// turns must be evicted. One with a cold cache is computed for the present size.
func (c Check) Forecast(r preset.Rules) Forecast {
	f := Forecast{EvictTo: -1, SummaryTo: -1, ColdTo: -1}
	f.Rule, f.Action = ruleText(r)
	if !r.ActsAutomatically() || r.Preset.Design().Action == preset.ActDrop && r.Auto.Profile == "" {
		f.State = TimingOff
		return f
	}
	c.Refused = false
	p := newPlanner(&r, &c)
	f.Timing = p.timing()
	if r.SummarisesAutomatically() {
		f.Failures, f.MayAskModel = c.History.Failures, r.AsksModelAutomatically() && !c.History.Exhausted(r)
		if r.Auto.Profile != "" { // the profile cannot act without a model
			f.MayAskModel = c.History.mayAskModel(&r)
		}
	}
	if r.EvictsAutomatically() && p.window > 0 {
		p.predictEvictions(&f)
	}
	// The used tokens may come from the provider's report, but the tokens after an eviction are
	// estimates. Scale the estimates, so that both can be compared.
	if estimated := c.Meter.EstimatedTokens(); estimated > 0 {
		scale := p.used / float64(estimated)
		f.After, f.ColdAfter = int(math.Round(float64(f.After)*scale)), int(math.Round(float64(f.ColdAfter)*scale))
	}
	return f
}

func (p *planner) predictEvictions(f *Forecast) {
	atLine, cold := p.evictionTargets()
	f.Cold, f.ColdLine = p.check.Cold(), int(cold.target) // tokens are whole numbers, so rounding down changes no comparison
	if p.used > float64(f.ColdLine) && f.TurnsRequired == 0 && p.cooldown.allowsColdEviction() {
		plan := p.evictTo(p.newPlan(TriggerCold), cold, false)
		if note, ok := plan.Note.(conversation.Summary); ok {
			f.ColdFrom, f.ColdTo, f.ColdAfter = note.FromTurn, note.ToTurn, p.tokensOf(p.check.View)-plan.Gain
		}
	}
	if growth := float64(max(0, f.AtTokens-p.reading.Used)); growth > 0 {
		p.predictEvictionAtLine(f, atLine, growth)
		return
	}
	if f.Cold {
		atLine = atLine.andCold(cold)
	}
	plan := p.newPlan(TriggerLoadLine)
	plan.BlocksRequest = p.aboveHardLine()
	plan = p.evictTo(plan, atLine, true)
	if note, ok := plan.Note.(conversation.Summary); ok {
		f.EvictFrom, f.EvictTo, f.After = note.FromTurn, note.ToTurn, p.tokensOf(p.check.View)-plan.Gain
		p.predictSummary(f, plan.Spans)
	}
}

// predictEvictionAtLine predicts an eviction at the load line after a growth in tokens.
func (p *planner) predictEvictionAtLine(f *Forecast, to evictionTarget, growth float64) {
	spans := p.spansEvictedAfter(to, growth)
	if len(spans) == 0 {
		return
	}
	note := EvictionNote(p.check.Log, p.check.View, spans, p.noteLimits())
	before := float64(p.tokensOf(p.check.View)) + growth
	after := float64(p.tokensOf(p.viewAfter(Plan{Masks: []conversation.Body{note}}))) + growth
	more := after > to.target
	if more {
		after = to.target // the eviction also takes messages that are still to come
	}
	if gain := before - after; gain <= 0 || gain < p.rules.Planner.ProgressRatio*(p.used+growth) {
		return
	}
	f.EvictFrom, f.EvictTo, f.EvictsMore, f.After = note.FromTurn, note.ToTurn, more, int(math.Round(after))
	if p.wantsSummary() {
		p.predictSummary(f, p.summarySpans(spans))
	}
}

func (p *planner) predictSummary(f *Forecast, spans []conversation.Span) {
	if len(spans) > 0 {
		f.SummaryFrom, f.SummaryTo = conversation.TurnRange(conversation.MessagesIn(p.check.Log, spans))
		f.After += int(math.Round(p.check.Meter.Factor() * float64(MaxSummaryTokens(p.rules.Planner, int(p.window)))))
	}
}

// timing returns the state of the planner and the size of a request at which it acts.
func (p *planner) timing() Timing {
	r, history, used, line := p.rules, p.check.History, p.reading.Used, p.reading.LoadLine
	action, profile := r.Preset.Design().Action, r.Auto.Profile != ""
	evicts, everything := r.EvictsAutomatically(), action == preset.ActSummariseAll && !profile
	needsModel := everything || profile && r.Profiles[r.Auto.Profile].Summarize
	if line == 0 || action == preset.ActOnRepeats && !profile || needsModel && !history.mayAskModel(r) {
		if !p.reading.Window.IsKnown() && (profile || action != preset.ActSummariseAll && action != preset.ActOnRepeats) {
			return Timing{State: TimingUnknown}
		}
		return Timing{State: TimingReady}
	}
	hard := 0 // size from which no cooldown applies
	if evicts || action == preset.ActSummariseOld && !profile && p.check.CacheInvalid {
		hard = p.reading.HardLine
	}
	t := Timing{State: TimingReady, AtTokens: line, TokensLeft: max(0, line-used)}
	cooldown := func(applies bool, state TimingState, before, by int) {
		at := before + by
		if hard > 0 {
			at = max(line, min(at, hard))
		}
		// It acts above the load line, and after a cooldown as soon as that has ended.
		if left := at - used; applies && before > 0 && left > t.TokensLeft {
			t.State, t.AtTokens, t.TokensLeft = state, at, left
		}
	}
	cooldown(evicts, TimingCooldown, history.After, p.cooldown.minGrowth)
	cooldown(evicts || profile && needsModel, TimingCooldown, history.FailedAt, p.cooldown.stride/retriesPerStride)
	cooldown(!everything, TimingAfterUndo, history.UndoneAt, p.cooldown.stride)
	if r.Auto.MinTurns > 0 && (hard == 0 || used <= hard) {
		t.TurnsRequired = max(0, r.Auto.MinTurns+1-turnCount(p.check.Log))
	}
	if t.State == TimingReady && t.TurnsRequired == 0 && used > line {
		t.State = TimingNow
	}
	if t.TokensLeft > 0 {
		t.Turns = p.estimateTurns(t.TokensLeft)
	}
	if t.Turns > 0 || t.TokensLeft == 0 {
		t.Turns = max(t.Turns, t.TurnsRequired)
	}
	return t
}

// recentTurns is how many of the newest turns the growth of a conversation is estimated from.
const recentTurns = 5

// estimateTurns estimates in how many turns so many tokens are added, 0 unknown. It ignores
// the newest turn while that has no reply.
func (p *planner) estimateTurns(tokens int) int {
	messages := p.check.View.Messages
	for len(messages) > 0 && messages[len(messages)-1].Role == projection.RoleUser {
		messages = messages[:len(messages)-1]
	}
	sum, seen, last := 0.0, 0, -1
	for i, m := range slices.Backward(messages) {
		if m.State == projection.StateSummarised || m.State == projection.StateDropped {
			break
		}
		if m.Turn != last {
			if seen == recentTurns {
				break
			}
			last = m.Turn
			seen++
		}
		sum += p.check.Meter.TextTokens(p.originalSize(&messages[i])) + p.check.Meter.MessageOverhead()
	}
	if sum <= 0 {
		return 0
	}
	return int(math.Ceil(float64(tokens) * float64(seen) / sum))
}

func (p *planner) originalSize(m *projection.Message) conversation.Size {
	if i := conversation.IndexOf(p.check.Log, m.Events[0]); i >= 0 {
		if size, ok := conversation.MessageSize(p.check.Log[i].Body); ok {
			return size
		}
	}
	return m.After()
}
