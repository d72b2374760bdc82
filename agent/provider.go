package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// Provider streams replies from one endpoint, and summaries beside them: calls
// come from several goroutines.
type Provider interface {
	// Stream sends a request and yields the reply as it arrives. Breaking the
	// loop or ending ctx closes the stream. A failure is yielded once, last, as
	// an *Error; what arrived before it stands. A stream that ends without a
	// stop reason yields an Error of class Truncated.
	Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// Request is one request to a model, complete but for the wire's own form.
type Request struct {
	Model    string            // the provider's id of the model
	System   string            // the system prompt, "" for none
	Messages []compact.Message // hardened; first is user, last is user or tool
	Tools    []conversation.ToolSpec
	// MaxTokens bounds the reply, 0 leaves it to the provider.
	MaxTokens int
	// Conversation is the ID, for endpoints that route their cache by it.
	Conversation string
}

// Chunk is a piece of a reply. Zero fields say nothing.
type Chunk struct {
	Text      string
	Reasoning string
	Calls     []CallDelta
	Stop      conversation.StopReason
	Usage     *Tokens
	Extras    map[string]conversation.RawJSON // message-level fields to echo, complete
	Waiting   bool                            // a sign of life: headers or a keep-alive came, no content yet
	Progress  *Prefill                        // how far the server has read the prompt
	BodyHash  string                          // SHA-256 of the request body as sent, with the first chunk
	Form      string                          // how the body was made of the request, with BodyHash; see conversation.Usage
}

// CallDelta is a piece of a tool call. Pieces of one call share Index.
type CallDelta struct {
	Index     int
	ID        string // set once, with the first piece
	Name      string // set once, with the first piece
	Arguments string // appended
	Extra     conversation.RawJSON
}

// Tokens is what a provider reported. -1 is unknown.
type Tokens struct {
	Prompt, Cached, CacheWrite, Completion, Reasoning int
	CostUSD                                           *float64 // as billed, nil if not reported
}

// Prefill is a server's progress through the prompt, in tokens.
type Prefill struct{ Done, Total int }

// Model is everything known about the model a conversation talks to.
type Model struct {
	Provider string // openai, ollama, custom, demo ...
	ID       string
	Window   compact.Window
	MaxOut   int // largest reply in tokens, 0 unknown
	// ReplyLimit bounds each reply, in tokens, because the user says so; 0 leaves it
	// to the provider.
	ReplyLimit int
	Caps       compact.Capabilities
	Prices     *Prices // nil: unknown
	// CacheTTL is how long the user says that the provider's cache holds a prompt
	// after its last use, 0 if he does not say.
	CacheTTL time.Duration
	NoCache  bool   // the endpoint caches no prompts, whatever its prices say
	BaseURL  string // where requests go, as the log records it; "" for none worth recording
	Badge    string // shown beside the name, "not an AI" for the demo model
	// CalibrationKey is where what is learned about the model is kept:
	// "endpoint model". "": not kept.
	CalibrationKey string
	// Calibration is what was learned about it before.
	Calibration conversation.Calibration
}

// Name is the model as the user writes it: provider/id.
func (m Model) Name() string {
	if m.Provider == "" {
		return m.ID
	}
	return m.Provider + "/" + m.ID
}

// Prices is a price sheet in USD per million tokens.
type Prices struct {
	Input, Cached, CacheWrite, Output float64
	Tiers                             []Tier // ascending by Over; the whole request is billed at the tier's rate
	Date                              string // of the catalogue entry
}

// Tier is the rate of requests with more than Over prompt tokens.
type Tier struct {
	Over                              int
	Input, Cached, CacheWrite, Output float64
}

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
