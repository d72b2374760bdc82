package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll/agent/updates"
	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/storage"
)

// A conversation, also one that another program has open, can be continued as a copy. The copy has the same events and texts
// under another ID: all of them, or those before a turn with later compactions of them. The original is not changed.

type forkCommand struct {
	*app

	compact session.CompactFlag
	isCut   bool // before turn
	turn    int
}

func (cmd *forkCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "fork [ID]",
		Short: "Fork a conversation",
		Long: `Fork makes a copy of a conversation and writes the copy's ID to standard output.
The original is only read, and may be open elsewhere.

--turn N copies only the turns before turn N. Turns count from 0, as print shows
them; -1 is the turn before the last; undone turns can be named too. Later
compactions are kept where they cover what is copied.

--compact also compacts the copy, as the compact command does. If there is nothing
to compact, the copy is made anyway.

` + session.IDHelp,
		Example: `  plimsoll fork
  plimsoll -r "$(plimsoll fork 3kq7)"
  plimsoll fork 3kq7 --turn 5
  plimsoll fork 3kq7 --compact=heavy`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			cmd.isCut = c.Flags().Changed("turn")
			return cmd.Run(c.Context(), args)
		},
	}
	addCompactFlag(c, &cmd.compact, "compact the copy, as configured or by --compact=`PROFILE`")
	c.Flags().IntVar(&cmd.turn, "turn", 0, "copy only the turns before turn `N`")
	return c
}

// Run copies a stored conversation.
func (cmd *forkCommand) Run(ctx context.Context, args []string) error {
	_, from, err := cmd.Conversations.Resolve(ctx, args)
	if err != nil {
		if cmd.compact.IsGiven && cmd.compact.Profile == "" && errors.Is(err, storage.ErrNotFound) && len(args) > 0 {
			err = console.WithHint(err, "write a profile as --compact="+args[0])
		}
		return err
	}
	s, err := cmd.Conversations.StateOf(ctx, from)
	if err != nil {
		return err
	}
	if cmd.compact.IsGiven {
		cmd.Settings.NoteRefused()
	}
	if cmd.isCut {
		if s, err = cmd.Conversations.CutAtTurn(ctx, s, cmd.turn); err != nil {
			return err
		}
	}
	request := cmd.compact.Request("fork")
	var conn setup.Connection
	if cmd.compact.IsGiven {
		needsModel, err := s.NeedsModel(request)
		if err != nil {
			return err
		}
		if needsModel {
			if conn, err = cmd.Models.ConnectFor(ctx, from, true); err != nil {
				return err
			}
		}
	}
	id, err := cmd.Conversations.Copy(ctx, s)
	if err != nil {
		return err
	}
	if cmd.compact.IsGiven {
		if s, err = cmd.Conversations.StateOf(ctx, id); err == nil {
			err = cmd.Agents.CompactFirst(ctx, s, request, conn, func(updates.Update) {})
		}
		if err != nil {
			cmd.Console.Note("the copy %s was made, and is not compacted", id)
			return err
		}
	}
	_, err = fmt.Fprintln(cmd.Console.Stdout, id)
	return err
}

func addCompactFlag(c *cobra.Command, f *session.CompactFlag, usage string) {
	c.Flags().Var(f, "compact", usage)
	c.Flags().Lookup("compact").NoOptDefVal = session.DefaultProfile
}
