package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/table"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/storage"
)

type listCommand struct {
	*app

	json  bool
	here  bool
	limit int
}

func (cmd *listCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List the conversations, newest first",
		Long: `List shows the stored conversations, the one with the newest event first. A
conversation that is open in another window is marked with its process; it can be
read all the same.`,
		Example: `  plimsoll list
  plimsoll list --here -n 5
  plimsoll list --json | jq -r '.[0].id'`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return cmd.Run(c.Context()) },
	}
	c.Flags().BoolVar(&cmd.json, "json", false, "write a JSON array")
	c.Flags().BoolVar(&cmd.here, "here", false, "only conversations of this workspace")
	c.Flags().IntVarP(&cmd.limit, "limit", "n", 0, "at most `N` conversations, 0 for all")
	return c
}

// conversationJSON is a conversation in `list --json`.
type conversationJSON struct {
	ID            string     `json:"id"`
	Title         string     `json:"title"`
	Model         *string    `json:"model"`
	Created       *time.Time `json:"created"`
	Updated       *time.Time `json:"updated"`
	Turns         int        `json:"turns"`
	Events        int        `json:"events"`
	Workspace     *string    `json:"workspace"`
	OpenElsewhere bool       `json:"open_elsewhere"`
}

func (cmd *listCommand) Run(ctx context.Context) error {
	if cmd.limit < 0 {
		return console.WrongUse("-n must be 0 or more, not %d", cmd.limit)
	}
	store, err := cmd.Resources.Open()
	if err != nil {
		return err
	}
	filter := storage.Filter{Limit: cmd.limit}
	if cmd.here {
		filter.Workspace = cmd.Settings.Workspace
	}
	entries, err := store.List(ctx, filter)
	if err != nil {
		return err
	}
	if cmd.json {
		out := make([]conversationJSON, 0, len(entries))
		for _, e := range entries {
			out = append(out, conversationJSON{
				ID: e.ID, Title: e.Heading(), Model: console.OrNull(e.Model), Created: console.OrNull(e.Created.UTC()), Updated: console.OrNull(e.Updated.UTC()),
				Turns: e.Turns, Events: e.Events, Workspace: console.OrNull(e.Workspace), OpenElsewhere: e.OpenElsewhere,
			})
		}
		return console.WriteJSON(cmd.Console.Stdout, out)
	}
	if len(entries) == 0 {
		fmt.Fprintln(cmd.Console.Stdout, "No conversation yet. Start one with `plimsoll`.")
		return nil
	}
	return cmd.writeTable(entries, !cmd.here, store.OwnerPID)
}

// writeTable writes the entries; owner returns the process that has a conversation open.
func (cmd *listCommand) writeTable(entries []storage.Entry, workspaces bool, owner func(id string) int) error {
	columns := []table.Column{table.Left("ID"), table.Left("UPDATED"), table.Right("TURNS"), table.Left("MODEL"),
		table.Left("WORKSPACE"), table.Left("OPEN"), table.Left("TITLE")}
	var rows [][]string
	now := time.Now()
	for _, e := range entries {
		place, open := "", ""
		if workspaces && e.Workspace != cmd.Settings.Workspace {
			place = plain.Line(cmd.Console.Home(e.Workspace))
		}
		if e.OpenElsewhere {
			open = session.WindowName(owner(e.ID))
		}
		rows = append(rows, []string{e.ID, numbers.Age(now, e.Updated), fmt.Sprint(e.Turns), plain.Line(e.Model),
			place, open, plain.Line(e.Heading())})
	}
	return table.Write(cmd.Console.Stdout, cmd.Console.TableWidth(), columns, rows)
}
