package planner

import (
	"slices"
	"time"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Moment is the point in a turn at which the planner decides.
type Moment int

const (
	MomentTurn    Moment = iota // before the first request of a turn
	MomentRequest               // before another request of a turn
	MomentReply                 // after a reply that ends a turn
)

// String names the moment for the log.
func (m Moment) String() string { return [...]string{"turn", "request", "reply"}[m] }

// PriceSheet is a provider's prices for input tokens, as shares of its base price.
type PriceSheet struct {
	Read     float64       // for tokens read from the cache; 1 without a cache
	Write    float64       // for tokens that are not in the cache
	Lifetime time.Duration // of the cache, 0 if unknown
	Unpriced bool          // the model costs nothing, or its price is unknown
}

// DefaultSheet returns the prices to assume for a provider whose prices are unknown.
func DefaultSheet() PriceSheet { return PriceSheet{Read: 0.1, Write: 1, Unpriced: true} }

// UnknownLifetime is the lifetime to assume for a provider's cache if the provider states none.
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
	Sheet   PriceSheet // prices of the provider
	History History    // earlier compactions and failures
	// Prepares permits writing a summary in the background before the load line is
	// reached: another turn is expected, and none is in progress or queued.
	Prepares bool
	// IgnoreWaits plans as if the rules had already waited for a cold cache, a number of
	// turns or a share of the window. It is for display only. The presets plimsoll and
	// jcli still act only above the load line.
	IgnoreWaits bool
}

// Plan is the decision of the planner. Masks and the summary are committed as one epoch.
type Plan struct {
	Trigger string // one of the triggers, "" if no compaction is due
	// BlocksRequest says that the request is above the hard line and must not be sent yet. The caller
	// first commits this plan, and calls Recover if the plan does not free enough.
	BlocksRequest bool
	Masks         []conversation.Body // overlays that need no model, without their origin
	Spans         []conversation.Span // events that a summary in the same epoch covers
	// Note is the overlay that evicts the oldest units without a model, nil if the plan evicts
	// no units. A summary of Spans is committed instead of it and brings another note.
	Note conversation.Body
	// Prepare says that a model may already write a summary of Spans in the background, although
	// no compaction is due yet. It is committed when the request reaches the load line.
	Prepare bool
	// Profile is the name of the profile to apply to the turns after the last compaction.
	// Masks and Spans are then empty. "" means no profile.
	Profile string
	// Drops says that units that no model can summarise are removed from the view, even
	// below the hard line.
	Drops bool

	Used      int // tokens of the request before the plan
	Gain      int // estimated tokens that masks or the note save
	Rewritten int // estimated tokens after the first change, which the provider must cache again
}

// Acts reports whether a compaction is due.
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

const (
	TriggerLoadLine  = "load line"
	TriggerPrepare   = "before the load line" // a summary is prepared in the background
	TriggerHardLine  = "hard line"
	TriggerOverflow  = "overflow" // the server refused the request as too long
	TriggerCold      = "cold cache"
	TriggerStride    = "stride"    // masks would save enough tokens
	TriggerThreshold = "threshold" // the token limit of a preset other than plimsoll
	TriggerRequest   = "every request"
)

// planner holds the values that one decision uses.
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
	p.cooldown = cooldown{history: c.History, used: p.reading.Used, stride: r.Stride(window), minGrowth: r.MinGrowth(window)}
	if c.Refused {
		p.lowerLines()
	}
	p.capacity = preset.EffectiveWindow(int(p.window), p.reading.LoadLine)
	return p
}

// lowerLines lowers the load line, the hard line and the window to fit below the refused request.
func (p *planner) lowerLines() {
	lower := func(line *int, share float64) {
		if most := int(share * p.used); *line == 0 || *line > most {
			*line = most
		}
	}
	lower(&p.reading.LoadLine, preset.DefaultTriggerRatio)
	lower(&p.reading.HardLine, preset.DefaultHardRatio)
	if p.window == 0 || p.window > p.used {
		p.window = p.used
	}
}

// aboveLoadLine reports whether a request of used tokens is above the load line, where
// every preset acts. The gauge, the JSON output and the forecast show the same line.
func (p *planner) aboveLoadLine(used int) bool {
	return p.reading.LoadLine > 0 && used > p.reading.LoadLine
}

// isDue reports whether the request is above the load line. With IgnoreWaits, a known load
// line is enough.
func (p *planner) isDue() bool {
	return p.aboveLoadLine(p.reading.Used) || p.check.IgnoreWaits && p.reading.LoadLine > 0
}

// usedWith returns the tokens of the next request if its view were v.
func (p *planner) usedWith(v projection.View) int {
	return p.reading.Used - p.tokensOf(p.check.View) + p.tokensOf(v)
}

// aboveHardLine reports whether the request is above the hard line and must not be sent.
func (p *planner) aboveHardLine() bool {
	hard := p.reading.HardLine
	return hard > 0 && p.reading.Used > hard && p.check.Moment != MomentReply
}

func (p *planner) newPlan(trigger string) Plan { return Plan{Trigger: trigger, Used: p.reading.Used} }

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
func (c Check) Cold() bool { return c.CacheInvalid || c.IgnoreWaits || c.Sheet.Cold(c.Idle) }

// lineShare returns a share of the load line in tokens. It returns more where system prompt
// and tools take most of the load line, so that some tokens are left for messages.
func (p *planner) lineShare(share float64) float64 {
	line, prompt := float64(p.reading.LoadLine), promptTokens(p.reading)
	return max(share*line, prompt+p.rules.Planner.TalkRatio*max(0, line-prompt))
}
