package core

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Options is what an agent is made of. Log and Provider are required.
type Options struct {
	Log          Log
	Provider     llm.Provider
	Model        llm.Model
	Toolbox      Toolbox      // nil: no tools
	Calibrations Calibrations // nil: what is learned is not kept
	Backlog      Backlog      // nil: messages that wait are lost in a crash
	Stored       Stored
	System       string // the system prompt, "" for none
	// Forms are shorter ways to put System and what the toolbox declares, the longest
	// first, for small windows. A conversation keeps the one it begins with.
	Forms []Form
	// AssumeWindow is what an unknown window is taken for when a form is chosen, in
	// tokens, 0 for a large one.
	AssumeWindow int
	// Overrides are settings that differ for this conversation, by dotted key
	// with the value in YAML form. What is new is recorded with the next message.
	Overrides map[string]string
	Results   Results
	// Interactive says that a user is there. Without one, calls that need an
	// approval are denied and questions are answered with that fact.
	Interactive bool
	MaxSteps    int // requests in one turn, 0 means DefaultMaxSteps
	Retry       llm.Retry
	// Rules is by what the conversation is compacted, its load line included;
	// without a preset they are Plimsoll's own.
	Rules preset.Rules
	// Transcript saves the history as it is sent before a summary in the style
	// of JCL replaces it, and returns where. Nil: it is not saved.
	Transcript func(ctx context.Context, v projection.View) (path string, err error)
	// Summarisers finds the model of a profile that names one, by
	// provider/id; false if there is none of that name. Nil: there are none.
	Summarisers func(name string) (llm.Model, llm.Provider, bool)
	// Fallbacks are the models that a turn goes on with, in order, where the model in use
	// has no capacity or no credit. None: the turn fails.
	Fallbacks []Fallback
	// Cost prices a request whose cost the provider did not report: USD, nil if
	// unknown, and the date of the price sheet. Nil: unknown.
	Cost func(llm.Model, llm.Tokens) (usd *float64, priced string)
	// CacheSaved is what the provider's cache took off a request, in USD, given the
	// Model in use; nil if unknown, as for a request to another model whose prices
	// nobody knows. It is called on another goroutine. Nil: unknown.
	CacheSaved func(llm.Model, conversation.Usage) *float64
	// AskWindow asks the server of a model how large its window is now; unknown if it
	// does not say. It is called on another goroutine, where what is known is in
	// doubt, and the conversation waits for it. Nil: nobody can be asked.
	AskWindow func(context.Context, llm.Model) meter.Window
	// Titles reports whether a model is asked to name a conversation that was held with
	// it, after the first turn. Nil: the first line of the first message names all.
	Titles func(llm.Model) bool
	Now    func() time.Time // nil: time.Now; called from several goroutines
	Logger *slog.Logger     // gets classes, counts and causes, never texts or keys; nil: none
}

// Fallback is a model that takes a turn over.
type Fallback struct {
	Name string // as the user wrote it
	// Open makes it ready, given the model that it takes over from. It takes a second at
	// most. The error says why it cannot take over.
	Open func(ctx context.Context, from llm.Model) (llm.Model, llm.Provider, error)
}

// Stored is a conversation as storage holds it. A new one has an ID only.
type Stored struct {
	ID     string
	Events []conversation.Event
	// Partial is a reply that was arriving when the program ended, nil if none.
	Partial *conversation.PartialReply
	// Tools is the newest recorded tools array ([DecodeTools] of its blob), nil
	// if none is recorded. Requests keep carrying it, whatever the toolbox
	// declares now, so that the provider's cache holds.
	Tools []conversation.ToolSpec
	// System is the newest recorded system prompt, nil if none is recorded. It stays in the same way, until something
	// else breaks the prefix.
	System *string
}

// Results says how much of a tool's output the model is shown and what is kept.
type Results struct {
	MaxChars int  // code points shown, 0 means by preset and window: compact.ArrivalCap
	KeepFull bool // keep the full text as a blob when it was cut
	Ceiling  int  // bytes of a full text that are kept, 0 means DefaultCeiling
}

// The defaults of Options.
const (
	DefaultMaxSteps = 200
	DefaultCeiling  = 8 << 20
)

func (o Options) WithDefaults() (Options, error) {
	if o.Log == nil {
		return o, errors.New("an agent needs a log")
	}
	if o.Provider == nil {
		return o, errors.New("an agent needs a provider")
	}
	if o.MaxSteps <= 0 {
		o.MaxSteps = DefaultMaxSteps
	}
	if o.Results.Ceiling <= 0 {
		o.Results.Ceiling = DefaultCeiling
	}
	if o.Rules.Preset == "" {
		o.Rules = preset.DefaultRules()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Retry = o.Retry.WithDefaults()
	return o, nil
}

// Log stores a conversation. Each call is one durable transaction: when it
// returns nil, what it was given survives kill -9. Calls come from several
// goroutines, one at a time.
type Log interface {
	// Append stores events that follow the newest one.
	Append(ctx context.Context, events []conversation.Event) error
	// KeepPartial stores the reply so far apart from the log, replacing the last
	// one; Append of an assistant message clears it.
	KeepPartial(ctx context.Context, p conversation.PartialReply) error
	// PutBlob stores text under its content hash and returns the name. Storing
	// the same text twice is one blob.
	PutBlob(ctx context.Context, text string) (string, error)
}

// Toolbox holds the tools of a conversation. Calls come from several
// goroutines; only Run of read-only calls is called at the same time.
type Toolbox interface {
	// Specs declares the tools, in a fixed order.
	Specs() []conversation.ToolSpec
	// Review says what a call needs before it may run. It may read files (to
	// show a diff) and therefore takes a ctx.
	Review(ctx context.Context, call conversation.ToolCall) conversation.Review
	// Run runs a call that was allowed. It never fails: a failure is an outcome
	// with ResultError, a cancelled run one with ResultInterrupted whose Text is
	// what was printed so far and says that it was stopped. Progress, if not
	// nil, is called with output as it appears; it must not block.
	Run(ctx context.Context, call conversation.ToolCall, progress func(string)) conversation.Outcome
	// Allow grants rules, by a GrantRun or GrantAlways, so that calls they cover
	// need no further approval; without rules, those of the first offer of the
	// call's Review. Nothing is granted if a rule makes no sense or if the rules
	// do not cover the call.
	Allow(ctx context.Context, call conversation.ToolCall, g conversation.Grant, rules []string) error
}

// Backlog keeps the messages that wait for the running turn.
type Backlog interface {
	// KeepWaiting stores them, oldest first, replacing the last ones. Calls do
	// not overlap with each other, but with those of the Log.
	KeepWaiting(ctx context.Context, texts []string) error
}

// Calibrations keeps what was learned about an endpoint and model.
type Calibrations interface {
	// SaveCalibration replaces what is kept under key, "endpoint model".
	SaveCalibration(ctx context.Context, key string, c conversation.Calibration) error
}

// Form is a way to put the system prompt and the tools.
type Form struct {
	System string
	Tools  []conversation.ToolSpec
	Below  int // in windows of fewer tokens only, 0 for any
}
