package agent

import (
	"context"

	"plimsoll/conversation"
)

// Log stores a conversation. Each call is one durable transaction: when it
// returns nil, what it was given survives kill -9. Calls come from several
// goroutines, one at a time.
type Log interface {
	// Append stores events that follow the newest one.
	Append(ctx context.Context, events []conversation.Event) error
	// KeepPartial stores the reply so far beside the log, replacing the last
	// one; Append of an assistant message clears it.
	KeepPartial(ctx context.Context, p conversation.Partial) error
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
