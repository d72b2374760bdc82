package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/page"
	"plimsoll/cli/session"
	"plimsoll/cli/transfer"
)

// An export holds every message of the log, also those that compaction hides from the model, and the full text of cut results.
// A log never holds a key.

type exportCommand struct {
	*app

	format  string
	file    string
	force   bool
	html    bool
	without string
}

func (cmd *exportCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "export [ID]",
		Short: "Export a conversation as Markdown, JSON, JSONL or a page for a browser",
		Long: `Export writes a whole conversation to standard output, or to a file that only you
may read. Results that were cut are written with their full text.

--format md is for reading. json is one document with every event, compactions
included, and every text: import makes the same conversation of it again. jsonl
is the messages, one a line in the form of chat completions, for other programs;
import reads that as well. Without --format the ending of FILE decides, or md.

html (or --html) is one page for a browser, to show to others. It loads nothing and
runs no script: messages, calls, diffs, how the window filled, and what each
compaction made of the turns. Keys that are stored or in variables, and what else
looks like one, are left out, and so is what --without lists: output (of tools), files
(attached ones, diffs, arguments, and what tools other than commands found), images,
home (the path of your home folder is ~).
On a terminal it goes to plimsoll-ID.html in this folder. Read it before you share it.

` + session.IDHelp,
		Example: `  plimsoll export > talk.md
  plimsoll export 3kq7 -o talk.json
  plimsoll export --html --without home,files,output
  plimsoll export --format jsonl | jq -r 'select(.role == "user").content'`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	c.Flags().StringVar(&cmd.format, "format", "", "form of it: `md|json|jsonl|html`")
	c.Flags().StringVarP(&cmd.file, "output", "o", "", "write to `FILE` instead of standard output")
	c.Flags().BoolVar(&cmd.html, "html", false, "the same as --format html")
	c.Flags().StringVar(&cmd.without, "without", page.Home, "leave `WHAT` out of a page: output, files, images, home; or none")
	c.Flags().BoolVar(&cmd.force, "force", false, "overwrite FILE if it exists")
	return c
}

func (cmd *exportCommand) Run(ctx context.Context, args []string) error {
	format, err := cmd.exportFormat()
	if err != nil {
		return err
	}
	_, id, err := cmd.Conversations.Resolve(ctx, args)
	if err != nil {
		return err
	}
	omit, err := page.Omissions(cmd.without)
	if err != nil {
		return console.WrongUse("--without: %v", err)
	}
	if format == transfer.ExportHTML && cmd.file == "" && console.Terminal(cmd.Console.Stdout) {
		cmd.file = "plimsoll-" + id + ".html"
	}
	var notes []string
	write := func(w io.Writer) error {
		notes, err = (&transfer.Exporter{Parts: cmd.Parts}).Write(ctx, w, id, format, omit)
		return err
	}
	if cmd.file == "" || cmd.file == "-" {
		err = write(cmd.Console.Stdout)
	} else {
		err = console.WriteNew(cmd.file, cmd.force, write)
	}
	if err != nil {
		return err
	}
	if format == transfer.ExportHTML && cmd.file != "" && cmd.file != "-" {
		cmd.Console.Note("written to %s", cmd.file)
	}
	for _, n := range notes {
		cmd.Console.Note("%s", n)
	}
	return nil
}

// exportFormat is the format of --format, else that of the file's ending.
func (cmd *exportCommand) exportFormat() (transfer.ExportFormat, error) {
	switch f := transfer.ExportFormat(cmd.format); f {
	case transfer.ExportMarkdown, transfer.ExportJSON, transfer.ExportJSONL, transfer.ExportHTML:
		if cmd.html && f != transfer.ExportHTML {
			return "", console.WrongUse("--html and --format %s are two formats", f)
		}
		return f, nil
	case "":
		if cmd.html {
			return transfer.ExportHTML, nil
		}
		return transfer.FormatOf(cmd.file), nil
	}
	return "", console.WrongUse("--format is md, json, jsonl or html, not %q", cmd.format)
}
