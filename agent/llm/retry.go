package llm

import (
	"cmp"
	"math/rand/v2"
	"time"
)

// Retry configures retries; zero fields have the defaults below.
type Retry struct {
	Tries       int            // total tries; default 4
	Base        time.Duration  // before the second try, then doubled; default 500 ms
	Max         time.Duration  // longest back-off; default 8 s
	MaxAfter    time.Duration  // longest Retry-After that is waited for; default 60 s
	MaxStarting time.Duration  // how long a server may load its model, restart or have a full shared cache; default 60 s
	Rand        func() float64 // in [0,1), for the jitter; default math/rand
}

// WithDefaults returns r with the defaults in place of zero fields.
func (r Retry) WithDefaults() Retry {
	r.Tries = cmp.Or(r.Tries, 4)
	r.Base = cmp.Or(r.Base, 500*time.Millisecond)
	r.Max = cmp.Or(r.Max, 8*time.Second)
	r.MaxAfter = cmp.Or(r.MaxAfter, time.Minute)
	r.MaxStarting = cmp.Or(r.MaxStarting, time.Minute)
	if r.Rand == nil {
		r.Rand = rand.Float64
	}
	return r
}

// Wait is how long to wait after a try, counted from 1; false if the request is not made again.
func (r Retry) Wait(e *Error, try int) (time.Duration, bool) {
	if !e.Retryable() || try >= r.Tries || e.RetryAfter > r.MaxAfter {
		return 0, false
	}
	if e.RetryAfter > 0 {
		return e.RetryAfter, true
	}
	return r.BackOff(try), true
}

// BackOff is the wait after a try, counted from 1, without a Retry-After.
func (r Retry) BackOff(try int) time.Duration {
	d := r.Base
	for range try - 1 {
		d = min(2*d, r.Max)
	}
	const jitter = 0.25 // of the wait, taken off so that Max stays the longest
	return time.Duration(float64(min(d, r.Max)) * (1 - jitter*r.Rand()))
}
