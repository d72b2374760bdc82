package catalog

import (
	"cmp"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
)

// Cost returns the cost of a request in USD at prices p. Token counts that were not reported count as 0. A price tier
// applies to the whole request (OpenAI above 272,000 prompt tokens, Gemini and xAI above 200,000). Tokens read from or
// written to the cache are part of the prompt; without prices of their own they cost as much as other input. A cost that
// the provider reports is more precise; Cost does not use it.
func Cost(p llm.Prices, t llm.Tokens) (usd float64) {
	rate := rateFor(p, t.Prompt)
	prompt := max(0, t.Prompt)
	cached := min(max(0, t.Cached), prompt)
	written := min(max(0, t.CacheWrite), prompt-cached)
	usd += float64(prompt-cached-written) * rate.Input
	usd += float64(cached) * cmp.Or(rate.Cached, rate.Input)
	long := min(max(0, t.CacheWriteLong), written)
	usd += float64(written-long) * cmp.Or(rate.CacheWrite, rate.Input)
	usd += float64(long) * promptcache.Anthropic().Long.WritePrice * rate.Input
	usd += float64(max(0, t.Completion)) * rate.Output
	return usd / 1e6
}

// CacheSaved returns how much cheaper the cache made a request, in USD at prices p: the cached tokens times the difference
// between the price of input and of cached input. It does not subtract what writing to the cache cost.
func CacheSaved(p llm.Prices, t llm.Tokens) (usd float64) {
	rate := rateFor(p, t.Prompt)
	served := min(max(0, t.Cached), max(0, t.Prompt))
	return float64(served) * (rate.Input - cmp.Or(rate.Cached, rate.Input)) / 1e6
}

// Savings returns a function that computes CacheSaved for a recorded usage, nil if the prices are unknown. Requests to m
// are computed at its own prices, those to other models at the catalogue's, if it has exactly that model.
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

// pricesOf returns the prices of a model named provider/id, nil if unknown.
func pricesOf(name string) *llm.Prices {
	provider, id, _ := strings.Cut(name, "/")
	e, ok := Lookup(provider, id)
	if !ok || e.Guessed {
		return nil
	}
	return e.Prices
}

// rateFor returns the prices of a request with this many prompt tokens.
func rateFor(p llm.Prices, prompt int) llm.Tier {
	rate := llm.Tier{Input: p.Input, Cached: p.Cached, CacheWrite: p.CacheWrite, Output: p.Output}
	for _, tier := range p.Tiers {
		if prompt > tier.Over {
			rate = tier
		}
	}
	return rate
}
