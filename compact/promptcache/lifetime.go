package promptcache

import (
	"math"
	"time"
)

// LifetimeOption is a cache lifetime that a request can choose, and its price.
type LifetimeOption struct {
	WritePrice float64 // what a token costs that is written, as a multiple of the price of input
	Lifetime   time.Duration
}

// Terms are what a cache costs that lets each request choose between two times, as multiples of the price of input.
type Terms struct {
	ReadPrice   float64
	Short, Long LifetimeOption
}

// Anthropic is the terms of Anthropic's cache.
func Anthropic() Terms {
	return Terms{ReadPrice: 0.1, Short: LifetimeOption{WritePrice: 1.25, Lifetime: 5 * time.Minute}, Long: LifetimeOption{WritePrice: 2, Lifetime: time.Hour}}
}

// OptionFor is the offer that keeps what is written for so long at least, the longer one if none does.
func (t Terms) OptionFor(lives time.Duration) LifetimeOption {
	if lives <= t.Short.Lifetime {
		return t.Short
	}
	return t.Long
}

// PauseCounts counts requests by the pause before them.
type PauseCounts struct {
	Requests   int // that followed another one
	Pauses     int // of them, those after which only the long time still held the prompt
	LongPauses int // of them, those after which nothing did
}

// Add counts a request that began so long after the reply before it.
func (r PauseCounts) Add(t Terms, idle time.Duration) PauseCounts {
	r.Requests++
	switch {
	case idle > t.Long.Lifetime:
		r.LongPauses++
	case idle > t.Short.Lifetime:
		r.Pauses++
	}
	return r
}

// How much counts what is known of a user from earlier conversations, and what is assumed of one of whom nothing is:
// as much as so many requests of the conversation itself. The figures are those of recorded conversations: three of a
// hundred requests follow a pause, and one in two hundred an absence. Any between half and twice of them choose about
// as well.
const (
	userWeight        = 20
	assumedPauses     = 0.025
	assumedLongPauses = 0.005
	// written is assumed of a request that nobody has seen yet, in tokens, and weighs as much as so many that were.
	assumedWritten = 1500
	writtenWeight  = 5
	// minRequestsAhead is how many requests are expected to follow at least; of a long conversation as many as it has had.
	minRequestsAhead = 80
)

// pauseShares estimates the shares of requests after a pause and after a long pause, from earlier conversations and this one.
func pauseShares(past, own PauseCounts) (pauses, absences float64) {
	pauses, absences = assumedPauses, assumedLongPauses
	if past.Requests > 0 {
		known := min(float64(past.Requests)/userWeight, 1)
		n := float64(past.Requests)
		pauses = known*float64(past.Pauses)/n + (1-known)*pauses
		absences = known*float64(past.LongPauses)/n + (1-known)*absences
	}
	n := userWeight + float64(own.Requests)
	return (pauses*userWeight + float64(own.Pauses)) / n, (absences*userWeight + float64(own.LongPauses)) / n
}

// ChoiceInput is what is known when a prompt is about to be written whole, because the cache holds nothing of it.
type ChoiceInput struct {
	Prompt         float64     // tokens of the request
	Written        float64     // tokens that the requests so far wrote that found the one before them in the cache
	CachedRequests int         // how many these were
	Requests       int         // that were made so far
	Conversation   PauseCounts // of this conversation
	User           PauseCounts // of the user with this model, this conversation included
}

// Choice is the chosen cache lifetime.
type Choice struct {
	Lifetime time.Duration
	// SavedTokens is what the other time is expected to cost more in the requests ahead, in tokens at the price of input.
	SavedTokens float64
}

// Retention is how long a provider's cache keeps a prompt, and why.
type Retention struct {
	Lifetime time.Duration
	Reason   RetentionReason
	// SavedTokens is what the other time is expected to cost more in the requests ahead, in tokens at the price of input, 0
	// where nobody chose.
	SavedTokens float64
	// SavedUSD is the same in US dollars, nil where the price is not known.
	SavedUSD *float64
}

// RetentionReason is the reason for a cache lifetime.
type RetentionReason string

// Who says it.
const (
	RetentionAssumed    RetentionReason = ""        // it is assumed
	RetentionConfigured RetentionReason = "user"    // the configuration
	RetentionByPauses   RetentionReason = "pauses"  // it is chosen by the pauses between requests
	RetentionNoCache    RetentionReason = "nothing" // nothing is cached
)

// ChooseLifetime says for how long what is written from now on is to be kept, as long as the cache holds it. The long time
// costs more with each token that is written, now and later; the short one lets the whole prompt be written again
// after each pause.
func (t Terms) ChooseLifetime(o ChoiceInput) Choice {
	pauses, absences := pauseShares(o.User, o.Conversation)
	grows := (o.Written + assumedWritten*writtenWeight) / float64(o.CachedRequests+writtenWeight)
	requests := math.Max(minRequestsAhead, float64(o.Requests))
	cost := func(f LifetimeOption, cold float64) float64 {
		warm := o.Prompt*t.ReadPrice + grows*f.WritePrice
		return o.Prompt*f.WritePrice + requests*((1-cold)*warm+cold*o.Prompt*f.WritePrice)
	}
	short, long := cost(t.Short, pauses+absences), cost(t.Long, absences)
	if long < short {
		return Choice{Lifetime: t.Long.Lifetime, SavedTokens: short - long}
	}
	return Choice{Lifetime: t.Short.Lifetime, SavedTokens: long - short}
}
