// Package replay shows what a replay of recorded conversations measured: as a table
// for people, as JSON, and as an SVG picture.
//
// All of them come from the same [Run]. Names in it are made safe where they are
// written. The package reads no file and no clock.
package replay

import (
	"cmp"
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
)

// Configured stands among policies for the rules of the user's configuration.
const Configured preset.Name = "configured"

// Run is a report, and what its readers need to know besides.
type Run struct {
	Report   replay.Report
	Policies []preset.Name     // in the order they are shown
	Sheet    string            // of prices: its costs come first, and what is not a cost is measured under it
	Caches   map[string]string // by sheet, how long its cache lives; only where the name of the sheet does not tell
	Variants []Variant         // those of the policies that try other settings
	Inputs   []Input           // in the order they were named
}

// Variant is a policy that tries other settings.
type Variant struct {
	Name preset.Name
	Set  map[string]string // by key of the configuration
}

// Input is a conversation that was to be replayed.
type Input struct {
	Name     string
	Requests int       // that were replayed
	Problems []Problem // what was left out of it
	Failure  *Problem  // why nothing of it was replayed; nil: it was
}

// Problem is something that could not be read.
type Problem struct {
	Line   *int   `json:"line"` // null: not of one line
	Reason string `json:"reason"`
}

// NoReply says that a conversation holds no request.
const NoReply = "there is no reply in it, so there is nothing to replay"

// SortVariants puts the policies of the front first, then the others, both by cost,
// if there are variants: among these the best are looked for.
func (r Run) SortVariants() {
	if len(r.Variants) == 0 {
		return
	}
	front := r.Front()
	slices.SortStableFunc(r.Policies, func(x, y preset.Name) int {
		if on := slices.Contains(front, x); on != slices.Contains(front, y) {
			if on {
				return -1
			}
			return 1
		}
		return cmp.Compare(r.Report.Totals[x].Cost[r.Sheet], r.Report.Totals[y].Cost[r.Sheet])
	})
}

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

// Front lists the policies that hold their own: they make no request that is
// larger than the window, and no other that makes none is better on cost or
// content without being worse on the other.
func (r Run) Front() []preset.Name {
	front := []preset.Name{}
	kept := keptAxis(r.Report)
	stands := func(name preset.Name) (cost, share float64, ok bool) {
		f := r.Report.Totals[name]
		c, k := f.CostVsTruncate[r.Sheet], kept.of(f)
		return float64(c), float64(k), f.Overflow == 0 && c.Known() && k.Known()
	}
	for _, name := range r.Policies {
		cost, share, ok := stands(name)
		for _, other := range r.Policies {
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
