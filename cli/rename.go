package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/conversation/plain"
)

// The commands rename and delete change a stored conversation without opening it for chat. Both need its ID: there is no
// default for a permanent change.

const idRequiredHelp = "ID is a conversation's, or at least four characters of its beginning."

// renameCommand gives a conversation a title.
type renameCommand struct{ *app }

func (cmd *renameCommand) cobra() *cobra.Command {
	return &cobra.Command{
		Use:   "rename ID TITLE",
		Short: "Give a conversation a title",
		Long: `Rename gives a stored conversation a title. A conversation that is open in
another window is not renamed.

` + idRequiredHelp,
		Example: `  plimsoll rename 3kq7 "upload bug"`,
		Args:    usageArgs(cobra.MinimumNArgs(2)),
		RunE: func(c *cobra.Command, args []string) error {
			return cmd.Run(c.Context(), args[0], strings.Join(args[1:], " "))
		},
	}
}

func (cmd *renameCommand) Run(ctx context.Context, idPrefix, title string) error {
	_, id, err := cmd.Conversations.Resolve(ctx, []string{idPrefix})
	if err != nil {
		return err
	}
	if title, err = cmd.Conversations.Rename(ctx, id, title); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.Console.Stdout, "%s  %s\n", id, plain.Line(title))
	return err
}

type deleteCommand struct {
	*app

	yes bool
}

func (cmd *deleteCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "delete ID",
		Short: "Delete a conversation permanently",
		Long: `Delete removes a stored conversation with everything in it, and its tasks. They
cannot be recovered. It asks first; without a terminal to ask on, --yes is needed.
A conversation that is open in another window is not deleted.

` + idRequiredHelp,
		Example: `  plimsoll delete 3kq7
  plimsoll delete 3kq7 --yes`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args[0]) },
	}
	c.Flags().BoolVarP(&cmd.yes, "yes", "y", false, "delete without asking")
	return c
}

func (cmd *deleteCommand) Run(ctx context.Context, idPrefix string) error {
	_, id, err := cmd.Conversations.Resolve(ctx, []string{idPrefix})
	if err != nil {
		return err
	}
	e, err := cmd.Conversations.Entry(ctx, id)
	if err != nil {
		return err
	}
	if !cmd.yes && !e.OpenElsewhere { // Delete below refuses one that is open elsewhere
		if !console.Terminal(cmd.Console.Stdin) {
			return console.AsUsage(console.WithHint(errors.New("there is no terminal to ask on; nothing was deleted"),
				"--yes deletes without asking"))
		}
		if err := cmd.confirm(ctx, fmt.Sprintf("Delete %s, %q, permanently?", id, e.Heading())); err != nil {
			return err
		}
	}
	if err := cmd.Conversations.Delete(ctx, id); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.Console.Stdout, "Deleted %s  %s\n", id, plain.Line(e.Heading()))
	return err
}

// confirm asks for a yes. Any other answer is an error.
func (cmd *deleteCommand) confirm(ctx context.Context, question string) error {
	yes, err := cmd.Console.Confirm(ctx, question)
	if err == nil && !yes {
		err = errors.New("nothing was deleted")
	}
	return err
}
