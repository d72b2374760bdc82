package transfer

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/foreign"
	"plimsoll/conversation/jsonl"
	"plimsoll/conversation/numbers"
	"plimsoll/storage"
)

// maxImport is how much of a file is read, in bytes: far more than a conversation has, so that an endless file cannot use all
// memory.
const maxImport = 1 << 30

// errNoUserMessage reports a conversation without a user message.
var errNoUserMessage = errors.New("it has no user message, and empty conversations are not kept")

// Importer imports files as new conversations.
type Importer struct{ setup.Parts }

// ProblemOf returns an error as a problem, with its line if it is of one.
func ProblemOf(err error) jsonl.Problem {
	if p, ok := errors.AsType[*jsonl.Problem](err); ok && p.Line > 0 {
		return *p
	}
	return jsonl.Problem{Reason: err.Error()}
}

// Outcome is what became of a file.
type Outcome string

// The outcomes of an import that did not fail. A session of another client has the same ID each time.
const (
	Imported  Outcome = "imported"
	Updated   Outcome = "updated"   // was imported before, and has got what was added to it since
	Unchanged Outcome = "unchanged" // was imported before
	Diverged  Outcome = "diverged"  // was imported before and not updated, because it went on here or was changed there
)

// recording is the content of a file.
type recording struct {
	id       string          // of its conversation, "" for a new one
	problems []jsonl.Problem // the parts of the file that are left out
	notes    []string
	// events returns the events, after it stored their texts in w.
	events func(ctx context.Context, w *storage.Writer) ([]conversation.Event, error)
}

// Run imports one file and returns its conversation's ID; title is the user's, or "".
func (i *Importer) Run(ctx context.Context, file, title string) (id string, outcome Outcome, err error) {
	in, err := Open(ctx, i.Console, file)
	if err != nil {
		return "", "", err
	}
	rec, err := i.readRecording(in, title)
	in.Close()
	if err != nil {
		return "", "", err
	}
	if id, outcome, err = i.storeRecording(ctx, rec); err != nil || outcome == Unchanged {
		return id, outcome, err
	}
	if outcome == Diverged {
		i.Console.Note("%s: it is conversation %s, which is not updated, because it went on here or was changed there", SourceName(file), id)
		return id, outcome, nil
	}
	for _, n := range rec.notes {
		i.Console.Note("%s: %s", SourceName(file), n)
	}
	if n := len(rec.problems); n > 0 {
		i.Console.Note("%s: %s left out: %s", SourceName(file), numbers.Count(n, "part"), DescribeProblems(rec.problems))
	}
	return id, outcome, nil
}

// SourceName is the name of a file for the user.
func SourceName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}

// DescribeProblems describes the first problems.
func DescribeProblems(problems []jsonl.Problem) string {
	const most = 3
	var words []string
	for i, p := range problems {
		if i == most {
			words = append(words, "...")
			break
		}
		words = append(words, p.Error())
	}
	return strings.Join(words, "; ")
}

// readRecording reads a file of any known format.
func (i *Importer) readRecording(in io.Reader, title string) (recording, error) {
	r := bufio.NewReaderSize(in, foreign.HeadSize)
	start, _ := r.Peek(256) // reading the rest gives the same error
	if IsDocument().Match(start) {
		d, missing, err := ParseDocument(r)
		return recording{problems: missing, notes: d.omitted.notes(),
			events: func(ctx context.Context, w *storage.Writer) ([]conversation.Event, error) {
				return d.storeTexts(ctx, w, title)
			}}, err
	}
	s, problems, err := readSession(r)
	d := s.Document
	if errors.Is(err, jsonl.ErrNoMessages) && len(problems) > 0 {
		err = fmt.Errorf("%w: %w", err, &problems[0])
	}
	if err != nil {
		return recording{}, err
	}
	rec := recording{problems: problems}
	if s.ID != "" {
		rec.id = conversation.IDOf(string(s.Client) + " " + s.ID)
	}
	if left := s.LeftOut(); left != nil {
		rec.notes = append(rec.notes, "left out of the session of "+string(s.Client)+": "+strings.Join(left, ", "))
	}
	rec.events = func(ctx context.Context, w *storage.Writer) ([]conversation.Event, error) {
		limit := i.ArrivalCap(d.Meta.Model)
		return d.Events(jsonl.Options{Start: time.Now(), Title: title, Model: i.fullModelName(d.Meta.Model),
			MaxChars: limit.Chars, Names: limit.DescribesRest, CutForGood: !i.Settings.Cfg().ToolResults.KeepFull,
			Keep: func(text string) (string, error) { return w.PutBlob(ctx, text) }})
	}
	return rec, nil
}

// ReadRecording reads a document that export wrote, or a session; parts that cannot be read are problems.
func ReadRecording(in io.Reader) (foreign.Session, []jsonl.Problem, error) {
	r := bufio.NewReaderSize(in, foreign.HeadSize)
	begin, _ := r.Peek(256) // reading the rest gives the same error
	if !IsDocument().Match(begin) {
		return readSession(r)
	}
	d, missing, err := ParseDocument(r)
	if err != nil {
		return foreign.Session{}, nil, err
	}
	return foreign.Session{Document: Recorded(d.Log.Events(), func(name string) (string, bool) { text, ok := d.Texts[name]; return text, ok })}, missing, nil
}

