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

// trimmedText is shown after the oldest messages were left out automatically (OneClaw).
const trimmedText = "Conversation history has been automatically trimmed"

// update shows an update that the session has applied.
func (c *chat) update(u updates.Update) pane.Action {
	switch u := u.(type) {
	case updates.Appended:
		c.addEvents(u.Events)
	case updates.Delta:
		c.animation.streamingCall, c.animation.thinking = "", u.Text == "" && u.Reasoning != ""
		c.transcript.Delta(u.Text, u.Reasoning)
	case updates.CallStreaming:
		if c.animation.streamingCall = u.Name; u.Chars >= 1000 {
			c.animation.streamingCall = fmt.Sprintf("%s (%s characters so far)", u.Name, pane.Tokens(u.Chars))
		}
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
		c.outbox.returnToDraft(u.Texts)
	case updates.Status:
		if u.Phase != updates.Streaming {
			c.animation.streamingCall, c.animation.thinking = "", false
		}
		c.animation.clock = c.env.Now()
		c.composer.SetBusy(c.session.activity.busy())
		c.transcript.SetBusy(c.session.activity.busy())
		if !c.session.activity.busy() {
			return c.refreshOwnStatus()
		}
	case updates.Metered:
		c.transcript.SetFactor(c.session.load.calibration())
		c.transcript.SetPrice(c.session.resendPrice())
		return c.metered()
	case updates.Failed:
		return c.showFailed(u)
	default:
		return c.updateCompaction(u)
	}
	return nil
}

func (c *chat) addEvents(events []conversation.Event) {
	c.transcript.Append(events)
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			delete(c.outbox.typedAs, b.Text)
		case conversation.MCPServer: // its prompts are commands, its resources can be mentioned
			c.ownListedAt, c.filesListedAt = time.Time{}, time.Time{}
		}
	}
}

// showFailed shows a failure in the transcript, where it stays, unless it is in the log already.
func (c *chat) showFailed(u updates.Failed) pane.Action {
	switch err := u.Err; {
	case err.Class == llm.Cancelled:
		return nil
	case u.Logged:
	case err.Class == llm.BadRequest && err.Status == 0:
		return refusal(errorWithHint(err))
	default:
		c.transcript.ShowError(err.Error(), err.Hint)
	}
	err := u.Err
	return snackbarIfHidden{Snackbar: pane.Snackbar{Text: err.Error(), Failure: true}}
}

func (c *chat) showOutput(title, text string) pane.Action {
	c.transcript.ShowOutput(title, text)
	return snackbarIfHidden{Snackbar: pane.Snackbar{Text: title + ": the conversation has it"}}
}

func (c *chat) updateCompaction(u updates.Update) pane.Action {
	switch u := u.(type) {
	case updates.Compacting:
		c.summaryStarted(u)
	case updates.Compacted:
		return actionList{c.showCompacted(u), c.refreshOwnStatus()}
	case updates.CompactionFailed:
		if !isManual(u.Request.Source) {
			return nil
		}
		if u.Err.Class != llm.Cancelled {
			c.outbox.returnLine(c.pendingLine)
		}
		return c.showNotCompacted(u.Err)
	case updates.Edited:
		return c.showEdited(u)
	}
	return nil
}

// isManual reports whether the user requested a compaction. A compaction without a source is the user's.
func isManual(s conversation.Source) bool { return s == conversation.SourceManual || s == "" }

// summaryStarted handles that a summary is being written, or that a request waits for it.
func (c *chat) summaryStarted(u updates.Compacting) {
	if !u.Summary && !u.RequestWaits {
		return
	}
	if isManual(u.Source) {
		// The command succeeded. If the summary fails later, its line is not put into
		// the composer, where the user may be typing: the prompt history has it.
		c.pendingLine = typedLine{}
	}
	c.animation.clock = c.env.Now()
	c.gauge.SetGoing(c.session.going())
}

// showCompacted shows that a compaction was made, undone or redone.
func (c *chat) showCompacted(u updates.Compacted) pane.Action {
	if isManual(u.Source) {
		c.pendingLine = typedLine{}
	}
	p := u.Preview
	made, change := "Compacted "+pane.Turns(p.Range.From, p.Range.To), ""
	if p.Before > 0 {
		change = fmt.Sprintf(": %s → %s tokens", pane.Tokens(p.Before), pane.Tokens(p.After))
	}
	switch {
	case u.Undone:
		change = ""
		if p.After > 0 {
			change = ": " + pane.Tokens(p.After) + " again"
		}
		if u.Next > 0 {
			change += ". Next at " + pane.Tokens(u.Next)
		}
		return compactionUndone{pane.Snackbar{Text: change}, u.Epoch}
	case u.Redone:
		made = "Compaction redone"
	case u.Trimmed:
		return textSnackbar(trimmedText)
	case !isManual(u.Source):
		return nil
	}
	return snackbarIfHidden{pane.Snackbar{Text: made + change}, u.Epoch}
}

