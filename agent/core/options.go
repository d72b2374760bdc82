package core

import (
	"cmp"
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

// Options configure an agent. Log and Provider are required.
type Options struct {
	Log          Log
	Provider     llm.Provider
	Model        llm.Model
	Toolbox      Toolbox      // nil: no tools
	Servers      ToolServers  // nil: no MCP servers
	Calibrations Calibrations // nil: calibrations are not stored
	Backlog      Backlog      // nil: a crash loses the queued messages
	Stored       Stored
	System       string // the system prompt, "" for none
	// Schema is the JSON schema of all replies, nil for none; see [llm.Request].
	Schema conversation.RawJSON
	// Forms are shorter versions of System and of the tools, the longest first, for small windows. A conversation
	// keeps the form that it starts with.
	Forms []Form
	// AssumeWindow stands in for an unknown window when the agent chooses a form, in tokens; 0 assumes a large window.
	AssumeWindow int
	Hooks        Hooks // nil: none
	// Overrides are settings of this conversation alone, by dotted key with the value in YAML form. New ones are
	// recorded with the next message.
	Overrides map[string]string
	Results   Results
	// Interactive says that a user is present. Without one, calls that need approval are denied and questions are
	// declined.
	Interactive bool
	MaxSteps    int // requests in one turn, 0 means DefaultMaxSteps
	Retry       llm.Retry
	// Rules are the rules of compaction, the load line included. Without a preset they are Plimsoll's own.
	Rules preset.Rules
	// Transcript saves the view before a summary in the style of J-CLI replaces it, and returns the path. Nil saves
	// nothing.
	Transcript func(ctx context.Context, v projection.View) (path string, err error)
	// Summarisers finds the model that a profile names, as provider/id; false for an unknown name. Nil: no name is
	// known.
	Summarisers func(name string) (llm.Model, llm.Provider, bool)
	// Fallbacks are tried in order when the model in use has no capacity or no credit; the turn continues with the first that
	// opens. Without any, the turn fails.
	Fallbacks []Fallback
	// Cost prices a request whose cost the provider did not report: USD, nil if unknown, and the date of the price
	// list. Nil: all costs are unknown.
	Cost func(llm.Model, llm.Tokens) (usd *float64, priced string)
	// CacheSaved is how much the provider's cache saved in a request, in USD, given the model in use; nil if
	// unknown, as for a model without known prices. It is called on another goroutine. Nil: it is always unknown.
	CacheSaved func(llm.Model, conversation.Usage) *float64
	// AskWindow asks the server of a model for its current window; unknown if the server does not report it. It is
	// called on another goroutine, when the known window is in doubt, and the conversation waits for it. Nil: the
	// server is not asked.
	AskWindow func(context.Context, llm.Model) meter.Window
	// Titles reports whether the model of a conversation is asked for a title, after the first turn. Nil: the title
	// is the first line of the first message.
	Titles func(llm.Model) bool
	// KeepWarm reports whether requests may keep the provider's cache warm in a pause. Nil: they may not.
	KeepWarm func() bool
	Now      func() time.Time // nil: time.Now; called from several goroutines
	Logger   *slog.Logger     // receives classes, counts and causes, never texts or keys; nil: no log
}

// Fallback is a model that can continue the turn of another one.
type Fallback struct {
	Name string // as the user wrote it
	// Open opens the model, given the model that it replaces. It takes a second at most. The error says why it
	// cannot be used.
	Open func(ctx context.Context, from llm.Model) (llm.Model, llm.Provider, error)
}

// Stored is a conversation in storage. A new one has an ID only.
type Stored struct {
	ID     string
	Events []conversation.Event
	// Partial is the part of a reply that had arrived when the program ended, or nil.
	Partial *conversation.PartialReply
	// Tools is the newest recorded tools array ([DecodeTools] of its blob), nil if none is recorded. Requests keep
	// it, whatever the toolbox declares now, so that the provider's cache stays valid.
	Tools []conversation.ToolSpec
	// System is the newest recorded system prompt, nil if none is recorded. Requests keep it until another change
	// breaks the prefix.
	System *string
}

// Results configures how much of a tool result the agent shows the model, and how much it stores.
type Results struct {
	MaxChars int  // code points shown; 0: by preset and window, see compact.ArrivalCap
	KeepFull bool // store the full text of a cut result as a blob
	Ceiling  int  // largest full text that is stored, in bytes; 0: DefaultCeiling
}

const (
	DefaultMaxSteps = 200
	DefaultCeiling  = 8 << 20
)

// WithDefaults returns o with defaults for zero fields. The error names what is missing.
func (o Options) WithDefaults() (Options, error) {
	if o.Log == nil {
		return o, errors.New("an agent needs a log")
	}
	if o.Provider == nil {
		return o, errors.New("an agent needs a provider")
	}
	o.MaxSteps = cmp.Or(o.MaxSteps, DefaultMaxSteps)
	if o.Results.Ceiling <= 0 {
		o.Results.Ceiling = DefaultCeiling
	}
	if o.Rules.Preset == "" {
		o.Rules = preset.DefaultRules()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.Retry = o.Retry.WithDefaults()
	return o, nil
}

// Log stores a conversation. Each call is one durable transaction: once it returns nil, the data survives kill -9.
// Several goroutines call it, one at a time.
type Log interface {
	// Append stores events that follow the newest one.
	Append(ctx context.Context, events []conversation.Event) error
	// KeepPartial stores the part of a reply that has arrived, apart from the log, and replaces the one before.
	// Append of a reply removes it.
	KeepPartial(ctx context.Context, p conversation.PartialReply) error
	// PutBlob stores text under its content hash and returns the hash. Equal texts are one blob.
	PutBlob(ctx context.Context, text string) (string, error)
	// ReadBlob reads the text stored under a hash; "" without an error if it is lost.
	ReadBlob(ctx context.Context, hash string) (string, error)
}

// Toolbox holds the tools of a conversation. Several goroutines call it; only read-only calls of Run overlap.
type Toolbox interface {
	// Specs declares the tools, in a fixed order.
	Specs() []conversation.ToolSpec
	// Review says what a call needs before it may run. It takes a ctx because it may read files, to show a diff.
	Review(ctx context.Context, call conversation.ToolCall) conversation.Review
	// Run runs a call that was allowed. A failure is an outcome with ResultError. A cancelled run is an outcome
	// with ResultInterrupted whose Text has the output so far and says that it was stopped. progress, if not nil,
	// receives output as it appears; it must not block.
	Run(ctx context.Context, call conversation.ToolCall, progress func(string)) conversation.Outcome
	// Allow grants rules, by a GrantRun or GrantAlways, so that the calls they cover need no further approval.
	// Without rules it grants those of the first offer of the call's Review. It grants nothing if a rule is invalid
	// or if the rules do not cover the call.
	Allow(ctx context.Context, call conversation.ToolCall, g conversation.Grant, rules []string) error
}

// ToolServers are MCP servers, which start with the first message.
type ToolServers interface {
	// Declare starts the servers and returns the declarations that go with declared, those of the other tools. window is
	// the size of the context window in tokens; tokens estimates what declarations take of it. It returns when each
	// server is ready or has failed, or when ctx ends.
	Declare(ctx context.Context, declared []conversation.ToolSpec, window int, tokens func([]conversation.ToolSpec) int) []conversation.ToolSpec
}

// Backlog stores the messages that wait for the running turn.
type Backlog interface {
	// KeepWaiting replaces the stored messages, oldest first. Calls do not overlap with each other, but with those
	// of Log.
	KeepWaiting(ctx context.Context, texts []string) error
}

// Calibrations stores what usage reports tell about how an endpoint and model count tokens.
type Calibrations interface {
	// SaveCalibration replaces the calibration under key, "endpoint model".
	SaveCalibration(ctx context.Context, key string, c conversation.Calibration) error
}

// Form is one version of the system prompt and the tools.
type Form struct {
	System    string
	Tools     []conversation.ToolSpec
	OnlyBelow int // only in windows of fewer tokens; 0 for any
}

// Hooks are the user's commands that run at moments of a conversation.
type Hooks interface {
	// Run runs the hooks of a moment, in order, until one refuses or ctx ends. A hook that fails is in Ran and changes nothing.
	// Several goroutines call it at once.
	Run(ctx context.Context, in conversation.HookInput) conversation.HookOutput
}
