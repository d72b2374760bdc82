package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Provider streams replies and summaries from one endpoint: calls
// come from several goroutines.
type Provider interface {
	// Stream sends a request and yields the reply as it arrives. Breaking the
	// loop or ending ctx closes the stream. A failure is yielded once, last, as
	// an *Error; what arrived before it stands. A stream that ends without a
	// Stop reason yields an Error of class Truncated, one that does not end is cut.
	Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// Request is one request to a model, complete but for the wire's own form.
type Request struct {
	Model    string               // the provider's id of the model
	System   string               // the system prompt, "" for none
	Messages []projection.Message // hardened; first is user, last is user or tool
	Tools    []conversation.ToolSpec
	// MaxTokens bounds the reply, 0 leaves it to the provider.
	MaxTokens int
	// Conversation is the ID, for endpoints that route their cache by it.
	Conversation string
	// Effort is how much the model is to reason, in the provider's word for it; ""
	// leaves it to the model.
	Effort string
	// CacheTTL is how long the provider is to keep the prompt in its cache; 0 leaves
	// it to the endpoint.
	CacheTTL time.Duration
	// ThinksAfter is the event up to which replies go back without what the model thought, because the server refused that;
	// 0 for none.
	ThinksAfter uint64
	// Changed is the newest event that changed what stands in front of the replies before it, 0 for none: an overlay, or
	// another system prompt or tools.
	Changed uint64
}

// Counter is a provider whose endpoint counts the tokens of a request, prompt and tools included, at no cost. The error
// says that it does not, or does not answer.
type Counter interface {
	CountTokens(ctx context.Context, r Request) (int, error)
}

// Thinker is an endpoint that is sent back what a model thought, in a form of its own.
type Thinker interface {
	// Thinking lists the messages of a request that go back with their thinking, ascending. bound says that thinking goes
	// only where all in front of it is what it was.
	Thinking(r Request) (messages []int, bound bool)
}

// ErrNotCounted says that an endpoint has no way to count.
var ErrNotCounted = errors.New("the endpoint does not count tokens")

// Chunk is a piece of a reply. Zero fields say nothing.
type Chunk struct {
	Text      string
	Reasoning string
	Calls     []CallDelta
	Stop      conversation.StopReason
	Refusal   string // with StopFiltered, where the model refused: why
	Paused    bool   // with Stop: the model goes on when the reply is sent back
	Usage     *Tokens
	Extras    map[string]conversation.RawJSON // message-level fields to echo, complete
	Waiting   bool                            // a sign of life: headers or a keep-alive came, no content yet
	Progress  *Prefill                        // how far the server has read the prompt
	BodyHash  string                          // SHA-256 of the request body as sent, with the first chunk
	Form      string                          // how the body was made of the request, with BodyHash; see conversation.Usage
	Note      string                          // what the user is to know of it, once for each model
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
	// CacheWriteLong is how many of CacheWrite are kept for the longer of two times, at its price.
	CacheWriteLong int
	CostUSD        *float64 // as billed, nil if not reported
}

// Prefill is a server's progress through the prompt, in tokens.
type Prefill struct{ Done, Total int }

// Model is everything known about the model a conversation talks to.
type Model struct {
	Provider string // openai, ollama, custom, demo ...
	ID       string
	Window   meter.Window
	MaxOut   int // largest reply in tokens, 0 unknown
	// ReplyLimit bounds each reply, in tokens, because the user says so; 0 leaves it
	// to the provider.
	ReplyLimit int
	Caps       projection.Capabilities
	Prices     *Prices // nil: unknown
	// CacheTTL is how long the provider's cache holds a prompt after its last use, as far as the user says or a request
	// asked for it, 0 if nobody did.
	CacheTTL time.Duration
	TTL      TTL    // who says it
	NoCache  bool   // the endpoint caches no prompts, whatever its prices say
	BaseURL  string // where requests go, as the log records it; "" for none worth recording
	Badge    string // shown next to the name, "not an AI" for the demo model
	// Effort is how much the model is to reason, one of [Efforts]; "" leaves it to the model.
	Effort string
	// EffortNote says in what Effort differs from its word, "" where it does not.
	EffortNote string
	// CalibrationKey is where what is learned about the model is kept:
	// "endpoint model". "": not kept.
	CalibrationKey string
	// Thinker knows which replies go back with what the model thought, nil where none do in a form of the provider's own.
	Thinker Thinker
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

// Efforts are the words for how much a model is to reason, least first. No model knows all of them; a server that
// refuses one is asked without it.
func Efforts() []string { return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"} }

// CheckEffort reports an effort that no model knows.
func CheckEffort(level string) error {
	if level == "" || slices.Contains(Efforts(), level) {
		return nil
	}
	return fmt.Errorf("there is no effort %q; the levels are %s", level, strings.Join(Efforts(), ", "))
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
	ServerFault Class = "server error" // the server failed
	Network     Class = "network"      // no connection, or it broke
	Stalled     Class = "stalled"      // nothing arrived for too long
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
	Lead       string        // the beginning of Message, behind which it is said how often it was tried; "" for all of it
	Tries      int           // how often it was tried, 0 where nobody counted
	Took       time.Duration // all of them together
	Hint       string        // what to do, "" if nothing
	Status     int           // HTTP status, 0 without one
	RetryAfter time.Duration // how long the server asks to wait, 0 if it did not say
	NoRetry    bool          // the server said that trying again is useless
	Loading    bool          // the server is up and still loads the model
	Down       bool          // nothing listens at the address
	Shared     bool          // a cache that requests share is full
	Thinking   bool          // the server refuses thinking that the request sends back
	Window     int           // the window the server named, in tokens, 0 if none
	Requested  int           // the prompt size the server named, in tokens, 0 if none
	Err        error         // the cause, for logs; may be nil
}

// Error is the message, with how often it was tried.
func (e *Error) Error() string {
	if e.Tries < 2 {
		return e.Message
	}
	lead := e.Lead
	if lead == "" {
		lead = e.Message
	}
	return fmt.Sprintf("%s after %d tries (%s)%s", lead, e.Tries, seconds(e.Took), strings.TrimPrefix(e.Message, lead))
}

func seconds(d time.Duration) string {
	if d < time.Second {
		return "under 1 s"
	}
	return fmt.Sprintf("%.0f s", d.Seconds())
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

// Larger says how a larger window is had. One that a server told may have changed.
func (m Model) Larger() string {
	if SaidByServer(m.Window) && m.BaseURL != "" { // otherwise there is no server
		return "or choose a model with a larger window (/model); if the server's is larger by now, say so with --window"
	}
	return "or choose a model with a larger window (/model)"
}

// Nameless reports an overflow that names neither window nor prompt.
func Nameless(e *Error) bool { return e.Class == Overflow && e.Window <= 0 && e.Requested <= 0 }

// A compaction breaks the provider's cache: behind the break everything is
// written anew, which costs more than reading it. What is left out is saved with
// every request, the next one included.

// PriceOf is what the next request costs more with a compaction than without it,
// in US dollars, and after how many requests that is earned back, 0 where the next
// one costs nothing more. cost prices one request in US dollars; the provider's
// cache is taken to hold the conversation still. PaysAfter is nil where it is
// never earned back.
func PriceOf(p edit.Preview, cost func(Tokens) float64) (now *float64, paysAfter *int) {
	cached := func(tokens int) float64 { return cost(Tokens{Prompt: tokens, Cached: tokens}) }
	extra := cost(Tokens{Prompt: p.After, Cached: p.After - p.Behind, CacheWrite: p.Behind}) - cached(p.After)
	saved := cached(p.Before) - cached(p.After)
	more := math.Round((extra-saved)*1e9) / 1e9 // a sum of floats has digits that mean nothing
	switch {
	case extra <= 0:
		return &more, new(int)
	case saved > 0:
		n := int(math.Floor(extra/saved)) + 1
		return &more, &n
	}
	return &more, nil
}

// Step is the lowest tier that makes input dearer; false if there is none. A nil
// sheet has none.
func (p *Prices) Step() (Tier, bool) {
	if p == nil || p.Input <= 0 {
		return Tier{}, false
	}
	for _, t := range p.Tiers {
		if t.Input > p.Input {
			return t, true
		}
	}
	return Tier{}, false
}

// MeterOptions is what a meter has to know about the model and about the rules of
// a conversation that it is used in.
func (m Model) MeterOptions(r preset.Rules) meter.Options {
	return meter.Options{
		Window: m.Window, MaxOut: m.MaxOut, Calibration: m.Calibration, EchoReasoning: m.Caps.EchoReasoning || m.Caps.KeepsReasoning, EchoLoop: m.Caps.EchoLoop,
		EchoModel: m.Name(), PriceStep: m.PriceStep(),
	}.With(r)
}

// PriceStep is the prompt tokens above which the whole request costs more, 0 if
// there is no such step.
func (m Model) PriceStep() int {
	t, _ := m.Prices.Step()
	return t.Over
}

// OneLine is text without control characters and with single spaces.
func OneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d' {
			return ' '
		}
		return r
	}, conversation.Clean(text))
	return strings.Join(strings.Fields(text), " ")
}

// Rank orders the sources of a window's size, strongest first.
func Rank(s meter.WindowSource) int {
	switch s {
	case meter.WindowFlag:
		return 0
	case meter.WindowConfig:
		return 1
	case meter.WindowServer, meter.WindowLearned:
		return 2
	case meter.WindowCatalogue:
		return 3
	}
	return 4
}

// SaidByServer reports whether a window's size is what the server said.
func SaidByServer(w meter.Window) bool {
	return w.Known() && Rank(w.Source) == Rank(meter.WindowServer)
}

// AsOverflow is the failure of a request that is longer than the window, nil for
// any other error.
func AsOverflow(err error) *Error {
	var e *Error
	if errors.As(err, &e) && e.Class == Overflow {
		return e
	}
	return nil
}
