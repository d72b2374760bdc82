package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/transfer"
	"plimsoll/conversation/numbers"
)

// Every file becomes its own conversation, the same one each time if it is a session of another client. If a file cannot be
// imported, the others still are, and the exit code is that of a failure.

type importCommand struct {
	*app

	title string
	yes   bool
	json  bool
	limit int
}

func (cmd *importCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "import PATH...",
		Short: "Import recorded conversations",
		Long: `Import makes a new conversation, in this workspace, of each file and writes its ID;
the file "-" is standard input. A file is what export writes, as JSON or as JSONL;
a session of Claude Code, Codex, Gemini CLI, Copilot CLI, pi, opencode or Crush, as
it lies on disk or is exported; or a recording of another program: one
chat-completions message a line, after a line {"meta": {...}} that may be missing.
One session in a database of opencode or Crush is FILE#SESSION.

A session of another client has the same ID each time: importing it again makes no
second conversation, and appends what was added to it, unless it went on here.

The sessions of a database or a folder, or of the folders below if it has none
itself, are listed, and imported after a yes; without a terminal to ask on, --yes
is needed.

Leading system messages become the system prompt. Long results are cut as on
arrival (tool_results.max_chars, in the window of the model that the file names),
and kept whole beside the conversation (tool_results.keep_full).
Lines that cannot be read are left out and told, and so are those of sub-agents.
What only you can decide is left out and named: the address of an
endpoint on another machine, models, permissions and tools.`,
		Example: `  plimsoll import talk.jsonl
  plimsoll import ~/.claude/projects
  plimsoll import ~/.codex/sessions -n 20 --yes
  plimsoll import .crush/crush.db ~/.local/share/opencode
  ssh host plimsoll export --format json | plimsoll import - --title "from host"`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	c.Flags().StringVar(&cmd.title, "title", "", "`TITLE` of the conversation, instead of the file's")
	c.Flags().BoolVarP(&cmd.yes, "yes", "y", false, "import a folder without asking")
	c.Flags().BoolVar(&cmd.json, "json", false, "write one JSON array: what is there, or with --yes what became of it")
	c.Flags().IntVarP(&cmd.limit, "limit", "n", 0, "at most the newest `N` sessions of a folder, 0 for all")
	return c
}

func (cmd *importCommand) Run(ctx context.Context, files []string) error {
	switch {
	case cmd.title != "" && len(files) > 1:
		return console.WrongUse("--title names one conversation, and these are %d files", len(files))
	case cmd.limit < 0:
		return console.WrongUse("-n must be 0 or more, not %d", cmd.limit)
	case strings.Count("\n"+strings.Join(files, "\n\n")+"\n", "\n-\n") > 1:
		return console.WrongUse("standard input can be read once only")
	}
	sessions, listed, failed, err := cmd.expand(ctx, files)
	switch {
	case err != nil:
		return err
	case cmd.title != "" && listed:
		return console.WrongUse("--title names one conversation, and not those of a folder")
	case listed && !cmd.yes && cmd.json:
		return console.WriteJSON(cmd.Console.Stdout, sessions)
	case listed && !cmd.yes:
		if goOn, err := cmd.confirm(ctx, sessions); err != nil || !goOn {
			return err
		}
	}
	if _, err := cmd.Resources.Open(); err != nil {
		return err
	}
	counts := map[transfer.Outcome]int{}
	for i := range sessions {
		s := &sessions[i]
		id, outcome, err := cmd.importer().Run(ctx, s.Path, cmd.title)
		s.ID, s.Outcome = id, outcome
		switch counts[outcome]++; {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			failed = true
			cmd.report(s.Path, err)
		case !cmd.json:
			fmt.Fprintln(cmd.Console.Stdout, id)
		}
	}
	if n := counts[transfer.Updated]; n > 0 {
		cmd.Console.Note("%s had been imported before, and got what was added since", numbers.Count(n, "session"))
	}
	if n := counts[transfer.Unchanged]; n > 0 {
		cmd.Console.Note("%s had been imported before, and did not change", numbers.Count(n, "session"))
	}
	if cmd.json {
		err = console.WriteJSON(cmd.Console.Stdout, sessions)
	}
	if failed && err == nil {
		return console.ErrReported
	}
	return err
}

func (cmd *importCommand) report(file string, err error) {
	fmt.Fprintln(cmd.Console.Stderr, console.Explain(fmt.Errorf("%s: %w", transfer.SourceName(file), err)))
}

// expand replaces folders by their sessions, and reports whether there are any. It has failed if a folder has none, or one that
// cannot be read.
func (cmd *importCommand) expand(ctx context.Context, paths []string) (sessions []transfer.Session, listed, failed bool, err error) {
	for _, path := range paths {
		if !transfer.IsFolder(path) {
			sessions = append(sessions, transfer.Session{Path: path})
			continue
		}
		found, wrong := transfer.Files(ctx, path)
		inside, err := transfer.List(ctx, cmd.Console, found, cmd.limit)
		if err != nil {
			return nil, false, true, err
		}
		if wrong == nil && len(inside) == 0 {
			wrong = transfer.ErrNoSession
		}
		if wrong != nil {
			failed = true
			cmd.report(path, wrong)
		}
		for _, s := range inside {
			if s.Err != nil {
				failed = true
				cmd.report(s.Path, s.Err)
				continue
			}
			sessions, listed = append(sessions, s), true
		}
	}
	return sessions, listed, failed, nil
}

// confirm lists sessions, and asks whether to import them. Without a terminal it says how to.
func (cmd *importCommand) confirm(ctx context.Context, sessions []transfer.Session) (bool, error) {
	if err := transfer.WriteSessions(cmd.Console, sessions); err != nil {
		return false, err
	}
	if !console.Terminal(cmd.Console.Stdin) {
		cmd.Console.Note("nothing was imported; --yes imports %s", numbers.Count(len(sessions), "session"))
		return false, nil
	}
	return cmd.Console.Confirm(ctx, "Import "+numbers.Count(len(sessions), "session")+" as new conversations of this workspace?")
}
