package storage

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// access is how a file is opened and locked.
type access int

const (
	reading  access = iota // shared lock
	checking               // shared lock; all pages are looked at, and nothing is put right
	writing                // exclusive lock
	gating                 // exclusive lock on an empty file, made when missing
)

func (a access) flags() int {
	switch a {
	case reading, checking:
		return os.O_RDONLY
	case gating:
		return os.O_RDWR | os.O_CREATE
	}
	return os.O_RDWR
}

func (a access) lock() int {
	if a == reading || a == checking {
		return unix.LOCK_SH
	}
	return unix.LOCK_EX
}

// How much of a file has been looked at before it is used.
const (
	surveyedWays = 1 // the pages that lead to others
	surveyedAll  = 2
)

// surveying is what has to be looked at.
func (a access) surveying() int {
	if a == reading {
		return surveyedWays
	}
	return surveyedAll
}

// flock locks f and repeats what a signal interrupts.
func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// held reports whether err says that another has the lock.
func held(err error) bool { return errors.Is(err, unix.EWOULDBLOCK) }

// unlock releases explicitly before closing: a child that is between fork and
// exec still has the descriptor, and closing ours alone would leave the lock
// with it.
func unlock(f *os.File) {
	// Closing releases the lock too, so neither error leaves anything behind.
	_ = flock(f, unix.LOCK_UN)
	_ = f.Close()
}

// stillAt reports whether f is what path names: while one waits for the lock
// of a file, a repair may have put another in its place.
func stillAt(f *os.File, path string) (bool, error) {
	opened, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return os.SameFile(opened, named), nil
}

// tighten removes what others may do with our own file f.
func tighten(f *os.File) error {
	st, err := f.Stat()
	if err != nil || st.Mode().Perm()&0o077 == 0 {
		return err
	}
	err = f.Chmod(st.Mode().Perm() & 0o700)
	if errors.Is(err, syscall.EROFS) {
		return nil // cannot be changed here, and reading still works
	}
	return err
}
