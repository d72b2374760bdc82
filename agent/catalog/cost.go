package catalog

import "plimsoll/agent"

// Cost is what a request costs in USD by price sheet p. Tokens that were not
// reported count as none. A tier applies to the whole request (OpenAI above
// 272,000 prompt tokens, Gemini and xAI above 200,000). Tokens read from or
// written to the cache are part of the prompt; where the sheet has no price
// for them they cost what input costs. A cost the provider itself reported is
// better than this one; it is not looked at here.
func Cost(p agent.Prices, t agent.Tokens) (usd float64) {
	rate := rateFor(p, t.Prompt)
	prompt := max(0, t.Prompt)
	cached := min(max(0, t.Cached), prompt)
	written := min(max(0, t.CacheWrite), prompt-cached)
	usd += float64(prompt-cached-written) * rate.Input
	usd += float64(cached) * orInput(rate.Cached, rate.Input)
	usd += float64(written) * orInput(rate.CacheWrite, rate.Input)
	usd += float64(max(0, t.Completion)) * rate.Output
	return usd / 1e6
}

// rateFor is the rate of requests with that many prompt tokens.
func rateFor(p agent.Prices, prompt int) agent.Tier {
	rate := agent.Tier{Input: p.Input, Cached: p.Cached, CacheWrite: p.CacheWrite, Output: p.Output}
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
