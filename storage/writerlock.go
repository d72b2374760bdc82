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
//   - A process must hold the flock of a conversation's .lock file to write to it. The kernel releases it when the
//     process ends or crashes.
//   - Locks are taken, tested and removed while the directory lock is held. A test takes the lock itself for a
//     moment, but nobody else tests then and mistakes it for a writer.

// writerLocks are the writers that a store has open, and their locks.
type writerLocks struct {
	dir  directory
	disk *disk
	log  *slog.Logger

	mu      sync.Mutex // guards the fields below
	writers map[string]*Writer
	closed  bool
}

// lock takes the writer lock of id. If it is held the error is a LockedError.
func (l *writerLocks) lock(ctx context.Context, id string) (*os.File, error) {
	var f *os.File
	err := l.disk.withDirectoryLock(ctx, func() error {
		var err error
		f, err = os.OpenFile(l.dir.writerLockPath(id), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return explain(l.dir.writerLockPath(id), err)
		}
		err = flock(f, unix.LOCK_EX|unix.LOCK_NB)
		if isHeldElsewhere(err) {
			err = &LockedError{ID: id, PID: readPID(f)}
		}
		if err == nil {
			err = writePID(f)
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

// writePID writes this process's id into the lock file, for the error message of other processes. The lock is valid
// even if the write fails (a full disk).
func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return nil
	}
	_, _ = f.WriteAt(strconv.AppendInt(nil, int64(os.Getpid()), 10), 0)
	return restrictMode(f)
}

// readPID reads the process id in a lock file, 0 if it has none.
func readPID(f *os.File) int {
	text, _ := io.ReadAll(io.LimitReader(f, 32)) // what cannot be read is no number
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// unlock releases a writer lock and removes its file. If the directory lock is busy the file remains: it does no harm.
func (l *writerLocks) unlock(f *os.File) {
	err := l.disk.withDirectoryLock(context.Background(), func() error { return os.Remove(f.Name()) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.log.Debug("writer lock left behind", "file", f.Name(), "error", err)
	}
	unlock(f)
}

// heldElsewhere reports which of the conversations are open for writing outside this store. If an error occurs, it
// reports all that are not open in this store.
func (l *writerLocks) heldElsewhere(ctx context.Context, ids []string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(ids) == 0 {
		return found, nil
	}
	err := l.disk.withDirectoryLock(ctx, func() error {
		for _, id := range ids {
			found[id] = !l.isOwn(id) && isLocked(l.dir.writerLockPath(id))
		}
		return nil
	})
	if err != nil {
		for _, id := range ids {
			found[id] = !l.isOwn(id)
		}
	}
	return found, err
}

func isLocked(path string) bool {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	err = flock(f, unix.LOCK_SH|unix.LOCK_NB)
	unlock(f)
	return isHeldElsewhere(err)
}

// isOwn reports whether this store has conversation id open for writing.
func (l *writerLocks) isOwn(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writers[id] != nil
}

// register adds w to the open writers, which Store.Close closes.
func (l *writerLocks) register(w *Writer) error {
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

func (l *writerLocks) unregister(w *Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writers[w.id] == w {
		delete(l.writers, w.id)
	}
}

// close makes register fail from now on. It returns the writers that are open.
func (l *writerLocks) close() []*Writer {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return slices.Collect(maps.Values(l.writers))
}
