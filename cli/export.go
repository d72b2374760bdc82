package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/transfer"
)

// An export holds every message of the log, also those that compaction hides from the model, and the full text of cut results.
// A log never holds a key.

type exportCommand struct {
	console       *console.Console
	conversations *session.Conversations
	exporter      *transfer.Exporter

	format string
	file   string
	force  bool
}

func (cmd *exportCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "export [ID]",
		Short: "Export a conversation as Markdown, JSON or JSONL",
		Long: `Export writes a whole conversation to standard output, or to a file that only you
may read. Results that were cut are written with their full text.

--format md is for reading. json is one document with every event, compactions
included, and every text: import makes the same conversation of it again. jsonl
is the messages, one a line in the form of chat completions, for other programs;
import reads that as well. Without --format the ending of FILE decides, or md.

` + session.IDHelp,
		Example: `  plimsoll export > talk.md
  plimsoll export 3kq7 -o talk.json
  plimsoll export --format jsonl | jq -r 'select(.role == "user").content'`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	c.Flags().StringVar(&cmd.format, "format", "", "form of it: `md|json|jsonl`")
	c.Flags().StringVarP(&cmd.file, "output", "o", "", "write to `FILE` instead of standard output")
	c.Flags().BoolVar(&cmd.force, "force", false, "overwrite FILE if it exists")
	return c
}

func (cmd *exportCommand) Run(ctx context.Context, args []string) error {
	format, err := cmd.exportFormat()
	if err != nil {
		return err
	}
	_, id, err := cmd.conversations.Resolve(ctx, args)
	if err != nil {
		return err
	}
	var notes []string
	write := func(w io.Writer) error {
		notes, err = cmd.exporter.Write(ctx, w, id, format)
		return err
	}
	if cmd.file == "" || cmd.file == "-" {
		err = write(cmd.console.Stdout)
	} else {
		err = console.WriteNew(cmd.file, cmd.force, write)
	}
	if err != nil {
		return err
	}
	for _, n := range notes {
		cmd.console.Note("%s", n)
	}
	return nil
}

// exportFormat is the format of --format, else that of the file's ending.
func (cmd *exportCommand) exportFormat() (transfer.ExportFormat, error) {
	switch f := transfer.ExportFormat(cmd.format); f {
	case transfer.ExportMarkdown, transfer.ExportJSON, transfer.ExportJSONL:
		return f, nil
	case "":
		return transfer.FormatOf(cmd.file), nil
	}
	return "", console.WrongUse("--format is md, json or jsonl, not %q", cmd.format)
}
