package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
)

// Going back to a turn takes back what was said, what tools did to files, or both. Files come first: they may turn out to be
// impossible to bring back, and then the conversation still knows about them.

// rewindCommand takes a stored conversation, or its files, back to a turn.
type rewindCommand struct {
	*app

	turn                                    int
	files, conversation, both               bool
	dryRun, json, overwritesChangesByOthers bool
}

func (cmd *rewindCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "rewind ID --turn N",
		Short: "Go back to an earlier turn",
		Long: `Rewind takes a stored conversation back to what it was before turn N, and the files
that its tools changed since. Turns count from 0, as print shows them; -1 is the
last. Nothing is deleted: /redo in the chat brings both back until something new
is said, and what a file had is kept (checkpoints.keep, checkpoints.budget).

What commands changed is brought back in a git work tree, and not known elsewhere.
A file that somebody else changed since is left as it is, and named, unless
--overwrite is given. --dry-run shows what would happen, as a diff.

` + idRequiredHelp,
		Example: `  plimsoll rewind 3kq7 --turn -1 --dry-run
  plimsoll rewind 3kq7 --turn 5 --files`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if !c.Flags().Changed("turn") {
				return console.WrongUse("name the turn to go back to with --turn")
			}
			return cmd.Run(c.Context(), args)
		},
	}
	f := c.Flags()
	f.IntVar(&cmd.turn, "turn", 0, "go back to what was before turn `N`")
	f.BoolVar(&cmd.files, "files", false, "only the files")
	f.BoolVar(&cmd.conversation, "conversation", false, "only the conversation")
	f.BoolVar(&cmd.both, "both", false, "both; so it is without any of the three")
	f.BoolVar(&cmd.dryRun, "dry-run", false, "show what would happen, and change nothing")
	f.BoolVar(&cmd.overwritesChangesByOthers, "overwrite", false, "bring back files that somebody else changed, too")
	f.BoolVar(&cmd.json, "json", false, "write what happened as JSON")
	c.MarkFlagsMutuallyExclusive("files", "conversation", "both")
	return c
}

// rewindReport is `rewind --json`.
type rewindReport struct {
	ID           string       `json:"id"`
	Turn         int          `json:"turn"`
	Conversation bool         `json:"conversation"`
	Files        []rewindFile `json:"files"`
	Unknown      bool         `json:"unknown,omitempty"` // commands may have changed further files
	DryRun       bool         `json:"dry_run,omitempty"`
}

type rewindFile struct {
	Path    string `json:"path"`
	Removed bool   `json:"removed,omitempty"` // it did not exist before the turn
	Left    string `json:"left,omitempty"`    // why it was left as it is
	Diff    string `json:"diff,omitempty"`    // with --dry-run
}

func (cmd *rewindCommand) Run(ctx context.Context, args []string) (err error) {
	_, id, err := cmd.Conversations.Resolve(ctx, args)
	if err != nil {
		return err
	}
	s, err := cmd.Conversations.StateOf(ctx, id)
	if err != nil {
		return err
	}
	before, err := edit.TurnStart(s.Events, cmd.turn)
	if err != nil {
		return console.AsUsage(err)
	}
	turn := s.Events[before-1].Turn
	report := rewindReport{ID: id, Turn: turn, Conversation: !cmd.files, Files: []rewindFile{}, DryRun: cmd.dryRun}
	if rewound := conversation.RewoundBy(s.Events); report.Conversation && rewound != nil && rewound[before-1] != 0 {
		return console.WithHint(fmt.Errorf("turn %d is undone already", turn), "--files brings back its files only")
	}
	var rewind func(session.ConversationState) ([]conversation.Body, error)
	if report.Conversation {
		rewind = func(s session.ConversationState) ([]conversation.Body, error) {
			return conversation.AssignEpoch([]conversation.Body{conversation.Rewind{Turn: turn}}, s.NextSeq(),
				conversation.Origin{Source: conversation.SourceManual, Trigger: "rewind"}), nil
		}
	}
	switch {
	case !cmd.conversation:
		if report.Files, err = cmd.rewindFiles(ctx, s, turn, rewind); err != nil {
			return err
		}
		report.Unknown = conversation.UnknownSince(s.Events, turn)
	case !cmd.dryRun:
		if err := cmd.Conversations.Append(ctx, s, rewind); err != nil {
			return err
		}
	}
	if cmd.json {
		return console.WriteLine(cmd.Console.Stdout, report)
	}
	return cmd.write(report)
}

func (cmd *rewindCommand) rewindFiles(ctx context.Context, s session.ConversationState, turn int,
	then func(session.ConversationState) ([]conversation.Body, error)) (files []rewindFile, err error) {
	plan, err := cmd.Conversations.PlanRewind(ctx, s, turn)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	out := plan.Expected(cmd.overwritesChangesByOthers)
	if !cmd.dryRun {
		if out, err = plan.Apply(ctx, cmd.overwritesChangesByOthers, then); err != nil {
			return nil, err
		}
	}
	why := map[string]string{}
	for _, l := range out.Left {
		why[l.Path] = l.Why
	}
	files = []rewindFile{}
	for _, f := range plan.Files {
		file := rewindFile{Path: f.Path, Removed: f.Target == "", Left: why[f.Path]}
		if cmd.dryRun {
			file.Diff = f.Diff
		}
		files = append(files, file)
	}
	return files, nil
}

// write writes what happened, or would, for people.
func (cmd *rewindCommand) write(r rewindReport) error {
	text, would := "", ""
	if r.DryRun {
		would = "would be "
	}
	for _, f := range r.Files {
		what := "brought back"
		if f.Removed {
			what = "removed, as it was not there before"
		}
		line := f.Path + ": " + would + what
		if f.Left != "" {
			line = f.Path + ": left as it is: " + f.Left
		}
		text += line + "\n" + f.Diff
	}
	if len(r.Files) == 0 && (!r.Conversation || r.DryRun) {
		text = "no file is different from what it was before the turn\n"
	}
	if r.Unknown {
		text += "commands may have changed further files; which is not known\n"
	}
	if r.Conversation {
		text += fmt.Sprintf("conversation %s: %staken back to before turn %d\n", r.ID, would, r.Turn)
	}
	_, err := fmt.Fprint(cmd.Console.Stdout, plain.Text(text))
	return err
}
