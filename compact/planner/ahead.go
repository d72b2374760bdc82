package planner

import (
	"time"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What the planner does next can be known before it happens. Rules:
//
//   - When is read off what the planner goes by: the load line, the rests after a
//     compaction and after an undo, and the turns of the log.
//   - What is asked of the planner itself, about the log as it is, with its line
//     below what is used. So the forecast and the plan cannot drift apart.
//   - It reads no texts but those that the planner reads, and changes nothing.

// Ahead is what the planner will do next.
type Ahead struct {
	Timing
	// Next is what the rules would do if they had to act on the log as it is, and After
	// what that leaves of a request, in tokens. After is 0 where a summary or a profile
	// is part of it.
	Next  Plan
	After int
	// Step is the eviction at the load line, nil if there is none. ColdStep is the one
	// before the next request if the provider's cache were cold then. Above ColdLine
	// tokens such a step is made, 0 never; Cold says that the cache is cold.
	Step, ColdStep *Step
	Cold           bool
	ColdLine       int
	// Asks says that a model may be asked for a summary; after Failures in a row none is.
	Asks     bool
	Failures int
	// Saver says that stubs are made below the load line too, where they pay, and
	// Stride how many tokens they have to save for that.
	Saver  bool
	Stride int
	// Each says that a layer of a source acts before every request, whatever is
	// used (JCL, ADA), and Soon how many results and arguments it hides by the next.
	Each bool
	Soon int
}

// Step is an eviction that is still to come.
type Step struct {
	Note       conversation.Summary
	Summarised []conversation.Span // of what it evicts, what a summary would stand for
	More       bool                // turns that are still to come would be evicted as well
	After      int                 // tokens that are left of a request
}

// Ahead tells what the planner will do next.
func (c Check) Ahead(r preset.Rules) Ahead {
	var a Ahead
	if !r.ActsByItself() || r.Preset.Design().Acts == preset.ActDrop && r.Auto.Profile == "" {
		a.State = TimingOff
		return a
	}
	c.Refused = false
	p := newPlanner(&r, &c)
	f := forecast{&p}
	layers := f.layers(&a)
	a.Timing = f.timing(layers)
	f.asking(&a)
	f.next(&a, layers)
	return a
}

// asking says whether a model may be asked. A profile that summarises has no way
// to do without one.
func (f forecast) asking(a *Ahead) {
	past := f.check.Past
	if !f.rules.Summarises() {
		return
	}
	a.Failures, a.Asks = past.Failures, f.rules.Asks() && !past.Exhausted(*f.rules)
	if f.rules.Auto.Profile != "" {
		a.Asks = past.asks(f.rules)
	}
}

// layers tells of what acts whatever is used, and gives what of it is done before
// the next request.
func (f forecast) layers(a *Ahead) Plan {
	r := f.rules
	if r.Evicts() && r.Mask.Enabled && !f.rests.held() {
		a.Saver, a.Stride = true, f.rests.stride
	}
	if a.Each = r.Micro.Enabled || r.Dedupe.Enabled; !a.Each || len(f.check.View.Messages) == 0 {
		return Plan{}
	}
	next, look := *f.planner, *f.check
	look.Moment = MomentRequest
	next.check = &look
	plan := next.everyRequest()
	a.Soon = plan.Hides()
	return plan
}

// urgent are rules and a look by which the planner acts if there is anything to
// be done: its line lies below what is used, and no rest speaks against it.
func (f forecast) urgent() (preset.Rules, Check) {
	r, c := *f.rules, *f.check
	c.Moment = MomentReply
	c.Past = Past{Failures: c.Past.Failures, Settled: c.Past.Settled}
	r.Auto.MinTurns, c.capacity = 0, f.capacity
	if below := max(f.reading.Used-1, 1); f.reading.LoadLine >= f.reading.Used {
		c.Meter = c.Meter.WithTokenThreshold(below)
	}
	if r.Preset.Design().Acts == preset.ActSummariseAll && r.Auto.Profile == "" {
		c.Moment = MomentRequest
	}
	return r, c
}

// next foretells what is done. Where layers are all that ever acts, it is what they
// do.
func (f forecast) next(a *Ahead, layers Plan) {
	r, c := f.urgent()
	if r.Evicts() {
		f.steps(a)
		return
	}
	a.Next = layers
	if r.Auto.Profile != "" || r.Preset.Design().Acts != preset.ActOnRepeats {
		a.Next = c.Plan(r)
	}
	switch plan := a.Next; {
	case !plan.Acts(), plan.Profile != "", len(plan.Spans) > 0:
	case plan.Drops:
		a.After = f.tokensOf(projection.Project(conversation.Extend(c.Log, time.Time{}, c.Recover(r)...)))
	default:
		a.After = f.tokensOf(f.after(plan))
	}
}
