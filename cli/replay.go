package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/measure"
	"plimsoll/config"
	"plimsoll/conversation/numbers"
)

// replayCommand measures compaction presets on recorded conversations.
type replayCommand struct {
	*app

	options measure.Options
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

FILE is what import reads, "-" standard input; DIR stands for the newest sessions in
it, or in the folders below if it has none itself; ID is a stored conversation's, or
at least four characters of its beginning, and newest the newest one of this
workspace. A path that exists is never taken for an ID. What is named twice is
replayed once. Turns that a rewind took back are left out.

--preset takes presets; profiles, which are then applied at the start of every
turn; and configured, the rules of your configuration, to which --cfg adds what
you want to try. Without it plimsoll is compared with raw (everything is sent) and
truncate (the oldest is left out), with the preset you have configured, and with the
rules of other clients, which the table explains; --preset takes their names, too.

The window is ` + numbers.Grouped(measure.DefaultWindow) + ` tokens unless --window says otherwise.

--prices takes sheets and models, as PROVIDER/ID or an id in the catalog, with
your own prices and cache_ttl where the configuration has them. The table shows
the costs by the first one, --json by all. The sheets:

` + strings.Replace(strings.Join(measure.SheetNames(), ", "), ", claude", ",\nclaude", 1) + `

--tune replays your rules with several settings of compaction.evict, names the
cheapest that surely saves without more silent losses, and offers to write it.

What cannot be read is told and left out, and the rest is replayed; the exit code
is then 1.`,
		Example: `  plimsoll replay newest
  plimsoll replay recordings --all --window 200k
  plimsoll replay talk.jsonl --preset plimsoll,heavy,configured --prices openai/gpt-5.4
  plimsoll replay recordings --all --plot cost.svg
  plimsoll replay ~/.claude/projects -n 20
  plimsoll list --json | jq -r '.[].id' | xargs plimsoll replay --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil
			}
			return console.AsUsage(console.WithHint(errors.New("there is nothing to replay: name files, folders, or stored conversations"), "see plimsoll replay --help"))
		},
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	f := c.Flags()
	f.StringArrayVar(&o.Presets, "preset", nil, "what to replay: presets and profiles, as `A,B`")
	f.BoolVar(&o.All, "all", false, "replay all presets")
	f.StringArrayVar(&o.Prices, "prices", nil, "bill by the price `SHEET` or model, or by several, as A,B")
	f.BoolVar(&o.JSON, "json", false, "write one JSON object")
	f.IntVarP(&o.Limit, "limit", "n", 100, "at most `N` sessions of a folder, 0 for all")
	f.StringVar(&o.Plot, "plot", "", "draw cost and what is lost into `FILE`, as SVG")
	f.BoolVar(&o.Force, "force", false, "overwrite the file of --plot if it exists")
	f.BoolVar(&o.Tune, "tune", false, "find the compaction.evict settings that suit these conversations")
	f.BoolVarP(&o.Yes, "yes", "y", false, "write what --tune finds without asking")
	cmd.changed = f.Changed
	return c
}

// Run replays the conversations that args name.
func (cmd *replayCommand) Run(ctx context.Context, args []string) error {
	if err := cmd.options.Check(cmd.changed, args); err != nil {
		return err
	}
	r := &measure.Replayer{Console: cmd.Console, Settings: cmd.Settings, Providers: cmd.Providers, Conversations: cmd.Conversations}
	r.SaveSettings = func(changes map[string]string) (string, error) {
		return config.SaveSettings(config.LoadOptions{Env: cmd.Console.Lookup, File: cmd.Settings.Flags.Config}, changes)
	}
	return r.Replay(ctx, args, cmd.options)
}
