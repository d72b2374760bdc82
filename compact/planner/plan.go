package planner

import (
	"slices"
	"time"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Moment is the point in a turn at which the planner is asked.
type Moment int

// The moments.
const (
	MomentTurn    Moment = iota // before the first request of a turn
	MomentRequest               // before another request of a turn
	MomentReply                 // after a reply that ends a turn
)

// String names the moment for the log.
func (m Moment) String() string { return [...]string{"turn", "request", "reply"}[m] }

// PriceSheet is a provider's prices for input tokens, as shares of its base price.
type PriceSheet struct {
	Read     float64       // for tokens read from its cache; 1: it has no cache
	Write    float64       // for tokens that are not in its cache
	Lifetime time.Duration // of its cache, 0 unknown
}

// DefaultSheet returns the most common prices, for providers whose prices are unknown.
func DefaultSheet() PriceSheet { return PriceSheet{Read: 0.1, Write: 1} }

// UnknownLifetime is the assumed lifetime of a provider's cache if it is unknown.
const UnknownLifetime = time.Hour

// CacheLifetime returns how long the provider's cache keeps a request.
func (s PriceSheet) CacheLifetime() time.Duration {
	if s.Lifetime > 0 {
		return s.Lifetime
	}
	return UnknownLifetime
}

// Cold reports whether the provider's cache has expired after this idle time.
func (s PriceSheet) Cold(idle time.Duration) bool { return idle > s.CacheLifetime() }

// Check is the input of one planner decision.
type Check struct {
	Moment       Moment
	Log          []conversation.Event
	View         projection.View // of Log
	Meter        meter.Meter     // measures the next request
	Idle         time.Duration   // since the newest reply ended
	CacheInvalid bool            // no request can use the cached prefix: model, tools or prompt changed
	// Refused says that the server refused the request as too long, whatever window
	// is known.
	Refused bool
	Sheet   PriceSheet
	Past    Past
	// Prepares says that a summary may be prepared for the step at the load line:
	// another turn is expected, and none is in progress or queued.
	Prepares bool
	// AtOnce is for the display of what rules would do: it treats waits for a cold
	// cache, for a number of turns, or for a share of the window as over. The
	// thresholds of JCL and the load line of Plimsoll's own rules still count.
	AtOnce bool
}

// Plan is the decision of the planner. Masks and the summary are one epoch.
type Plan struct {
	Trigger string // one of the triggers, "" if nothing is due
	// Hold says that the request is above the hard line: it must wait for this plan,
	// and for Recover if the plan does not free enough.
	Hold  bool
	Masks []conversation.Body // overlays that need no model, without their origin
	Spans []conversation.Span // to be summarised in the same epoch
	// Note evicts the oldest units without a model, nil if none are evicted. A summary of
	// Spans replaces it, with a note of its own.
	Note conversation.Body
	// Prepare says that nothing is due yet, but that a model may write a summary of Spans in
	// the background, for the step at the load line, which will evict them.
	Prepare bool
	// Profile is to be applied to the turns after the last compaction, in place of masks
	// and spans; "" for no profile (D17).
	Profile string
	// Drops says that units that no model can summarise are dropped, without waiting
	// for the hard line (ONE).
	Drops bool

	Used      int // tokens of the request before the plan
	Gain      int // estimated tokens that masks or the note save
	Rewritten int // estimated tokens after the first change, which the provider must cache again
}

// Acts reports whether anything is due.
func (p Plan) Acts() bool { return p.Trigger != "" }

// MaskedItems returns the number of results and arguments that the plan masks.
func (p Plan) MaskedItems() (n int) {
	for _, b := range p.Masks {
		if mask, ok := b.(conversation.Mask); ok {
			n += len(mask.Items)
		}
	}
	return n
}

// WithoutSummary returns the plan with the note in place of its summary.
func (p Plan) WithoutSummary() Plan {
	if p.Note != nil {
		p.Masks = append(slices.Clip(p.Masks), p.Note)
	}
	p.Spans, p.Note = nil, nil
	return p
}

// The triggers of plans.
const (
	TriggerLoadLine  = "load line"
	TriggerPrepare   = "before the load line" // of a prepared summary
	TriggerHardLine  = "hard line"
	TriggerOverflow  = "overflow" // the server refused the request as too long
	TriggerCold      = "cold cache"
	TriggerStride    = "stride"
	TriggerThreshold = "threshold" // of a source
	TriggerRequest   = "every request"
)

// planner is the state of one decision.
type planner struct {
	rules   *preset.Rules
	check   *Check
	reading meter.Reading
	used    float64 // tokens
	window  float64 // tokens, 0 unknown
	// capacity is the part of the window that the rules use, in tokens.
	capacity int
	cooldown cooldown
}

func newPlanner(r *preset.Rules, c *Check) planner {
	p := planner{rules: r, check: c, reading: c.Meter.Reading()}
	p.used, p.window = float64(p.reading.Used), float64(p.reading.Window.Tokens)
	window := p.reading.Window.Tokens
	p.cooldown = cooldown{past: c.Past, used: p.reading.Used, stride: r.Stride(window), rearm: r.MinGrowth(window)}
	if c.Refused {
		p.lowerLines()
	}
	p.capacity = preset.EffectiveWindow(int(p.window), p.reading.LoadLine)
	return p
}

// lowerLines puts the lines below the size of the refused request.
func (p *planner) lowerLines() {
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

// aboveLoadLine reports whether a request of so many tokens is above the load line that
// the gauge, the JSON output and the forecast show. Every preset acts above it.
func (p *planner) aboveLoadLine(used int) bool {
	return p.reading.LoadLine > 0 && used > p.reading.LoadLine
}

// due reports whether the rules of a source act now. For display (AtOnce) they act
// wherever there is a load line.
func (p *planner) due() bool {
	return p.aboveLoadLine(p.reading.Used) || p.check.AtOnce && p.reading.LoadLine > 0
}

// usedBy returns the tokens of a request with another view.
func (p *planner) usedBy(v projection.View) int {
	return p.reading.Used - p.tokensOf(p.check.View) + p.tokensOf(v)
}

// mustHold reports whether the request is above the hard line and must not be sent.
func (p *planner) mustHold() bool {
	hard := p.reading.HardLine
	return hard > 0 && p.reading.Used > hard && p.check.Moment != MomentReply
}

func (p *planner) plan(trigger string) Plan { return Plan{Trigger: trigger, Used: p.reading.Used} }

func turnCount(log []conversation.Event) int {
	if len(log) == 0 {
		return 0
	}
	return log[len(log)-1].Turn + 1
}

func (p *planner) viewAfter(plan Plan) projection.View {
	if len(plan.Masks) == 0 {
		return p.check.View
	}
	return projection.Project(conversation.Extend(p.check.Log, time.Time{}, plan.Masks...))
}

func (p *planner) tokensOf(v projection.View) int { return p.check.Meter.WithView(v).EstimatedTokens() }

// Cold reports whether the provider's cache no longer has the conversation.
func (c Check) Cold() bool { return c.CacheInvalid || c.AtOnce || c.Sheet.Cold(c.Idle) }

// goal returns a share of the load line in tokens, or more where system prompt and tools
// take most of it.
func (p *planner) goal(share float64) float64 {
	line, prompt := float64(p.reading.LoadLine), promptTokens(p.reading)
	return max(share*line, prompt+p.rules.Planner.TalkRatio*max(0, line-prompt))
}
