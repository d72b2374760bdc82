package cli

import (
	"context"
	"time"

	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/cli/transfer"
	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/numbers"
)

// replayer measures what ways to compact cost and hide.
type replayer struct {
	console       *console.Console
	settings      *setup.Settings
	providers     *setup.Providers
	conversations *session.Conversations
	sources       *transfer.Sources
}

// replay replays what args name, and writes what was measured.
func (rp *replayer) replay(ctx context.Context, args []string, o replayOptions) error {
	if err := rp.settings.Configure(); err != nil {
		return err
	}
	rp.settings.NoteRefused()
	r := &replaying{options: o, window: replayWindow}
	if rp.settings.Flags.Window > 0 {
		r.window = rp.settings.Flags.Window
	}
	var err error
	if r.variants, err = rp.variants(o.set); err != nil {
		return err
	}
	if r.sheets, err = rp.replaySheets(r.prices()); err != nil {
		return err
	}
	r.caches = rp.cacheNotes(r.sheets)
	if err = rp.choosePolicies(r); err != nil {
		return err
	}
	if r.inputs, err = rp.inputs(ctx, args); err != nil {
		return err
	}
	report, err := rp.run(ctx, r)
	if err != nil {
		return err
	}
	run := r.run(report)
	run.SortVariants()
	if err := rp.write(o, run); err != nil {
		return err
	}
	return r.outcome()
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
	bar      *console.Progress
}

// run replays the inputs. What is wrong with one of them is told on
// standard error, and noted with it.
func (rp *replayer) run(ctx context.Context, r *replaying) (replay.Report, error) {
	r.bar = console.NewProgress(rp.console.Stderr, "replaying "+numbers.Count(len(r.inputs), "conversation"))
	defer r.bar.Close()
	o := replay.Options{Window: r.window, Policies: []preset.Name{}, Own: r.own, Sheets: r.sheets, PlanSheet: r.shownSheet(),
		Clock: time.Now, Progress: r.bar.Show}
	for _, name := range r.policies {
		if !r.isOwn(name) {
			o.Policies = append(o.Policies, name)
		}
	}
	var sources []replay.Source
	for _, in := range r.inputs {
		sources = append(sources, replay.Source{Name: in.name, Load: func() (replay.Conversation, error) { return rp.takeInput(ctx, r, in) }})
	}
	r.bar.Show(0, len(sources))
	return runUntil(ctx, func() (replay.Report, error) { return replay.Run(ctx, sources, o) })
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
			return console.ErrSaid
		}
	}
	if requests == 0 {
		return console.ErrSaid
	}
	return nil
}

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

// check refuses flags that contradict each other, and a picture that could not
// be written.
func (o replayOptions) check(changed func(flag string) bool, args []string) error {
	switch {
	case o.all && changed("preset"):
		return console.WrongUse("--all replays every preset; leave it or --preset out")
	case o.json && o.markdown:
		return console.WrongUse("--json and --markdown exclude each other")
	case changed("plot") && o.plot == "":
		return console.WrongUse("--plot is empty; write --plot FILE, or leave it out")
	case o.plot == "-" && (o.json || o.markdown):
		return console.WrongUse("--plot - writes the picture to standard output, where --json and --markdown write, too")
	case !changed("plot") && o.force:
		return console.WrongUse("--force is about the file of --plot")
	}
	stdin := 0
	for _, arg := range args {
		if arg == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return console.WrongUse("standard input can be read once only")
	}
	return writable(o.plot, o.force)
}

// replayWindow is the window that is assumed, in tokens.
const replayWindow = 128_000

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
