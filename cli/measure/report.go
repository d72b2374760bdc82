package measure

import (
	"plimsoll/cli/transfer"
	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/jsonl"
)

// Run is the result of a replay, with what its output needs.
type Run struct {
	Report   replay.Report
	Policies []preset.Name // in the order of the table
	Sheet    string        // of prices: the table and the picture show its costs
	inputs   []*input
}

// Document is `replay --json`: the report, with the problems of each file. A file that could not be replayed is an entry
// without policies.
type Document struct {
	replay.Report
	Front    []preset.Name `json:"front"`
	Sentence string        `json:"sentence"` // what the table says of Plimsoll, "" if it was not replayed
	Files    []File        `json:"files"`    // replaces the report's files
}

// File is an input in a document.
type File struct {
	replay.File
	Files    *int            `json:"files,omitempty"` // never set: hides the number of files, which only the corpus has
	Error    *string         `json:"error"`           // why it was not replayed, null if it was
	Problems []jsonl.Problem `json:"problems"`
}

// Document is the report as `replay --json` writes it.
func (r Run) Document() Document {
	d := Document{Report: r.Report, Front: r.Front(), Sentence: r.Sentence(), Files: []File{}}
	replayed := r.Report.Files
	for _, in := range r.inputs {
		f := File{File: replay.File{Name: in.name, Policies: map[preset.Name]replay.Figures{}}, Problems: append([]jsonl.Problem{}, in.problems...)}
		switch {
		case in.failure != nil:
			p := transfer.ProblemOf(in.failure)
			f.Error, f.Problems = &p.Reason, append(f.Problems, p)
		case in.requests == 0:
			f.Error = new(noReply)
		default:
			f.File, replayed = replayed[0], replayed[1:]
		}
		d.Files = append(d.Files, f)
	}
	return d
}

// Front lists the Pareto-optimal policies among those whose requests all fit the window: no other one is better on cost or on
// the share of replies served without being worse on the other.
func (r Run) Front() []preset.Name {
	front := []preset.Name{}
	figures := func(name preset.Name) (cost, share float64, ok bool) {
		f := r.Report.Totals[name]
		c, served := f.CostWithDebtVsTruncate[r.Sheet], f.Served
		return float64(c), float64(served), f.Overflow == 0 && c.IsKnown() && served.IsKnown()
	}
	for _, name := range r.Policies {
		cost, share, ok := figures(name)
		for _, other := range r.Policies {
			c, k, known := figures(other)
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
