package measure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"plimsoll/cli/console"
	formats "plimsoll/cli/replay"
	"plimsoll/cli/transfer"
	"plimsoll/compact/replay"
	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/storage"
)

// What is to be replayed: files, the files of folders, stored conversations. A
// path that exists is a path, and so is what is written like one; anything else
// is the ID of a stored conversation.

// incomplete reports whether something of it was left out.
func (in *replayInput) incomplete() bool { return in.failure != nil || len(in.problems) > 0 }

// NewestWord stands for the newest conversation of the workspace.
const NewestWord = "newest"

// Inputs are the inputs that arguments name, each once. An argument that
// names none is an input that cannot be read.
func (rp *Replayer) Inputs(ctx context.Context, args []string) ([]*replayInput, error) {
	var inputs []*replayInput
	seen := map[string]bool{}
	for _, arg := range args {
		for _, in := range rp.inputsOf(ctx, arg) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if !seen[in.name] {
				seen[in.name] = true
				inputs = append(inputs, in)
			}
		}
	}
	return inputs, nil
}

// inputsOf are the inputs that an argument names.
func (rp *Replayer) inputsOf(ctx context.Context, arg string) []*replayInput {
	if arg == "-" {
		return []*replayInput{rp.fileInput(arg)}
	}
	st, err := os.Stat(arg)
	switch {
	case err == nil && st.IsDir():
		return rp.folderInputs(arg)
	case err == nil:
		return []*replayInput{rp.fileInput(filepath.Clean(arg))}
	case pathLike(arg) || !errors.Is(err, fs.ErrNotExist):
		return []*replayInput{failed(arg, transfer.PlainPath(err))}
	}
	return []*replayInput{rp.storedInput(ctx, arg)}
}

// pathLike reports whether an argument is written like a path, which no ID is.
func pathLike(arg string) bool { return strings.ContainsAny(arg, "/.") }

// failed is an input that cannot be read.
func failed(name string, err error) *replayInput {
	return &replayInput{name: name, read: func(context.Context, *console.Progress) (taken, error) { return taken{}, err }}
}

// folderInputs are the recordings in a folder, by name. What is no file, a pipe
// say, is none.
func (rp *Replayer) folderInputs(dir string) []*replayInput {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []*replayInput{failed(dir, transfer.PlainPath(err))}
	}
	var inputs []*replayInput
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if filepath.Ext(path) != ".jsonl" {
			continue
		}
		if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
			continue
		}
		inputs = append(inputs, rp.fileInput(path))
	}
	if len(inputs) == 0 {
		return []*replayInput{failed(dir, console.WithHint(errors.New("there is no .jsonl file in this folder"), "files of other names can be named one by one"))}
	}
	return inputs
}

// largeInput is how large a file is, in bytes, of which reading has a bar: reading
// others takes no time that is felt.
const largeInput = 16 << 20

// fileInput is a file, "-" for standard input.
func (rp *Replayer) fileInput(file string) *replayInput {
	return &replayInput{name: file, read: func(ctx context.Context, bar *console.Progress) (taken, error) {
		if file == "-" { // there may be a note of what to do
			bar.Hold()
		}
		in, err := rp.Sources.Open(ctx, file, new(console.Progress))
		if err != nil {
			return taken{}, err
		}
		defer in.Close()
		if in.Total >= largeInput {
			in.Bar = bar.Inside("reading " + plain.Line(filepath.Base(file)))
		}
		return readRecording(bufio.NewReaderSize(in, 1<<16))
	}}
}

// readRecording reads a file in whichever form it is, without the lines that
// cannot be read.
func readRecording(r *bufio.Reader) (taken, error) {
	// An error shows again when the file is read.
	begin, _ := r.Peek(256)
	if transfer.IsDocument().Match(begin) {
		d, missing, err := transfer.ParseDocument(r)
		if err != nil {
			return taken{}, err
		}
		t := taken{doc: recorded(d.Log.Events(), func(name string) (string, bool) { text, ok := d.Texts[name]; return text, ok }), problems: missing}
		if len(missing) > 0 {
			t.left = numbers.Count(len(missing), "text")
		}
		return t, nil
	}
	doc, problems, err := jsonl.Read(r, jsonl.ReadOptions{Lenient: true})
	if errors.Is(err, jsonl.ErrNoMessages) && len(problems) > 0 {
		return taken{}, console.WithHint(&problems[0], "no line of it is a message, so it is left out")
	}
	t := taken{doc: doc}
	for _, p := range problems {
		t.problems = append(t.problems, transfer.ProblemOf(&p))
	}
	if doc.Skipped > 0 {
		t.left = numbers.Count(doc.Skipped, "line")
	}
	return t, err
}

// recorded is a log as a recording, without what was taken back. Which requests
// still carried that is not known of all of them, so it is left out whole.
func recorded(events []conversation.Event, texts func(name string) (string, bool)) jsonl.Document {
	gone := conversation.TakenBack(events)
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

// storedInput is a stored conversation.
func (rp *Replayer) storedInput(ctx context.Context, arg string) *replayInput {
	args := []string{arg}
	if arg == NewestWord {
		args = nil
	}
	store, id, err := rp.Conversations.Resolve(ctx, args)
	switch {
	case errors.Is(err, storage.ErrNotFound) && arg != NewestWord:
		return failed(arg, fmt.Errorf("there is no such file, and %w", err))
	case err != nil:
		return failed(arg, err)
	}
	return &replayInput{name: id, read: func(ctx context.Context, _ *console.Progress) (taken, error) {
		x, err := transfer.ReadExport(ctx, store, id)
		if err != nil {
			return taken{}, err
		}
		t := taken{doc: recorded(x.Events, x.Text)}
		for _, n := range x.Notes {
			t.problems = append(t.problems, transfer.ImportProblem{Reason: n})
		}
		return t, ctx.Err()
	}}
}

// takeInput reads an input for its replay. What cannot be read is told and
// noted, and no error.
func (rp *Replayer) takeInput(ctx context.Context, r *Replaying, in *replayInput) (replay.Conversation, error) {
	t, err := in.read(ctx, r.bar)
	defer r.bar.Again()
	if ctx.Err() != nil {
		return replay.Conversation{}, ctx.Err()
	}
	if err != nil {
		in.failure = err
		if h := (console.Hinted{}); !errors.As(err, &h) {
			err = console.WithHint(err, "it is left out")
		}
		r.bar.Tell(rp.Console.Stderr, console.Explain(fmt.Errorf("%s: %w", in.shown(), err)))
		return replay.Conversation{}, nil
	}
	c := replay.Load(t.doc, in.name)
	in.problems, in.requests = t.problems, c.Requests()
	if text := in.account(t.left); text != "" {
		r.bar.Tell(rp.Console.Stderr, plain.Text(text))
	}
	return c, nil
}

// shown is the name as the user is told of it.
func (in *replayInput) shown() string { return plain.Line(transfer.Named(in.name)) }

// account tells what was left out of an input, "" if nothing was.
func (in *replayInput) account(left string) string {
	const most = 3
	var lines []string
	for i := range min(most, len(in.problems)) {
		lines = append(lines, fmt.Sprintf("plimsoll: %s: %s", in.shown(), transfer.Told(in.problems[i:i+1])))
	}
	switch {
	case in.requests == 0:
		lines = append(lines, fmt.Sprintf("plimsoll: %s: %s", in.shown(), formats.NoReply))
	case left != "":
		lines = append(lines, "  "+left+" left out, the rest is replayed")
	case len(in.problems) > 0:
		lines = append(lines, "  the rest is replayed")
	}
	return strings.Join(lines, "\n")
}
