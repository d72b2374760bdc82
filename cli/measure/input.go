package measure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"plimsoll/cli/console"
	"plimsoll/cli/transfer"
	"plimsoll/compact/replay"
	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
	"plimsoll/conversation/plain"
	"plimsoll/storage"
)

// input is one conversation to replay, and what became of it.
type input struct {
	name string // the path or ID; "-" for standard input
	read func(context.Context) (jsonl.Document, []transfer.ImportProblem, error)

	requests int                      // that were replayed
	problems []transfer.ImportProblem // what was left out of it
	failure  error                    // nothing of it was replayed; nil: it was
}

// inputs are the conversations that arguments name, each once. An argument that
// names none is an input that cannot be read.
func (rp *Replayer) inputs(ctx context.Context, args []string) ([]*input, error) {
	var inputs []*input
	seen := map[string]bool{}
	for _, arg := range args {
		for _, in := range rp.inputsOf(ctx, arg) {
			if !seen[in.name] {
				seen[in.name] = true
				inputs = append(inputs, in)
			}
		}
	}
	return inputs, ctx.Err()
}

// inputsOf are the conversations that an argument names: a file, the files of a
// folder, or a stored conversation. What is written like a path is no ID.
func (rp *Replayer) inputsOf(ctx context.Context, arg string) []*input {
	if arg == "-" {
		return []*input{rp.file(arg)}
	}
	st, err := os.Stat(arg)
	switch {
	case err == nil && st.IsDir():
		return rp.folder(arg)
	case err == nil:
		return []*input{rp.file(filepath.Clean(arg))}
	case strings.ContainsAny(arg, "/.") || !errors.Is(err, fs.ErrNotExist):
		return []*input{unreadable(arg, transfer.PlainPath(err))}
	}
	return []*input{rp.stored(ctx, arg)}
}

// unreadable is an input that cannot be read.
func unreadable(name string, err error) *input {
	return &input{name: name, read: func(context.Context) (jsonl.Document, []transfer.ImportProblem, error) {
		return jsonl.Document{}, nil, err
	}}
}

// folder lists the recordings in a folder.
func (rp *Replayer) folder(dir string) []*input {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []*input{unreadable(dir, transfer.PlainPath(err))}
	}
	var inputs []*input
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		st, err := os.Stat(path) // an error shows again when the file is read
		if filepath.Ext(path) == ".jsonl" && (err != nil || st.Mode().IsRegular()) {
			inputs = append(inputs, rp.file(path))
		}
	}
	if len(inputs) == 0 {
		return []*input{unreadable(dir, console.WithHint(errors.New("there is no .jsonl file in this folder"), "files of other names can be named one by one"))}
	}
	return inputs
}

// file is a recording, "-" that on standard input.
func (rp *Replayer) file(name string) *input {
	return &input{name: name, read: func(ctx context.Context) (jsonl.Document, []transfer.ImportProblem, error) {
		in, err := transfer.Open(ctx, rp.Console, name)
		if err != nil {
			return jsonl.Document{}, nil, err
		}
		defer in.Close()
		return readRecording(in)
	}}
}

// readRecording reads a document that export wrote, or lines of messages without
// those that cannot be read.
func readRecording(in io.Reader) (jsonl.Document, []transfer.ImportProblem, error) {
	r := bufio.NewReaderSize(in, 1<<16)
	begin, _ := r.Peek(256) // an error shows again when the rest is read
	if transfer.IsDocument().Match(begin) {
		d, missing, err := transfer.ParseDocument(r)
		if err != nil {
			return jsonl.Document{}, nil, err
		}
		return recorded(d.Log.Events(), func(name string) (string, bool) { text, ok := d.Texts[name]; return text, ok }), missing, nil
	}
	doc, found, err := jsonl.Read(r)
	if errors.Is(err, jsonl.ErrNoMessages) && len(found) > 0 {
		return doc, nil, console.WithHint(&found[0], "no line of it is a message, so it is left out")
	}
	var problems []transfer.ImportProblem
	for _, p := range found {
		problems = append(problems, transfer.ProblemOf(&p))
	}
	return doc, problems, err
}

// recorded is a log as a recording, without what a rewind took back: which requests
// still carried that is not known.
func recorded(events []conversation.Event, texts func(name string) (string, bool)) jsonl.Document {
	gone := conversation.RewoundBy(events)
	if gone == nil {
		return jsonl.Of(events, texts)
	}
	var kept []conversation.Event
	for i, e := range events {
		if gone[i] == 0 {
			kept = append(kept, e)
		}
	}
	return jsonl.Of(kept, texts)
}

// stored is a stored conversation.
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
	return &input{name: id, read: func(ctx context.Context) (jsonl.Document, []transfer.ImportProblem, error) {
		x, err := transfer.ReadExport(ctx, store, id)
		if err != nil {
			return jsonl.Document{}, nil, err
		}
		var problems []transfer.ImportProblem
		for _, note := range x.Notes {
			problems = append(problems, transfer.ImportProblem{Reason: note})
		}
		return recorded(x.Events, x.Text), problems, ctx.Err()
	}}
}

// noReply says that a conversation holds no request.
const noReply = "there is no reply in it, so there is nothing to replay"

// load reads an input for its replay. What cannot be read is noted with it and told
// on standard error, and the other inputs are replayed.
func (rp *Replayer) load(ctx context.Context, in *input, bar *console.Progress) (replay.Conversation, error) {
	shown := plain.Line(transfer.Named(in.name))
	doc, problems, err := in.read(ctx)
	if ctx.Err() != nil {
		return replay.Conversation{}, ctx.Err()
	}
	if err != nil {
		in.failure = err
		if h := (console.Hinted{}); !errors.As(err, &h) {
			err = console.WithHint(err, "it is left out")
		}
		bar.Tell(rp.Console.Stderr, console.Explain(fmt.Errorf("%s: %w", shown, err)))
		return replay.Conversation{}, nil
	}
	c := replay.Load(doc, in.name)
	in.problems, in.requests = problems, c.Requests()
	if len(problems) > 0 {
		bar.Tell(rp.Console.Stderr, fmt.Sprintf("plimsoll: %s: %s", shown, plain.Line(transfer.Told(problems))))
	}
	switch {
	case in.requests == 0:
		bar.Tell(rp.Console.Stderr, fmt.Sprintf("plimsoll: %s: %s", shown, noReply))
	case len(problems) > 0:
		bar.Tell(rp.Console.Stderr, "  the rest is replayed")
	}
	return c, nil
}
