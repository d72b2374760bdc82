package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Rules of writer locks:
//   - The process that has the flock of its .lock file writes a conversation. The
//     kernel releases it when the process ends, however it ends.
//   - Locks are taken, tested and removed under the gate of the data directory,
//     so a test, which takes the lock for a moment, is never mistaken for a
//     writer.

// writerLocks are those of the conversations that a store has open for writing.
type writerLocks struct {
	dir  directory
	disk *disk
	log  *slog.Logger

	mu      sync.Mutex // guards the fields below
	writers map[string]*Writer
	closed  bool
}

// lock takes the writer lock of id or says who has it.
func (l *writerLocks) lock(ctx context.Context, id string) (*os.File, error) {
	var f *os.File
	err := l.disk.underGate(ctx, func() error {
		var err error
		f, err = os.OpenFile(l.dir.lock(id), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return explain(l.dir.lock(id), err)
		}
		err = flock(f, unix.LOCK_EX|unix.LOCK_NB)
		if held(err) {
			err = &LockedError{ID: id, PID: pidIn(f)}
		}
		if err == nil {
			err = signIn(f)
		}
		if err != nil {
			unlock(f)
			return err
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("open conversation %s for writing: %w", id, err)
	}
	return f, nil
}

// signIn writes this process's id for the message others show. Not being able
// to (a full disk) is no reason to refuse the lock.
func signIn(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return nil
	}
	_, _ = f.WriteAt(strconv.AppendInt(nil, int64(os.Getpid()), 10), 0)
	return tighten(f)
}

// pidIn reads who holds a lock, 0 if it does not say.
func pidIn(f *os.File) int {
	text, err := io.ReadAll(io.LimitReader(f, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// unlock releases a writer lock and removes its file, or leaves the file
// if the gate cannot be had: an unlocked file is in nobody's way.
func (l *writerLocks) unlock(f *os.File) {
	err := l.disk.underGate(context.Background(), func() error { return os.Remove(f.Name()) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.log.Debug("writer lock left behind", "file", f.Name(), "error", err)
	}
	unlock(f)
}

// elsewhere tests the writer locks of ids, those of conversations that
// have a lock file. With an error it says yes to all.
func (l *writerLocks) elsewhere(ctx context.Context, ids []string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(ids) == 0 {
		return found, nil
	}
	err := l.disk.underGate(ctx, func() error {
		for _, id := range ids {
			found[id] = !l.mine(id) && lockedFile(l.dir.lock(id))
		}
		return nil
	})
	if err != nil {
		for _, id := range ids {
			found[id] = !l.mine(id)
		}
	}
	return found, err
}

// lockedFile reports whether somebody holds the lock of path.
func lockedFile(path string) bool {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	err = flock(f, unix.LOCK_SH|unix.LOCK_NB)
	unlock(f)
	return held(err)
}

// mine reports whether this store has id open for writing.
func (l *writerLocks) mine(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.writers[id]
	return w != nil
}

// enlist makes w known to the store, which closes it in the end.
func (l *writerLocks) enlist(w *Writer) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("open conversation %s: store %w", w.id, ErrClosed)
	}
	if l.writers[w.id] != nil {
		return fmt.Errorf("open conversation %s for writing: %w", w.id, &LockedError{ID: w.id, PID: os.Getpid()})
	}
	l.writers[w.id] = w
	return nil
}

// strike takes w off the list.
func (l *writerLocks) strike(w *Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writers[w.id] == w {
		delete(l.writers, w.id)
	}
}

// open lists the writers that are open; none once it is closed.
func (l *writerLocks) open() []*Writer {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	return slices.Collect(maps.Values(l.writers))
}

// close enlists no writer any more.
func (l *writerLocks) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}
