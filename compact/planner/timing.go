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

// Timing is when the planner acts next, in tokens and in turns.
type Timing struct {
	State TimingState
	// At is the tokens of a request from which on it acts, 0 if none makes it act;
	// Left is how many may be added until then, never negative.
	At, Left int
	// Turns is in how many turns that will be, as the last ones went; 0 unknown.
	Turns int
	// Wait is how many more turns have to be said before it acts, whatever is used;
	// 0 none (D17).
	Wait int
}

// threshold is a measure of a request and from where on it makes a preset act.
type threshold struct {
	used, line int
	hard       int  // from here on no rest counts, 0 there is no such line
	rests      bool // after a compaction that made room
	tries      bool // for a little after a compaction that failed
}

// threshold is what makes the rules act, behind what layers do before every
// request; false if nothing that is known does.
func (f forecast) threshold(layers Plan) (threshold, bool) {
	r := f.rules
	t := threshold{used: f.reading.Used, line: f.reading.LoadLine}
	switch acts := r.Preset.Design().Acts; {
	case r.Auto.Profile != "":
		t.tries = r.Profiles[r.Auto.Profile].Summarize
		return t, t.line > 0 && (!t.tries || f.check.Past.asks(r))
	case acts == preset.ActSummariseAll:
		t.used = f.usedBy(f.after(layers))
		return t, t.line > 0 && f.check.Past.asks(r)
	case acts == preset.ActSummariseOld:
		if f.check.Gone {
			t.hard = f.reading.HardLine
		}
		return t, t.line > 0
	case acts == preset.ActOnRepeats:
		return threshold{}, false
	}
	t.rests, t.tries, t.hard = true, true, f.reading.HardLine
	return t, t.line > 0
}

// timing says in which state the planner is, and from where on it acts, behind what
// layers do before every request.
func (f forecast) timing(layers Plan) Timing {
	t, known := f.threshold(layers)
	if !known {
		return Timing{State: f.unmeasured(layers.Hides())}
	}
	o := Timing{State: TimingReady, At: t.line, Left: max(0, t.line-t.used)}
	f.rest(&o, t)
	if least := f.rules.Auto.MinTurns; least > 0 && (t.hard == 0 || t.used <= t.hard) {
		o.Wait = max(0, least+1-turnsSaid(f.check.Log))
	}
	if o.State == TimingReady && o.Wait == 0 && t.used > t.line {
		o.State = TimingNow
	}
	if o.Left > 0 {
		o.Turns = f.turnsFor(o.Left)
	}
	if o.Turns > 0 || o.Left == 0 {
		o.Turns = max(o.Turns, o.Wait)
	}
	return o
}

// unmeasured is the state where no number of tokens makes the rules act.
func (f forecast) unmeasured(soon int) TimingState {
	acts := f.rules.Preset.Design().Acts
	anyWindow := f.rules.Auto.Profile == "" && (acts == preset.ActSummariseAll || acts == preset.ActOnRepeats)
	switch {
	case !f.reading.Window.Known() && !anyWindow:
		return TimingUnknown
	case soon > 0:
		return TimingNow
	}
	return TimingReady
}

// rest moves At to where the rests after earlier passes end, if that is later.
// They are counted in tokens of a request.
func (f forecast) rest(o *Timing, t threshold) {
	past := f.check.Past
	until := func(state TimingState, before, by int) {
		at := before + by
		if t.hard > 0 {
			at = max(t.line, min(at, t.hard))
		}
		// At a line it acts only above that, after a rest from its end on.
		if left := at - f.reading.Used; before > 0 && left > o.Left {
			o.State, o.At, o.Left = state, at, left
		}
	}
	if t.rests {
		until(TimingResting, past.After, f.rests.rearm)
	}
	if t.tries {
		until(TimingResting, past.Tried, f.rests.stride/triesPerStride)
	}
	if f.rules.Preset.Design().Acts != preset.ActSummariseAll || f.rules.Auto.Profile != "" {
		until(TimingHeld, past.Undone, f.rests.stride)
	}
}

// recentTurns is how many of the newest turns tell how fast a conversation grows.
const recentTurns = 5

// turnsFor is in about how many turns so many tokens are added, 0 unknown. A turn
// that nobody has answered yet tells nothing.
func (f forecast) turnsFor(tokens int) int {
	messages := f.check.View.Messages
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
		sum += f.check.Meter.Weigh(f.said(&messages[i])) + f.check.Meter.Framing()
	}
	if sum <= 0 {
		return 0
	}
	return int(math.Ceil(float64(tokens) * float64(seen) / sum))
}

// said is the size that a message had when it joined the log.
func (f forecast) said(m *projection.Message) conversation.Size {
	if i := conversation.IndexOf(f.check.Log, m.Events[0]); i >= 0 {
		if size, ok := conversation.MessageSize(f.check.Log[i].Body); ok {
			return size
		}
	}
	return m.After()
}

// forecast tells what a planner does next.
type forecast struct{ *planner }
