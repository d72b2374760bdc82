package transfer

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"plimsoll/cli/console"
	"plimsoll/cli/table"
	"plimsoll/conversation/foreign"
	"plimsoll/conversation/jsonl"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// Folders of sessions. Rules:
//   - The files of a folder are its .jsonl files, and .json files that are sessions. The folders below are searched only if
//     none of them is a session; so folders of sub-agents are not searched.
//   - A database of opencode or Crush is a folder of sessions; of the older opencode store only the folder session is searched.
//   - The newest sessions are those of the files that were written last.
//   - Sessions of sub-agents, and those of other clients without a message, do not count.

// hasMessages recognises a file in the form of package jsonl.
var hasMessages = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"role"\s*:`) })

// ErrNoSession is the error of a folder without a session.
var ErrNoSession = errors.New("there is no session in this folder")

// IsFolder reports whether a path is a folder of sessions, or a database.
func IsFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir() || isDatabase(path)
}

// Files returns the files with sessions in a folder or database, the one that was written last first.
func Files(ctx context.Context, dir string) ([]string, error) {
	written := map[string]time.Time{}
	files, _, err := filesOf(ctx, dir, written)
	switch {
	case err != nil:
		return nil, WithoutPath(err)
	case len(files) == 0 && isDatabase(dir):
		return nil, ErrNoSession
	case len(files) == 0:
		return nil, console.WithHint(errors.New("there is no .jsonl file in this folder"), "files of other names can be named one by one")
	}
	slices.SortStableFunc(files, func(a, b string) int { return written[b].Compare(written[a]) })
	return files, nil
}

// writtenAt is when a file was written, zero if that is unknown: reading it gives the same error.
func writtenAt(file string) time.Time {
	if st, err := os.Stat(file); err == nil {
		return st.ModTime()
	}
	return time.Time{}
}

// filesOf returns the files, and whether one of them is a session. It sets when they were written.
func filesOf(ctx context.Context, dir string, written map[string]time.Time) (files []string, found bool, err error) {
	if isDatabase(dir) {
		files, err = storedSessions(ctx, dir, written)
		return files, files != nil, err
	}
	entries, err := os.ReadDir(dir)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, false, err
	}
	var below []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		ext := filepath.Ext(path)
		written[path] = writtenAt(path)
		switch st, err := os.Stat(path); {
		case e.IsDir():
			if e.Name() == "session" && storeOf(filepath.Join(path, "x", "x")) != "" {
				return filesOf(ctx, path, written)
			}
			below = append(below, path)
		case isDatabase(path):
			more, _, _ := filesOf(ctx, path, written) // one of another program has no sessions
			files, found = append(files, more...), found || more != nil
		case err == nil && !st.Mode().IsRegular() || ext != ".json" && ext != ".jsonl":
		case isSession(path, ext):
			files, found = append(files, path), true
		case ext == ".jsonl":
			files = append(files, path)
		}
	}
	if found {
		return files, true, nil
	}
	var inside []string
	for _, dir := range below {
		if more, ok, _ := filesOf(ctx, dir, written); ok { // a folder that cannot be opened has no sessions
			inside, found = append(inside, more...), true
		}
	}
	if found {
		files = inside
	}
	return files, found, ctx.Err()
}

// isSession reports whether a file begins as a session does.
func isSession(file, ext string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, foreign.HeadSize)) // reading it whole gives the same error
	return foreign.Recognise(head) != foreign.None || IsDocument().Match(head) || ext == ".jsonl" && hasMessages().Match(head)
}

// Session is a file to import: named, or listed as a session in a folder.
type Session struct {
	Path     string         `json:"path"`
	Client   foreign.Client `json:"client,omitempty"`
	Title    string         `json:"title,omitempty"`
	Time     time.Time      `json:"time,omitzero"`      // of the newest message, or when the file was written
	Size     int64          `json:"bytes,omitempty"`    // as it is read
	Messages int            `json:"messages,omitempty"` // 0 if it is not listed
	ID       string         `json:"id,omitempty"`       // of its conversation; this and the next are "" before an import, and if it fails
	Outcome  Outcome        `json:"outcome,omitempty"`
	Err      error          `json:"-"` // why it cannot be read
}

// List returns the first sessions in files, at most limit of them if that is not 0, newest first. The error is that of ctx.
func List(ctx context.Context, c *console.Console, files []string, limit int) ([]Session, error) {
	bar := console.NewProgress(c.Stderr, "looking at "+numbers.Count(len(files), "session"))
	defer bar.Clear()
	var sessions []Session
	for n, file := range files {
		if limit > 0 && len(sessions) == limit {
			break
		}
		bar.Show(n, len(files))
		if s := describe(ctx, c, file); s.Messages > 0 || s.Err != nil {
			sessions = append(sessions, s)
		}
	}
	slices.SortStableFunc(sessions, func(a, b Session) int { return b.Time.Compare(a.Time) })
	return sessions, ctx.Err()
}

// describe reads a session. One of another client that has no messages of its own has none here either.
func describe(ctx context.Context, c *console.Console, file string) Session {
	s := Session{Path: file}
	in, err := Open(ctx, c, file)
	if err != nil {
		s.Err = err
		return s
	}
	defer in.Close()
	read, _, err := ReadRecording(in)
	s.Client, s.Title, s.Size = read.Client, read.Document.Meta.Title, int64(in.read)
	if read.Client != foreign.None && (read.SubAgent || errors.Is(err, jsonl.ErrNoMessages)) {
		return s
	}
	s.Time = writtenAt(file)
	for _, m := range read.Document.Messages {
		if !m.Time.IsZero() {
			s.Time = m.Time
		}
	}
	s.Messages, s.Err = len(read.Document.Messages), err
	return s
}

// WriteSessions writes a table of sessions.
func WriteSessions(c *console.Console, sessions []Session) error {
	columns := []table.Column{table.Left("CLIENT"), table.Left("DATE"), table.Right("SIZE"), table.Right("MESSAGES"), table.Left("TITLE")}
	var rows [][]string
	for _, s := range sessions {
		rows = append(rows, []string{cmp.Or(string(s.Client), "Plimsoll"), numbers.Age(time.Now(), s.Time), numbers.Bytes(s.Size),
			numbers.Grouped(s.Messages), plain.Line(cmp.Or(s.Title, filepath.Base(s.Path)))})
	}
	return table.Write(c.Stdout, c.TableWidth(), columns, rows)
}
