package planner

import (
	"slices"
	"time"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Moment is when the planner looks.
type Moment int

// The moments.
const (
	MomentTurn    Moment = iota // before the first request of a turn
	MomentRequest               // before another request of a turn
	MomentReply                 // after a reply that ends a turn
)

// String names the moment for the log.
func (m Moment) String() string { return [...]string{"turn", "request", "reply"}[m] }

// PriceSheet is what a provider takes for input, as shares of its base price.
type PriceSheet struct {
	Read     float64       // for tokens served from its cache; 1: it has none
	Write    float64       // for tokens that are new to it
	Lifetime time.Duration // of its cache, 0 unknown
}

// DefaultSheet is assumed where no prices are known: the commonest.
func DefaultSheet() PriceSheet { return PriceSheet{Read: 0.1, Write: 1} }

// UnknownLifetime is assumed of a cache of which nothing is known.
const UnknownLifetime = time.Hour

// Lives is how long the cache holds what was sent.
func (s PriceSheet) Lives() time.Duration {
	if s.Lifetime > 0 {
		return s.Lifetime
	}
	return UnknownLifetime
}

// Cold reports whether the cache has let go of what was sent so long ago.
func (s PriceSheet) Cold(idle time.Duration) bool { return idle > s.Lives() }

// Check is one look of the planner.
type Check struct {
	Moment Moment
	Log    []conversation.Event
	View   projection.View // of Log
	Meter  meter.Meter     // of the request as it would be sent now
	Idle   time.Duration   // since the newest reply ended
	Gone   bool            // the cached prefix is of no use anyway: model, tools or prompt changed
	// Refused says that the server did not take the request: it is too long,
	// whatever is known of the window.
	Refused bool
	Sheet   PriceSheet
	Past    Past
	// Prepares says that a summary of what the load-line step will evict may be
	// prepared: another turn is expected, and none is under way or waits.
	Prepares bool
	// AtOnce says that what waits for a cold cache, for turns, or for a share of the
	// window counts as having come to it: to look at what rules would do. The
	// thresholds of JCL and the load line of Plimsoll's own rules still count.
	AtOnce bool
}

// Plan is what should be done, if anything. Masks and the summary are one epoch.
type Plan struct {
	Trigger string // one of the triggers, "" if nothing should be done
	// Hold says that the request is above the hard line: it waits until this is
	// done, and for Recover if that was not enough.
	Hold  bool
	Masks []conversation.Body // overlays that need no model, without an account
	Spans []conversation.Span // to be summarised in the same epoch
	// Note evicts the oldest units without a model, nil where none go. A summary of
	// Spans takes its place, with a note of its own.
	Note conversation.Body
	// Prepare says that nothing is due yet: a summary of Spans, which the step at the
	// load line will evict, is to be written beside the conversation until then.
	Prepare bool
	// Profile is one to apply to what came after the last compaction, in place of masks
	// and spans, "" for none (D17).
	Profile string
	// Drops says that what is not summarised for want of a model is left out
	// instead, without waiting for the hard line (ONE).
	Drops bool

	Used   int // tokens of the request as it is
	Gain   int // estimated tokens that masks save
	Behind int // estimated tokens behind the first change that are written anew
}

// Acts reports whether anything is to be done.
func (p Plan) Acts() bool { return p.Trigger != "" }

// Hides is how many results and arguments the plan hides.
func (p Plan) Hides() (n int) {
	for _, b := range p.Masks {
		if mask, ok := b.(conversation.Mask); ok {
			n += len(mask.Items)
		}
	}
	return n
}

// Alone is the plan without its summary: the note stands in its place.
func (p Plan) Alone() Plan {
	if p.Note != nil {
		p.Masks = append(slices.Clip(p.Masks), p.Note)
	}
	p.Spans, p.Note = nil, nil
	return p
}

// The triggers of plans.
const (
	TriggerLoadLine  = "load line"
	TriggerPrepare   = "before the load line" // of a summary that is written ahead
	TriggerHardLine  = "hard line"
	TriggerOverflow  = "overflow" // the server did not take the request
	TriggerCold      = "cold cache"
	TriggerStride    = "stride"
	TriggerThreshold = "threshold" // of a source
	TriggerRequest   = "every request"
)

// planner is one look with what it measures.
type planner struct {
	rules   *preset.Rules
	check   *Check
	reading meter.Reading
	used    float64 // tokens
	window  float64 // tokens, 0 unknown
	// capacity is the window as far as it is used, in tokens.
	capacity int
	rests    rests
}

func newPlanner(r *preset.Rules, c *Check) planner {
	p := planner{rules: r, check: c, reading: c.Meter.Reading()}
	p.used, p.window = float64(p.reading.Used), float64(p.reading.Window.Tokens)
	window := p.reading.Window.Tokens
	p.rests = rests{past: c.Past, used: p.reading.Used, stride: r.Stride(window), rearm: r.Rearm(window)}
	if c.Refused {
		p.refuse()
	}
	p.capacity = preset.CapacityOf(int(p.window), p.reading.LoadLine)
	return p
}

// refuse puts the lines below what was not taken.
func (p *planner) refuse() {
	below := func(line *int, share float64) {
		if most := int(share * p.used); *line == 0 || *line > most {
			*line = most
		}
	}
	below(&p.reading.LoadLine, preset.DefaultTriggerRatio)
	below(&p.reading.HardLine, preset.DefaultHardRatio)
	if p.window == 0 || p.window > p.used {
		p.window = p.used
	}
}

// above reports whether a request of so many tokens is above the load line: what
// makes any preset act, and the same number that the gauge, the JSON and the
// outlook show.
func (p *planner) above(used int) bool { return p.reading.LoadLine > 0 && used > p.reading.LoadLine }

// due is above for rules of a source that are shown at once: then it is enough that
// there is a line.
func (p *planner) due() bool {
	return p.above(p.reading.Used) || p.check.AtOnce && p.reading.LoadLine > 0
}

func (p *planner) usedBy(v projection.View) int {
	return p.reading.Used - p.tokensOf(p.check.View) + p.tokensOf(v)
}

// over reports whether the request must not be sent as it is.
func (p *planner) over() bool {
	hard := p.reading.HardLine
	return hard > 0 && p.reading.Used > hard && p.check.Moment != MomentReply
}

func (p *planner) plan(trigger string) Plan { return Plan{Trigger: trigger, Used: p.reading.Used} }

func turnsSaid(log []conversation.Event) int {
	if len(log) == 0 {
		return 0
	}
	return log[len(log)-1].Turn + 1
}

func (p *planner) after(plan Plan) projection.View {
	if len(plan.Masks) == 0 {
		return p.check.View
	}
	return projection.Project(conversation.Extend(p.check.Log, time.Time{}, plan.Masks...))
}

func (p *planner) tokensOf(v projection.View) int { return p.check.Meter.WithView(v).EstimatedTokens() }

// Cold reports whether the provider's cache no longer holds the conversation.
func (c Check) Cold() bool { return c.Gone || c.AtOnce || c.Sheet.Cold(c.Idle) }

// goal is a share of the load line, or more where system prompt and tools take
// most of that.
func (p *planner) goal(share float64) float64 {
	soft := float64(p.reading.LoadLine)
	base := float64(p.reading.Segments[projection.System] + p.reading.Segments[projection.Tools])
	return max(share*soft, base+p.rules.Planner.TalkRatio*max(0, soft-base))
}
