package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"plimsoll/cli/console"
	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// Tuning replays the configured rules with several settings of a cold step, the keys that most of the cost depends on.

const (
	moreSilent = 0.01 // silent losses that a cheaper setting may add
	resamples  = 500  // of the conversations, for the interval
)

var (
	tunedKeys   = [...]string{"compaction.evict.cold", "compaction.evict.cold_protected"}
	tunedValues = [...][2]float64{{0.5, 0.15}, {0.5, 0.06}, {0.4, 0.15}, {0.4, 0.06}, {0.3, 0.15}, {0.3, 0.06}}
)

// trial is one setting, and what it came to.
type trial struct {
	values [2]float64 // 0: as configured
	name   preset.Name
	replay.Figures
	low, high float64 // 90 % of the resamples: cost if the configured rules cost 1
}

// tune replays conversations with each setting, and writes the best one into the configuration if the user agrees.
func (rp *Replayer) tune(ctx context.Context, what replay.Options, inputs []*input, yes bool) (Run, error) {
	trials := []trial{{name: Configured}}
	for _, v := range tunedValues {
		trials = append(trials, trial{values: v, name: preset.Name(fmt.Sprintf("cold %v, protected %v", v[0], v[1]))})
	}
	rules := rp.Settings.Cfg().Rules()
	what.Policies, what.ExtraPolicies = nil, nil
	for _, t := range trials {
		r := rules
		if t.name != Configured {
			r.Evict.Cold, r.Evict.ColdProtected = t.values[0], t.values[1]
		}
		what.Policies = append(what.Policies, t.name)
		what.ExtraPolicies = append(what.ExtraPolicies, rp.ownPolicy(t.name, r))
	}
	run, err := rp.measure(ctx, what, inputs)
	if err != nil || run.Report.Corpus.Requests == 0 {
		return run, err
	}
	best := 0
	for i := range trials {
		t := &trials[i]
		t.Figures = run.Report.Totals[t.name]
		t.low, t.high = costInterval(run.Report.Files, t.name, run.Sheet)
		if better(*t, trials[0], trials[best], run.Sheet) {
			best = i
		}
	}
	out := rp.Console.Stdout
	fmt.Fprintf(out, "%s, window %s tokens, prices %s; COST of the configured rules is 1\n\n%-26s %6s  %-13s %7s\n", numbers.Count(run.Report.Corpus.Files, "conversation"),
		numbers.Grouped(what.Window), plain.Line(run.Sheet), "compaction.evict", "COST", "90 % BETWEEN", "SILENT")
	for i, t := range trials {
		mark := " "
		if i == best {
			mark = "*"
		}
		fmt.Fprintf(out, "%s %-24s %6.3f  %.3f – %.3f %7s\n", mark, t.name, t.CostWithDebt[run.Sheet]/trials[0].CostWithDebt[run.Sheet], t.low, t.high, ratioText(t.SilentLosses))
	}
	if best == 0 {
		_, err = fmt.Fprintln(out, "\nNo other setting is surely cheaper without more silent losses. Nothing was changed.")
		return run, err
	}
	v := trials[best].values
	fmt.Fprintf(out, "\nBest for these conversations, in config.yaml (for every window; without these lines, the shares follow the window):\n\n"+
		"compaction:\n  evict:\n    cold: %v\n    cold_protected: %v\n\n", v[0], v[1])
	if n := run.Report.Corpus.Files; n < fewConversations {
		_, err = fmt.Fprintf(out, "%s: too few to say how sure this is. Nothing was written.\n", numbers.Count(n, "conversation"))
		return run, err
	}
	return run, rp.keepTuned(ctx, v, yes)
}

// better reports whether a trial is the best so far: surely cheaper than the configured rules, with hardly more silent losses.
func better(t, configured, best trial, sheet string) bool {
	return t.high < 1 && t.Overflow <= configured.Overflow && t.CostWithDebt[sheet] < best.CostWithDebt[sheet] &&
		(!t.SilentLosses.IsKnown() || float64(t.SilentLosses) <= float64(configured.SilentLosses)+moreSilent)
}

// costInterval returns bounds of the cost of a policy, if the configured rules cost 1: nine of ten resamples of the
// conversations lie between. The same conversations give the same bounds.
func costInterval(files []replay.File, name preset.Name, sheet string) (low, high float64) {
	random := rand.New(rand.NewPCG(1, 2))
	ratios := make([]float64, 0, resamples)
	for range resamples {
		cost, configured := 0.0, 0.0
		for range files {
			f := files[random.IntN(len(files))]
			cost, configured = cost+f.Policies[name].CostWithDebt[sheet], configured+f.Policies[Configured].CostWithDebt[sheet]
		}
		ratios = append(ratios, cost/configured)
	}
	slices.Sort(ratios)
	return ratios[resamples/20], ratios[resamples-1-resamples/20]
}

// keepTuned writes values into the configuration, after a question on the terminal unless yes.
func (rp *Replayer) keepTuned(ctx context.Context, values [2]float64, yes bool) error {
	if !yes {
		if !console.Terminal(rp.Console.Stdin) {
			rp.Console.Note("nothing was written; --yes writes it")
			return nil
		}
		agreed, err := rp.Console.Confirm(ctx, "Write it?")
		if err == nil && !agreed {
			err = errors.New("nothing was written")
		}
		if err != nil {
			return err
		}
	}
	changes := map[string]string{}
	for i, key := range tunedKeys {
		changes[key] = strconv.FormatFloat(values[i], 'g', -1, 64)
	}
	path, err := rp.SaveSettings(changes)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(rp.Console.Stdout, "Written to %s.\n", rp.Console.Text(rp.Console.Home(path)))
	return err
}
