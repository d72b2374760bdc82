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
	"plimsoll/conversation/plain"
)

type askCommand struct {
	*app

	continueNewest bool
	resume         string
	approve        string
	compact        session.CompactFlag
	json           bool
	schemaFile     string
}

func (cmd *askCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "ask [-c | -r ID] PROMPT",
		Short: "Ask one question and print the reply",
		Long: `Asks one question, in a new conversation unless -c or -r names one. Piped input is
appended to the prompt; more than the model's window can hold is refused before
anything is sent or stored. The complete reply goes to standard output, rendered on
a terminal and plain in a pipe. The conversation's ID and the progress go to
standard error. Calls that need approval are denied unless --approve allows them.

A prompt that begins with /NAME is sent as the text of your own command NAME; a space
before the slash sends it as it is. What the command runs needs --approve all or a
rule that allows it.

--compact first compacts the conversation, as the compact command does; it continues
the newest conversation unless -r names one. If there is nothing to compact, the
question is asked anyway.

With --json standard output is one object per line, each with its type: start (the
conversation), then text and thinking (each whole), call (id, name, arguments),
approval (a call that was denied), result (id, error or null, size in characters),
usage (tokens, cost in US dollars or null), compaction (turns, before, after, cost)
and error (class, message, seconds to the next try or null) as they come, and end
(reason, and the usage and cost of all requests). Exit codes are the same.

With --output-schema every reply is JSON by the schema in a file, where the model
takes one: its text is printed as it is. What calls of tools carry is not changed.`,
		Example: `  plimsoll ask "what does this project do?"
  git diff | plimsoll ask "write a commit message"
  plimsoll ask -c "and now in one sentence"
  plimsoll ask --compact=heavy "continue with the upload bug"
  plimsoll ask --approve edits "fix the typo in README.md"
  plimsoll ask --json "list the open questions" | jq -r 'select(.type == "text").text'`,
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), strings.Join(args, " ")) },
	}
	c.Flags().BoolVarP(&cmd.continueNewest, "continue", "c", false, "continue the newest conversation of this workspace")
	c.Flags().StringVarP(&cmd.resume, "resume", "r", "", "continue the conversation `ID`")
	c.Flags().StringVar(&cmd.approve, "approve", "", "what may run without asking: `edits|auto|all`")
	c.Flags().BoolVar(&cmd.json, "json", false, "write one JSON object per line")
	c.Flags().StringVar(&cmd.schemaFile, "output-schema", "", "replies are JSON by the JSON schema in `FILE`")
	addCompactFlag(c, &cmd.compact, "compact first, as configured or by --compact=`PROFILE`, and continue the newest conversation")
	return c
}

