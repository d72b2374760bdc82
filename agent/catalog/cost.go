package catalog

import (
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
)

// Cost is what a request costs in USD by price sheet p. Tokens that were not
// reported count as none. A tier applies to the whole request (OpenAI above
// 272,000 prompt tokens, Gemini and xAI above 200,000). Tokens read from or
// written to the cache are part of the prompt; where the sheet has no price
// for them they cost what input costs. A cost the provider itself reported is
// better than this one; it is not looked at here.
func Cost(p llm.Prices, t llm.Tokens) (usd float64) {
	rate := rateFor(p, t.Prompt)
	prompt := max(0, t.Prompt)
	cached := min(max(0, t.Cached), prompt)
	written := min(max(0, t.CacheWrite), prompt-cached)
	usd += float64(prompt-cached-written) * rate.Input
	usd += float64(cached) * orInput(rate.Cached, rate.Input)
	long := min(max(0, t.CacheWriteLong), written)
	usd += float64(written-long) * orInput(rate.CacheWrite, rate.Input)
	usd += float64(long) * promptcache.Anthropic().Long.Write * rate.Input
	usd += float64(max(0, t.Completion)) * rate.Output
	return usd / 1e6
}

// CacheSaved is what the provider's cache took off a request in USD by price
// sheet p: the full price of input minus the price from the cache, for the tokens
// that the cache served. What writing to the cache costs beyond the price of
// input is no part of it.
func CacheSaved(p llm.Prices, t llm.Tokens) (usd float64) {
	rate := rateFor(p, t.Prompt)
	served := min(max(0, t.Cached), max(0, t.Prompt))
	return float64(served) * (rate.Input - orInput(rate.Cached, rate.Input)) / 1e6
}

// Savings tells what the cache took off a request on record, in USD; nil if
// nobody knows. Requests to m are reckoned by its own prices, those to other
// models by the catalogue's, where it has the very model.
func Savings(m llm.Model) func(conversation.Usage) *float64 {
	return func(u conversation.Usage) *float64 {
		p := m.Prices
		if u.Model != m.Name() {
			p = pricesOf(u.Model)
		}
		if p == nil || u.Prompt < 0 || u.Cached < 0 {
			return nil
		}
		usd := CacheSaved(*p, llm.Tokens{Prompt: u.Prompt, Cached: u.Cached})
		return &usd
	}
}

// pricesOf is the price sheet of a model as it is written, provider/id; nil if
// there is none.
func pricesOf(name string) *llm.Prices {
	provider, id, _ := strings.Cut(name, "/")
	e, ok := Lookup(provider, id)
	if !ok || e.Match == MatchFamily {
		return nil
	}
	return e.Prices
}

// rateFor is the rate of requests with that many prompt tokens.
func rateFor(p llm.Prices, prompt int) llm.Tier {
	rate := llm.Tier{Input: p.Input, Cached: p.Cached, CacheWrite: p.CacheWrite, Output: p.Output}
	for _, tier := range p.Tiers {
		if prompt > tier.Over {
			rate = tier
		}
	}
	return rate
}

func orInput(price, input float64) float64 {
	if price == 0 {
		return input
	}
	return price
}
