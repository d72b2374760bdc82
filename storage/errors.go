package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"
)

// Errors that callers test with errors.Is. All are wrapped with the name of the file
// or the conversation.
var (
	// ErrBusy: another program locked a file for longer than the allowed wait.
	// The caller may try again later.
	ErrBusy = errors.New("another program is using it; try again")
	// ErrLocked: the conversation is open for writing elsewhere; see LockedError.
	ErrLocked = errors.New("open for writing elsewhere")
	// ErrConflict: events were appended that do not follow the newest stored one.
	ErrConflict = errors.New("events do not follow the newest stored one")
	// ErrNotFound: no such conversation or blob.
	ErrNotFound = errors.New("not found")
	// ErrExists: a conversation of this ID is stored already.
	ErrExists = errors.New("already exists")
	// ErrNewer: the file has a format this build does not know.
	ErrNewer = errors.New("written by a newer version of Plimsoll: update Plimsoll")
	// ErrDamaged: the file cannot be read; see DamagedError.
	ErrDamaged = errors.New("damaged")
	// ErrClosed: the store or the writer was closed before the call.
	ErrClosed = errors.New("closed")
	// ErrNetwork: the data directory is on a file system without reliable locks.
	ErrNetwork = errors.New("on a network file system")
)

// LockedError is the ErrLocked that names the process that has a conversation
// open for writing.
type LockedError struct {
	ID  string
	PID int // process that has it open, 0 if unknown
}

// Error names the conversation and the process.
func (e *LockedError) Error() string {
	who := "another Plimsoll"
	if e.PID > 0 {
		who = fmt.Sprintf("another Plimsoll (process %d)", e.PID)
	}
	return fmt.Sprintf("conversation %s is open in %s: close it there or fork it", e.ID, who)
}

// Is reports whether target is ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// DamagedError names a file that cannot be read. It is an ErrDamaged.
type DamagedError struct {
	File  string
	Cause error
}

// Error names the file and what to do.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is damaged (%v): run `plimsoll doctor`", e.File, e.Cause)
}

// Is reports whether target is ErrDamaged.
func (e *DamagedError) Is(target error) bool { return target == ErrDamaged }

// Unwrap returns the cause.
func (e *DamagedError) Unwrap() error { return e.Cause }

// AmbiguousError means that an ID prefix is too short, or matches no conversation or several. With
// no match it is an ErrNotFound.
type AmbiguousError struct {
	Prefix     string
	Matches    int     // number of conversations whose ID begins with Prefix
	Candidates []Entry // the first of these; without a match, the newest conversations
}

// Error lists the candidates, one per line.
func (e *AmbiguousError) Error() string {
	var b strings.Builder
	switch {
	case e.Matches == 0:
		fmt.Fprintf(&b, "no conversation begins with %q", e.Prefix)
		if len(e.Candidates) > 0 {
			b.WriteString("; the newest are:")
		}
	case e.Matches == 1: // the prefix has fewer than 4 characters
		fmt.Fprintf(&b, "%q is too short, at least 4 characters are needed:", e.Prefix)
	default:
		fmt.Fprintf(&b, "%q names %d conversations:", e.Prefix, e.Matches)
	}
	for _, c := range e.Candidates {
		fmt.Fprintf(&b, "\n  %s  %s", c.ID, c.Heading())
	}
	return b.String()
}

// Is reports whether target is ErrNotFound and no conversation matched.
func (e *AmbiguousError) Is(target error) bool { return target == ErrNotFound && e.Matches == 0 }

// damaged wraps cause in a DamagedError, unless it contains one already.
func damaged(path string, cause error) error {
	if _, ok := errors.AsType[*DamagedError](cause); ok {
		return cause
	}
	return &DamagedError{File: path, Cause: cause}
}

// explain turns an error of bbolt or the system about path into one that
// tells the user what happened and what to do.
func explain(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("%s: %w", path, ErrBusy)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum),
		errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, berrors.ErrInvalidMapping),
		strings.Contains(err.Error(), "file size too small"):
		return damaged(path, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%s could not be written, the disk or the quota is full: free some space and try again: %w", path, err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be written: check the owner and the permissions of the data directory: %w", path, err)
	}
	return err
}
