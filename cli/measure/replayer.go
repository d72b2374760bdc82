package measure

import (
	"context"
	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/cli/transfer"
	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/jsonl"
)

// Replayer measures what ways to compact cost and hide.
type Replayer struct {
	Console       *console.Console
	Settings      *setup.Settings
	Providers     *setup.Providers
	Conversations *session.Conversations
	Sources       *transfer.Sources
}

// Replaying is a replay that is set up.
type Replaying struct {
	Options  ReplayOptions
	Window   int            // tokens
	Policies []preset.Name  // in the order they are told of
	Own      []replay.Named // those of policies that are no presets
	variants []variant      // those of own that --set asks for
	Sheets   []replay.Sheet
	caches   map[string]string // by sheet of a model: how long its cache lives
	Inputs   []*replayInput
	bar      *console.Progress
}

// replayInput is one conversation to replay, and what became of it.
type replayInput struct {
	name string // the path or ID; "-" for standard input
	read func(ctx context.Context, bar *console.Progress) (taken, error)

	requests int                      // that were replayed
	problems []transfer.ImportProblem // what was left out of it
	failure  error                    // it was left out whole; nil: it was not
}

// taken is what could be read of an input.
type taken struct {
	doc      jsonl.Document
	problems []transfer.ImportProblem
	left     string // what is left out, in words; "" if nothing is
}

// variant is one combination.
type variant struct {
	set map[string]string // its value for each key
	Own replay.Named
}

// ReplayOptions says what is replayed, and how that is told.
type ReplayOptions struct {
	Presets []string
	Set     []string
	All     bool
	Prices  []string
	Json    bool
	Plot    string
	Force   bool
}
