package replay

import (
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation"
)

// Document is `replay --json`: the report, and with each file what was
// left out of it. Files that could not be replayed are there, too, without
// policies.
type Document struct {
	replay.Report
	Front []preset.Name `json:"front"` // no other without overflow is better on cost and recall together
	Files []File        `json:"files"` // in the place of the report's
	// Variants are those of --set in the order of the tables; absent without any.
	Variants []DocumentVariant `json:"variants,omitempty"`
}

// DocumentVariant is a variant in a document; its figures stand under its name.
type DocumentVariant struct {
	Name  preset.Name       `json:"name"`
	Set   map[string]string `json:"set"` // by key
	Front bool              `json:"front"`
}

// File is an input in a document.
type File struct {
	replay.File
	Error    *string   `json:"error"` // why it was not replayed; null: it was
	Problems []Problem `json:"problems"`
}

// MarshalJSON leaves out how many files it is, which only the corpus tells.
func (f File) MarshalJSON() ([]byte, error) {
	type all File
	return conversation.EncodeJSON(struct {
		all
		Files *int `json:"files,omitempty"` // hides the corpus's
	}{all: all(f)})
}

// Document is the report as `replay --json` writes it.
func (r Run) Document() Document {
	d := Document{Report: r.Report, Front: r.Front(), Files: []File{}}
	for _, name := range r.Policies {
		for _, v := range r.Variants {
			if v.Name == name {
				d.Variants = append(d.Variants, DocumentVariant{Name: name, Set: v.Set, Front: slices.Contains(d.Front, name)})
			}
		}
	}
	replayed := r.Report.Files
	for _, in := range r.Inputs {
		f := File{File: replay.File{Name: in.Name, Policies: map[preset.Name]replay.Figures{}}, Problems: []Problem{}}
		f.Problems = append(f.Problems, in.Problems...)
		switch {
		case in.Failure != nil:
			f.Error, f.Problems = &in.Failure.Reason, append(f.Problems, *in.Failure)
		case in.Requests == 0:
			reason := NoReply
			f.Error = &reason
		default:
			f.File, replayed = replayed[0], replayed[1:]
		}
		d.Files = append(d.Files, f)
	}
	return d
}
