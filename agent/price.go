package agent

import (
	"math"
	"strings"
	"time"

	"plimsoll/compact"
)

// A compaction breaks the provider's cache: behind the break everything is
// written anew, which costs more than reading it. What is left out is saved with
// every request, the next one included.

// PriceOf is what the next request costs more with a compaction than without it,
// in US dollars, and after how many requests that is earned back, 0 where the next
// one costs nothing more. cost prices one request in US dollars; the provider's
// cache is taken to hold the conversation still. PaysAfter is nil where it is
// never earned back.
func PriceOf(p compact.Preview, cost func(Tokens) float64) (now *float64, paysAfter *int) {
	cached := func(tokens int) float64 { return cost(Tokens{Prompt: tokens, Cached: tokens}) }
	extra := cost(Tokens{Prompt: p.After, Cached: p.After - p.Behind, CacheWrite: p.Behind}) - cached(p.After)
	saved := cached(p.Before) - cached(p.After)
	more := math.Round((extra-saved)*1e9) / 1e9 // a sum of floats has digits that mean nothing
	switch {
	case extra <= 0:
		return &more, new(int)
	case saved > 0:
		n := int(math.Floor(extra/saved)) + 1
		return &more, &n
	}
	return &more, nil
}

// price is PriceOf for the model in use; nil and nil where its prices are not
// known.
func (j *journal) price(p compact.Preview) (now *float64, paysAfter *int) {
	if j.opts.Cost == nil {
		return nil, nil
	}
	known := true
	now, paysAfter = PriceOf(p, func(t Tokens) float64 {
		usd, _ := j.opts.Cost(j.settings.model, t)
		if usd == nil {
			known = false
			return 0
		}
		return *usd
	})
	if !known {
		return nil, nil
	}
	return now, paysAfter
}

// What a model takes for input, as the planner reckons with it: shares of the
// price of input, and how long the provider's cache lives. No catalogue says the
// latter. Where the configuration does not, it is assumed: what takes 1.25 of the
// input's price for writing keeps that for five minutes, as Anthropic does, and
// OpenAI for thirty; of all others it is unknown.

const (
	shortWrite     = 1.25
	shortLifetime  = 5 * time.Minute
	openaiLifetime = 30 * time.Minute // at least, as of gpt-5.6
)

// Sheet is the model's prices for input in relation to each other. Without a
// price for tokens from the cache nothing is saved by it; without one for
// writing, that costs what input costs. Where nothing is charged, or nobody knows
// what, it is the default: local servers keep a prompt for nothing while its slot
// lasts. An endpoint that caches nothing takes the full price each time.
func (m Model) Sheet() compact.PriceSheet {
	s := compact.DefaultSheet()
	switch p := m.Prices; {
	case m.NoCache:
		s.Read, s.Write = 1, 1
	case p != nil && p.Input > 0:
		s.Read, s.Write = share(p.Cached, p.Input), share(p.CacheWrite, p.Input)
	}
	if s.Lifetime = m.CacheTTL; s.Lifetime <= 0 {
		s.Lifetime = m.assumedLifetime(s.Write)
	}
	return s
}

// share is a price in relation to that of input, which it is where there is none
// of its own.
func share(price, input float64) float64 {
	if price <= 0 {
		return 1
	}
	return price / input
}

// assumedLifetime is how long the cache lives as far as the share for writing
// and the model's maker tell, 0 if they do not.
func (m Model) assumedLifetime(write float64) time.Duration {
	switch {
	case math.Abs(write-shortWrite) > 1e-6:
		return 0
	case strings.Contains("/"+m.Name(), "/openai/"):
		return openaiLifetime
	}
	return shortLifetime
}

// Step is the lowest tier that makes input dearer; false if there is none. A nil
// sheet has none.
func (p *Prices) Step() (Tier, bool) {
	if p == nil || p.Input <= 0 {
		return Tier{}, false
	}
	for _, t := range p.Tiers {
		if t.Input > p.Input {
			return t, true
		}
	}
	return Tier{}, false
}

// MeterOptions is what a meter has to know about the model and about the rules of
// a conversation that it is used in.
func (m Model) MeterOptions(r compact.Rules) compact.MeterOptions {
	return compact.MeterOptions{
		Window: m.Window, MaxOut: m.MaxOut, Calibration: m.Calibration, EchoReasoning: m.Caps.EchoReasoning, PriceStep: m.PriceStep(),
	}.With(r)
}

// PriceStep is the prompt tokens above which the whole request costs more, 0 if
// there is no such step.
func (m Model) PriceStep() int {
	t, _ := m.Prices.Step()
	return t.Over
}
