package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plimsoll/agent"
	"plimsoll/config"
	"plimsoll/conversation/plain"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// usageError is wrong use, a bad configuration, or no provider where nobody
// can be asked.
type usageError struct{ err error }

func (u usageError) Error() string { return u.err.Error() }
func (u usageError) Unwrap() error { return u.err }

// wrongUse makes an error of wrong use.
func wrongUse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// hinted is an error with what to do about it.
type hinted struct {
	err  error
	hint string
}

func (h hinted) Error() string { return h.err.Error() }
func (h hinted) Unwrap() error { return h.err }

// withHint adds what to do about an error. A nil error stays nil.
func withHint(err error, hint string) error {
	if err == nil {
		return nil
	}
	return hinted{err, hint}
}

// errSaid ends a command that has already said on standard error what is
// wrong.
var errSaid = errors.New("said")

// exitCode is the code a command's error ends the program with.
func exitCode(err error) int {
	var use usageError
	var problems config.Problems
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &use), errors.As(err, &problems):
		return exitUsage
	}
	return exitFailed
}

// explain is an error as the user reads it: what happened, then what to do.
func explain(err error) string {
	text := "plimsoll: " + err.Error()
	var h hinted
	var a *agent.Error
	switch {
	case errors.As(err, &h):
		text += "\n  " + h.hint
	case errors.As(err, &a) && a.Hint != "":
		text += "\n  " + a.Hint
	}
	return strings.TrimRight(plain.Text(text), "\n")
}
