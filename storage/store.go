package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Options tune a store. The zero value is right for the program.
type Options struct {
	// Wait is how long the calls of a store together wait for other programs, until as
	// much time has gone by without waiting; 0 means one second.
	Wait time.Duration
	// Log is told what was healed or could not be, nil means nobody.
	Log *slog.Logger

	filesystem func(dir string) (network string, err error)                     // nil: ask the system
	commit     func(path string) error                                          // nil, or decides in a test whether a transaction fails
	open       func(path string, flags int, mode fs.FileMode) (*os.File, error) // nil: os.OpenFile
}

// Store is a data directory. Its methods may be called from any goroutine; all
// of them block on disk and on other programs, for a second at most, and so
// have no place on the goroutine that draws.
type Store struct {
	dir     string
	options Options
	log     *slog.Logger
	text    compressor

	patience patience

	mu      sync.Mutex // guards the fields below
	gates   map[string]*gate
	writers map[string]*Writer
	notices map[string]string // about the heads of a file, by its path
	closed  bool
}

// Open opens the data directory dir, making it if it does not exist. A
// directory on NFS is ErrNetwork.
func Open(dir string, o Options) (*Store, error) {
	if dir == "" {
		return nil, errors.New("no data directory given")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open data directory: %w", err)
	}
	if o.Wait <= 0 {
		o.Wait = time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if o.open == nil {
		o.open = os.OpenFile
	}
	if o.filesystem == nil {
		o.filesystem = networkFilesystem
	}
	for _, d := range []string{dir, filepath.Join(dir, "conversations")} {
		if err := ownDirectory(d); err != nil {
			return nil, err
		}
	}
	network, err := o.filesystem(dir)
	if err != nil {
		return nil, fmt.Errorf("open data directory %s: %w", dir, err)
	}
	if network != "" {
		return nil, fmt.Errorf("data directory %s is %w (%s), whose locks cannot be relied on: choose one on a local disk with --data",
			dir, ErrNetwork, network)
	}
	return &Store{
		dir: dir, options: o, log: o.Log, patience: patience{most: o.Wait},
		gates: map[string]*gate{}, writers: map[string]*Writer{}, notices: map[string]string{},
	}, nil
}

// ownDirectory makes dir, or tightens its mode.
func ownDirectory(dir string) error {
	if err := makeDirectory(dir); err != nil {
		return fmt.Errorf("make data directory: %w", explain(dir, err))
	}
	st, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("open data directory: %w", err)
	}
	if st.Mode().Perm()&0o077 == 0 {
		return nil
	}
	err = os.Chmod(dir, st.Mode().Perm()&0o700)
	if errors.Is(err, syscall.EROFS) {
		return nil // cannot be changed here, and reading still works
	}
	if err != nil {
		return fmt.Errorf("data directory %s can be read by others and that cannot be changed: %w", dir, err)
	}
	return nil
}

// makeDirectory makes dir and what is missing above it. What is stored in a new
// folder is only as durable as the folder's own name in the one above.
func makeDirectory(dir string) error {
	var above []string
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		above = append(above, filepath.Dir(d))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, d := range above {
		// A folder that may be written to but not read cannot be synced.
		if err := syncDirectory(d); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// Dir is the data directory, absolute.
func (s *Store) Dir() string { return s.dir }

// Close closes the writers that are still open. What is busy then is left as it is: an
// index that was not told, a lock file that was not removed and a wait that was given up
// are in nobody's way.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	open := make([]*Writer, 0, len(s.writers))
	for _, w := range s.writers {
		open = append(open, w)
	}
	s.mu.Unlock()
	var errs []error
	for _, w := range open {
		errs = append(errs, w.Close())
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return errors.Join(errs...)
}

func (s *Store) gatePath() string { return filepath.Join(s.dir, "gate") }

func (s *Store) folder() string { return filepath.Join(s.dir, "conversations") }

func (s *Store) lockPath(id string) string { return filepath.Join(s.folder(), id+".lock") }

func (s *Store) conversation(id string) dbfile {
	return dbfile{filepath.Join(s.folder(), id+".db"), &conversationLayout}
}

func (s *Store) index() dbfile { return dbfile{filepath.Join(s.dir, "index.db"), &indexLayout} }

func (s *Store) shared() dbfile { return dbfile{filepath.Join(s.dir, "shared.db"), &sharedLayout} }

// underGate runs f while this process alone may make, remove or rename files
// of the data directory and take or test writer locks. f takes no lock that
// can be held for long.
func (s *Store) underGate(ctx context.Context, f func() error) error {
	return s.underGateWithin(ctx, s.options.Wait, f)
}

// underGateWithin is underGate with a wait of its own.
func (s *Store) underGateWithin(ctx context.Context, wait time.Duration, f func() error) error {
	p, err := s.enter(ctx, s.gatePath(), gating, wait)
	if err != nil {
		return err
	}
	defer p.release()
	return f()
}

// idOf returns the conversation a file name of the folder belongs to.
func idOf(name, suffix string) (string, bool) {
	id, ok := strings.CutSuffix(name, suffix)
	return id, ok && validID(id)
}

// syncDirectory makes a rename in dir durable.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) {
		err = nil // this file system has no such thing
	}
	return errors.Join(err, d.Close())
}

// tell keeps for the user what was noticed about a file.
func (s *Store) tell(path, notice string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notices[path] = notice
}

// told is what was noticed about a file, "" nothing.
func (s *Store) told(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.notices[path]
}

// gone turns a missing file into ErrNotFound.
func gone(id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("conversation %s: %w", id, ErrNotFound)
	}
	return err
}