// showNotCompacted shows why a compaction was not made. One that the user stopped, or that
// is not possible, is not shown as a failure.
func (c *chat) showNotCompacted(err *llm.Error) pane.Action {
	text := refusalText(err)
	switch {
	case err.Class == llm.Cancelled: // its line in the transcript shows it
	case errors.Is(err, edit.ErrNothingToUndo), errors.Is(err, edit.ErrNothingToRedo):
		return refusal(text)
	case err.Class == llm.BadRequest && err.Status == 0:
		c.transcript.ShowRefusal(text, err.Hint)
	default:
		c.transcript.ShowError(text, err.Hint)
	}
	return snackbarIfHidden{Snackbar: pane.Snackbar{Text: text, Failure: err.Class != llm.Cancelled}}
}

// refusalText returns the message of an error, whose turns count from 1.
func refusalText(err *llm.Error) string {
	if about, ok := errors.AsType[*edit.RangeError](err); ok {
		return about.Counting(1)
	}
	return err.Error()
}

// errorWithHint returns the message and the hint of an error on one line.
func errorWithHint(err *llm.Error) string {
	if err.Hint == "" {
		return err.Message
	}
	return err.Message + " · " + err.Hint
}

// showEdited shows the result of a pin, a mask or a redo of turns.
func (c *chat) showEdited(u updates.Edited) pane.Action {
	switch {
	case u.What == updates.EditReview && u.Err != nil: // the summary stays open
		return refusal(u.Err.Message)
	case u.Err != nil && u.Err.Class == llm.BadRequest && u.Err.Status == 0:
		c.outbox.returnLine(c.pendingLine)
		return refusal(errorWithHint(u.Err))
	case u.Err != nil:
		return c.showNotCompacted(u.Err)
	}
	c.pendingLine = typedLine{}
	words := map[updates.Edit]string{
		updates.EditPin: "pinned: always sent in full", updates.EditUnpin: "unpinned",
		updates.EditMask: "shortened: the model no longer sees the result", updates.EditRestore: "turns redone",
	}[u.What]
	if u.Before != u.After && u.Before > 0 {
		words += fmt.Sprintf(" · ~%s → ~%s tokens", pane.Tokens(u.Before), pane.Tokens(u.After))
	}
	return textSnackbar(words)
}

func (c *chat) startShell(command string, add bool) pane.Action {
	run := &shellRun{command: command, textKeys: c.keyboard.textKeys, addsOutput: add}
	if !c.session.isOpening {
		run.conversationID = c.session.ID
	}
	var why pane.Action
	switch {
	case c.shell != nil:
		why = refusal(c.shell.command + " still runs")
	case add:
		why = c.session.unsendable()
	}
	if why != nil {
		c.composer.Prepend(run.typedText())
		return why
	}
	ctx, stop := context.WithCancel(c.env.ctx)
	c.animation.clock = c.env.Now()
	run.since, run.cancel = c.animation.clock, stop
	c.shell = run
	b := c.env.Backend
	return actionList{doAsync(func() (string, error) { return b.Shell(ctx, command) }, func(output string, err error) pane.Action {
		return c.shellDone(run, output, err)
	}), c.keepTicking()}
}

// shellDone adds the output of the user's command to the conversation, so that the model
// reads it with the next message, or only shows it, as after a change of conversation.
func (c *chat) shellDone(run *shellRun, output string, err error) pane.Action {
	run.cancel()
	c.shell = nil
	switch {
	case run.stopped:
		return c.showOutput(run.typedText()+" (stopped)", output)
	case err != nil:
		c.outbox.returnLine(typedLine{run.typedText(), run.textKeys})
		return requestFailed{fmt.Errorf("%s: %w", run.typedText(), err)}
	case run.addsOutput && (c.session.isOpening || run.conversationID == "" || run.conversationID == c.session.ID):
		return c.outbox.send(&outgoing{
			waitingMessage: newWaiting(run.typedText()), line: typedLine{run.typedText(), run.textKeys}, ready: true,
			commandText: conversation.FormatCommandOutput(run.command, output), ranIn: run.conversationID, rawOutput: output,
		})
	default:
		return c.showOutput(run.typedText(), output)
	}
}

// The user's commands run one at a time, concurrently with turns. A running command is
// shown in the status line and can be stopped.

// shellRun is a running command of the user.
type shellRun struct {
	command        string
	textKeys       int    // keyboard.textKeys when it was sent
	addsOutput     bool   // its output is added to the conversation
	conversationID string // ID of the conversation, "" for the one that opens next
	since          time.Time
	cancel         context.CancelFunc
	stopped        bool // by the user
}

func (r *shellRun) typedText() string {
	if r.addsOutput {
		return "!" + r.command
	}
	return "!!" + r.command
}

// running reports whether the command runs and was not stopped. r may be nil.
func (r *shellRun) running() bool { return r != nil && !r.stopped }
