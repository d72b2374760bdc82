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
	ExitUnavailable = 126 // commands cannot be confined as demanded
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

// codedError ends the program with a code of its own.
type codedError struct {
	error
	code int
}

func (c codedError) Unwrap() error { return c.error }

// WithCode makes an error end the program with an exit code.
func WithCode(code int, err error) error { return codedError{err, code} }

// Hinted is an error with a hint what to do about it.
type Hinted struct {
	err  error
	Hint string
}

func (hinted Hinted) Error() string { return hinted.err.Error() }
func (hinted Hinted) Unwrap() error { return hinted.err }

// WithHint adds a hint to an error. A nil error stays nil.
func WithHint(err error, hint string) error {
	if err == nil {
		return nil
	}
	return Hinted{err, hint}
}

// ErrReported ends a command that has already written its error to standard error.
var ErrReported = errors.New("the error was reported")

// ExitCode is the exit code for a command's error.
func ExitCode(err error) int {
	var usageErr UsageError
	var coded codedError
	var problems config.Problems
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &coded):
		return coded.code
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &usageErr), errors.As(err, &problems):
		return exitUsage
	}
	return exitFailed
}

// Explain formats an error for the user: what happened, then the hint.
func Explain(err error) string {
	text := "plimsoll: " + err.Error()
	var hinted Hinted
	var apiErr *llm.Error
	switch {
	case errors.As(err, &hinted):
		text += "\n  " + hinted.Hint
	case errors.As(err, &apiErr) && apiErr.Hint != "":
		text += "\n  " + apiErr.Hint
	}
	return strings.TrimRight(plain.Text(text), "\n")
}
