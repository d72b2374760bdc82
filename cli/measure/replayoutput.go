package measure

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"plimsoll/cli/console"
	formats "plimsoll/cli/replay"
	"plimsoll/cli/transfer"
	"plimsoll/compact/replay"
)

// Run is a report as its formats take it.
func (r *Replaying) Run(report replay.Report) formats.Run {
	run := formats.Run{Report: report, Policies: r.Policies, Sheet: r.shownSheet(), Caches: r.caches}
	for _, v := range r.variants {
		run.Variants = append(run.Variants, formats.Variant{Name: v.Own.Name, Set: v.set})
	}
	for _, in := range r.Inputs {
		shown := formats.Input{Name: in.name, Requests: in.requests}
		for _, p := range in.problems {
			shown.Problems = append(shown.Problems, formats.Problem(p))
		}
		if in.failure != nil {
			p := formats.Problem(transfer.ProblemOf(in.failure))
			shown.Failure = &p
		}
		run.Inputs = append(run.Inputs, shown)
	}
	return run
}

// write writes what was measured in the form that is asked for.
func (rp *Replayer) write(o ReplayOptions, run formats.Run) error {
	out := rp.Console.Stdout
	measured := run.Report.Corpus.Requests > 0
	var err error
	switch {
	case o.Json:
		err = console.WriteJSON(out, run.Document())
	case !measured:
		return nil
	case o.Plot != "-":
		err = run.WriteTable(out, rp.Console.Limit())
	}
	if err != nil || !measured {
		return err
	}
	return rp.writePlot(o, run)
}

// writePlot writes the picture where --plot wants it.
func (rp *Replayer) writePlot(o ReplayOptions, run formats.Run) error {
	if o.Plot == "" {
		return nil
	}
	if o.Plot == "-" {
		return run.WritePicture(rp.Console.Stdout)
	}
	return console.WriteNew(o.Plot, o.Force, run.WritePicture)
}

// writable reports what would keep a file from being written, before there is
// anything to write.
func writable(path string, force bool) error {
	if path == "" || path == "-" {
		return nil
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("writing %s: %w", path, err)
	case st.IsDir():
		return console.WithHint(fmt.Errorf("%s is a folder", path), "name a file in it")
	case st.Mode().IsRegular() && !force:
		return console.WithHint(fmt.Errorf("%s exists already and was not touched", path), "--force overwrites it")
	}
	return nil
}
