package tui

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// How updates are shown in the transcript and the lines around it.
//
// While a summary is written, a line below the newest reply shows that and for how long,
// whether a request waits for it, and after a while how to stop it. Typing, sending,
// replies and tools continue. The snackbar shows the result of a compaction that the user
// requested; why one failed is shown in the transcript, where it stays. An automatic
// compaction only gets its line in the transcript, unless messages had to be left out.

// trimmed is shown after the oldest messages were left out automatically (ONE).
const trimmed = "Conversation history has been automatically trimmed"

// update shows an update that the session has applied.
func (c *chat) update(u updates.Update) pane.Action {
	switch u := u.(type) {
	case updates.Appended:
		c.appended(u.Events)
	case updates.Delta:
		c.pulse.call = ""
		c.transcript.Delta(u.Text, u.Reasoning)
	case updates.CallStreaming:
		c.pulse.call = callProgress(u)
	case updates.Discarded:
		c.transcript.Discard()
	case updates.ToolStarted:
		c.transcript.ToolStarted(u.CallID, u.Title)
	case updates.ToolOutput:
		c.transcript.ToolOutput(u.CallID, u.Text)
	case updates.Queued:
		c.outbox.setQueued(u.Texts)
	case updates.Returned:
		c.outbox.takeQueued()
		c.outbox.returned(u.Texts)
	case updates.Status:
		c.pulse.statusChanged(u, c.env.Now())
		c.composer.SetBusy(c.session.activity.busy())
	case updates.Metered:
		c.transcript.SetFactor(c.session.load.factor())
	case updates.Failed:
		return c.failed(u)
	default:
		return c.compaction(u)
	}
	return nil
}

func (c *chat) appended(events []conversation.Event) {
	c.transcript.Append(events)
	for _, e := range events {
		if b, ok := e.Body.(conversation.UserMessage); ok {
			c.outbox.logged(b.Text)
		}
	}
}

// callProgress names the call that the model is writing.
func callProgress(u updates.CallStreaming) string {
	if u.Chars < 1000 {
		return u.Name
	}
	return fmt.Sprintf("%s (%s characters so far)", u.Name, pane.Tokens(u.Chars))
}

// failed shows a failure in the transcript, where it stays, unless it is in the log
// already.
func (c *chat) failed(u updates.Failed) pane.Action {
	switch err := u.Err; {
	case err.Class == llm.Cancelled:
		return nil
	case u.Logged:
	case err.Class == llm.BadRequest && err.Status == 0:
		return refuse(withHint(err))
	default:
		c.transcript.ShowError(err.Error(), err.Hint)
	}
	err := u.Err
	return snackbarIfHidden{pane.Say{Text: err.Error(), Bad: true}}
}

// fault shows a failure in the transcript, where it stays.
func (c *chat) fault(text string) pane.Action {
	c.transcript.ShowError(text, "")
	return snackbarIfHidden{pane.Say{Text: text, Bad: true}}
}

// output puts a text into the transcript.
func (c *chat) output(title, text string) pane.Action {
	c.transcript.ShowOutput(title, text)
	return snackbarIfHidden{pane.Say{Text: title + ": the conversation has it"}}
}

// compaction shows an update about a compaction.
func (c *chat) compaction(u updates.Update) pane.Action {
	switch u := u.(type) {
	case updates.Compacting:
		c.compacting(u)
	case updates.Compacted:
		return c.compacted(u)
	case updates.CompactionFailed:
		if !byUser(u.Request.Source) {
			return nil
		}
		if u.Err.Class != llm.Cancelled {
			c.outbox.leaveLine(c.line)
		}
		return c.notCompacted(u.Err)
	case updates.Edited:
		return c.steered(u)
	}
	return nil
}

// byUser reports whether the user requested a compaction. A compaction without a source
// is the user's.
func byUser(s conversation.Source) bool { return s == conversation.SourceManual || s == "" }

// compacting handles that a summary is being written, or that a request waits for it.
func (c *chat) compacting(u updates.Compacting) {
	if !u.Summary && !u.RequestWaits {
		return
	}
	if byUser(u.Source) {
		// The command succeeded. If the summary fails later, its line is not put into
		// the composer, where the user may be typing: the prompt history has it.
		c.line = typedLine{}
	}
	c.pulse.clock = c.env.Now()
}

