package storage

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// Options tune a store. The zero value is right for the program.
type Options struct {
	// Wait is the time that the calls of a store may together wait for other programs. It
	// refills while no call waits; 0 means one second.
	Wait time.Duration
	// Log receives repairs and errors that are not returned; nil means no log.
	Log *slog.Logger

	filesystem func(dir string) (network string, err error)                     // nil: ask the system
	commit     func(path string) error                                          // a test's hook that can fail a transaction; nil: none
	open       func(path string, flags int, mode fs.FileMode) (*os.File, error) // nil: os.OpenFile
}

// Store is an open data directory. Its methods may be called from any goroutine. All
// of them block on the disk and may wait a second for other programs, so the
// goroutine that draws the screen must not call them.
type Store struct {
	dir   directory
	disk  *disk
	index *index
	locks *writerLocks
	log   *slog.Logger
	texts compressor
}

// Open opens the data directory dir and creates it if it is missing. A
// directory on NFS is ErrNetwork.
func Open(dir string, o Options) (*Store, error) {
	if dir == "" {
		return nil, errors.New("no data directory given")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open data directory: %w", err)
	}
	o.Wait = cmp.Or(o.Wait, time.Second)
	o.Log = cmp.Or(o.Log, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if o.open == nil {
		o.open = os.OpenFile
	}
	if o.filesystem == nil {
		o.filesystem = networkFilesystem
	}
	for _, d := range []string{dir, filepath.Join(dir, "conversations")} {
		if err := makePrivateDirectory(d); err != nil {
			return nil, err
		}
	}
	network, err := o.filesystem(dir)
	if err != nil {
		return nil, fmt.Errorf("open data directory %s: %w", dir, err)
	}
	if network != "" {
		return nil, fmt.Errorf("data directory %s is %w (%s), where locks are unreliable: choose one on a local disk with --data",
			dir, ErrNetwork, network)
	}
	at := directory(dir)
	disk := &disk{
		dir: at, wait: o.Wait, commit: o.commit, open: o.open, log: o.Log, budget: waitBudget{limit: o.Wait},
		queues: map[string]*fileQueue{}, notices: map[string]string{},
	}
	return &Store{
		dir: at, disk: disk, log: o.Log,
		index: &index{dir: at, disk: disk, log: o.Log},
		locks: &writerLocks{dir: at, disk: disk, log: o.Log, writers: map[string]*Writer{}},
	}, nil
}

// Dir is the data directory, absolute.
func (s *Store) Dir() string { return string(s.dir) }

// Close closes the writers that are still open. It does not wait for busy files: an outdated
// index, a remaining lock file and an abandoned wait do no harm.
func (s *Store) Close() error {
	var errs []error
	for _, w := range s.locks.close() {
		errs = append(errs, w.Close())
	}
	s.disk.close()
	return errors.Join(errs...)
}
