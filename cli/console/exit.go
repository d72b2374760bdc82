package console

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/config"
	"plimsoll/conversation/plain"
)

// Exit codes.
const (
	ExitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	ExitInterrupted = 130
)

// UsageError is an error of the user's flags, arguments or configuration. It ends the program with exit code 2.
type UsageError struct{ err error }

func (u UsageError) Error() string { return u.err.Error() }
func (u UsageError) Unwrap() error { return u.err }

// AsUsage makes an error a usage error.
func AsUsage(err error) error { return UsageError{err} }

// WrongUse makes a new usage error.
func WrongUse(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Hinted is an error with a hint what to do about it.
type Hinted struct {
	err  error
	Hint string
}

func (h Hinted) Error() string { return h.err.Error() }
func (h Hinted) Unwrap() error { return h.err }

// WithHint adds a hint to an error. A nil error stays nil.
func WithHint(err error, hint string) error {
	if err == nil {
		return nil
	}
	return Hinted{err, hint}
}

// ErrSaid ends a command that has already written its error to standard error.
var ErrSaid = errors.New("said")

// ExitCode is the exit code for a command's error.
func ExitCode(err error) int {
	var use UsageError
	var problems config.Problems
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &use), errors.As(err, &problems):
		return exitUsage
	}
	return exitFailed
}

// Explain is an error for the user: what happened, then the hint.
func Explain(err error) string {
	text := "plimsoll: " + err.Error()
	var h Hinted
	var a *llm.Error
	switch {
	case errors.As(err, &h):
		text += "\n  " + h.Hint
	case errors.As(err, &a) && a.Hint != "":
		text += "\n  " + a.Hint
	}
	return strings.TrimRight(plain.Text(text), "\n")
}
