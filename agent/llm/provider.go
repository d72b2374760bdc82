package llm

import (
	"cmp"
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

// Endpoint is a model and its provider.
type Endpoint struct {
	Model    Model
	Provider Provider
}

// Provider streams replies and summaries from one endpoint. Several goroutines may call it.
type Provider interface {
	// Stream sends a request and yields the reply as it arrives. Breaking the loop or ending ctx closes the stream.
	// A failure is yielded once, last, as an *Error; the chunks before it stay valid. A stream that ends without a
	// Stop reason yields an Error of class Truncated. A stream that does not end is cut.
	Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// Request is one request to a model, independent of the wire format.
type Request struct {
	Model    string               // the provider's id of the model
	System   string               // the system prompt, "" for none
	Messages []projection.Message // hardened; first is user, last is user or tool
	Tools    []conversation.ToolSpec
	// MaxTokens is the largest reply; 0 leaves it to the provider.
	MaxTokens int
	// Conversation is the ID, for endpoints that route their cache by it.
	Conversation string
	// Schema is the JSON schema of the reply's text, a JSON object; nil leaves the form of the text to the model.
	Schema conversation.RawJSON
	// Effort is how much the model shall reason, in the provider's own word; "" leaves it to the model.
	Effort string
	// CacheTTL is how long the provider shall keep the prompt in its cache; 0 leaves it to the endpoint.
	CacheTTL time.Duration
	// ThinkingAfter is the Seq of an event: replies up to it are sent without their thinking, because the server
	// refused that; 0 sends all of it.
	ThinkingAfter uint64
	// LoadImage reads the base64 text of an image by its blob; "" without an error if it is lost. Nil sends images as lines of text.
	LoadImage func(ctx context.Context, blob string) (string, error)
	// PDFs says that PDFs are sent as they are, not as lines of text.
	PDFs bool
	// Images are the images that WithImages read, by their blobs.
	Images map[string]string
	// PrefixChanged is the Seq of the newest event that changed what requests carry before earlier replies: an
	// overlay, or another system prompt or tools; 0 for none.
	PrefixChanged uint64
}

// CallIDs are the ids of all calls in the messages.
func (r Request) CallIDs() map[string]bool {
	ids := map[string]bool{}
	for _, m := range r.Messages {
		for _, c := range m.Calls {
			ids[c.ID] = true
		}
	}
	return ids
}

// Counter is a provider whose endpoint counts the tokens of a request, prompt and tools included, at no cost. The
// error says that the endpoint does not count, or did not answer.
type Counter interface {
	CountTokens(ctx context.Context, r Request) (int, error)
}

// Thinker lists the replies that are sent back to an endpoint with their thinking, if the provider has its own format
// for thinking.
type Thinker interface {
	// Thinking lists the messages of a request that are sent with their thinking, ascending. bound says that the
	// server takes thinking only after an unchanged prefix.
	Thinking(r Request) (messages []int, bound bool)
}

// ErrNotCounted says that an endpoint has no way to count.
var ErrNotCounted = errors.New("the endpoint does not count tokens")

// Chunk is a piece of a reply. A zero field means that the piece has none of it.
type Chunk struct {
	Text      string
	Reasoning string
	Calls     []CallDelta
	Stop      conversation.StopReason
	Refusal   string // with StopFiltered, where the model refused: why
	Paused    bool   // with Stop: the model goes on when the reply is sent back to it
	Usage     *Tokens
	Extras    map[string]conversation.RawJSON // message-level fields to echo, complete
	Waiting   bool                            // headers or a keep-alive arrived, no content yet
	Progress  *Prefill                        // how far the server has read the prompt
	BodyHash  string                          // SHA-256 of the request body as sent, with the first chunk
	WireForm  string                          // how the body was built from the request, with BodyHash; see conversation.Usage
	Note      string                          // a notice for the user, shown once for each model
}

// CallDelta is a piece of a tool call. Pieces of one call share Index.
type CallDelta struct {
	Index     int
	ID        string // set once, with the first piece
	Name      string // set once, with the first piece
	Arguments string // appended
	Extra     conversation.RawJSON
}

// Tokens is the usage that a provider reported; -1 where a number is unknown.
type Tokens struct {
	Prompt, Cached, CacheWrite, Completion, Reasoning int
	// CacheWriteLong is how many tokens of CacheWrite have the longer of two lifetimes, and its price.
	CacheWriteLong int
	CostUSD        *float64 // as billed, nil if not reported
}

// Prefill is a server's progress through the prompt, in tokens.
type Prefill struct{ Done, Total int }

// Model is what is known about the model of a conversation.
type Model struct {
	Provider string // openai, ollama, custom, demo ...
	ID       string
	Window   meter.Window
	MaxOut   int // largest reply in tokens, 0 unknown
	// ReplyLimit bounds each reply, in tokens, because the user says so; 0 leaves it
	// to the provider.
	ReplyLimit int
	Caps       projection.Capabilities
	Images     meter.ImageRule // how it bills images, where it takes them; see ImageRule
	Prices     *Prices         // nil: unknown
	// CacheTTL is how long the provider's cache holds a prompt after its last use, as the user configured it or a
	// request asked for it; 0 if unknown.
	CacheTTL time.Duration
	TTL      TTL    // who decides CacheTTL
	NoCache  bool   // the endpoint caches no prompts, whatever its prices say
	BaseURL  string // where requests go, as the log records it; "" is not recorded
	Badge    string // shown next to the name, "not an AI" for the demo model
	// Effort is how much the model shall reason, one of [Efforts]; "" leaves it to the model.
	Effort string
	// EffortNote tells the user how the model is asked where it does not take Effort as it is written, "" where it
	// does.
	EffortNote string
	// CalibrationKey is the key of the stored Calibration, "endpoint model"; "" stores nothing.
	CalibrationKey string
	// Thinker is nil where the provider takes no thinking in a form of its own.
	Thinker Thinker
	// Calibration is what earlier reports taught about the model.
	Calibration conversation.Calibration
}

// Name is the model as the user writes it: provider/id.
func (m Model) Name() string {
	if m.Provider == "" {
		return m.ID
	}
	return m.Provider + "/" + m.ID
}

// Efforts lists the levels of reasoning, lowest first. No model supports all; a server that refuses one is asked without.
func Efforts() []string { return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"} }

// CheckEffort returns an error for a level that is not in [Efforts].
func CheckEffort(level string) error {
	if level == "" || slices.Contains(Efforts(), level) {
		return nil
	}
	return fmt.Errorf("there is no effort %q; the levels are %s", level, strings.Join(Efforts(), ", "))
}

// Prices is a price list in USD per million tokens.
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
	Stalled     Class = "stalled"      // the stream was silent for too long
	Truncated   Class = "truncated"    // the stream ended without a stop reason
	Malformed   Class = "malformed"    // the response breaks the protocol
	Empty       Class = "empty"        // a reply without text or calls
	Cancelled   Class = "cancelled"    // the user stopped it
	NotSaved    Class = "not saved"    // the log could not be written
)

// Error is a failure as a value: what happened, in words for the user, and what to do about it. It never holds a
// key.
type Error struct {
	Class           Class
	Message         string        // what happened
	Lead            string        // the beginning of Message, after which Error adds the number of tries; "" for all of it
	Tries           int           // 0 if tries were not counted
	Took            time.Duration // of all tries together
	Hint            string        // what to do, "" if nothing
	Status          int           // HTTP status, 0 without one
	RetryAfter      time.Duration // how long the server asks to wait, 0 if it did not say
	NoRetry         bool          // the server said that a retry is useless
	Loading         bool          // the server runs, and is loading the model
	NotListening    bool          // nothing listens at the address
	SharedCacheFull bool          // the cache that all requests of the server share is full
	RefusesThinking bool          // the server refuses the thinking that the request carries
	Window          int           // the window the server named, in tokens, 0 if none
	Requested       int           // the prompt size the server named, in tokens, 0 if none
	Err             error         // the cause, for logs; may be nil
}

// Error is the message, with the number of tries where there were several.
func (e *Error) Error() string {
	if e.Tries < 2 {
		return e.Message
	}
	lead, took := cmp.Or(e.Lead, e.Message), "under 1 s"
	if e.Took >= time.Second {
		took = fmt.Sprintf("%.0f s", e.Took.Seconds())
	}
	return fmt.Sprintf("%s after %d tries (%s)%s", lead, e.Tries, took, strings.TrimPrefix(e.Message, lead))
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
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Class: Network, Message: err.Error(), Err: err}
}

// LargerWindowHint is a hint on how to get a larger window.
func (m Model) LargerWindowHint() string {
	if FromServer(m.Window) && m.BaseURL != "" { // without a URL there is no server
		return "or choose a model with a larger window (/model); if the server's is larger by now, say so with --window"
	}
	return "or choose a model with a larger window (/model)"
}

// A compaction breaks the provider's cache: after the first changed message everything is written to the cache
// again, which costs more than reading it. The tokens that a compaction leaves out are saved in every request from
// then on.

// PriceOf is the price of a compaction. now is how much more the next request costs than without it, in US dollars.
// paysAfter is the number of requests that earn it back: 0 where the next one costs no more, nil where it never
// pays. cost prices one request in US dollars; the provider's cache is assumed to hold the conversation still.
func PriceOf(p edit.Preview, cost func(Tokens) float64) (now *float64, paysAfter *int) {
	cached := func(tokens int) float64 { return cost(Tokens{Prompt: tokens, Cached: tokens}) }
	extra := cost(Tokens{Prompt: p.After, Cached: p.After - p.Rewritten, CacheWrite: p.Rewritten}) - cached(p.After)
	saved := cached(p.Before) - cached(p.After)
	change := math.Round((extra-saved)*1e9) / 1e9 // drops the rounding errors of the sum
	switch {
	case extra <= 0:
		return &change, new(int)
	case saved > 0:
		n := int(math.Floor(extra/saved)) + 1
		return &change, &n
	}
	return &change, nil
}

// Step is the lowest tier with a higher price of input; false if no tier has one, and for a nil list.
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

// MeterOptions are the options of a meter for the model under the rules of a conversation.
func (m Model) MeterOptions(r preset.Rules) meter.Options {
	return meter.Options{
		Window: m.Window, MaxReply: m.MaxOut, Calibration: m.Calibration, EchoReasoning: m.Caps.EchoReasoning || m.Caps.KeepsReasoning,
		EchoLoop: m.Caps.EchoLoop, EchoModel: m.Name(), PriceStep: m.PriceStep(), Images: m.ImageRule(),
	}.WithRules(r)
}

// ImageRule is what an image counts in requests to the model.
func (m Model) ImageRule() meter.ImageRule {
	if m.Caps.NoImages {
		return meter.LineRule
	}
	rule := m.Images
	rule.Pages = m.Caps.PDFs
	return rule
}

// PriceStep is the number of prompt tokens above which the whole request costs more, 0 without such a step.
func (m Model) PriceStep() int {
	t, _ := m.Prices.Step()
	return t.Over
}

// OneLine is text on one line, without control characters and with single spaces.
func OneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d' {
			return ' '
		}
		return r
	}, conversation.Clean(text))
	return strings.Join(strings.Fields(text), " ")
}

// WindowRank orders the sources of a window's size by reliability; the most reliable source has rank 0.
func WindowRank(s meter.WindowSource) int {
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

// FromServer reports whether the size of a window is known from the server.
func FromServer(w meter.Window) bool {
	return w.IsKnown() && WindowRank(w.Source) == WindowRank(meter.WindowServer)
}

// AsOverflow returns err as an *Error of class Overflow, nil for any other error.
func AsOverflow(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok && e.Class == Overflow {
		return e
	}
	return nil
}
