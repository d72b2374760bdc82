package cli

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/compact/preset"
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

// replayWindow is the window that is assumed, in tokens.
const replayWindow = 128_000

// replayOptions says what is replayed, and how that is told.
type replayOptions struct {
	presets  []string
	set      []string
	all      bool
	prices   []string
	json     bool
	markdown bool
	plot     string
	force    bool
}

// replayCommand measures ways to compact on recorded conversations.
type replayCommand struct {
	console       *console
	conversations *conversations
	providers     *providers
	settings      *settings
	sources       *sources

	options replayOptions
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
combination of all --set is a variant of your configuration, at most ` + strconv.Itoa(variantsMost) + `. They are
compared with the configuration as it is and with truncate, by the prices of
` + replay.PlanSheet + ` unless --prices says otherwise. Those come first that no other policy
beats on both cost and content (what edits replace and files written whole take
from results, as far as it is in view), then the rest; both by cost.

The window is ` + numbers.Grouped(replayWindow) + ` tokens unless --window says otherwise.

--prices takes sheets (` + strings.Join(sheetNames(), ", ") + `)
and models, as PROVIDER/ID or an id the catalogue knows, with your own prices and
cache_ttl where the configuration has them; how long a model's cache lives is
otherwise assumed, and told. Without --prices every sheet is planned for and billed
in turn; all figures but costs are those under ` + replay.PlanSheet + `.

What cannot be read is told and left out, and the rest is replayed; the exit code
is then 1.`,
		Example: `  plimsoll replay newest
  plimsoll replay recordings --all --window 200k
  plimsoll replay talk.jsonl --preset plimsoll,heavy,configured --prices openai/gpt-5.4
  plimsoll replay recordings --set compaction.evict.target=0.3..0.6:0.1
  plimsoll replay recordings --all --markdown --plot cost.svg
  plimsoll list --json | jq -r '.[].id' | xargs plimsoll replay --json`,
		Args: someInput,
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	f := c.Flags()
	f.StringArrayVar(&o.presets, "preset", nil, "what to replay: presets and profiles, as `A,B`")
	f.BoolVar(&o.all, "all", false, "replay all presets")
	f.StringArrayVar(&o.set, "set", nil, "try `KEY=VALUES` of the configuration: A,B or A..B:STEP (repeatable)")
	f.StringArrayVar(&o.prices, "prices", nil, "bill by the price `SHEET` or model, or by several, as A,B")
	f.BoolVar(&o.json, "json", false, "write one JSON object")
	f.BoolVar(&o.markdown, "markdown", false, "write Markdown tables with everything that is the same every time")
	f.StringVar(&o.plot, "plot", "", "draw cost against content into `FILE`, as SVG; - for standard output")
	f.BoolVar(&o.force, "force", false, "overwrite the file of --plot if it exists")
	cmd.complete(c)
	cmd.changed = f.Changed
	return c
}

// someInput refuses a command without anything to replay.
func someInput(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError{withHint(errors.New("there is nothing to replay: name files, folders, or stored conversations"), "see plimsoll replay --help")}
	}
	return nil
}

// replaying is a replay that is set up.
type replaying struct {
	options  replayOptions
	window   int            // tokens
	policies []preset.Name  // in the order they are told of
	own      []replay.Named // those of policies that are no presets
	variants []variant      // those of own that --set asks for
	sheets   []replay.Sheet
	caches   map[string]string // by sheet of a model: how long its cache lives
	inputs   []*replayInput
	bar      *progress
}

func (cmd *replayCommand) Run(ctx context.Context, args []string) error {
	o := cmd.options
	if err := o.check(cmd.changed, args); err != nil {
		return err
	}
	if err := cmd.settings.configure(); err != nil {
		return err
	}
	cmd.settings.noteRefused()
	r := &replaying{options: o, window: replayWindow}
	if cmd.settings.flags.window > 0 {
		r.window = cmd.settings.flags.window
	}
	var err error
	if r.variants, err = cmd.variants(o.set); err != nil {
		return err
	}
	if r.sheets, err = cmd.replaySheets(r.prices()); err != nil {
		return err
	}
	r.caches = cmd.cacheNotes(r.sheets)
	if err = cmd.choosePolicies(r); err != nil {
		return err
	}
	if r.inputs, err = cmd.inputs(ctx, args); err != nil {
		return err
	}
	report, err := cmd.run(ctx, r)
	if err != nil {
		return err
	}
	run := r.run(report)
	run.SortVariants()
	if err := cmd.write(o, run); err != nil {
		return err
	}
	return r.outcome()
}

// check refuses flags that contradict each other, and a picture that could not
// be written.
func (o replayOptions) check(changed func(flag string) bool, args []string) error {
	switch {
	case o.all && changed("preset"):
		return wrongUse("--all replays every preset; leave it or --preset out")
	case o.json && o.markdown:
		return wrongUse("--json and --markdown exclude each other")
	case changed("plot") && o.plot == "":
		return wrongUse("--plot is empty; write --plot FILE, or leave it out")
	case o.plot == "-" && (o.json || o.markdown):
		return wrongUse("--plot - writes the picture to standard output, where --json and --markdown write, too")
	case !changed("plot") && o.force:
		return wrongUse("--force is about the file of --plot")
	}
	stdin := 0
	for _, arg := range args {
		if arg == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return wrongUse("standard input can be read once only")
	}
	return writable(o.plot, o.force)
}

// run replays the inputs. What is wrong with one of them is told on
// standard error, and noted with it.
func (cmd *replayCommand) run(ctx context.Context, r *replaying) (replay.Report, error) {
	r.bar = newProgress(cmd.console.Stderr, "replaying "+numbers.Count(len(r.inputs), "conversation"))
	defer r.bar.close()
	o := replay.Options{Window: r.window, Policies: []preset.Name{}, Own: r.own, Sheets: r.sheets, PlanSheet: r.shownSheet(),
		Clock: time.Now, Progress: r.bar.show}
	for _, name := range r.policies {
		if !r.isOwn(name) {
			o.Policies = append(o.Policies, name)
		}
	}
	var sources []replay.Source
	for _, in := range r.inputs {
		sources = append(sources, replay.Source{Name: in.name, Load: func() (replay.Conversation, error) { return cmd.takeInput(ctx, r, in) }})
	}
	r.bar.show(0, len(sources))
	return runUntil(ctx, func() (replay.Report, error) { return replay.Run(ctx, sources, o) })
}

// replayPatience is how long an interrupted replay has to end by itself.
const replayPatience = time.Second

// runUntil does work, or gives it up when ctx has ended. Work on a conversation
// of hundreds of megabytes looks up only now and then; it ends with the program,
// and has nothing more to say.
func runUntil(ctx context.Context, work func() (replay.Report, error)) (replay.Report, error) {
	var report replay.Report
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		report, err = work()
	}()
	select {
	case <-done:
		return report, err
	case <-ctx.Done():
	}
	patience := time.NewTimer(replayPatience)
	defer patience.Stop()
	select {
	case <-done:
		return report, err
	case <-patience.C:
		return replay.Report{}, ctx.Err()
	}
}

// isOwn reports whether a policy is none of the presets.
func (r *replaying) isOwn(name preset.Name) bool {
	for _, n := range r.own {
		if n.Name == name {
			return true
		}
	}
	return false
}

// prices is what --prices says. Variants are compared by one sheet unless it says
// otherwise: each one that is planned for takes as long again.
func (r *replaying) prices() []string {
	if r.options.prices == nil && len(r.variants) > 0 {
		return []string{replay.PlanSheet}
	}
	return r.options.prices
}

// shownSheet is the sheet under which what is no cost is measured, and whose
// costs come first: the first one that was asked for.
func (r *replaying) shownSheet() string {
	if r.options.prices == nil {
		return replay.PlanSheet
	}
	return r.sheets[0].Name
}

// outcome is an error if something was left out, or nothing was replayed.
func (r *replaying) outcome() error {
	requests := 0
	for _, in := range r.inputs {
		if requests += in.requests; in.incomplete() {
			return errSaid
		}
	}
	if requests == 0 {
		return errSaid
	}
	return nil
}
