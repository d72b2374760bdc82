package cli

import (
	"slices"

	"plimsoll/compact"
	"plimsoll/compact/replay"
	"plimsoll/conversation"
)

// replayDocument is `replay --json`: the report, and with each file what was
// left out of it. Files that could not be replayed are there, too, without
// policies.
type replayDocument struct {
	replay.Report
	Front []compact.Preset `json:"front"` // no other without overflow is better on cost and recall together
	Files []replayedFile   `json:"files"` // in the place of the report's
	// Variants are those of --set in the order of the tables; absent without any.
	Variants []replayedVariant `json:"variants,omitempty"`
}

// replayedVariant is a variant; its figures stand under its name.
type replayedVariant struct {
	Name  compact.Preset    `json:"name"`
	Set   map[string]string `json:"set"` // by key
	Front bool              `json:"front"`
}

type replayedFile struct {
	replay.File
	Error    *string         `json:"error"` // why it was not replayed; null: it was
	Problems []importProblem `json:"problems"`
}

// MarshalJSON leaves out how many files it is, which only the corpus tells.
func (f replayedFile) MarshalJSON() ([]byte, error) {
	type all replayedFile
	return conversation.EncodeJSON(struct {
		all
		Files *int `json:"files,omitempty"` // hides the corpus's
	}{all: all(f)})
}

func newReplayDocument(r *replaying, report replay.Report) replayDocument {
	d := replayDocument{Report: report, Front: frontOf(r.policies, report, r.shownSheet()), Files: []replayedFile{}}
	for _, name := range r.policies {
		for _, v := range r.variants {
			if v.own.Name == name {
				d.Variants = append(d.Variants, replayedVariant{Name: name, Set: v.set, Front: slices.Contains(d.Front, name)})
			}
		}
	}
	replayed := report.Files
	for _, in := range r.inputs {
		f := replayedFile{File: replay.File{Name: in.name, Policies: map[compact.Preset]replay.Figures{}}, Problems: []importProblem{}}
		f.Problems = append(f.Problems, in.problems...)
		switch {
		case in.failure != nil:
			p := problemOf(in.failure)
			f.Error, f.Problems = &p.Reason, append(f.Problems, p)
		case in.requests == 0:
			reason := noReply
			f.Error = &reason
		default:
			f.File, replayed = replayed[0], replayed[1:]
		}
		d.Files = append(d.Files, f)
	}
	return d
}
