package agent

import (
	"math"

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
