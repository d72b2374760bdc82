package replay

import (
	"math"
	"time"

	"plimsoll/compact/promptcache"
)

// A provider serves the prefix that a request shares with the previous one from its cache, rounded down to cacheStep. The
// prefix must have at least minCachedTokens, and every hit renews the lifetime of the cache.

const (
	cacheStep       = 128  // tokens
	minCachedTokens = 1024 // tokens
)

// PriceSheet is the prices of a provider, as multiples of its base price for input tokens.
type PriceSheet struct {
	Name     string
	Read     float64       // for tokens served from the cache
	Write    float64       // for all other tokens of a request
	Lifetime time.Duration // of the cache
	Output   float64       // for tokens of a reply

	Step       int     // tokens above which the whole request is more expensive, 0 for no step
	StepFactor float64 // factor on the cost of such a request

	// ByBreakpoints says that the cache holds only prefixes that end at a breakpoint, which promptcache sets as for the Messages
	// API. Otherwise any common prefix is cached.
	ByBreakpoints bool
	// Terms are the two cache lifetimes between which each conversation chooses. Write and Lifetime are then those of
	// the short one. nil: there is no choice.
	Terms *promptcache.Terms
}

// DefaultPlanSheet is the sheet under which everything but costs is measured.
const DefaultPlanSheet = "anthropic-5m"

// outputPrice is the price of output tokens in all sheets here.
const outputPrice = 5

// DefaultSheets lists the price sheets in the order of the report.
func DefaultSheets() []PriceSheet {
	return []PriceSheet{
		{Name: "openai", Read: 0.1, Write: 1, Lifetime: 10 * time.Minute, Output: outputPrice},
		{Name: "gpt-4o", Read: 0.5, Write: 1, Lifetime: 10 * time.Minute, Output: outputPrice},
		{Name: DefaultPlanSheet, Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute, Output: outputPrice},
		{Name: "anthropic-1h", Read: 0.1, Write: 2, Lifetime: time.Hour, Output: outputPrice},
		{Name: "gpt-5.6", Read: 0.1, Write: 1.25, Lifetime: 30 * time.Minute, Output: outputPrice},
	}
}

// ClaudeSheets lists price sheets for Claude over the Messages API: without a cache, as over an endpoint that drops cache
// breakpoints; with each of the two cache lifetimes; and with the lifetime that each conversation chooses.
func ClaudeSheets() []PriceSheet {
	terms := promptcache.Anthropic()
	marked := func(name string, option promptcache.LifetimeOption) PriceSheet {
		return PriceSheet{Name: name, Read: terms.ReadPrice, Write: option.WritePrice, Lifetime: option.Lifetime, Output: outputPrice, ByBreakpoints: true}
	}
	chosen := marked("claude", terms.Short)
	chosen.Terms = &terms
	return []PriceSheet{
		{Name: "claude-uncached", Read: 1, Write: 1, Lifetime: terms.Short.Lifetime, Output: outputPrice},
		marked("claude-5m", terms.Short), marked("claude-1h", terms.Long), chosen,
	}
}

// sentRequest has the sizes of a request from which its cost is computed.
type sentRequest struct {
	tokens      float64
	prefix      float64                  // tokens of the common prefix with the previous request, 0 for the first
	idle        time.Duration            // since the end of the previous reply
	breakpoints []promptcache.Breakpoint // nil unless a sheet of the replay bills by them
	common      int                      // equal messages at the beginning of this request and the previous one
}

// SummaryCall is a request for a summary that a policy made.
type SummaryCall struct {
	Input  float64 // tokens
	Output float64 // tokens
	// View says that the call contains the previous request, which the provider serves from its cache while that lives.
	View bool

	idle  time.Duration
	first bool // no request was sent before
	after int  // number of requests before the call
}

// isWarm reports whether the cache still lives after an idle time.
func (s PriceSheet) isWarm(idle time.Duration) bool { return idle <= s.Lifetime }

// requestCost returns the cost of a request if its common prefix is cached, in tokens at the base price.
func (s PriceSheet) requestCost(r sentRequest) float64 {
	hit := 0.0
	if r.prefix >= minCachedTokens && s.isWarm(r.idle) {
		hit = math.Floor(r.prefix/cacheStep) * cacheStep
	}
	return s.cachedCost(r.tokens, hit)
}

// cachedCost returns the cost of a request; hit is how many of its tokens come from the cache.
func (s PriceSheet) cachedCost(tokens, hit float64) float64 {
	return s.withPriceStep(tokens, hit*s.Read+(tokens-hit)*s.Write)
}

func (s PriceSheet) withPriceStep(tokens, cost float64) float64 {
	if s.Step > 0 && tokens > float64(s.Step) {
		return cost * s.StepFactor
	}
	return cost
}

func (s PriceSheet) bill(requests []sentRequest, calls []SummaryCall, evictions promptcache.EvictionSizes) float64 {
	b := newBiller(s, evictions)
	for _, q := range requests {
		b.request(q)
	}
	for _, c := range calls {
		b.call(c)
	}
	return b.cost
}
