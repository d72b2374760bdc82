package promptcache

import "time"

// LifetimeOption is a cache lifetime that a request can choose, and its price.
type LifetimeOption struct {
	WritePrice float64 // price of a written token, as a multiple of the input price
	Lifetime   time.Duration
}

// Terms are the prices and lifetimes of a cache, as multiples of the input price. Each request chooses one of two lifetimes.
type Terms struct {
	ReadPrice   float64
	Short, Long LifetimeOption
}

// Anthropic is the terms of Anthropic's cache.
func Anthropic() Terms {
	return Terms{ReadPrice: 0.1, Short: LifetimeOption{WritePrice: 1.25, Lifetime: 5 * time.Minute}, Long: LifetimeOption{WritePrice: 2, Lifetime: time.Hour}}
}

// OptionFor returns the cheaper option whose lifetime is at least lives, or the long one if neither lasts that long.
func (t Terms) OptionFor(lives time.Duration) LifetimeOption {
	if lives <= t.Short.Lifetime {
		return t.Short
	}
	return t.Long
}

// PauseCounts counts requests by the pause before them.
type PauseCounts struct {
	Requests   int // requests that followed another one
	Pauses     int // those after a pause that only the long lifetime survives
	LongPauses int // those after a pause longer than both lifetimes
}

// Add counts a request that began idle after the previous reply.
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

// The weights of earlier knowledge, in requests of the conversation itself. The assumed shares are those of recorded
// conversations: three of a hundred requests follow a pause, and one in two hundred a long pause. Half or double these values
// lead to about the same choices.
const (
	userWeight        = 20
	assumedPauses     = 0.025
	assumedLongPauses = 0.005
	// assumedWritten is how many tokens a request is assumed to write; it weighs as much as writtenWeight observed requests.
	assumedWritten = 1500
	writtenWeight  = 5
	// minRequestsAhead is the least number of later requests to expect; a longer conversation is expected to last as long again.
	minRequestsAhead = 160
)

// pauseShares estimates the shares of requests after a pause and after a long pause, from all the user's conversations and from this one.
func pauseShares(user, own PauseCounts) (pauses, longPauses float64) {
	pauses, longPauses = assumedPauses, assumedLongPauses
	if user.Requests > 0 {
		weight := min(float64(user.Requests)/userWeight, 1)
		n := float64(user.Requests)
		pauses = weight*float64(user.Pauses)/n + (1-weight)*pauses
		longPauses = weight*float64(user.LongPauses)/n + (1-weight)*longPauses
	}
	n := userWeight + float64(own.Requests)
	return (pauses*userWeight + float64(own.Pauses)) / n, (longPauses*userWeight + float64(own.LongPauses)) / n
}

// ChoiceInput is the input of a lifetime choice, made when the cache holds nothing of the conversation.
type ChoiceInput struct {
	Prompt         float64     // tokens of the request
	Written        float64     // tokens written so far by requests that found the previous prompt in the cache
	CachedRequests int         // number of these requests
	Requests       int         // requests so far
	Conversation   PauseCounts // of this conversation
	User           PauseCounts // of all the user's conversations with this model, this one included
	Evictions      EvictionSizes
}

// EvictionSizes are the sizes, in tokens, to which the program's own evictions bring a request. 0 means that there is none.
type EvictionSizes struct {
	Cold         float64 // with an empty cache: the request has no more
	Line, Target float64 // above Line a request is brought down to Target, and written again from there on
}

// atCold returns the size of a request with an empty cache.
func (s EvictionSizes) atCold(prompt float64) float64 {
	if s.Cold <= 0 {
		return prompt
	}
	return min(prompt, s.Cold)
}

// Choice is the chosen cache lifetime.
type Choice struct {
	Lifetime time.Duration
	// SavedTokens is the expected saving compared with the other lifetime, in tokens at the input price.
	SavedTokens float64
}

// Retention is how long a provider's cache keeps a prompt, and why.
type Retention struct {
	Lifetime time.Duration
	Reason   RetentionReason
	// SavedTokens is the expected saving compared with the other lifetime, in tokens at the input price; 0 without a choice.
	SavedTokens float64
	// SavedUSD is the same in US dollars, nil if the price is unknown.
	SavedUSD *float64
}

// RetentionReason is the reason for a cache lifetime.
type RetentionReason string

// The reasons for a cache lifetime.
const (
	RetentionAssumed    RetentionReason = ""        // assumed for the provider
	RetentionConfigured RetentionReason = "user"    // set in the configuration
	RetentionByPauses   RetentionReason = "pauses"  // chosen by the pauses between requests
	RetentionNoCache    RetentionReason = "nothing" // nothing is cached
)

// ChooseLifetime chooses the lifetime of all that is written until the cache is empty again. The long lifetime makes each
// written token cost more, now and later. With the short one, the whole prompt is written again after each pause, but where the
// program evicts then, it is smaller from there on. The sizes of later requests are expected ones.
func (t Terms) ChooseLifetime(o ChoiceInput) Choice {
	pauses, longPauses := pauseShares(o.User, o.Conversation)
	grows := (o.Written + assumedWritten*writtenWeight) / float64(o.CachedRequests+writtenWeight)
	requests := max(minRequestsAhead, o.Requests)
	cost := func(f LifetimeOption, cold float64) float64 {
		prompt, sum := o.Prompt, o.Prompt*f.WritePrice
		for range requests {
			rewritten := o.Evictions.atCold(prompt)
			sum += (1-cold)*(prompt*t.ReadPrice+grows*f.WritePrice) + cold*rewritten*f.WritePrice
			if o.Evictions.Line <= 0 {
				continue // nothing bounds its growth, so it is not guessed
			}
			if prompt = (1-cold)*(prompt+grows) + cold*rewritten; prompt > o.Evictions.Line {
				prompt = o.Evictions.Target
				sum += prompt * f.WritePrice
			}
		}
		return sum
	}
	short, long := cost(t.Short, pauses+longPauses), cost(t.Long, longPauses)
	if long < short {
		return Choice{Lifetime: t.Long.Lifetime, SavedTokens: short - long}
	}
	return Choice{Lifetime: t.Short.Lifetime, SavedTokens: long - short}
}
