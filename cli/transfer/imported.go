package transfer

import (
	"context"
	"errors"
	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
	"plimsoll/storage"
)

// recording is what a file holds.
type recording struct {
	messages int
	problems []ImportProblem
	left     string // what is left out, in words; "" if nothing is
	notes    []string
	// Events gives the log, with the texts beside it kept in w.
	events func(ctx context.Context, w *storage.Writer) ([]conversation.Event, error)
}

// Imported is a file in `import --json`.
type Imported struct {
	File     string          `json:"file"`
	ID       *string         `json:"id"` // null: not imported
	Messages int             `json:"messages"`
	Turns    int             `json:"turns"`
	Problems []ImportProblem `json:"problems"`
}

type ImportProblem struct {
	Line   *int   `json:"line"` // null: not of one line
	Reason string `json:"reason"`
}

// ProblemOf is what went wrong as --json tells it.
func ProblemOf(err error) ImportProblem {
	var p *jsonl.Problem
	if errors.As(err, &p) {
		return ImportProblem{Line: &p.Line, Reason: p.Reason}
	}
	return ImportProblem{Reason: err.Error()}
}

// ImportOptions says how files are imported.
type ImportOptions struct {
	Title   string
	Lenient bool
	Json    bool
}