// Recorded converts a log to a recording. Turns that a rewind removed are left out, because the log does not tell which
// requests had them.
func Recorded(events []conversation.Event, texts func(name string) (string, bool)) jsonl.Document {
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

// readSession reads a session of another client, or lines of messages. It returns the parts that cannot be read as problems.
// r has a buffer of at least foreign.HeadSize bytes.
func readSession(r *bufio.Reader) (s foreign.Session, problems []jsonl.Problem, err error) {
	head, _ := r.Peek(foreign.HeadSize) // reading the rest gives the same error
	if client := foreign.Recognise(head); client != foreign.None {
		s, err = foreign.Read(client, r)
	} else {
		s.Document, s.Problems, err = jsonl.Read(r)
	}
	return s, s.Problems, err
}

// fullModelName is the full name of a model, provider/id, if a file has only its id and the catalogue knows it.
func (i *Importer) fullModelName(name string) string {
	if first, rest, ok := strings.Cut(name, "/"); ok && rest != "" && i.Providers.Known(first) {
		return name
	}
	if e, ok := catalog.ByID(name); ok && !e.Guessed && i.Providers.Known(e.Provider) {
		return e.Provider + "/" + name
	}
	return name
}

// ArrivalCap is the limit for tool results of a recording: that of a conversation with its model, whose window is taken from
// the catalogue and the configuration.
func (i *Importer) ArrivalCap(model string) conversation.ArrivalCap {
	provider, id, _ := strings.Cut(i.fullModelName(model), "/")
	m := llm.Model{Provider: provider, ID: id}
	if e, ok := catalog.Lookup(provider, id); ok && !e.Guessed {
		m = e.Model(id)
	}
	cfg := i.Settings.Cfg()
	i.Providers.ApplySettings(&m, setup.ModelConfig(cfg, provider, id))
	return compact.ArrivalCap(cfg.Compaction.Preset, cfg.ToolResults.MaxChars, m.Window.Tokens)
}

// storeRecording stores a new conversation, or what was added to one, in one transaction.
func (i *Importer) storeRecording(ctx context.Context, rec recording) (id string, outcome Outcome, err error) {
	id = cmp.Or(rec.id, conversation.NewID())
	outcome = Imported
	w, err := i.Resources.Store.Create(ctx, storage.NewConversation{ID: id, Workspace: i.Settings.Workspace})
	if errors.Is(err, storage.ErrExists) {
		outcome = Updated
		w, err = i.Resources.Store.OpenWriter(ctx, id)
	}
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	events, err := rec.events(ctx, w)
	if err != nil {
		return "", "", err
	}
	if !slices.ContainsFunc(events, func(e conversation.Event) bool { return e.Body.Kind() == conversation.KindUser }) {
		return "", "", errNoUserMessage
	}
	if outcome == Updated {
		have, _, err := i.Resources.Store.Load(ctx, id)
		switch {
		case err != nil:
			return "", "", err
		case len(have) > len(events) || !slices.EqualFunc(have, events[:len(have)], sameMessage):
			return id, Diverged, nil
		case len(have) == len(events):
			return id, Unchanged, nil
		}
		events = events[len(have):]
	}
	return id, outcome, w.Append(ctx, events)
}

// sameMessage reports whether two events are the same, but for titles, times and how results were shortened.
func sameMessage(a, b conversation.Event) bool {
	text := func(e conversation.Event) string {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			return b.Text
		case conversation.AssistantMessage:
			return fmt.Sprint(b.Text, b.Reasoning, len(b.Calls))
		case conversation.ToolResult:
			return b.CallID
		}
		return ""
	}
	return a.Body.Kind() == b.Body.Kind() && text(a) == text(b)
}

// importSource reads a file of limited size until its end or until ctx ends.
type importSource struct {
	*io.PipeReader
	stop func() bool
	read int // bytes so far
}

// Open opens a file to import, or one session of a database as FILE#SESSION; "-" is standard input.
func Open(ctx context.Context, c *console.Console, file string) (*importSource, error) {
	if file == "-" {
		if c.Stdin == nil {
			return nil, errors.New("nothing is piped in")
		}
		if console.Terminal(c.Stdin) {
			c.Note("reading what is typed; Ctrl+D on a line of its own ends it")
		}
		return openInterruptible(ctx, func(w io.Writer) error { _, err := io.Copy(w, c.Stdin); return err }), nil
	}
	st, err := os.Stat(file)
	at, store := strings.LastIndexByte(file, '#'), storeOf(file)
	switch {
	case err != nil && at > 0 && isDatabase(file[:at]):
		return openInterruptible(ctx, func(w io.Writer) error { return writeStored(ctx, w, file[:at], file[at+1:]) }), nil
	case err != nil:
		return nil, WithoutPath(err)
	case st.IsDir():
		return nil, console.WithHint(errors.New("it is a folder"), "name the files in it")
	case store != "":
		return openInterruptible(ctx, func(w io.Writer) error { return writeFiles(w, store, file) }), nil
	}
	return openInterruptible(ctx, func(w io.Writer) error {
		f, err := os.Open(file)
		if err == nil {
			_, err = io.Copy(w, f)
			_ = f.Close() // nothing was written to it
		}
		return err
	}), nil
}

// WithoutPath returns an error without its path, because the caller shows the path.
func WithoutPath(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	return err
}

// openInterruptible returns a stream of what write writes, whose reads fail once ctx ends. Opening and reading a pipe cannot be
// cancelled, so that goroutine then ends with the program.
func openInterruptible(ctx context.Context, write func(io.Writer) error) *importSource {
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(WithoutPath(write(w))) }() // closing never fails
	stop := context.AfterFunc(ctx, func() { _ = r.CloseWithError(ctx.Err()) })
	return &importSource{PipeReader: r, stop: stop}
}

func (s *importSource) Read(p []byte) (int, error) {
	n, err := s.PipeReader.Read(p)
	if s.read += n; s.read > maxImport {
		return 0, fmt.Errorf("it is larger than %d MiB", maxImport>>20)
	}
	return n, err
}

// Close stops reading. The caller has read what it needs.
func (s *importSource) Close() {
	s.stop()
	_ = s.PipeReader.Close() // never fails
}
