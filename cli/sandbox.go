package cli

import (
	"context"
	"errors"
	"io"
	"os/exec"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/config"
	"plimsoll/tools/sandbox"
	"plimsoll/tools/shell"
)

// sandboxCommand runs a command as those of the model run, or says how they do.
type sandboxCommand struct {
	*app

	readOnly bool
}

func (cmd *sandboxCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "sandbox [--read-only] -- COMMAND [ARGUMENT...]",
		Short: "Run a command as confined as those of the model",
		Long: `Sandbox runs a command in the workspace's sandbox, with your terminal and without
keys in its environment, and ends with its exit code. Without a command it says
what is in force here and what this system cannot keep commands from.

It ends with 126 if the mode that permissions.sandbox demands cannot be had.`,
		Example: `  plimsoll sandbox
  plimsoll sandbox -- go test ./...
  plimsoll sandbox --read-only -- sh`,
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	c.Flags().BoolVar(&cmd.readOnly, "read-only", false, "nothing can be written but a temporary folder")
	return c
}

func (cmd *sandboxCommand) Run(ctx context.Context, args []string) error {
	if err := cmd.Settings.Configure(); err != nil {
		return err
	}
	cmd.Settings.NoteRefused()
	cfg := cmd.Settings.Cfg()
	if cmd.readOnly {
		cfg.Permissions.Sandbox = string(sandbox.ReadOnly)
	}
	box := cmd.Resources.Sandbox(cfg)
	if len(args) == 0 {
		_, err := io.WriteString(cmd.Console.Stdout, box.State().String())
		return err
	}
	return cmd.run(ctx, box, cfg, args)
}

func (cmd *sandboxCommand) run(ctx context.Context, box *sandbox.Sandbox, cfg config.Config, args []string) error {
	path, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, path, args[1:]...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = cmd.Console.Dir, cmd.Console.Stdin, cmd.Console.Stdout, cmd.Console.Stderr
	c.Env = shell.Environment(cmd.Console.Environ, setup.ToolOptions("", cfg).SecretNames)
	err = box.Start(c)
	if errors.Is(err, sandbox.ErrUnavailable) {
		return console.WithCode(console.ExitUnavailable, err)
	}
	if err == nil {
		err = c.Wait()
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return console.WithCode(exit.ExitCode(), console.ErrReported)
	}
	return err
}
