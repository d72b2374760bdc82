package cli

import (
	"context"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/show"
	"plimsoll/compact/inspect"
	"plimsoll/conversation"
)

// No server is asked for the window. It is the first of: the flag, the configuration, the window learned from an overflow,
// the one that the server reported when the conversation last ran, the catalogue.

// contextCommand shows how full the window of a conversation is.
type contextCommand struct {
	*app

	asJSON bool
}

func (cmd *contextCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "context [ID]",
		Short: "Show how full a conversation's context window is",
		Long: `Context shows what fills the context window of a conversation: tokens by
category, the load line and the hard line of the gauge, and what is kept free for
the reply; what compaction will do next, and when; the heaviest of what is sent;
what compaction saves in every request; how far estimates are off; what was
compacted, and what the conversation has cost. ~ marks an estimate. Nothing is
sent. With --model the same conversation is measured for that model.

` + session.IDHelp,
		Example: `  plimsoll context
  plimsoll context 3kq7 --model openai/gpt-5.4
  plimsoll context --json | jq .used`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	c.Flags().BoolVar(&cmd.asJSON, "json", false, "write one JSON object")
	return c
}

func (cmd *contextCommand) Run(ctx context.Context, args []string) error {
	snapshot, err := cmd.Conversations.Read(ctx, args)
	if err != nil {
		return err
	}
	if err := cmd.Settings.AdoptRecorded(snapshot.Events); err != nil {
		return err
	}
	m, err := cmd.Models.ModelOf(ctx, snapshot.Events)
	if err != nil {
		return err
	}
	cmd.Settings.NoteRefused()
	breakdown := session.BreakdownOf(cmd.Settings.Cfg().Rules(), snapshot, m)
	if cmd.asJSON {
		report := show.NewContextReport(m, breakdown, inspect.ToolUses(snapshot.Events, snapshot.Tools), conversation.KeptOutByTasks(snapshot.Events))
		report.CompactedSummary, report.CompactBoundary = show.Summarised(snapshot)
		report.Skills = show.Skills(cmd.Settings.Skills(cmd.Settings.Cfg()).Offered(), snapshot.Events)
		report.Images = show.Images(snapshot.View, m)
		return console.WriteJSON(cmd.Console.Stdout, report)
	}
	return show.WriteContext(cmd.Console, snapshot, m, breakdown)
}