// compacted shows that a compaction was made, undone or redone.
func (c *chat) compacted(u updates.Compacted) pane.Action {
	if byUser(u.Source) {
		c.line = typedLine{}
	}
	p := u.Preview
	change := ""
	if p.Before > 0 {
		change = fmt.Sprintf(" · %s → %s tokens", pane.Tokens(p.Before), pane.Tokens(p.After))
	}
	switch {
	case u.Undone:
		if u.Next > 0 {
			change += " · next at " + pane.Tokens(u.Next)
		}
		return compactionUndone{change}
	case u.Redone:
		return say("redone" + change)
	case u.Trimmed:
		return say(trimmed)
	case byUser(u.Source):
		return say("compacted " + p.Range.String() + change)
	}
	return nil
}

// notCompacted shows why a compaction was not made. One that the user stopped, or that
// is not possible, is not shown as a failure.
func (c *chat) notCompacted(err *llm.Error) pane.Action {
	text := err.Error()
	switch {
	case err.Class == llm.Cancelled: // its line in the transcript shows it
	case errors.Is(err, edit.ErrNothingToUndo), errors.Is(err, edit.ErrNothingToRedo):
		return refuse(text)
	case err.Class == llm.BadRequest && err.Status == 0:
		c.transcript.ShowRefusal(text, err.Hint)
	default:
		c.transcript.ShowError(text, err.Hint)
	}
	return snackbarIfHidden{pane.Say{Text: text, Bad: err.Class != llm.Cancelled}}
}

// withHint returns the message and the hint of an error on one line.
func withHint(err *llm.Error) string {
	if err.Hint == "" {
		return err.Message
	}
	return err.Message + " · " + err.Hint
}

// steered shows the result of a pin, a mask or a redo of turns.
func (c *chat) steered(u updates.Edited) pane.Action {
	switch {
	case u.What == updates.EditReview && u.Err != nil: // the summary stays open
		return refuse(u.Err.Message)
	case u.Err != nil && u.Err.Class == llm.BadRequest && u.Err.Status == 0:
		c.outbox.leaveLine(c.line)
		return refuse(withHint(u.Err))
	case u.Err != nil:
		return c.notCompacted(u.Err)
	}
	c.line = typedLine{}
	words := map[updates.Edit]string{
		updates.EditPin: "pinned: always sent in full", updates.EditUnpin: "unpinned",
		updates.EditMask: "masked: the model no longer sees the result", updates.EditRestore: "turns redone",
	}[u.What]
	if u.Before != u.After && u.Before > 0 {
		words += fmt.Sprintf(" · ~%s → ~%s tokens", pane.Tokens(u.Before), pane.Tokens(u.After))
	}
	return say(words)
}

// startShell runs a command of the user.
func (c *chat) startShell(command string, add bool) pane.Action {
	run := &shellRun{command: command, asked: c.keyboard.pressed, add: add}
	if !c.session.opening {
		run.in = c.session.ID
	}
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
	b := c.env.Backend
	return actionList{after(func() (string, error) { return b.Shell(ctx, command) }, func(output string, err error) pane.Action {
		return c.shellDone(run, output, err)
	}), c.keepTicking()}
}

// shellDone adds the output of the user's command to the conversation, so that the model
// reads it with the next message, or only shows it, as after a change of conversation.
func (c *chat) shellDone(run *shellRun, output string, err error) pane.Action {
	run.stop()
	c.shell = nil
	switch {
	case run.stopped:
		return c.output(run.line()+" (stopped)", output)
	case err != nil:
		c.outbox.leaveLine(typedLine{run.line(), run.asked})
		return requestFailed{fmt.Errorf("%s: %w", run.line(), err)}
	case run.add && (c.session.opening || run.in == "" || run.in == c.session.ID):
		return c.outbox.send(&outgoing{waiting: newWaiting(run.line()), line: typedLine{run.line(), run.asked}, ran: conversation.FormatCommandOutput(run.command, output), ready: true,
			in: run.in, output: output})
	default:
		return c.output(run.line(), output)
	}
}

// The user's commands run one at a time, concurrently with turns. A running command is
// shown in the status line and can be stopped.

// shellRun is a running command of the user.
type shellRun struct {
	command string
	asked   int    // keyboard.pressed when it was sent
	add     bool   // its output is added to the conversation
	in      string // ID of the conversation, "" for the one that opens next
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

// running reports whether the command runs and was not stopped. r may be nil.
func (r *shellRun) running() bool { return r != nil && !r.stopped }

// end stops the command; its output so far is shown.
func (r *shellRun) end() {
	r.stopped = true
	r.stop()
}