// Run asks one question and waits for the whole turn.
func (cmd *askCommand) Run(ctx context.Context, prompt string) error {
	mode, err := cmd.mode()
	if err != nil {
		return err
	}
	if err := cmd.Settings.Configure(); err != nil {
		return err
	}
	if err := cmd.Console.CheckPrompt(prompt); err != nil {
		return err
	}
	own := cmd.ownCommand(prompt)
	newest := cmd.continueNewest || cmd.compact.IsGiven && cmd.resume == ""
	id, err := resumeID(ctx, cmd.Conversations, newest, cmd.resume)
	if err != nil {
		return err
	}
	var s session.ConversationState
	if cmd.compact.IsGiven {
		if s, err = cmd.Conversations.StateOf(ctx, id); err != nil {
			return err
		}
		if _, err := s.NeedsModel(cmd.compact.Request("ask")); err != nil {
			return err
		}
	}
	conn, schema, err := cmd.connect(ctx, id)
	if err != nil {
		return err
	}
	typed := prompt
	prompt, err = cmd.Console.AppendInput(ctx, prompt, conn.Model.Name(), conn.Model.Window)
	if err != nil {
		return err
	}
	p := cmd.printer(schema)
	if cmd.compact.IsGiven {
		p.lines.Start(id, conn.Model.Name())
		p.printNotes(cmd.Settings.RefusedNotes(), hostedModelNotes(s.Events, conn.Model))
		show := func(u updates.Update) { p.lines.Show(p.withoutEarlierReply(u)) }
		if err := cmd.Agents.CompactFirst(ctx, s, cmd.compact.Request("ask"), conn, show); err != nil {
			return errors.Join(err, p.endEarly(ctx))
		}
	}
	running, err := cmd.Agents.Start(ctx, conn, session.OpenOptions{ID: id, Mode: mode, Schema: schema})
	switch {
	case err != nil && cmd.compact.IsGiven:
		return errors.Join(err, p.endEarly(ctx))
	case err != nil:
		return err
	case cmd.compact.IsGiven:
		p.printNotes(running.Notes)
	default:
		p.printNotes(cmd.Settings.RefusedNotes(), running.Notes, hostedModelNotes(running.Events, running.Connection.Model))
	}
	p.running = running
	p.lines.Start(running.ID, running.Connection.Model.Name())
	p.printProgress(running.ID + " · " + running.Connection.Model.Name())
	if prompt, err = own.message(ctx, p, typed, prompt); err == nil {
		running.Send(prompt)
		err = p.watch(ctx)
	} else {
		err = errors.Join(err, p.endEarly(ctx))
	}
	if err == nil && conn.AskAgain {
		running.Discoveries.Wait() // now the model is loaded, and the answer is worth recording
	}
	return errors.Join(err, running.Close())
}

func (cmd *askCommand) mode() (conversation.Mode, error) {
	switch cmd.approve {
	case "":
		return "", nil
	case "auto-edit", "edits", "auto":
		return conversation.ParseMode(cmd.approve), nil
	case "all":
		return conversation.ModeYolo, nil
	}
	return "", console.WrongUse("--approve takes edits, auto or all, not %q", cmd.approve)
}

// hostedModelNotes returns a note if the conversation moves from a local model to a hosted one.
func hostedModelNotes(events []conversation.Event, now llm.Model) []string {
	before := setup.LastModel(events)
	if !setup.MovesToHosted(before, now) {
		return nil
	}
	to := now.Name() + " at " + setup.HostOf(now.BaseURL)
	return []string{"the conversation used " + before.Name() + " so far; all of it goes to " + to + " now"}
}

type turnPrinter struct {
	running          *session.Running
	reply            console.ReplyWriter
	lines            *session.JSONLines // with --json it writes the reply too; nil otherwise
	stderr           io.Writer
	failure          *llm.Error
	isLayerShown     bool // in this turn, a compaction that repeats before every request was printed
	isQuestionLogged bool // the log has the question
}

func newTurnPrinter(c *console.Console, isJSON bool) *turnPrinter {
	if isJSON {
		lines := session.NewJSONLines(c.Stdout)
		return &turnPrinter{reply: lines, lines: lines, stderr: c.Stderr}
	}
	return &turnPrinter{reply: c.ReplyWriter(), stderr: c.Stderr}
}

// watch prints updates until the conversation is idle again. Ending ctx cancels the turn; the partial reply is stored.
func (p *turnPrinter) watch(ctx context.Context) error {
	for {
		updates, err := p.running.Agent.Updates().Take(ctx)
		if err != nil {
			p.running.Agent.Cancel()
			return errors.Join(context.Canceled, p.endEarly(ctx))
		}
		for _, u := range updates {
			u = p.withoutEarlierReply(u)
			isOver := p.show(u)
			if p.lines.Show(u); isOver {
				return p.finish()
			}
		}
	}
}

// endEarly ends the output of a turn that did not begin, or that the end of ctx interrupted.
func (p *turnPrinter) endEarly(ctx context.Context) error {
	if p.lines != nil {
		p.lines.Reason = string(conversation.StopFailed)
		if ctx.Err() != nil {
			p.lines.Reason = string(conversation.StopCancelled)
		}
	}
	return p.reply.End()
}

