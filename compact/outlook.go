package compact

import (
	"plimsoll/compact/preset"
	"plimsoll/conversation/numbers"
)

// The outlook is what the planner will do next, and when, told before it happens.
// Rules:
//
//   - When is read off what the planner itself goes by: the load line, the rests
//     after a pass and after one that was taken back, and the turns said.
//   - What is asked of the planner, about the log as it is by now, with its line
//     below what is used: what is foretold and what is done cannot drift apart.
//   - It reads no texts but those that the planner reads, and changes nothing.

// OutlookState is why the planner does what it will do.
type OutlookState string

// The states of the planner.
const (
	OutlookReady   OutlookState = "ready"   // it acts at At
	OutlookNow     OutlookState = "now"     // it acts at the next request or after the reply
	OutlookHeld    OutlookState = "held"    // the user took a pass back: it acts from At on
	OutlookResting OutlookState = "resting" // a pass was made: it acts again from At on
	OutlookUnknown OutlookState = "unknown" // the window is not known: only a refusal makes it act
	OutlookOff     OutlookState = "off"     // automatic compaction is off: only a refusal makes it act
)

// Outlook is what the planner will do next.
type Outlook struct {
	State OutlookState
	// At is the tokens of a request from which on it acts, 0 if none makes it act;
	// Left is how many may be added until then, never negative.
	At, Left int
	// Turns is in how many turns that will be, as the last ones went; 0 unknown.
	Turns int
	// Wait is how many more turns have to be said before it acts, whatever is used;
	// 0 none (D17).
	Wait int
	// What it would do at At, as far as what is said so far tells: how many results
	// and arguments it would hide, how many turns it would summarise, and what would
	// be left of a request, in tokens as the reading has them. All are 0 where
	// nothing is known.
	Masks              int
	Arguments          int  // of Masks, the arguments of calls
	SummaryFrom, Until int  // turns a summary would cover; Until -1: none
	EvictFrom, EvictTo int  // turns that a note would stand for; EvictTo -1: none
	EvictMore          bool // and turns that are still to come
	Drops              bool // the oldest messages would be left out (ONE)
	After              int
	// What a step would do before the next request if the provider's cache were cold
	// then: the turns that a note would stand for, ColdTo -1 if none, and what would
	// be left. Above ColdLine tokens such a step is made, 0 never; Cold says that the
	// cache is cold now.
	Cold             bool
	ColdLine         int
	ColdFrom, ColdTo int
	ColdAfter        int
	// Asks says that a model may be asked for a summary; after failures in a row none is.
	Asks     bool
	Failures int // in a row, of summaries that the rules ask for
	// Saver says that stubs are made below the load line too, where they pay, and
	// Stride how many tokens they have to save for that.
	Saver  bool
	Stride int
	// Each says that a layer of a source acts before every request, whatever is
	// used (JCL, ADA), and Soon how many results and arguments it hides by the next.
	Each bool
	Soon int
	Rule string // the rule in force, in a few words: the preset, the profile
}

// Outlook tells what the planner will do next.
func (r Rules) Outlook(c Check) Outlook {
	o := Outlook{Until: -1, EvictTo: -1, ColdTo: -1, Rule: r.ruleWords()}
	if !r.ActsByItself() || r.Preset.Design().Acts == preset.ActDrop && r.Auto.Profile == "" {
		o.State = OutlookOff
		return o
	}
	c.Refused = false
	p := newPlanner(r, c)
	layers := p.layers(&o)
	p.when(&o, layers)
	p.asking(&o)
	p.deed(&o, layers)
	return o
}

// ruleWords names the rules in force, and in what they measure if that is not a
// request.
func (r Rules) ruleWords() string {
	text := "preset " + string(r.Preset)
	switch acts := r.Preset.Design().Acts; {
	case r.Auto.Profile != "":
		text += ", profile " + r.Auto.Profile + " after a reply"
	case acts == preset.ActSummariseOld:
		text += ", a summary after a reply"
	case acts == preset.ActSummariseAll:
		text += ", a summary of everything"
	case acts == preset.ActOnRepeats:
		text += ", before every request"
	}
	if r.Auto.MinTurns > 0 {
		text += ", from turn " + numbers.Grouped(r.Auto.MinTurns) + " on"
	}
	return text
}

// summarises reports whether rules ever have a summary written by themselves.
func (r Rules) summarises() bool {
	if r.Summary.When != SummaryAtLoadLine {
		return false
	}
	if r.Auto.Profile != "" {
		return r.Profiles[r.Auto.Profile].Summarize
	}
	return r.Preset.Design().Acts != preset.ActOnRepeats
}

// asking says whether a model may be asked. A profile that summarises has no way
// to do without one.
func (p *planner) asking(o *Outlook) {
	past := p.check.Past
	if !p.rules.summarises() {
		return
	}
	o.Failures, o.Asks = past.Failures, p.rules.Asks() && !p.rules.Exhausted(past)
	if p.rules.Auto.Profile != "" {
		o.Asks = p.rules.asks(past)
	}
}

// layers tells of what acts whatever is used, and gives what of it is done before
// the next request.
func (p *planner) layers(o *Outlook) Plan {
	r := p.rules
	if r.Evicts() && r.Mask.Enabled && !p.held() {
		o.Saver, o.Stride = true, r.stride(p.reading.Window.Tokens)
	}
	if o.Each = r.Micro.Enabled || r.Dedupe.Enabled; !o.Each || len(p.check.View.Messages) == 0 {
		return Plan{}
	}
	next := *p
	next.check.Moment = MomentRequest
	plan := next.everyRequest()
	o.Soon, _ = hiddenBy(plan.Masks, nil)
	return plan
}
