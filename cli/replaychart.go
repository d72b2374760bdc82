package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"plimsoll/cli/plot"
	"plimsoll/compact"
	"plimsoll/compact/replay"
	"plimsoll/conversation/plain"
)

// Cost against content, a point for each policy, as SVG in a file. Names count
// only where nothing else is there to count: in a window they are cheap, and tell
// little.

// axis is what cost is compared with.
type axis struct {
	head  string // of its column
	label string
	of    func(replay.Figures) replay.Ratio
}

// keptAxis is content, or, where no reply of a report edits or writes files, the
// names from results, without indexes of names.
func keptAxis(report replay.Report) axis {
	if report.Corpus.EditAnchors+report.Corpus.WrittenLines > 0 {
		return axis{"CONTENT", "content that is still in view", func(f replay.Figures) replay.Ratio { return f.Content }}
	}
	return axis{"RECALL less INDEX", "names from tools, without the index", func(f replay.Figures) replay.Ratio { return f.WithoutIndex.RecallTool }}
}

// frontOf lists the policies that hold their own: they make no request that is
// larger than the window, and no other that makes none is better on cost or
// content without being worse on the other.
func frontOf(policies []compact.Preset, report replay.Report, sheet string) []compact.Preset {
	front := []compact.Preset{}
	kept := keptAxis(report)
	stands := func(name compact.Preset) (cost, share float64, ok bool) {
		f := report.Totals[name]
		c, k := f.CostVsTruncate[sheet], kept.of(f)
		return float64(c), float64(k), f.Overflow == 0 && c.Known() && k.Known()
	}
	for _, name := range policies {
		cost, share, ok := stands(name)
		for _, other := range policies {
			c, k, known := stands(other)
			if known && c <= cost && k >= share && (c < cost || k > share) {
				ok = false
			}
		}
		if ok {
			front = append(front, name)
		}
	}
	return front
}

// chart is the picture of a report.
func (r *replaying) chart(report replay.Report) plot.Chart {
	sheet, kept := r.shownSheet(), keptAxis(report)
	c := plot.Chart{Title: "What compaction costs, and what it keeps in view", CostLabel: "cost, if truncate costs 1", KeptLabel: kept.label, Subtitle: fmt.Sprintf("%s, %s, window %s tokens, prices %s",
		counted(report.Corpus.Files, "conversation"), counted(report.Corpus.Requests, "request"), grouped(report.Window), sheet)}
	front := map[compact.Preset]bool{}
	for _, name := range frontOf(r.policies, report, sheet) {
		front[name] = true
	}
	for _, name := range r.policies {
		f := report.Totals[name]
		c.Points = append(c.Points, plot.Point{Name: plain.Line(string(name)), Cost: float64(f.CostVsTruncate[sheet]), Kept: float64(kept.of(f)),
			Front: front[name], Overflow: f.Overflow, Emphasis: name == compact.PresetPlimsoll || name == configuredName})
	}
	return c
}

// writePlot writes the picture where --plot wants it.
func (a *app) writePlot(r *replaying, report replay.Report) error {
	o := r.options
	if o.plot == "" {
		return nil
	}
	write := func(w io.Writer) error { return plot.SVG(w, r.chart(report)) }
	if o.plot == "-" {
		return write(a.env.Stdout)
	}
	return writeNew(o.plot, o.force, write)
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
		return withHint(fmt.Errorf("%s is a folder", path), "name a file in it")
	case st.Mode().IsRegular() && !force:
		return withHint(fmt.Errorf("%s exists already and was not touched", path), "--force overwrites it")
	}
	return nil
}
