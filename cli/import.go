package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/cli/transfer"
)

// Every file becomes its own conversation. If a file cannot be imported, the others still are, and the exit code is that of a
// failure.

// importCommand imports recorded conversations.
type importCommand struct {
	console   *console.Console
	resources *setup.Resources
	importer  *transfer.Importer

	title string
}

func (cmd *importCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "import FILE...",
		Short: "Import recorded conversations",
		Long: `Import makes a new conversation, in this workspace, of each file and writes its ID;
the file "-" is standard input. A file is what export writes, as JSON or as JSONL;
a session of Claude Code, Codex, Gemini CLI or Copilot CLI as it lies on disk; or a
recording of another program: one chat-completions message a line, after a line
{"meta": {...}} that may be missing.

Leading system messages become the system prompt. Long results are cut as on
arrival (tool_results.max_chars, in the window of the model that the file names),
and kept whole beside the conversation (tool_results.keep_full).
Lines that cannot be read are left out and told, and so are those of sub-agents.
What only you can decide is left out and named: the address of an
endpoint on another machine, models, permissions and tools.`,
		Example: `  plimsoll import talk.jsonl
  plimsoll import ~/.claude/projects/-home-me-code/SESSION.jsonl
  ssh host plimsoll export --format json | plimsoll import - --title "from host"`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	c.Flags().StringVar(&cmd.title, "title", "", "`TITLE` of the conversation, instead of the file's")
	return c
}

func (cmd *importCommand) Run(ctx context.Context, files []string) error {
	switch {
	case cmd.title != "" && len(files) > 1:
		return console.WrongUse("--title names one conversation, and these are %d files", len(files))
	case strings.Count("\n"+strings.Join(files, "\n\n")+"\n", "\n-\n") > 1:
		return console.WrongUse("standard input can be read once only")
	}
	if _, err := cmd.resources.Open(); err != nil {
		return err
	}
	failed := false
	for _, file := range files {
		id, err := cmd.importer.Run(ctx, file, cmd.title)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			failed = true
			fmt.Fprintln(cmd.console.Stderr, console.Explain(fmt.Errorf("%s: %w", transfer.SourceName(file), err)))
		default:
			fmt.Fprintln(cmd.console.Stdout, id)
		}
	}
	if failed {
		return console.ErrReported
	}
	return nil
}
