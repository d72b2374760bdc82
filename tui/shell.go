package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A command of the user's own runs concurrently with everything else, one at a time,
// is shown while it runs, and can be stopped.

// shellRun is a command that runs.
type shellRun struct {
	command string
	asked   int  // the key before it was sent, by keyboard.pressed
	add     bool // its output becomes part of the conversation
	since   time.Time
	stop    context.CancelFunc
	stopped bool // by the user
}

// line is the command as it was typed.
func (r *shellRun) line() string {
	if r.add {
		return "!" + r.command
	}
	return "!!" + r.command
}

// running reports whether it runs and nobody stopped it yet. A nil one does not.
func (r *shellRun) running() bool { return r != nil && !r.stopped }

// end stops it; what it printed so far is shown.
func (r *shellRun) end() {
	r.stopped = true
	r.stop()
}

// shellMsg brings the output of a command of the user's own.
type shellMsg struct {
	run    *shellRun
	output string
	err    error
}

func (e *env) runShell(ctx context.Context, run *shellRun) tea.Cmd {
	b := e.Backend
	return func() tea.Msg {
		output, err := b.Shell(ctx, run.command)
		return shellMsg{run, output, err}
	}
}