// withoutEarlierReply removes the partial reply that an earlier, killed run left: it answers another question.
func (p *turnPrinter) withoutEarlierReply(u updates.Update) updates.Update {
	a, ok := u.(updates.Appended)
	if !ok || p.isQuestionLogged {
		return u
	}
	a.Events = slices.DeleteFunc(slices.Clone(a.Events), func(e conversation.Event) bool {
		_, isQuestion := e.Body.(conversation.UserMessage)
		_, isReply := e.Body.(conversation.AssistantMessage)
		usage, ok := e.Body.(conversation.Usage)
		p.isQuestionLogged = p.isQuestionLogged || isQuestion
		return !p.isQuestionLogged && (isReply || ok && usage.Purpose == "")
	})
	return a
}

// show prints an update, and reports whether the turn is over.
func (p *turnPrinter) show(u updates.Update) (isOver bool) {
	switch u := u.(type) {
	case updates.Appended:
		p.showEvents(u.Events)
	case updates.ToolStarted:
		p.printProgress("· " + u.Title)
	case updates.Failed:
		p.failure = u.Err
	case updates.Compacting, updates.Compacted, updates.CompactionFailed:
		if made, ok := u.(updates.Compacted); ok && made.Layer {
			if p.isLayerShown {
				return false
			}
			p.isLayerShown = true
		}
		if line := session.CompactionLine(u); line != "" {
			p.printProgress(line)
		}
	case updates.SummariesPaused:
		if u.Paused {
			p.printProgress("summaries are paused after failures in a row: compact by hand, or change the model")
		}
	case updates.Status:
		if u.Phase == updates.Retrying {
			p.printProgress(fmt.Sprintf("%s. Try %d in %s", u.Why, u.Attempt, u.Wait.Round(100*time.Millisecond)))
		}
		return u.Phase == updates.Idle // the first such update comes after the turn
	}
	return false
}

func (p *turnPrinter) showEvents(events []conversation.Event) {
	failed := 0
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			p.failure = nil // saving works again
		case conversation.AssistantMessage:
			p.reply.Message(b)
			switch b.Stop {
			case conversation.StopLength:
				p.printProgress("the reply was cut: it reached the largest length, or the end of the window")
			case conversation.StopFiltered:
				if b.Error != "" {
					p.failure = &llm.Error{Class: llm.BadRequest, Message: "the model refused to answer"}
					break
				}
				p.printProgress("the provider withheld the rest of the reply")
			}
		case conversation.ToolResult:
			for line := range strings.Lines(b.Detail) {
				if strings.HasPrefix(line, refusedHost) {
					p.printProgress("  " + strings.TrimSpace(line))
				}
			}
			if b.Status != conversation.ResultOK {
				if failed++; failed <= maxResultLines {
					p.printProgress(fmt.Sprintf("  %s: %s", b.Tool, b.Status))
				}
			}
		case conversation.Notice:
			p.printProgress(b.Text)
		}
	}
	if failed > maxResultLines { // an earlier run can have left thousands of calls without results
		p.printProgress(fmt.Sprintf("  %s calls in all did not succeed", numbers.Grouped(failed)))
	}
}

// refusedHost begins a line of a result's detail that names a host which the command could not reach.
const refusedHost = "kept from: network "

// maxResultLines is how many failed results of one update are printed one by one.
const maxResultLines = 10

func (p *turnPrinter) printNotes(lists ...[]string) {
	for _, note := range slices.Concat(lists...) {
		p.printProgress("note: " + note)
	}
}

func (p *turnPrinter) printProgress(text string) {
	fmt.Fprintln(p.stderr, plain.Line(text))
}

// finish ends the reply and returns the error of a failed turn.
func (p *turnPrinter) finish() error {
	if err := p.reply.End(); err != nil || p.failure == nil {
		return err
	}
	return p.failure
}
