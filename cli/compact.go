package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"plimsoll/agent/updates"
	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Manual compaction outside the chat. Rules:
//
//   - A compaction without a summary needs no key and no server: its overlays are computed and appended here, in one
//     transaction. A summary is requested like any reply.
//   - Wrong flags are a usage error. A compaction that would change nothing is a failure, and writes nothing.
//   - --dry-run writes nothing. Its numbers are those of the real run, except for the size of a summary.

type compactCommand struct {
	*app

	profile  string
	from, to string
	keepLast int
	keep     int
	focus    string
	dryRun   bool
	json     bool
	undo     bool
	redo     bool
	changed  func(flag string) bool // which flags were given
}

func (cmd *compactCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "compact [ID]",
		Short: "Compact a conversation's context",
		Long: `Compact shortens what the model is sent of the older turns. The originals are kept:
--undo undoes the newest compaction, --redo redoes it.

Profiles: default masks tool results and strips arguments and reasoning; light strips
reasoning; heavy has a model write a summary. The configuration can add others. Only
a summary needs a model.

Turns are counted from 0. A BOUND is a turn (5), turns before the last one
(-3), a time ago (5h, 30m, 2d) or last, the turn after the last one compacted.
--from alone is --from last. Without bounds, everything but the newest turns is
compacted; --keep-last says how many those are.

With --json, cost_now is how much more the next request costs, in US dollars, if the
provider's cache still holds the conversation; pays_after is the number of requests
after which that pays off.

` + session.IDHelp,
		Example: `  plimsoll compact --dry-run
  plimsoll compact 3kq7 --profile heavy --focus "the upload bug"
  plimsoll compact --from 5h --to 1h
  plimsoll compact --keep-last 10
  plimsoll compact --undo`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	f := c.Flags()
	f.StringVar(&cmd.profile, "profile", "", "what to do: the `NAME` of a profile")
	f.StringVar(&cmd.from, "from", "", "first turn, as a `BOUND`; without one, that after the last compacted")
	f.Lookup("from").NoOptDefVal = "last"
	f.StringVar(&cmd.to, "to", "", "last turn, as a `BOUND`")
	f.IntVar(&cmd.keepLast, "keep-last", 0, "leave the newest `N` turns alone, as configured if not given")
	f.IntVar(&cmd.keep, "keep", 0, "the same as --keep-last `N`")
	f.StringVar(&cmd.focus, "focus", "", "what a summary should preserve, in your `WORDS`; by heavy if no profile is named")
	f.BoolVar(&cmd.dryRun, "dry-run", false, "preview only; change nothing")
	f.BoolVar(&cmd.json, "json", false, "write one JSON object")
	f.BoolVar(&cmd.undo, "undo", false, "undo the latest compaction")
	f.BoolVar(&cmd.redo, "redo", false, "redo the last undone compaction")
	cmd.changed = f.Changed
	return c
}

func (cmd *compactCommand) Run(ctx context.Context, args []string) error {
	request, err := cmd.request()
	if err != nil {
		return err
	}
	snapshot, err := cmd.Conversations.Read(ctx, args)
	if err != nil {
		return err
	}
	s, err := cmd.Conversations.State(ctx, snapshot)
	if err != nil {
		return err
	}
	cmd.Settings.NoteRefused()
	if cmd.undo || cmd.redo {
		return cmd.undoOrRedo(ctx, s)
	}
	if cmd.dryRun {
		proposal, err := s.Propose(request)
		if err != nil {
			return err
		}
		return cmd.writeCompaction(session.NewCompaction(s, proposal.Preview()))
	}
	connect := func() (setup.Connection, error) { return cmd.Models.ConnectFor(ctx, s.ID, true) }
	done, err := cmd.Agents.Compact(ctx, s, request, connect, func(updates.Update) {})
	if err != nil {
		return err
	}
	return cmd.writeCompaction(done)
}

// request is the compaction that the flags ask for.
func (cmd *compactCommand) request() (edit.Request, error) {
	request := edit.NewRequest()
	if err := cmd.check(); err != nil {
		return request, err
	}
	request.Profile, request.Focus = cmd.profile, cmd.focus
	for _, b := range []struct {
		flag, text string
		to         **edit.Bound
	}{{"from", cmd.from, &request.From}, {"to", cmd.to, &request.To}} {
		if !cmd.changed(b.flag) {
			continue
		}
		bound, err := edit.ParseBound(b.text)
		if err != nil {
			return request, console.WrongUse("--%s: %w", b.flag, err)
		}
		*b.to = &bound
	}
	switch {
	case cmd.changed("keep-last"):
		request.KeepLast = cmd.keepLast
	case cmd.changed("keep"):
		request.KeepLast = cmd.keep
	}
	return request, nil
}

// check refuses flags that contradict each other.
func (cmd *compactCommand) check() error {
	isKeepGiven := cmd.changed("keep-last") || cmd.changed("keep")
	for flag, others := range map[string][]string{
		"undo": {"redo", "profile", "from", "to", "keep-last", "keep", "focus", "dry-run"},
		"redo": {"profile", "from", "to", "keep-last", "keep", "focus", "dry-run"},
		"keep": {"keep-last"}, "to": {"keep", "keep-last"},
	} {
		if err := exclusive(cmd.changed, flag, others...); err != nil {
			return err
		}
	}
	if isKeepGiven && min(cmd.keepLast, cmd.keep) < 0 {
		return console.WrongUse("--keep-last takes a number of turns from 0 on, not %d", min(cmd.keepLast, cmd.keep))
	}
	return nil
}

// undoOrRedo undoes the newest compaction, or redoes the last undone one.
func (cmd *compactCommand) undoOrRedo(ctx context.Context, s session.ConversationState) error {
	var done reverted
	err := cmd.Conversations.Append(ctx, s, func(s session.ConversationState) ([]conversation.Body, error) {
		r, err := edit.NewReversal(s.WithPartial, s.Rules, s.Inputs, edit.ReversalRequest{Redo: cmd.redo}, s.NextSeq())
		if err != nil {
			return nil, err
		}
		done = reverted{ID: s.ID, Epoch: r.Epoch, Undone: !cmd.redo, Redone: cmd.redo, Before: r.Before, After: r.After}
		return []conversation.Body{r.Body}, nil
	})
	switch {
	case err != nil:
		return err
	case cmd.json:
		return console.WriteJSON(cmd.Console.Stdout, done)
	}
	state, inverse := "undone", "redo"
	if cmd.redo {
		state, inverse = "active again", "undo"
	}
	_, err = fmt.Fprintf(cmd.Console.Stdout, "compaction e%d is %s: ~%s -> ~%s tokens\n%s: plimsoll compact %s --%s\n",
		done.Epoch, state, numbers.Grouped(done.Before), numbers.Grouped(done.After), inverse, done.ID, inverse)
	return err
}

// reverted is `compact --undo --json` and `--redo --json`.
type reverted struct {
	ID     string `json:"id"`
	Epoch  uint64 `json:"epoch"` // of the compaction that was undone or redone
	Undone bool   `json:"undone,omitempty"`
	Redone bool   `json:"redone,omitempty"`
	Before int    `json:"before"`
	After  int    `json:"after"`
}

// writeCompaction writes the result to standard output.
func (cmd *compactCommand) writeCompaction(c session.Compaction) error {
	if cmd.json {
		return console.WriteJSON(cmd.Console.Stdout, c)
	}
	_, err := io.WriteString(cmd.Console.Stdout, cmd.Console.Text(c.Text()))
	return err
}
