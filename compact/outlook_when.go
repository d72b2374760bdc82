package compact

import (
	"math"
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// When the planner acts next, in tokens and in turns.

// threshold is a measure of a request and from where on it makes a preset act.
type threshold struct {
	used, line int
	hard       int  // from here on no rest counts, 0 there is no such line
	rests      bool // after a pass that made room
	tries      bool // for a little after a pass that came to nothing
}

// threshold is what makes the rules act, behind what layers do before every
// request; false if nothing that is known does.
func (p *planner) threshold(layers Plan) (threshold, bool) {
	r := p.rules
	t := threshold{used: p.reading.Used, line: p.reading.LoadLine}
	switch acts := r.Preset.Design().Acts; {
	case r.Auto.Profile != "":
		t.tries = r.Profiles[r.Auto.Profile].Summarize
		return t, t.line > 0 && (!t.tries || r.asks(p.check.Past))
	case acts == preset.ActSummariseAll:
		t.used = p.usedBy(p.after(layers))
		return t, t.line > 0 && r.asks(p.check.Past)
	case acts == preset.ActSummariseOld:
		if p.check.Gone {
			t.hard = p.reading.HardLine
		}
		return t, t.line > 0
	case acts == preset.ActOnRepeats:
		return threshold{}, false
	}
	t.rests, t.tries, t.hard = true, true, p.reading.HardLine
	return t, t.line > 0
}

// when says in which state the planner is, and from where on it acts.
func (p *planner) when(o *Outlook, layers Plan) {
	t, known := p.threshold(layers)
	if !known {
		o.State = p.unmeasured(o.Soon)
		return
	}
	o.State, o.At, o.Left = OutlookReady, t.line, max(0, t.line-t.used)
	p.rest(o, t)
	if least := p.rules.Auto.MinTurns; least > 0 && (t.hard == 0 || t.used <= t.hard) {
		o.Wait = max(0, least+1-turnsSaid(p.check.Log))
	}
	if o.State == OutlookReady && o.Wait == 0 && t.used > t.line {
		o.State = OutlookNow
	}
	if o.Left > 0 {
		o.Turns = p.turnsFor(o.Left)
	}
	if o.Turns > 0 || o.Left == 0 {
		o.Turns = max(o.Turns, o.Wait)
	}
}

// unmeasured is the state where no number of tokens makes the rules act.
func (p *planner) unmeasured(soon int) OutlookState {
	acts := p.rules.Preset.Design().Acts
	anyWindow := p.rules.Auto.Profile == "" && (acts == preset.ActSummariseAll || acts == preset.ActOnRepeats)
	switch {
	case !p.reading.Window.Known() && !anyWindow:
		return OutlookUnknown
	case soon > 0:
		return OutlookNow
	}
	return OutlookReady
}

// rest moves At to where the rests after earlier passes end, if that is later.
// They are counted in tokens of a request.
func (p *planner) rest(o *Outlook, t threshold) {
	past, window := p.check.Past, p.reading.Window.Tokens
	until := func(state OutlookState, before, by int) {
		at := before + by
		if t.hard > 0 {
			at = max(t.line, min(at, t.hard))
		}
		// At a line it acts only above that, after a rest from its end on.
		if left := at - p.reading.Used; before > 0 && left > o.Left {
			o.State, o.At, o.Left = state, at, left
		}
	}
	if t.rests {
		until(OutlookResting, past.After, p.rules.Rearm(window))
	}
	if t.tries {
		until(OutlookResting, past.Tried, p.rules.stride(window)/triesPerStride)
	}
	if p.rules.Preset.Design().Acts != preset.ActSummariseAll || p.rules.Auto.Profile != "" {
		until(OutlookHeld, past.Undone, p.rules.stride(window))
	}
}

// recentTurns is how many of the newest turns tell how fast a conversation grows.
const recentTurns = 5

// turnsFor is in about how many turns so many tokens are added, 0 unknown. A turn
// that nobody has answered yet tells nothing.
func (p *planner) turnsFor(tokens int) int {
	messages := p.check.View.Messages
	for len(messages) > 0 && messages[len(messages)-1].Role == RoleUser {
		messages = messages[:len(messages)-1]
	}
	sum, seen, last := 0.0, 0, -1
	for i, m := range slices.Backward(messages) {
		if m.State == StateSummarised || m.State == StateDropped {
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
func (p *planner) said(m *Message) conversation.Size {
	if i := conversation.IndexOf(p.check.Log, m.Events[0]); i >= 0 {
		if size, ok := conversation.MessageSize(p.check.Log[i].Body); ok {
			return size
		}
	}
	return m.After()
}
