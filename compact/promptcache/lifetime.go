package promptcache

import (
	"math"
	"time"
)

// Offer is one of the times for which a cache can keep what it is given.
type Offer struct {
	Write float64 // what a token costs that is written, as a multiple of the price of input
	Lives time.Duration
}

// Terms are what a cache costs that lets each request choose between two times, as multiples of the price of input.
type Terms struct {
	Read        float64
	Short, Long Offer
}

// Anthropic is the terms of Anthropic's cache.
func Anthropic() Terms {
	return Terms{Read: 0.1, Short: Offer{Write: 1.25, Lives: 5 * time.Minute}, Long: Offer{Write: 2, Lives: time.Hour}}
}

// Offer is the offer that keeps what is written for so long at least, the longer one if none does.
func (t Terms) Offer(lives time.Duration) Offer {
	if lives <= t.Short.Lives {
		return t.Short
	}
	return t.Long
}

// Rhythm is how the requests of a user follow each other.
type Rhythm struct {
	Requests int // that followed another one
	Pauses   int // of them, those after which only the long time still held the prompt
	Absences int // of them, those after which nothing did
}

// Add counts a request that began so long after the reply before it.
func (r Rhythm) Add(t Terms, idle time.Duration) Rhythm {
	r.Requests++
	switch {
	case idle > t.Long.Lives:
		r.Absences++
	case idle > t.Short.Lives:
		r.Pauses++
	}
	return r
}

// How much counts what is known of a user from earlier conversations, and what is assumed of one of whom nothing is:
// as much as so many requests of the conversation itself. The figures are those of recorded conversations: three of a
// hundred requests follow a pause, and one in two hundred an absence. Any between half and twice of them choose about
// as well.
const (
	pastWeight      = 20
	assumedPauses   = 0.025
	assumedAbsences = 0.005
	// written is assumed of a request that nobody has seen yet, in tokens, and weighs as much as so many that were.
	assumedWritten = 1500
	writtenWeight  = 5
	// ahead is how many requests are expected to follow at least; of a long conversation as many as it has had.
	ahead = 80
)

// shares are how likely a request follows a pause, and an absence, by what earlier conversations and this one show.
func shares(past, own Rhythm) (pauses, absences float64) {
	pauses, absences = assumedPauses, assumedAbsences
	if past.Requests > 0 {
		known := min(float64(past.Requests)/pastWeight, 1)
		n := float64(past.Requests)
		pauses = known*float64(past.Pauses)/n + (1-known)*pauses
		absences = known*float64(past.Absences)/n + (1-known)*absences
	}
	n := pastWeight + float64(own.Requests)
	return (pauses*pastWeight + float64(own.Pauses)) / n, (absences*pastWeight + float64(own.Absences)) / n
}

// Outlook is what is known when a prompt is about to be written whole, because the cache holds nothing of it.
type Outlook struct {
	Prompt   float64 // tokens of the request
	Written  float64 // tokens that the requests so far wrote that found the one before them in the cache
	Warm     int     // how many these were
	Requests int     // that were made so far
	Own      Rhythm  // of this conversation
	Past     Rhythm  // of the user with this model, this conversation included
}

// Choice is for how long a prompt is to be kept.
type Choice struct {
	Lives time.Duration
	// Saves is what the other time is expected to cost more in the requests ahead, in tokens at the price of input.
	Saves float64
}

// Kept is for how long a provider's cache keeps a prompt, and why.
type Kept struct {
	Lives time.Duration
	By    By
	// Saves is what the other time is expected to cost more in the requests ahead, in tokens at the price of input, 0
	// where nobody chose.
	Saves float64
	// USD is the same in US dollars, nil where the price is not known.
	USD *float64
}

// By is who says how long a prompt is kept.
type By string

// Who says it.
const (
	ByNobody  By = ""        // it is assumed
	ByUser    By = "user"    // the configuration
	ByPauses  By = "pauses"  // it is chosen by the pauses between requests
	ByNoCache By = "nothing" // nothing is cached
)

// Choose says for how long what is written from now on is to be kept, as long as the cache holds it. The long time
// costs more with each token that is written, now and later; the short one lets the whole prompt be written again
// after each pause.
func (t Terms) Choose(o Outlook) Choice {
	pauses, absences := shares(o.Past, o.Own)
	grows := (o.Written + assumedWritten*writtenWeight) / float64(o.Warm+writtenWeight)
	requests := math.Max(ahead, float64(o.Requests))
	cost := func(f Offer, cold float64) float64 {
		warm := o.Prompt*t.Read + grows*f.Write
		return o.Prompt*f.Write + requests*((1-cold)*warm+cold*o.Prompt*f.Write)
	}
	short, long := cost(t.Short, pauses+absences), cost(t.Long, absences)
	if long < short {
		return Choice{Lives: t.Long.Lives, Saves: short - long}
	}
	return Choice{Lives: t.Short.Lives, Saves: long - short}
}
