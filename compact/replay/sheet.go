package replay

import (
	"math"
	"time"
)

// A provider serves from its cache what a request has in common with the one
// before: in whole steps, from a least length on, as long as the cache lives.
// Every hit keeps it alive.

const (
	cacheStep  = 128  // tokens
	cacheLeast = 1024 // tokens
)

// Sheet is what a provider takes, as multiples of its base price for input.
type Sheet struct {
	Name     string
	Read     float64       // for tokens served from the cache
	Write    float64       // for all others
	Lifetime time.Duration // of the cache
	Output   float64       // for tokens of a reply

	Step       int     // tokens above which the whole request is dearer, 0 none
	StepFactor float64 // by how much
}

// PlanSheet is the sheet under which what is no cost is measured.
const PlanSheet = "anthropic-5m"

// outputPrice is what output costs with every provider listed.
const outputPrice = 5

// Sheets lists the price sheets in the order they are told of.
func Sheets() []Sheet {
	return []Sheet{
		{Name: "openai", Read: 0.1, Write: 1, Lifetime: 10 * time.Minute, Output: outputPrice},
		{Name: "gpt-4o", Read: 0.5, Write: 1, Lifetime: 10 * time.Minute, Output: outputPrice},
		{Name: PlanSheet, Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute, Output: outputPrice},
		{Name: "anthropic-1h", Read: 0.1, Write: 2, Lifetime: time.Hour, Output: outputPrice},
		{Name: "gpt-5.6", Read: 0.1, Write: 1.25, Lifetime: 30 * time.Minute, Output: outputPrice},
	}
}

// sentRequest is a request as far as it costs something.
type sentRequest struct {
	tokens float64
	prefix float64 // tokens in common with the request before, 0 for the first
	idle   time.Duration
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
}

// warm reports whether the cache lives after a gap.
func (s Sheet) warm(idle time.Duration) bool { return idle <= s.Lifetime }

// request is the cost of a request, in tokens at the base price.
func (s Sheet) request(r sentRequest) float64 {
	hit := 0.0
	if r.prefix >= cacheLeast && s.warm(r.idle) {
		hit = math.Floor(r.prefix/cacheStep) * cacheStep
	}
	return s.stepped(r.tokens, hit*s.Read+(r.tokens-hit)*s.Write)
}

// call is the cost of a request for a summary.
func (s Sheet) call(c SummaryCall) float64 {
	price := 1.0
	if c.View && !c.first && s.warm(c.idle) {
		price = s.Read
	}
	return s.stepped(c.Input, c.Input*price) + c.Output*s.Output
}

// stepped is a cost with the price step.
func (s Sheet) stepped(tokens, cost float64) float64 {
	if s.Step > 0 && tokens > float64(s.Step) {
		return cost * s.StepFactor
	}
	return cost
}

// bill is the cost of all that was sent.
func (s Sheet) bill(requests []sentRequest, calls []SummaryCall) float64 {
	sum := 0.0
	for _, r := range requests {
		sum += s.request(r)
	}
	for _, c := range calls {
		sum += s.call(c)
	}
	return sum
}
