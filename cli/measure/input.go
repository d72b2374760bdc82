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
	"plimsoll/conversation/foreign"
	"plimsoll/conversation/jsonl"
	"plimsoll/conversation/plain"
	"plimsoll/storage"
)

// input is one conversation to replay, and the result of reading it.
type input struct {
	name string // the path or ID; "-" for standard input
	read func(context.Context) (jsonl.Document, []transfer.ImportProblem, error)

	requests int                      // number of replayed requests
	problems []transfer.ImportProblem // parts that were left out
	failure  error                    // why nothing was replayed, nil if it was
}

// inputs are the conversations that arguments name, each once. A wrong argument becomes an unreadable input.
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

// inputsOf are the conversations that an argument names: a file, the files of a folder, or a stored conversation. An argument
// with a slash or a dot is never an ID.
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
		return []*input{unreadable(arg, transfer.WithoutPath(err))}
	}
	return []*input{rp.stored(ctx, arg)}
}

// unreadable is an input whose reading fails with err.
func unreadable(name string, err error) *input {
	return &input{name: name, read: func(context.Context) (jsonl.Document, []transfer.ImportProblem, error) {
		return jsonl.Document{}, nil, err
	}}
}

// folder lists the recordings in a folder.
func (rp *Replayer) folder(dir string) []*input {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []*input{unreadable(dir, transfer.WithoutPath(err))}
	}
	var inputs []*input
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		st, err := os.Stat(path) // reading the file gives the same error
		if filepath.Ext(path) == ".jsonl" && (err != nil || st.Mode().IsRegular()) {
			inputs = append(inputs, rp.file(path))
		}
	}
	if len(inputs) == 0 {
		return []*input{unreadable(dir, console.WithHint(errors.New("there is no .jsonl file in this folder"), "files of other names can be named one by one"))}
	}
	return inputs
}

// file is the recording in a file, "-" for standard input.
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

// readRecording reads a document that export wrote, or a session; parts that cannot be read are left out.
func readRecording(in io.Reader) (jsonl.Document, []transfer.ImportProblem, error) {
	r := bufio.NewReaderSize(in, foreign.HeadSize)
	begin, _ := r.Peek(256) // reading the rest gives the same error
	if transfer.IsDocument().Match(begin) {
		d, missing, err := transfer.ParseDocument(r)
		if err != nil {
			return jsonl.Document{}, nil, err
		}
		return recorded(d.Log.Events(), func(name string) (string, bool) { text, ok := d.Texts[name]; return text, ok }), missing, nil
	}
	s, problems, err := transfer.ReadSession(r)
	if errors.Is(err, jsonl.ErrNoMessages) && len(problems) > 0 {
		return s.Document, nil, console.WithHint(&problems[0], "no line of it is a message, so it is left out")
	}
	return s.Document, problems, err
}

// recorded converts a log to a recording. Turns that a rewind removed are left out, because the log does not tell which
// requests had them.
func recorded(events []conversation.Event, texts func(name string) (string, bool)) jsonl.Document {
	removed := conversation.RewoundBy(events)
	if removed == nil {
		return jsonl.FromLog(events, texts)
	}
	var kept []conversation.Event
	for i, e := range events {
		if removed[i] == 0 {
			kept = append(kept, e)
		}
	}
	return jsonl.FromLog(kept, texts)
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
	return &input{name: id, read: func(ctx context.Context) (jsonl.Document, []transfer.ImportProblem, error) {
		export, err := transfer.ReadExport(ctx, store, id)
		if err != nil {
			return jsonl.Document{}, nil, err
		}
		var problems []transfer.ImportProblem
		for _, note := range export.Notes {
			problems = append(problems, transfer.ImportProblem{Reason: note})
		}
		return recorded(export.Events, export.Text), problems, ctx.Err()
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
