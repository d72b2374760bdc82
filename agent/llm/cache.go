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

// TTL is who says how long the provider's cache is to hold a prompt.
type TTL string

// The ways.
const (
	TTLEndpoint TTL = ""       // the endpoint; CacheTTL is only what the user knows of it
	TTLAsked    TTL = "asked"  // requests do, as the user has it
	TTLChosen   TTL = "chosen" // requests do, as the conversation's pauses make it cheaper
)

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
func (m Model) Sheet() planner.PriceSheet {
	s := planner.DefaultSheet()
	switch p := m.Prices; {
	case m.NoCache:
		s.Read, s.Write = 1, 1
	case p != nil && p.Input > 0:
		s.Read, s.Write = share(p.Cached, p.Input), share(p.CacheWrite, p.Input)
	}
	if s.Lifetime = m.CacheTTL; s.Lifetime <= 0 {
		s.Lifetime = m.assumedLifetime(s.Write)
	}
	if m.TTL != TTLEndpoint {
		o := m.CacheTerms().Offer(m.CacheTTL)
		s.Write, s.Lifetime = o.Write, o.Lives
	}
	return s
}

// CacheTerms are what the model's cache costs where requests say how long it holds a prompt.
func (m Model) CacheTerms() promptcache.Terms {
	t := promptcache.Anthropic()
	if p := m.Prices; p != nil && p.Input > 0 {
		t.Read = share(p.Cached, p.Input)
		if p.CacheWrite > 0 {
			t.Short.Write = share(p.CacheWrite, p.Input)
		}
	}
	return t
}

// Writing is tokens of which those written to the cache are kept as long as requests to the model ask for.
func (m Model) Writing(t Tokens) Tokens {
	if m.TTL != TTLEndpoint && m.CacheTTL >= m.CacheTerms().Long.Lives {
		t.CacheWriteLong = max(0, t.CacheWrite)
	}
	return t
}

// Kept is the model as a conversation last asked it to keep the prompt, by its newest reply on record.
func (m Model) Kept(events []conversation.Event) Model {
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

// Share is a price in relation to that of input, which it is where none is
// known.
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

// CacheKept is for how long the model's cache keeps a conversation, of which the next request has so many tokens.
func (m Model) CacheKept(events []conversation.Event, prompt float64) promptcache.Kept {
	k := promptcache.Kept{Lives: m.Sheet().Lives()}
	switch {
	case m.NoCache:
		k.By = promptcache.ByNoCache
	case m.TTL == TTLChosen:
		o := CacheOutlook(m, events)
		o.Prompt = prompt
		k.By = promptcache.ByPauses
		if c := m.CacheTerms().Choose(o); c.Lives == k.Lives {
			k.Saves = c.Saves // otherwise the other one is chosen as soon as the cache is cold
		}
		if m.Prices != nil {
			usd := k.Saves * m.Prices.Input / 1e6
			k.USD = &usd
		}
	case m.CacheTTL > 0:
		k.By = promptcache.ByUser
	}
	return k
}

// CacheOutlook is what a log tells of how requests to a model use its cache: how they followed each other, and how many
// tokens those wrote that found the one before them in the cache. How large the next one is, is not in it.
func CacheOutlook(m Model, events []conversation.Event) promptcache.Outlook {
	terms, c := m.CacheTerms(), m.Calibration
	o := promptcache.Outlook{Past: promptcache.Rhythm{Requests: c.Requests, Pauses: c.Pauses, Absences: c.LongPauses}}
	var asked, answered time.Time // when the newest request was triggered, and the one before it answered
	lives := terms.Short.Lives
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
				o.Own = o.Own.Add(terms, idle)
				if b.HasPromptCount() && idle <= lives {
					o.Warm++
					o.Written += float64(b.Prompt - min(b.Prompt, max(0, b.Cached)))
				}
			}
			answered, lives = e.Time, terms.Offer(b.CacheTTL).Lives
		}
	}
	return o
}
