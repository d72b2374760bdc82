package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// askOptions are the flags of ask.
type askOptions struct {
	isNewest bool
	resume   string
	approve  string
	compact  session.CompactFlag
	json     bool
}

// askCommand asks one question.
type askCommand struct {
	agents        *session.Agents
	console       *console.Console
	conversations *session.Conversations
	models        *setup.Models
	settings      *setup.Settings

	options askOptions
}

func (cmd *askCommand) cobra() *cobra.Command {
	o := &cmd.options
	c := &cobra.Command{
		Use:   "ask [-c | -r ID] PROMPT",
		Short: "Ask one question and print the reply",
		Long: `Asks one question, in a new conversation unless -c or -r names one. Piped input is
appended to the prompt; more than the model's window can hold is refused before
anything is sent or stored. The complete reply goes to standard output, rendered on
a terminal and plain in a pipe. The conversation's ID and the progress go to
standard error. Calls that need approval are denied unless --approve allows them.

--compact first compacts the conversation, as the compact command does; it continues
the newest conversation unless -r names one. If there is nothing to compact, the
question is asked anyway.

With --json standard output is one object per line, each with its type: start (the
conversation), then text and thinking (each whole), call (id, name, arguments),
approval (a call that was denied), result (id, error or null, size in characters),
usage (tokens, cost in US dollars or null), compaction (turns, before, after, cost)
and error (class, message, seconds to the next try or null) as they come, and end
(reason, and the usage of all requests). Exit codes are the same.`,
		Example: `  plimsoll ask "what does this project do?"
  git diff | plimsoll ask "write a commit message"
  plimsoll ask -c "and now in one sentence"
  plimsoll ask --compact=heavy "continue with the upload bug"
  plimsoll ask --approve auto-edit "fix the typo in README.md"
  plimsoll ask --json "list the open questions" | jq -r 'select(.type == "text").text'`,
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), strings.Join(args, " ")) },
	}
	c.Flags().BoolVarP(&o.isNewest, "continue", "c", false, "continue the newest conversation of this workspace")
	c.Flags().StringVarP(&o.resume, "resume", "r", "", "continue the conversation `ID`")
	c.Flags().StringVar(&o.approve, "approve", "", "what may run without asking: `auto-edit|all`")
	c.Flags().BoolVar(&o.json, "json", false, "write one JSON object per line")
	addCompactFlag(c, &o.compact, "compact first, as configured or by --compact=`PROFILE`, and continue the newest conversation")
	return c
}

// Run asks one question and waits for the whole turn.
func (cmd *askCommand) Run(ctx context.Context, prompt string) error {
	o := cmd.options
	mode, err := o.mode()
	if err != nil {
		return err
	}
	if err := cmd.settings.Configure(); err != nil {
		return err
	}
	if err := cmd.console.Asks(prompt); err != nil {
		return err
	}
	id, err := resumeID(ctx, cmd.conversations, o.isNewest || o.compact.IsGiven && o.resume == "", o.resume)
	if err != nil {
		return err
	}
	var s session.ConversationState
	if o.compact.IsGiven {
		if s, err = cmd.conversations.StateOf(ctx, id); err != nil {
			return err
		}
		if _, err := s.NeedsModel(o.compact.Request("ask")); err != nil {
			return err
		}
	}
	l, err := cmd.models.ConnectFor(ctx, id, false)
	if err != nil {
		return err
	}
	prompt, err = cmd.console.WithInput(ctx, prompt, l.Model.Name(), l.Model.Window)
	if err != nil {
		return err
	}
	w := newTurnPrinter(cmd.console, o.json)
	if o.compact.IsGiven {
		w.lines.Start(id, l.Model.Name())
		w.printNotes(cmd.settings.RefusedNotes(), hostedModelNotes(s.Events, l.Model))
		if err := cmd.agents.CompactFirst(ctx, s, o.compact.Request("ask"), l, func(u updates.Update) { w.lines.Show(w.withoutEarlierReply(u)) }); err != nil {
			return errors.Join(err, w.endFailed(ctx))
		}
	}
	r, err := cmd.agents.Start(ctx, l, session.OpenOptions{ID: id, Mode: mode})
	switch {
	case err != nil && o.compact.IsGiven:
		return errors.Join(err, w.endFailed(ctx))
	case err != nil:
		return err
	case o.compact.IsGiven:
		w.printNotes(r.Notes)
	default:
		w.printNotes(cmd.settings.RefusedNotes(), r.Notes, hostedModelNotes(r.Events, r.Connection.Model))
	}
	w.running = r
	w.lines.Start(r.ID, r.Connection.Model.Name())
	w.printProgress(r.ID + " · " + r.Connection.Model.Name())
	r.Agent.Send(prompt)
	err = w.watch(ctx)
	if err == nil && l.AskAgain {
		r.Discoveries.Wait() // now the model is loaded, and the answer is worth recording
	}
	return errors.Join(err, r.Close())
}

// mode is the permission mode that --approve selects.
func (o askOptions) mode() (conversation.Mode, error) {
	switch o.approve {
	case "":
		return "", nil
	case "auto-edit":
		return conversation.ModeAutoEdit, nil
	case "all":
		return conversation.ModeYolo, nil
	}
	return "", console.WrongUse("--approve takes auto-edit or all, not %q", o.approve)
}

// hostedModelNotes notes that a conversation moves from a local model to a hosted one.
func hostedModelNotes(events []conversation.Event, now llm.Model) []string {
	before := setup.LastModel(events)
	if !setup.MovesToHosted(before, now) {
		return nil
	}
	return []string{"the conversation used " + before.Name() + " so far; all of it goes to " + now.Name() + " at " + setup.HostOf(now.BaseURL) + " now"}
}

