package replay

import (
	"math"
	"time"

	"plimsoll/compact/promptcache"
)

// A provider serves from its cache what a request has in common with the one
// before: in whole steps, from a least length on, as long as the cache lives.
// Every hit keeps it alive.

const (
	cacheStep       = 128  // tokens
	minCachedTokens = 1024 // tokens
)

// PriceSheet is what a provider takes, as multiples of its base price for input.
type PriceSheet struct {
	Name     string
	Read     float64       // for tokens served from the cache
	Write    float64       // for all others
	Lifetime time.Duration // of the cache
	Output   float64       // for tokens of a reply

	Step       int     // tokens above which the whole request is dearer, 0 none
	StepFactor float64 // by how much

	// Marked says that only what stands in front of a mark is cached, where the
	// Messages API sets them; what is left out above lasts to the last character in common.
	Marked bool
	// Terms let each conversation choose how long the cache keeps it; Write and
	// Lifetime are those of the short time then. nil: there is no choice.
	Terms *promptcache.Terms
}

// DefaultPlanSheet is the sheet under which what is no cost is measured.
const DefaultPlanSheet = "anthropic-5m"

// outputPrice is what output costs with every provider listed.
const outputPrice = 5

// DefaultSheets lists the price sheets in the order they are told of.
func DefaultSheets() []PriceSheet {
	return []PriceSheet{
		{Name: "openai", Read: 0.1, Write: 1, Lifetime: 10 * time.Minute, Output: outputPrice},
		{Name: "gpt-4o", Read: 0.5, Write: 1, Lifetime: 10 * time.Minute, Output: outputPrice},
		{Name: DefaultPlanSheet, Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute, Output: outputPrice},
		{Name: "anthropic-1h", Read: 0.1, Write: 2, Lifetime: time.Hour, Output: outputPrice},
		{Name: "gpt-5.6", Read: 0.1, Write: 1.25, Lifetime: 30 * time.Minute, Output: outputPrice},
	}
}

// ClaudeSheets lists the sheets by which Claude is billed as the Messages API carries it: over an endpoint that passes no
// marks and so caches nothing, with each of the two lifetimes, and with the one that is chosen.
func ClaudeSheets() []PriceSheet {
	terms := promptcache.Anthropic()
	marked := func(name string, o promptcache.LifetimeOption) PriceSheet {
		return PriceSheet{Name: name, Read: terms.ReadPrice, Write: o.WritePrice, Lifetime: o.Lifetime, Output: outputPrice, Marked: true}
	}
	chosen := marked("claude", terms.Short)
	chosen.Terms = &terms
	return []PriceSheet{
		{Name: "claude-uncached", Read: 1, Write: 1, Lifetime: terms.Short.Lifetime, Output: outputPrice},
		marked("claude-5m", terms.Short), marked("claude-1h", terms.Long), chosen,
	}
}

// sentRequest is a request as far as it costs something.
type sentRequest struct {
	tokens float64
	prefix float64 // tokens in common with the request before, 0 for the first
	idle   time.Duration
	marks  []promptcache.Mark
	common int // whole messages in common with the request before
}

// SummaryCall is a request for a summary that a policy made.
type SummaryCall struct {
	Input  float64 // tokens
	Output float64 // tokens
	// View says that the call carried the conversation as it was last sent, which
	// the provider has in its cache while that lives.
	View bool

	idle  time.Duration
	first bool // nothing was sent before
	after int  // requests before it
}

// isWarm reports whether the cache lives after a gap.
func (s PriceSheet) isWarm(idle time.Duration) bool { return idle <= s.Lifetime }

// requestCost is the cost of a request by what it has in common with the one before, in tokens at the base price.
func (s PriceSheet) requestCost(r sentRequest) float64 {
	hit := 0.0
	if r.prefix >= minCachedTokens && s.isWarm(r.idle) {
		hit = math.Floor(r.prefix/cacheStep) * cacheStep
	}
	return s.cachedCost(r.tokens, hit)
}

// cachedCost is the cost of a request of so many tokens, of which so many come from the cache.
func (s PriceSheet) cachedCost(tokens, hit float64) float64 {
	return s.withPriceStep(tokens, hit*s.Read+(tokens-hit)*s.Write)
}

// withPriceStep is a cost with the price step.
func (s PriceSheet) withPriceStep(tokens, cost float64) float64 {
	if s.Step > 0 && tokens > float64(s.Step) {
		return cost * s.StepFactor
	}
	return cost
}

// bill is the cost of all that was sent.
func (s PriceSheet) bill(requests []sentRequest, calls []SummaryCall) float64 {
	a := newBiller(s)
	for _, q := range requests {
		a.request(q)
	}
	for _, c := range calls {
		a.call(c)
	}
	return a.cost
}
