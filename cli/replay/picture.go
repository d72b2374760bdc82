package replay

import (
	"fmt"
	"io"

	"plimsoll/cli/plot"
	"plimsoll/compact/preset"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// WritePicture draws cost against content as SVG, a point for each policy.
func (r Run) WritePicture(w io.Writer) error { return plot.SVG(w, r.chart()) }

func (r Run) chart() plot.Chart {
	report, kept := r.Report, keptAxis(r.Report)
	c := plot.Chart{Title: "What compaction costs, and what it keeps in view", CostLabel: "cost, if truncate costs 1", KeptLabel: kept.label, Subtitle: fmt.Sprintf("%s, %s, window %s tokens, prices %s",
		numbers.Count(report.Corpus.Files, "conversation"), numbers.Count(report.Corpus.Requests, "request"), numbers.Grouped(report.Window), r.Sheet)}
	front := map[preset.Name]bool{}
	for _, name := range r.Front() {
		front[name] = true
	}
	for _, name := range r.Policies {
		f := report.Totals[name]
		c.Points = append(c.Points, plot.Point{Name: plain.Line(string(name)), Cost: float64(f.CostVsTruncate[r.Sheet]), Kept: float64(kept.of(f)),
			Front: front[name], Overflow: f.Overflow, Emphasis: name == preset.Plimsoll || name == Configured})
	}
	return c
}
