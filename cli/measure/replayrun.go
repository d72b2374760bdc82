package measure

import (
	"context"
	"strings"
	"time"

	"plimsoll/cli/console"
	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/numbers"
)

// Replay replays what args name, and writes what was measured.
func (rp *Replayer) Replay(ctx context.Context, args []string, o ReplayOptions) error {
	if err := rp.Settings.Configure(); err != nil {
		return err
	}
	rp.Settings.NoteRefused()
	r := &Replaying{Options: o, Window: ReplayWindow}
	if rp.Settings.Flags.Window > 0 {
		r.Window = rp.Settings.Flags.Window
	}
	var err error
	if r.variants, err = rp.Variants(o.Set); err != nil {
		return err
	}
	if r.Sheets, err = rp.ReplaySheets(r.prices()); err != nil {
		return err
	}
	r.caches = rp.CacheNotes(r.Sheets)
	if err = rp.ChoosePolicies(r); err != nil {
		return err
	}
	if r.Inputs, err = rp.Inputs(ctx, args); err != nil {
		return err
	}
	report, err := rp.Run(ctx, r)
	if err != nil {
		return err
	}
	run := r.Run(report)
	run.SortVariants()
	if err := rp.write(o, run); err != nil {
		return err
	}
	return r.outcome()
}

// Run replays the inputs. What is wrong with one of them is told on
// standard error, and noted with it.
func (rp *Replayer) Run(ctx context.Context, r *Replaying) (replay.Report, error) {
	r.bar = console.NewProgress(rp.Console.Stderr, "replaying "+numbers.Count(len(r.Inputs), "conversation"))
	defer r.bar.Close()
	o := replay.Options{Window: r.Window, Policies: []preset.Name{}, Own: r.Own, Sheets: r.Sheets, PlanSheet: r.shownSheet(),
		Clock: time.Now, Progress: r.bar.Show}
	for _, name := range r.Policies {
		if !r.isOwn(name) {
			o.Policies = append(o.Policies, name)
		}
	}
	var sources []replay.Source
	for _, in := range r.Inputs {
		sources = append(sources, replay.Source{Name: in.name, Load: func() (replay.Conversation, error) { return rp.takeInput(ctx, r, in) }})
	}
	r.bar.Show(0, len(sources))
	return RunUntil(ctx, func() (replay.Report, error) { return replay.Run(ctx, sources, o) })
}

// isOwn reports whether a policy is none of the presets.
func (r *Replaying) isOwn(name preset.Name) bool {
	for _, n := range r.Own {
		if n.Name == name {
			return true
		}
	}
	return false
}

// prices is what --prices says. Variants are compared by one sheet unless it says
// otherwise: each one that is planned for takes as long again.
func (r *Replaying) prices() []string {
	if r.Options.Prices == nil && len(r.variants) > 0 {
		return []string{replay.PlanSheet}
	}
	return r.Options.Prices
}

// shownSheet is the sheet under which what is no cost is measured, and whose
// costs come first: the first one that was asked for.
func (r *Replaying) shownSheet() string {
	if r.Options.Prices == nil {
		return replay.PlanSheet
	}
	return r.Sheets[0].Name
}

// outcome is an error if something was left out, or nothing was replayed.
func (r *Replaying) outcome() error {
	requests := 0
	for _, in := range r.Inputs {
		if requests += in.requests; in.incomplete() {
			return console.ErrSaid
		}
	}
	if requests == 0 {
		return console.ErrSaid
	}
	return nil
}

// Check refuses flags that contradict each other, and a picture that could not
// be written.
func (o ReplayOptions) Check(changed func(flag string) bool, args []string) error {
	switch {
	case o.All && changed("preset"):
		return console.WrongUse("--all replays every preset; leave it or --preset out")
	case changed("plot") && o.Plot == "":
		return console.WrongUse("--plot is empty; write --plot FILE, or leave it out")
	case o.Plot == "-" && o.Json:
		return console.WrongUse("--plot - writes the picture to standard output, where --json writes, too")
	case !changed("plot") && o.Force:
		return console.WrongUse("--force is about the file of --plot")
	}
	stdin := 0
	for _, arg := range args {
		if strings.TrimSpace(arg) == "" { // an unset variable in a script
			return console.WrongUse("an argument is empty; name files, folders, or stored conversations")
		}
		if arg == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return console.WrongUse("standard input can be read once only")
	}
	return writable(o.Plot, o.Force)
}

// ReplayWindow is the window that is assumed, in tokens.
const ReplayWindow = 128_000

// RunUntil does work, or gives it up when ctx has ended. Work on a conversation
// of hundreds of megabytes looks up only now and then; it ends with the program,
// and has nothing more to say.
func RunUntil(ctx context.Context, work func() (replay.Report, error)) (replay.Report, error) {
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
	patience := time.NewTimer(Patience)
	defer patience.Stop()
	select {
	case <-done:
		return report, err
	case <-patience.C:
		return replay.Report{}, ctx.Err()
	}
}

// Patience is how long an interrupted replay has to end on its own.
const Patience = time.Second
