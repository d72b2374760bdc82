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
	reading       access = iota // shared lock
	checking                    // shared lock; all pages are verified, and nothing is corrected
	writing                     // exclusive lock
	directoryLock               // exclusive lock on the empty lock file, which is created if missing
)

// flags are the flags for os.OpenFile.
func (a access) flags() int {
	switch a {
	case reading, checking:
		return os.O_RDONLY
	case directoryLock:
		return os.O_RDWR | os.O_CREATE
	}
	return os.O_RDWR
}

// lock is the flock operation: shared or exclusive.
func (a access) lock() int {
	if a == reading || a == checking {
		return unix.LOCK_SH
	}
	return unix.LOCK_EX
}

// Which pages of a file have been verified. 0 means none.
const (
	verifiedBranches = 1 // branch pages and the list of buckets, which is enough to read
	verifiedAll      = 2
)

// neededLevel is which pages must be verified before this access.
func (a access) neededLevel() int {
	if a == reading {
		return verifiedBranches
	}
	return verifiedAll
}

// flock calls unix.Flock and repeats it when a signal interrupts it.
func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// isHeldElsewhere reports whether err means that another open file holds the lock.
func isHeldElsewhere(err error) bool { return errors.Is(err, unix.EWOULDBLOCK) }

// unlock unlocks and closes f. Closing alone is not enough: a child process between fork and
// exec still has the descriptor, and with it the lock.
func unlock(f *os.File) {
	// Either call releases the lock, so an error of one does not matter.
	_ = flock(f, unix.LOCK_UN)
	_ = f.Close()
}

// isStillAt reports whether path still names the open file f. While this process waited for the lock,
// a repair may have replaced the file.
func isStillAt(f *os.File, path string) (bool, error) {
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

// restrictMode removes the permissions of group and others from our file f.
func restrictMode(f *os.File) error {
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
