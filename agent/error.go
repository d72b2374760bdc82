package agent

import (
	"errors"
	"fmt"
	"time"
)

// Class sorts failures by what can be done about them.
type Class string

// The classes of failures.
const (
	Auth        Class = "auth"         // the key is missing, wrong or not allowed
	Quota       Class = "quota"        // out of credit; waiting does not help
	NotFound    Class = "not found"    // no such model or endpoint
	BadRequest  Class = "bad request"  // the server refuses this request
	Overflow    Class = "overflow"     // the request is larger than the window
	RateLimited Class = "rate limited" // too many requests; waiting helps
	TooLarge    Class = "too large"    // larger than the rate tier takes at once; waiting does not help
	Overloaded  Class = "overloaded"   // the server has no capacity now
	ServerFault Class = "server fault" // the server failed
	Network     Class = "network"      // no connection, or it broke
	Stalled     Class = "stalled"      // nothing came for too long
	Truncated   Class = "truncated"    // the stream ended without a stop reason
	Malformed   Class = "malformed"    // what came is not the protocol
	Empty       Class = "empty"        // a reply without text or calls
	Cancelled   Class = "cancelled"    // the user stopped it
	NotSaved    Class = "not saved"    // the log could not be written
)

// Error is a failure as a value: what happened, in words for the user, and
// what to do about it. It never holds a key.
type Error struct {
	Class      Class
	Message    string        // what happened
	Hint       string        // what to do, "" if nothing
	Status     int           // HTTP status, 0 without one
	RetryAfter time.Duration // how long the server asks to wait, 0 if it did not say
	NoRetry    bool          // the server said that trying again is useless
	Loading    bool          // the server is up and still loads the model
	Down       bool          // nothing listens at the address
	Shared     bool          // a cache that requests share is full
	Window     int           // the window the server named, in tokens, 0 if none
	Requested  int           // the prompt size the server named, in tokens, 0 if none
	Err        error         // the cause, for logs; may be nil
}

// Error is the message, with the status where there is one.
func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (%s, HTTP %d)", e.Message, e.Class, e.Status)
	}
	return fmt.Sprintf("%s (%s)", e.Message, e.Class)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may succeed later: rate limits,
// overload, server faults and broken connections; never auth, quota or
// overflow.
func (e *Error) Retryable() bool {
	if e.NoRetry {
		return false
	}
	switch e.Class {
	case RateLimited, Overloaded, ServerFault, Network, Stalled, Truncated, Malformed, Empty:
		return true
	}
	return false
}

// AsError returns err as an *Error; any other error becomes one of class
// Network that wraps it. A nil error is nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Class: Network, Message: err.Error(), Err: err}
}
