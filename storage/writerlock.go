package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Rules of writer locks:
//   - The process that has the flock of its .lock file writes a conversation. The
//     kernel releases it when the process ends, however it ends.
//   - Locks are taken, tested and removed under the gate of the data directory,
//     so a test, which takes the lock for a moment, is never mistaken for a
//     writer.

// lockWriting takes the writer lock of id or says who has it.
func (s *Store) lockWriting(ctx context.Context, id string) (*os.File, error) {
	var f *os.File
	err := s.disk.underGate(ctx, func() error {
		var err error
		f, err = os.OpenFile(s.dir.lock(id), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return explain(s.dir.lock(id), err)
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

// unlockWriting releases a writer lock and removes its file, or leaves the file
// if the gate cannot be had: an unlocked file does no harm.
func (s *Store) unlockWriting(f *os.File) {
	err := s.disk.underGate(context.Background(), func() error { return os.Remove(f.Name()) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.Debug("writer lock left behind", "file", f.Name(), "error", err)
	}
	unlock(f)
}

// elsewhere tests the writer locks of ids, those of conversations that
// have a lock file. With an error it says yes to all.
func (s *Store) elsewhere(ctx context.Context, ids []string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(ids) == 0 {
		return found, nil
	}
	err := s.disk.underGate(ctx, func() error {
		for _, id := range ids {
			found[id] = !s.mine(id) && lockedFile(s.dir.lock(id))
		}
		return nil
	})
	if err != nil {
		for _, id := range ids {
			found[id] = !s.mine(id)
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
func (s *Store) mine(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writers[id] != nil
}

// enlist makes w known to the store, which closes it in the end.
func (s *Store) enlist(w *Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("open conversation %s: store %w", w.id, ErrClosed)
	}
	if s.writers[w.id] != nil {
		return fmt.Errorf("open conversation %s for writing: %w", w.id, &LockedError{ID: w.id, PID: os.Getpid()})
	}
	s.writers[w.id] = w
	return nil
}

// strike takes w off the list.
func (s *Store) strike(w *Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writers[w.id] == w {
		delete(s.writers, w.id)
	}
}
