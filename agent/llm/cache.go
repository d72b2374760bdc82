package llm

import (
	"math"
	"slices"
	"strings"
	"time"

	"plimsoll/compact/planner"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
)

// TTL says who decides how long the provider's cache keeps a prompt.
type TTL string

const (
	TTLEndpoint TTL = ""       // the endpoint decides; CacheTTL is only what the user configured
	TTLAsked    TTL = "asked"  // each request asks for the time that the user configured
	TTLChosen   TTL = "chosen" // each request asks for the time that is cheaper for the pauses of this conversation
)

// The planner's prices of input: shares of the base price, and how long the provider's cache keeps a prompt. No
// catalog lists that time. Where the configuration does not set it, it is assumed: a model that takes 1.25 of the
// input price for writing keeps the prompt for five minutes, as Anthropic does, or thirty, as OpenAI does; for all
// others it is unknown.

const (
	shortWrite     = 1.25
	shortLifetime  = 5 * time.Minute
	openaiLifetime = 30 * time.Minute // at least, as of gpt-5.6
)

// Sheet is the model's input prices as shares of the base price. Without a price for cached tokens the cache saves
// nothing; without a price for cache writes, writing costs as much as input. A model that is free, or whose prices
// are unknown, gets the default: local servers keep a prompt at no cost while its slot lasts. An endpoint without a
// cache charges the full price every time.
func (m Model) Sheet() planner.PriceSheet {
	s := planner.DefaultSheet()
	s.Unpriced = m.Prices == nil || m.Prices.Input <= 0
	switch p := m.Prices; {
	case m.NoCache:
		s.Read, s.Write = 1, 1
	case p != nil && p.Input > 0:
		s.Read, s.Write = priceShare(p.Cached, p.Input), priceShare(p.CacheWrite, p.Input)
	}
	if s.Lifetime = m.CacheTTL; s.Lifetime <= 0 {
		s.Lifetime = m.assumedLifetime(s.Write)
	}
	if m.TTL != TTLEndpoint {
		o := m.CacheTerms().OptionFor(m.CacheTTL)
		s.Write, s.Lifetime = o.WritePrice, o.Lifetime
	}
	return s
}

// CacheTerms are the prices and lifetimes of a cache whose requests choose how long it holds a prompt.
func (m Model) CacheTerms() promptcache.Terms {
	t := promptcache.Anthropic()
	if p := m.Prices; p != nil && p.Input > 0 {
		t.ReadPrice = priceShare(p.Cached, p.Input)
		if p.CacheWrite > 0 {
			t.Short.WritePrice = priceShare(p.CacheWrite, p.Input)
		}
	}
	return t
}

// WithLongWrites fills in CacheWriteLong of the tokens if requests to the model ask for the longer lifetime.
func (m Model) WithLongWrites(t Tokens) Tokens {
	if m.TTL != TTLEndpoint && m.CacheTTL >= m.CacheTerms().Long.Lifetime {
		t.CacheWriteLong = max(0, t.CacheWrite)
	}
	return t
}

// WithStoredTTL returns the model with the CacheTTL of its newest reply in the log, where the TTL is chosen per
// conversation.
func (m Model) WithStoredTTL(events []conversation.Event) Model {
	if m.TTL != TTLChosen {
		return m
	}
	for _, e := range slices.Backward(events) {
		if u, ok := e.Body.(conversation.Usage); ok && u.Purpose == conversation.PurposeReply && u.Model == m.Name() {
			m.CacheTTL = u.CacheTTL
			return m
		}
	}
	return m
}

// priceShare returns a price as a share of the input price; 1 where the price is unknown.
func priceShare(price, input float64) float64 {
	if price <= 0 {
		return 1
	}
	return price / input
}

// assumedLifetime derives the cache lifetime from the price for writing and the maker of the model. It returns 0 if
// they do not tell.
func (m Model) assumedLifetime(write float64) time.Duration {
	switch {
	case math.Abs(write-shortWrite) > 1e-6:
		return 0
	case strings.Contains("/"+m.Name(), "/openai/"):
		return openaiLifetime
	}
	return shortLifetime
}

// CacheRetention says how long the model's cache keeps a conversation, and why. prompt is the size of the next request in tokens.
func (m Model) CacheRetention(events []conversation.Event, prompt float64, evictions promptcache.EvictionSizes) promptcache.Retention {
	k := promptcache.Retention{Lifetime: m.Sheet().CacheLifetime()}
	switch {
	case m.NoCache:
		k.Reason = promptcache.RetentionNoCache
	case m.TTL == TTLChosen:
		o := CacheChoiceInput(m, events)
		o.Prompt, o.Evictions = prompt, evictions
		k.Reason = promptcache.RetentionByPauses
		if c := m.CacheTerms().ChooseLifetime(o); c.Lifetime == k.Lifetime {
			k.SavedTokens = c.SavedTokens // with another lifetime, the choice changes as soon as the cache is cold
		}
		if m.Prices != nil {
			usd := k.SavedTokens * m.Prices.Input / 1e6
			k.SavedUSD = &usd
		}
	case m.CacheTTL > 0:
		k.Reason = promptcache.RetentionConfigured
	}
	return k
}

// CacheChoiceInput reads from a log how requests to a model use its cache: it counts the pauses between requests, and the
// tokens written by requests that found their predecessor in the cache. The caller adds the size of the next request.
func CacheChoiceInput(m Model, events []conversation.Event) promptcache.ChoiceInput {
	terms, c := m.CacheTerms(), m.Calibration
	o := promptcache.ChoiceInput{User: promptcache.PauseCounts{Requests: c.Requests, Pauses: c.Pauses, LongPauses: c.LongPauses}}
	var asked, answered time.Time // when the newest request was caused, and when the previous one was answered
	lifetime := terms.Short.Lifetime
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.UserMessage, conversation.ToolResult:
			asked = e.Time
		case conversation.Usage:
			if b.Purpose != conversation.PurposeReply || b.Model != m.Name() {
				continue
			}
			if o.Requests++; !answered.IsZero() && !asked.Before(answered) {
				idle := asked.Sub(answered)
				o.Conversation = o.Conversation.Add(terms, idle)
				if b.HasPromptCount() && idle <= lifetime {
					o.CachedRequests++
					o.Written += float64(b.Prompt - min(b.Prompt, max(0, b.Cached)))
				}
			}
			answered, lifetime = e.Time, terms.OptionFor(b.CacheTTL).Lifetime
		}
	}
	return o
}

// PingSaves is [promptcache.Terms.PingSaves] for a conversation whose newest request has prompt tokens.
func (m Model) PingSaves(events []conversation.Event, prompt float64, evictions promptcache.EvictionSizes, idle, left time.Duration) float64 {
	o, s := CacheChoiceInput(m, events), m.Sheet()
	o.Prompt, o.Evictions = prompt, evictions
	return m.CacheTerms().PingSaves(o, promptcache.LifetimeOption{WritePrice: s.Write, Lifetime: s.Lifetime}, idle, left)
}
