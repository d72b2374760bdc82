package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/screen"
	"plimsoll/cli/terminal"
	"plimsoll/tui"
)

// chatCommand is the root command, which opens the interactive chat.
type chatCommand struct {
	*app

	options screen.ChatOptions
}

func (cmd *chatCommand) cobra() *cobra.Command {
	o := &cmd.options
	c := &cobra.Command{
		Use:   "plimsoll",
		Short: "Terminal chat for language models with a live context gauge",
		Long: `Plimsoll is a terminal chat client for people who work with a language model for
hours. A gauge shows how full the model's context window is, what fills it and
what the next message adds. Compaction shortens what the model is sent of older
turns; nothing is lost, and it can be undone. Without a
command it opens the chat; without an API key or a local server it talks to a
built-in demo model that is not an AI.`,
		Example: `  plimsoll                          start a conversation
  plimsoll -c                       continue the newest of this workspace
  plimsoll -r                       pick one to continue
  plimsoll --model ollama/qwen3:8b  talk to a local model
  plimsoll ask "what is in here?"   one question, the reply on standard output`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return cmd.Run(c.Context()) },
	}
	c.Flags().BoolVarP(&o.Newest, "continue", "c", false, "continue the newest conversation of this workspace")
	c.Flags().StringVarP(&o.Resume, "resume", "r", "", "continue the conversation `ID`; without one, pick")
	c.Flags().Lookup("resume").NoOptDefVal = screen.Pick
	return c
}

// Run shows the chat until the user quits.
func (cmd *chatCommand) Run(ctx context.Context) error {
	options := cmd.options
	if err := cmd.Settings.Configure(); err != nil {
		return err
	}
	if !console.Terminal(cmd.Console.Stdin) || !console.Terminal(cmd.Console.Stdout) {
		return console.AsUsage(console.WithHint(errors.New("the chat needs a terminal"), "use `plimsoll ask PROMPT` in a script or a pipe"))
	}
	cfg := cmd.Settings.Cfg()
	keys := map[string][]string{}
	for action, k := range cfg.UI.Keys {
		keys[action] = k
	}
	bindings, err := tui.DefaultKeyMap().Rebind(keys)
	if err != nil {
		return console.AsUsage(err)
	}
	theme, userThemes, err := cmd.Settings.Theme(*cmd.Settings.Loaded.Load())
	if err != nil {
		return console.AsUsage(err)
	}
	if options, err = cmd.resolveResume(ctx, options); err != nil {
		return err
	}
	h := screen.NewHost(cmd.Agents, options)
	defer h.Close()
	features := terminal.New(cmd.Console.Getenv)
	signalled := ctx // is cancelled by a signal to the program
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	model := tui.New(ctx, tui.Options{
		Backend: h, Edit: cmd.edit, EditFile: cmd.editFile,
		Keys: bindings, Theme: theme, Themes: userThemes, Colourless: cmd.Console.Colourless(), Colors: cmd.Console.Colors(), Mouse: cfg.UI.Mouse, Vim: cfg.UI.Vim, Motion: features.Moves(cfg.UI.Motion), Panel: cfg.UI.Panel, OwnStatus: h.OwnStatus(cfg.UI.StatusCommand),
		Progress: features.CanShowProgress(), Links: features.CanShowLinks(), Notify: features.Notifier(cfg.UI.Notify),
		Pictures: h.Pictures(features.Artist(cfg.Images.Draw)), ClipboardImage: h.ClipboardImage(terminal.Clipboard{Env: cmd.Console.Getenv}),
		Workspace: cmd.Console.Home(cmd.Settings.Workspace), Pick: options.Resume == screen.Pick,
	})
	err = runScreen(ctx, model, &h.Pace, cmd.Console.Stdout, tea.WithInput(cmd.Console.Stdin))
	stop()
	draftErr := model.KeepDraft(context.WithoutCancel(ctx))
	return errors.Join(err, draftErr, h.Leave(model.LastExchange()), signalled.Err())
}

// resolveResume sets o.Resume to the full ID of the conversation to continue. A wrong ID fails before the chat opens.
func (cmd *chatCommand) resolveResume(ctx context.Context, options screen.ChatOptions) (screen.ChatOptions, error) {
	if options.Resume == screen.Pick {
		return options, nil
	}
	id, err := resumeID(ctx, cmd.Conversations, options.Newest, options.Resume)
	if id == "" {
		return options, err
	}
	return screen.ChatOptions{Resume: id}, err
}

func (cmd *chatCommand) editor() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if editor := strings.Fields(cmd.Console.Getenv(name)); len(editor) > 0 {
			return editor
		}
	}
	return []string{"vi"}
}

func (cmd *chatCommand) editFile(ctx context.Context, path string) (tui.Editor, error) {
	editor := cmd.editor()
	_, err := exec.LookPath(editor[0])
	return runEditor(ctx, editor, path), err
}

// edit returns the command that opens the draft in VISUAL, EDITOR or vi, and a function that reads the edited text.
func (cmd *chatCommand) edit(ctx context.Context, draft string) (tui.Editor, func() (string, error), error) {
	editor := cmd.editor()
	dir, err := os.MkdirTemp("", "plimsoll-")
	if err != nil {
		return nil, nil, fmt.Errorf("making a file for the editor: %w", err)
	}
	path := filepath.Join(dir, "message.md")
	if err := os.WriteFile(path, []byte(draft), 0o600); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("writing the draft for the editor: %w", err), os.RemoveAll(dir))
	}
	readBack := func() (string, error) {
		text, err := os.ReadFile(path)
		return strings.TrimRight(string(text), "\n"), errors.Join(err, os.RemoveAll(dir))
	}
	return runEditor(ctx, editor, path), readBack, nil
}

func runEditor(ctx context.Context, editor []string, path string) tui.Editor {
	c := exec.CommandContext(ctx, editor[0], append(editor[1:], path)...)
	return func(done tea.ExecCallback) tea.Cmd { return tea.ExecProcess(c, done) }
}
