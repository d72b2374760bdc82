package cli

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/measure"
	"plimsoll/cli/setup"
	"plimsoll/compact/replay"
	"plimsoll/conversation/numbers"
)

// A measurement says what it is of. Rules:
//
//   - What cannot be read is told and left out, and the rest goes on; the exit code
//     then says that something failed, and --json says what.
//   - Names of policies, prices and files to be written are checked before anything
//     is read.
//   - Nothing is stored, and the store is opened only for conversations that are
//     in it.

// replayCommand measures ways to compact on recorded conversations.
type replayCommand struct {
	settings *setup.Settings
	replayer *measure.Replayer

	options measure.ReplayOptions
	changed func(flag string) bool // which flags were given
}

func (cmd *replayCommand) cobra() *cobra.Command {
	o := &cmd.options
	c := &cobra.Command{
		Use:   "replay FILE|DIR|ID...",
		Short: "Measure what each way to compact costs and hides",
		Long: `Replay sends recorded conversations again, request by request, by the rules of
each preset, and measures what that costs and what it hides from the model. No
model is asked and nothing is sent; extracts stand in for summaries.

FILE is what import reads, "-" standard input; DIR stands for the *.jsonl files in
it, without those of its folders; ID is a stored conversation's, or at least four
characters of its beginning, and newest the newest one of this workspace. A path
that exists is never taken for an ID. What is named twice is replayed once. Turns
that a rewind took back are left out of stored conversations and of what export
writes as JSON, as if they had never been.

--preset takes presets; profiles, which are then applied at the start of every
turn; and configured, the rules of your configuration with all its keys. Without
it plimsoll is compared with raw (everything is sent) and truncate (the oldest is
left out), and with the preset you have configured.

--set tries other settings: KEY=VALUE is a key of the configuration and a value,
several values have commas between, and A..B:STEP is a range of numbers. Every
combination of all --set is a variant of your configuration, at most ` + strconv.Itoa(measure.VariantsMost) + `. They are
compared with the configuration as it is and with truncate, by the prices of
` + replay.PlanSheet + ` unless --prices says otherwise. Those come first that no other policy
beats on both cost and content (what edits replace and files written whole take
from results, as far as it is in view), then the rest; both by cost.

The window is ` + numbers.Grouped(measure.ReplayWindow) + ` tokens unless --window says otherwise.

--prices takes sheets and models, as PROVIDER/ID or an id in the catalog, with
your own prices and cache_ttl where the configuration has them; how long a model's
cache lives is otherwise assumed, and told. Without --prices the first five sheets
are planned for and billed in turn; all figures but costs are those under
` + replay.PlanSheet + `. The sheets:

` + sheetList() + `

What cannot be read is told and left out, and the rest is replayed; the exit code
is then 1.`,
		Example: `  plimsoll replay newest
  plimsoll replay recordings --all --window 200k
  plimsoll replay talk.jsonl --preset plimsoll,heavy,configured --prices openai/gpt-5.4
  plimsoll replay recordings --set compaction.evict.target=0.3..0.6:0.1
  plimsoll replay recordings --all --plot cost.svg
  plimsoll list --json | jq -r '.[].id' | xargs plimsoll replay --json`,
		Args: someInput,
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	f := c.Flags()
	f.StringArrayVar(&o.Presets, "preset", nil, "what to replay: presets and profiles, as `A,B`")
	f.BoolVar(&o.All, "all", false, "replay all presets")
	f.StringArrayVar(&o.Set, "set", nil, "try `KEY=VALUES` of the configuration: A,B or A..B:STEP (repeatable)")
	f.StringArrayVar(&o.Prices, "prices", nil, "bill by the price `SHEET` or model, or by several, as A,B")
	f.BoolVar(&o.Json, "json", false, "write one JSON object")
	f.StringVar(&o.Plot, "plot", "", "draw cost against content into `FILE`, as SVG; - for standard output")
	f.BoolVar(&o.Force, "force", false, "overwrite the file of --plot if it exists")
	cmd.complete(c)
	cmd.changed = f.Changed
	return c
}

// someInput refuses a command without anything to replay.
func someInput(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return console.AsUsage(console.WithHint(errors.New("there is nothing to replay: name files, folders, or stored conversations"), "see plimsoll replay --help"))
	}
	return nil
}

// Run replays what args name.
func (cmd *replayCommand) Run(ctx context.Context, args []string) error {
	if err := cmd.options.Check(cmd.changed, args); err != nil {
		return err
	}
	return cmd.replayer.Replay(ctx, args, cmd.options)
}

// sheetList lists the price sheets, in lines that fit a terminal.
func sheetList() string {
	names := measure.SheetNames()
	plain := len(replay.Sheets())
	return strings.Join(names[:plain], ", ") + ",\n" + strings.Join(names[plain:], ", ")
}
