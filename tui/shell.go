package tui

import (
	"context"
	"fmt"
	"time"

	"plimsoll/conversation"
	"plimsoll/tui/pane"
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

// startShell runs a command.
func (c *chat) startShell(command string, add bool) pane.Action {
	run := &shellRun{command: command, asked: c.keyboard.pressed, add: add}
	why := ""
	switch {
	case c.shell != nil:
		why = c.shell.command + " still runs"
	case add:
		why = c.session.refusal()
	}
	if why != "" {
		c.composer.Prepend(run.line())
		return refuse(why)
	}
	ctx, stop := context.WithCancel(c.env.ctx)
	c.pulse.clock = c.env.Now()
	run.since, run.stop = c.pulse.clock, stop
	c.shell = run
	return several{c.env.runShell(ctx, run), c.keepTicking()}
}

// running reports whether it runs and was not told to stop. A nil one does not.
func (r *shellRun) running() bool { return r != nil && !r.stopped }

// end stops it; what it printed so far is shown.
func (r *shellRun) end() {
	r.stopped = true
	r.stop()
}

// shellDone adds the output of the user's own command to the conversation, for the
// model to read with the next message, or only shows it.
func (c *chat) shellDone(msg shellMsg) pane.Action {
	run := msg.run
	run.stop()
	c.shell = nil
	switch {
	case run.stopped:
		return c.output(run.line()+" (stopped)", msg.output)
	case msg.err != nil:
		c.outbox.leaveLine(typedLine{run.line(), run.asked})
		return missing{fmt.Errorf("%s: %w", run.line(), msg.err)}
	case run.add:
		return c.outbox.send(&outgoing{waiting: newWaiting(run.line()), line: typedLine{run.line(), run.asked}, ran: conversation.Ran(run.command, msg.output), ready: true})
	default:
		return c.output(run.line(), msg.output)
	}
}
