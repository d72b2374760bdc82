package transfer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/storage"
)

// maxImport is how much of a file is read, in bytes: far more than was ever
// said in a conversation, so that a file that does not end does not take all
// the memory.
const maxImport = 1 << 30

// errNobodySpoke says that there is nothing to keep.
var errNobodySpoke = errors.New("it has no user message, and empty conversations are not kept")

// Importer makes conversations of files.
type Importer struct {
	Console   *console.Console
	Settings  *setup.Settings
	Providers *setup.Providers
	Resources *setup.Resources
	Sources   *Sources
}

// Run makes a conversation of one file.
func (i *Importer) Run(ctx context.Context, file string, o ImportOptions) (Imported, error) {
	in, err := i.Sources.Open(ctx, file, console.NewProgress(i.Console.Stderr, "reading "+plain.Line(file)))
	if err != nil {
		return Imported{}, err
	}
	rec, err := i.read(in, o)
	in.Close()
	if err != nil {
		return Imported{}, err
	}
	id, turns, err := i.store(ctx, rec)
	if err != nil {
		return Imported{}, err
	}
	for _, n := range rec.notes {
		i.Console.Note("%s: %s", Named(file), n)
	}
	if rec.left != "" {
		i.Console.Note("%s: %s left out: %s", Named(file), rec.left, Told(rec.problems))
	}
	if rec.problems == nil {
		rec.problems = []ImportProblem{}
	}
	return Imported{File: file, ID: &id, Messages: rec.messages, Turns: turns, Problems: rec.problems}, nil
}

// Named is a file as the user is told of it.
func Named(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}

// Told is the first problems in words.
func Told(problems []ImportProblem) string {
	const most = 3
	var words []string
	for i, p := range problems {
		if i == most {
			words = append(words, "...")
			break
		}
		if p.Line != nil {
			p.Reason = fmt.Sprintf("line %d: %s", *p.Line, p.Reason)
		}
		words = append(words, p.Reason)
	}
	return strings.Join(words, "; ")
}

