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

// UsageError is wrong use, a bad configuration, or no provider where nobody
// can be asked.
type UsageError struct{ err error }

func (u UsageError) Error() string { return u.err.Error() }
func (u UsageError) Unwrap() error { return u.err }

// AsUsage makes wrong use of an error.
func AsUsage(err error) error { return UsageError{err} }

// WrongUse makes an error of wrong use.
func WrongUse(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Hinted is an error with what to do about it.
type Hinted struct {
	err  error
	Hint string
}

func (h Hinted) Error() string { return h.err.Error() }
func (h Hinted) Unwrap() error { return h.err }

// WithHint adds what to do about an error. A nil error stays nil.
func WithHint(err error, hint string) error {
	if err == nil {
		return nil
	}
	return Hinted{err, hint}
}

// ErrSaid ends a command that has already said on standard error what is
// wrong.
var ErrSaid = errors.New("said")

// ExitCode is the code a command's error ends the program with.
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

// Explain is an error as the user reads it: what happened, then what to do.
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
