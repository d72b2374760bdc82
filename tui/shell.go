package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
)

// A command of the user's own runs beside everything else, one at a time, is
// shown while it runs, and can be stopped.

// shellRun is a command that runs.
type shellRun struct {
	command string
	asked   int  // the key before it was sent, by hands.pressed
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

// startShell runs a command.
func (m *Model) startShell(command string, add bool) tea.Cmd {
	run := &shellRun{command: command, asked: m.hands.pressed, add: add}
	why := ""
	switch {
	case m.shell != nil:
		why = m.shell.command + " still runs"
	case add:
		why = m.refusal()
	}
	if why != "" {
		m.composer.Prepend(run.line())
		return m.say(why, true)
	}
	ctx, stop := context.WithCancel(m.ctx)
	m.status.clock = m.options.Now()
	run.since, run.stop = m.status.clock, stop
	m.shell = run
	return tea.Batch(m.runShell(ctx, run), m.keepTicking())
}

// stopShell stops it; what it printed so far is shown.
func (m *Model) stopShell() {
	m.shell.stopped = true
	m.shell.stop()
}

// shellDone adds the output of the user's own command to the conversation, for the
// model to read with the next message, or only shows it.
func (m *Model) shellDone(msg shellMsg) tea.Cmd {
	run := msg.run
	run.stop()
	m.shell = nil
	switch {
	case run.stopped:
		return m.kept(run.line()+" (stopped)", msg.output)
	case msg.err != nil:
		m.leave(typedLine{run.line(), run.asked})
		return m.miss(fmt.Errorf("%s: %w", run.line(), msg.err))
	case run.add:
		return m.hand(&outgoing{waiting: newWaiting(run.line()), line: typedLine{run.line(), run.asked}, ran: conversation.Ran(run.command, msg.output), ready: true})
	default:
		return m.kept(run.line(), msg.output)
	}
}
