package agent

import (
	"context"
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
