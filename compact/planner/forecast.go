package planner

import (
	"math"
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// TimingState is why the planner does what it will do.
type TimingState string

// The states of the planner.
const (
	TimingReady   TimingState = "ready"   // it acts at At
	TimingNow     TimingState = "now"     // it acts at the next request or after the reply
	TimingHeld    TimingState = "held"    // the user undid a compaction: it acts from At on
	TimingResting TimingState = "resting" // a compaction was made: it acts again from At on
	TimingUnknown TimingState = "unknown" // the window is not known: only a refusal makes it act
	TimingOff     TimingState = "off"     // automatic compaction is off: only a refusal makes it act
)

// Timing is when the planner acts next, in tokens of a request and in turns.
type Timing struct {
	State    TimingState
	At, Left int // from where on it acts, and how many may be added until then; At is 0 if no number of tokens makes it act
	Turns    int // in how many turns that will be, as the last ones went; 0 unknown
	Wait     int // more turns that have to be said before it acts, whatever is used (D17)
}

// Forecast is what the planner will do next. It is asked of the planner itself, so that the
// two cannot drift apart. What the rules of a source will do is told in general.
type Forecast struct {
	Timing
	Deed               string // what the rules of a source do at At, "" for a step
	EvictFrom, EvictTo int    // turns that the step at At evicts, of those there are; EvictTo is -1 without a step
	EvictMore          bool   // and turns that are still to come
	SummaryFrom, Until int    // turns that a summary in it would cover; Until is -1 for none
	After              int    // tokens that the step leaves
	// What a step evicts before the next request if the provider's cache is cold then,
	// ColdTo -1 if there is none, and what it leaves. It is made above ColdLine tokens.
	ColdFrom, ColdTo, ColdAfter int
	ColdLine                    int
	Cold                        bool   // the cache is cold now
	Asks                        bool   // a model may be asked for a summary
	Failures                    int    // in a row, of summaries
	Rule                        string // the rules in force, in a few words
}

// Forecast tells what the planner will do next. A step at the load line is told as of the
// load line: by then the conversation has grown, so that more of what is there now has to
// go. A step with a cold cache is told as of now.
func (c Check) Forecast(r preset.Rules) Forecast {
	o := Forecast{EvictTo: -1, Until: -1, ColdTo: -1}
	o.Rule, o.Deed = ruleWords(r)
	if !r.ActsByItself() || r.Preset.Design().Acts == preset.ActDrop && r.Auto.Profile == "" {
		o.State = TimingOff
		return o
	}
	c.Refused = false
	p := newPlanner(&r, &c)
	o.Timing = p.timing()
	if r.Summarises() {
		o.Failures, o.Asks = c.Past.Failures, r.Asks() && !c.Past.Exhausted(r)
		if r.Auto.Profile != "" { // it has no way to do without a model
			o.Asks = c.Past.asks(&r)
		}
	}
	if r.Evicts() && p.window > 0 {
		p.foretell(&o)
	}
	// What is used may be counted from a report, what is left is estimated: told
	// beside each other they are in one measure.
	if estimated := c.Meter.EstimatedTokens(); estimated > 0 {
		by := p.used / float64(estimated)
		o.After, o.ColdAfter = int(math.Round(float64(o.After)*by)), int(math.Round(float64(o.ColdAfter)*by))
	}
	return o
}

func (p *planner) foretell(o *Forecast) {
	target, cold := p.goals()
	o.Cold, o.ColdLine = p.check.Cold(), int(cold) // whole tokens are above one exactly where they are above the other
	if p.used > float64(o.ColdLine) && o.Wait == 0 && p.rests.settled() {
		plan := p.step(p.plan(TriggerCold), cold, false)
		if note, ok := plan.Note.(conversation.Summary); ok {
			o.ColdFrom, o.ColdTo, o.ColdAfter = note.FromTurn, note.ToTurn, p.tokensOf(p.check.View)-plan.Gain
		}
	}
	if growth := float64(max(0, o.At-p.reading.Used)); growth > 0 {
		p.foretellStep(o, target, growth)
		return
	}
	if o.Cold {
		target = min(target, cold)
	}
	plan := p.plan(TriggerLoadLine)
	plan.Hold = p.over()
	plan = p.step(plan, target, p.check.Past.asks(p.rules))
	if note, ok := plan.Note.(conversation.Summary); ok {
		o.EvictFrom, o.EvictTo, o.After = note.FromTurn, note.ToTurn, p.tokensOf(p.check.View)-plan.Gain
		p.foretellSummary(o, plan.Spans)
	}
}

// foretellStep tells what a step down to a target evicts once so many tokens more were added.
func (p *planner) foretellStep(o *Forecast, target, growth float64) {
	spans := p.spansAhead(target, growth)
	if len(spans) == 0 {
		return
	}
	note := Evicted(p.check.Log, p.check.View, spans, p.noteRoom())
	before := float64(p.tokensOf(p.check.View)) + growth
	after := float64(p.tokensOf(p.after(Plan{Masks: []conversation.Body{note}}))) + growth
	more := after > target
	if more {
		after = target // what is still to be said goes as well
	}
	if gain := before - after; gain <= 0 || gain < p.rules.Planner.ProgressRatio*(p.used+growth) {
		return
	}
	o.EvictFrom, o.EvictTo, o.EvictMore, o.After = note.FromTurn, note.ToTurn, more, int(math.Round(after))
	if p.check.Past.asks(p.rules) {
		p.foretellSummary(o, p.block(spans))
	}
}

func (p *planner) foretellSummary(o *Forecast, spans []conversation.Span) {
	if len(spans) > 0 {
		o.SummaryFrom, o.Until = conversation.TurnRange(conversation.MessagesIn(p.check.Log, spans))
		o.After += int(math.Round(p.check.Meter.Factor() * float64(SummaryMost(p.rules.Planner, int(p.window)))))
	}
}

// timing says in which state the planner is, and from where on it acts.
func (p *planner) timing() Timing {
	r, past, used, line := p.rules, p.check.Past, p.reading.Used, p.reading.LoadLine
	acts, profile := r.Preset.Design().Acts, r.Auto.Profile != ""
	evicts, everything := r.Evicts(), acts == preset.ActSummariseAll && !profile
	asks := everything || profile && r.Profiles[r.Auto.Profile].Summarize // it acts with a model or not at all
	if line == 0 || acts == preset.ActOnRepeats && !profile || asks && !past.asks(r) {
		if !p.reading.Window.Known() && (profile || acts != preset.ActSummariseAll && acts != preset.ActOnRepeats) {
			return Timing{State: TimingUnknown}
		}
		return Timing{State: TimingReady}
	}
	hard := 0 // from here on no rest counts
	if evicts || acts == preset.ActSummariseOld && !profile && p.check.Gone {
		hard = p.reading.HardLine
	}
	o := Timing{State: TimingReady, At: line, Left: max(0, line-used)}
	rest := func(counts bool, state TimingState, before, by int) {
		at := before + by
		if hard > 0 {
			at = max(line, min(at, hard))
		}
		// At a line it acts only above that, after a rest from its end on.
		if left := at - used; counts && before > 0 && left > o.Left {
			o.State, o.At, o.Left = state, at, left
		}
	}
	rest(evicts, TimingResting, past.After, p.rests.rearm)
	rest(evicts || profile && asks, TimingResting, past.Tried, p.rests.stride/triesPerStride)
	rest(!everything, TimingHeld, past.Undone, p.rests.stride)
	if r.Auto.MinTurns > 0 && (hard == 0 || used <= hard) {
		o.Wait = max(0, r.Auto.MinTurns+1-turnsSaid(p.check.Log))
	}
	if o.State == TimingReady && o.Wait == 0 && used > line {
		o.State = TimingNow
	}
	if o.Left > 0 {
		o.Turns = p.turnsFor(o.Left)
	}
	if o.Turns > 0 || o.Left == 0 {
		o.Turns = max(o.Turns, o.Wait)
	}
	return o
}

// recentTurns is how many of the newest turns tell how fast a conversation grows.
const recentTurns = 5

// turnsFor is in about how many turns so many tokens are added, 0 unknown. A turn
// that nobody has answered yet tells nothing.
func (p *planner) turnsFor(tokens int) int {
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
		sum += p.check.Meter.Weigh(p.said(&messages[i])) + p.check.Meter.Framing()
	}
	if sum <= 0 {
		return 0
	}
	return int(math.Ceil(float64(tokens) * float64(seen) / sum))
}

// said is the size that a message had when it joined the log.
func (p *planner) said(m *projection.Message) conversation.Size {
	if i := conversation.IndexOf(p.check.Log, m.Events[0]); i >= 0 {
		if size, ok := conversation.MessageSize(p.check.Log[i].Body); ok {
			return size
		}
	}
	return m.After()
}