// IsDocument recognises the document that export writes, by its first key.
var IsDocument = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\x{feff})?\s*\{\s*"plimsoll"\s*:`)
})

// read reads a file in whichever form it is.
func (i *Importer) read(in io.Reader, o ImportOptions) (recording, error) {
	r := bufio.NewReaderSize(in, 1<<16)
	// An error shows again when the file is read.
	begin, _ := r.Peek(256)
	if IsDocument().Match(begin) {
		return readDocument(r, o)
	}
	d, problems, err := jsonl.Read(r, jsonl.ReadOptions{Lenient: o.Lenient})
	var p *jsonl.Problem
	switch {
	case errors.As(err, &p):
		return recording{}, console.WithHint(err, "--lenient leaves out lines that cannot be read")
	case errors.Is(err, jsonl.ErrNoMessages) && len(problems) > 0:
		return recording{}, fmt.Errorf("%w: %w", err, &problems[0])
	case err != nil:
		return recording{}, err
	}
	rec := recording{messages: len(d.Messages)}
	if d.Skipped > 0 {
		rec.left = numbers.Count(d.Skipped, "line")
	}
	for _, p := range problems {
		rec.problems = append(rec.problems, ProblemOf(&p))
	}
	rec.events = func(ctx context.Context, w *storage.Writer) ([]conversation.Event, error) {
		most := i.ArrivalCap(d.Meta.Model)
		return d.Events(jsonl.Options{Start: time.Now(), Title: o.Title, Model: i.model, MaxChars: most.Chars, Names: most.Names,
			CutForGood: !i.Settings.Cfg().ToolResults.KeepFull, Keep: func(text string) (string, error) { return w.PutBlob(ctx, text) }})
	}
	return rec, nil
}

// model is the name of a model as it is written here: with its maker
// where a file names the model alone.
func (i *Importer) model(name string) string {
	if first, rest, ok := strings.Cut(name, "/"); ok && rest != "" && i.Providers.Known(first) {
		return name
	}
	if e, ok := catalog.ByID(name); ok && e.Match != catalog.MatchFamily && i.Providers.Known(e.Provider) {
		return e.Provider + "/" + name
	}
	return name
}

// ArrivalCap is how results of a recording are cut: as they would be in a conversation
// with the model that it names, as far as its window is known without asking.
func (i *Importer) ArrivalCap(model string) conversation.ArrivalCap {
	provider, id, _ := strings.Cut(i.model(model), "/")
	m := llm.Model{Provider: provider, ID: id}
	if e, ok := catalog.Lookup(provider, id); ok && e.Match != catalog.MatchFamily {
		m = e.Model(id)
	}
	cfg := i.Settings.Cfg()
	i.Providers.Apply(&m, setup.DescribedModel(cfg, provider, id))
	return compact.ArrivalCap(setup.RulesOf(cfg).Preset, int(cfg.ToolResults.MaxChars), m.Window.Tokens)
}

// store stores a new conversation in one transaction.
func (i *Importer) store(ctx context.Context, rec recording) (id string, turns int, err error) {
	id = conversation.NewID()
	w, err := i.Resources.Store.Create(ctx, storage.NewConversation{ID: id, Workspace: i.Settings.Workspace})
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	events, err := rec.events(ctx, w)
	if err != nil {
		return "", 0, err
	}
	for _, e := range events {
		if e.Body.Kind() == conversation.KindUser {
			turns++
		}
	}
	if turns == 0 {
		return "", 0, errNobodySpoke
	}
	return id, turns, w.Append(ctx, events)
}

// importSource reads a file to its end or until ctx ends, not without limit,
// and shows how far it is.
type importSource struct {
	ctx   context.Context
	from  io.Reader
	end   func() error
	Bar   *console.Progress
	read  int
	Total int // bytes, 0 unknown
}

// Sources opens the files that are imported.
type Sources struct{ Console *console.Console }

// Open opens a file; "-" is standard input.
func (u *Sources) Open(ctx context.Context, file string, bar *console.Progress) (*importSource, error) {
	s := &importSource{ctx: ctx, Bar: bar}
	if file == "-" {
		if u.Console.Stdin == nil {
			return nil, errors.New("nothing is piped in")
		}
		if console.Terminal(u.Console.Stdin) {
			u.Console.Note("reading what is typed; Ctrl+D on a line of its own ends it")
		}
		s.from, s.end = interruptible(ctx, u.Console.Stdin)
		return s, nil
	}
	st, err := os.Stat(file)
	if err != nil {
		return nil, PlainPath(err)
	}
	if st.IsDir() {
		return nil, console.WithHint(errors.New("it is a folder"), "name the files in it")
	}
	if !st.Mode().IsRegular() { // opening a pipe waits for who writes into it
		s.from, s.end = interruptible(ctx, &lateOpened{path: file})
		return s, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, PlainPath(err)
	}
	s.from, s.end, s.Total = f, f.Close, int(st.Size())
	return s, nil
}

// lateOpened is a file that is opened when it is read for the first time, and
// closed when it cannot be read any further.
type lateOpened struct {
	path string
	file *os.File
}

func (l *lateOpened) Read(p []byte) (int, error) {
	if l.file == nil {
		f, err := os.Open(l.path)
		if err != nil {
			return 0, PlainPath(err)
		}
		l.file = f
	}
	n, err := l.file.Read(p)
	if err != nil {
		// Nothing was written to it.
		_ = l.file.Close()
	}
	return n, err
}

// PlainPath is an error without the path, which is told anyway.
func PlainPath(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// interruptible makes a stream one whose reading ends with ctx. A stream cannot
// be made to stop waiting, so what reads it then ends with the program.
func interruptible(ctx context.Context, stream io.Reader) (io.Reader, func() error) {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, stream)
		_ = w.CloseWithError(err) // never fails
	}()
	stop := context.AfterFunc(ctx, func() { _ = r.CloseWithError(ctx.Err()) })
	return r, func() error {
		stop()
		return r.Close()
	}
}

func (s *importSource) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.from.Read(p)
	if s.read += n; s.read > maxImport {
		return 0, fmt.Errorf("it is larger than %d MiB", maxImport>>20)
	}
	s.Bar.Show(min(s.read, s.Total), s.Total)
	return n, err
}

// Close ends the reading. What was read is complete by then, so an error says
// nothing.
func (s *importSource) Close() {
	s.Bar.Clear()
	_ = s.end()
}
