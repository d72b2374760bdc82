package measure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/cli/console"
	"plimsoll/cli/transfer"
	"plimsoll/compact/replay"
	"plimsoll/conversation/jsonl"
	"plimsoll/conversation/plain"
	"plimsoll/storage"
)

// input is one conversation to replay, and the result of reading it.
type input struct {
	name string // the path or ID; "-" for standard input
	read func(context.Context) (jsonl.Document, []jsonl.Problem, error)

	requests int             // number of replayed requests
	problems []jsonl.Problem // parts that were left out
	failure  error           // why nothing was replayed, nil if it was
}

// inputs are the conversations that arguments name, each once, and at most limit of a folder. A wrong argument becomes an unreadable input.
func (rp *Replayer) inputs(ctx context.Context, args []string, limit int) ([]*input, error) {
	var inputs []*input
	seen := map[string]bool{}
	for _, arg := range args {
		for _, in := range rp.inputsOf(ctx, arg, limit) {
			if !seen[in.name] {
				seen[in.name] = true
				inputs = append(inputs, in)
			}
		}
	}
	return inputs, ctx.Err()
}

// inputsOf are the conversations that an argument names: a file, the files of a folder, or a stored conversation. An argument
// with a slash or a dot is never an ID.
func (rp *Replayer) inputsOf(ctx context.Context, arg string, limit int) []*input {
	if arg == "-" {
		return []*input{rp.file(arg)}
	}
	_, err := os.Stat(arg)
	switch {
	case transfer.IsFolder(arg):
		return rp.folder(ctx, arg, limit)
	case err == nil || strings.Contains(arg, "#"):
		return []*input{rp.file(filepath.Clean(arg))}
	case strings.ContainsAny(arg, "/.") || !errors.Is(err, fs.ErrNotExist):
		return []*input{unreadable(arg, transfer.WithoutPath(err))}
	}
	return []*input{rp.stored(ctx, arg)}
}

// unreadable is an input whose reading fails with err.
func unreadable(name string, err error) *input {
	return &input{name: name, read: func(context.Context) (jsonl.Document, []jsonl.Problem, error) {
		return jsonl.Document{}, nil, err
	}}
}

// folder lists the newest sessions in a folder, by their names.
func (rp *Replayer) folder(ctx context.Context, dir string, limit int) []*input {
	files, err := transfer.Files(ctx, dir)
	if err != nil {
		return []*input{unreadable(dir, err)}
	}
	var inputs []*input
	sessions, _ := transfer.List(ctx, rp.Console, files, limit) // the caller looks at ctx
	for _, s := range sessions {
		inputs = append(inputs, rp.file(s.Path))
	}
	if len(inputs) == 0 {
		return []*input{unreadable(dir, transfer.ErrNoSession)}
	}
	slices.SortFunc(inputs, func(a, b *input) int { return strings.Compare(a.name, b.name) })
	return inputs
}

// file is the recording in a file, "-" for standard input.
func (rp *Replayer) file(name string) *input {
	return &input{name: name, read: func(ctx context.Context) (jsonl.Document, []jsonl.Problem, error) {
		in, err := transfer.Open(ctx, rp.Console, name)
		if err != nil {
			return jsonl.Document{}, nil, err
		}
		defer in.Close()
		s, problems, err := transfer.ReadRecording(in)
		if errors.Is(err, jsonl.ErrNoMessages) && len(problems) > 0 {
			return s.Document, nil, console.WithHint(&problems[0], "no line of it is a message, so it is left out")
		}
		return s.Document, problems, err
	}}
}

// stored is the stored conversation of an ID, or the newest one.
func (rp *Replayer) stored(ctx context.Context, arg string) *input {
	args := []string{arg}
	if arg == Newest {
		args = nil
	}
	store, id, err := rp.Conversations.Resolve(ctx, args)
	switch {
	case errors.Is(err, storage.ErrNotFound) && arg != Newest:
		return unreadable(arg, fmt.Errorf("there is no such file, and %w", err))
	case err != nil:
		return unreadable(arg, err)
	}
	return &input{name: id, read: func(ctx context.Context) (jsonl.Document, []jsonl.Problem, error) {
		export, err := transfer.ReadExport(ctx, store, id)
		if err != nil {
			return jsonl.Document{}, nil, err
		}
		var problems []jsonl.Problem
		for _, note := range export.Notes {
			problems = append(problems, jsonl.Problem{Reason: note})
		}
		return transfer.Recorded(export.Events, export.Text), problems, ctx.Err()
	}}
}

// noReply is the failure of a conversation without requests.
const noReply = "there is no reply in it, so there is nothing to replay"

// load reads an input for its replay. Problems are stored in the input and written to standard error; other inputs are still
// replayed.
func (rp *Replayer) load(ctx context.Context, in *input, bar *console.Progress) (replay.Conversation, error) {
	shown := plain.Line(transfer.SourceName(in.name))
	doc, problems, err := in.read(ctx)
	if ctx.Err() != nil {
		return replay.Conversation{}, ctx.Err()
	}
	if err != nil {
		in.failure = err
		if h := (console.Hinted{}); !errors.As(err, &h) {
			err = console.WithHint(err, "it is left out")
		}
		bar.PrintText(rp.Console.Stderr, console.Explain(fmt.Errorf("%s: %w", shown, err)))
		return replay.Conversation{}, nil
	}
	c := replay.Load(doc, in.name)
	in.problems, in.requests = problems, c.Requests()
	if len(problems) > 0 {
		bar.PrintText(rp.Console.Stderr, fmt.Sprintf("plimsoll: %s: %s", shown, plain.Line(transfer.DescribeProblems(problems))))
	}
	switch {
	case in.requests == 0:
		bar.PrintText(rp.Console.Stderr, fmt.Sprintf("plimsoll: %s: %s", shown, noReply))
	case len(problems) > 0:
		bar.PrintText(rp.Console.Stderr, "  the rest is replayed")
	}
	return c, nil
}