// turnPrinter prints the turn of one question.
type turnPrinter struct {
	running          *session.Running
	reply            console.ReplyWriter
	lines            *session.JSONLines // the reply too, with --json
	stderr           io.Writer
	failure          *llm.Error
	isLayerShown     bool // a compaction before a request was printed in this turn
	isQuestionLogged bool // the log has the question
}

func newTurnPrinter(c *console.Console, json bool) *turnPrinter {
	if json {
		lines := session.NewJSONLines(c.Stdout)
		return &turnPrinter{reply: lines, lines: lines, stderr: c.Stderr}
	}
	return &turnPrinter{reply: c.ReplyWriter(), stderr: c.Stderr}
}

// watch prints updates until the conversation is idle again. Ending ctx cancels the turn; the partial reply is stored.
func (w *turnPrinter) watch(ctx context.Context) error {
	for {
		updates, err := w.running.Agent.Updates().Take(ctx)
		if err != nil {
			w.running.Agent.Cancel()
			return errors.Join(context.Canceled, w.endCancelled())
		}
		for _, u := range updates {
			u = w.withoutEarlierReply(u)
			over := w.show(u)
			if w.lines.Show(u); over {
				return w.finish()
			}
		}
	}
}

// endCancelled ends the output of a turn that was interrupted.
func (w *turnPrinter) endCancelled() error {
	if w.lines != nil {
		w.lines.Reason = string(conversation.StopCancelled)
	}
	return w.reply.End()
}

// endFailed ends the output of a turn that did not begin.
func (w *turnPrinter) endFailed(ctx context.Context) error {
	if ctx.Err() != nil {
		return w.endCancelled()
	}
	if w.lines != nil {
		w.lines.Reason = string(conversation.StopFailed)
	}
	return w.reply.End()
}

// withoutEarlierReply removes from an update the partial reply of an earlier run that was killed: it answers another
// question.
func (w *turnPrinter) withoutEarlierReply(u updates.Update) updates.Update {
	a, ok := u.(updates.Appended)
	if !ok || w.isQuestionLogged {
		return u
	}
	a.Events = slices.DeleteFunc(slices.Clone(a.Events), func(e conversation.Event) bool {
		_, asked := e.Body.(conversation.UserMessage)
		_, reply := e.Body.(conversation.AssistantMessage)
		usage, ok := e.Body.(conversation.Usage)
		w.isQuestionLogged = w.isQuestionLogged || asked
		return !w.isQuestionLogged && (reply || ok && usage.Purpose == "")
	})
	return a
}

// show prints an update, and reports whether the turn is over.
func (w *turnPrinter) show(u updates.Update) (over bool) {
	switch u := u.(type) {
	case updates.Appended:
		w.showEvents(u.Events)
	case updates.ToolStarted:
		w.printProgress("· " + u.Title)
	case updates.Failed:
		w.failure = u.Err
	case updates.Compacting, updates.Compacted, updates.CompactionFailed:
		if made, ok := u.(updates.Compacted); ok && made.Layer {
			if w.isLayerShown {
				return false // once is enough for a turn
			}
			w.isLayerShown = true
		}
		if line := session.CompactionLine(u); line != "" {
			w.printProgress(line)
		}
	case updates.SummariesPaused:
		if u.Paused {
			w.printProgress("summaries are paused after failures in a row: compact by hand, or change the model")
		}
	case updates.Status:
		if u.Phase == updates.Retrying {
			w.printProgress(fmt.Sprintf("%s. Try %d in %s", u.Why, u.Attempt, u.Wait.Round(100*time.Millisecond)))
		}
		return u.Phase == updates.Idle // there is no such update before the first turn
	}
	return false
}

func (w *turnPrinter) showEvents(events []conversation.Event) {
	failed := 0
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			w.failure = nil // an earlier failure to save is over: this was saved
		case conversation.AssistantMessage:
			w.reply.Message(b)
			switch b.Stop {
			case conversation.StopLength:
				w.printProgress("the reply was cut: it reached the largest length, or the end of the window")
			case conversation.StopFiltered:
				if b.Error != "" {
					w.failure = &llm.Error{Class: llm.BadRequest, Message: "the model refused to answer"}
					break
				}
				w.printProgress("the provider withheld the rest of the reply")
			}
		case conversation.ToolResult:
			if b.Status != conversation.ResultOK {
				if failed++; failed <= maxResultLines {
					w.printProgress(fmt.Sprintf("  %s: %s", b.Tool, b.Status))
				}
			}
		case conversation.Notice:
			w.printProgress(b.Text)
		}
	}
	if failed > maxResultLines { // an earlier run can have left thousands of calls without results
		w.printProgress(fmt.Sprintf("  %s calls in all did not succeed", numbers.Grouped(failed)))
	}
}

// maxResultLines is how many failed results of one update are printed one by one.
const maxResultLines = 10

func (w *turnPrinter) printNotes(lists ...[]string) {
	for _, note := range slices.Concat(lists...) {
		w.printProgress("note: " + note)
	}
}

func (w *turnPrinter) printProgress(text string) {
	fmt.Fprintln(w.stderr, console.ProgressLine(text))
}

// finish ends the reply and returns the error of a failed turn.
func (w *turnPrinter) finish() error {
	if err := w.reply.End(); err != nil {
		return err
	}
	if w.failure != nil {
		return w.failure
	}
	return nil
}
