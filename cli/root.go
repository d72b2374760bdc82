package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
)

// Env is the environment of a run: arguments, variables, streams.
type Env = console.Env

// Run runs the command that env.Args name and returns the exit code.
func Run(ctx context.Context, env console.Env) int {
	log.SetOutput(io.Discard) // libraries, net/http first, would write over the screen
	a := newApp(env, setup.Flags{})
	root := a.rootCommand()
	root.SetArgs(attachFlagValues(env.Args))
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.ExecuteContext(ctx)
	if closed := a.Resources.Close(); err == nil {
		err = closed
	}
	if err != nil && ctx.Err() != nil {
		err = context.Canceled
	}
	code := console.ExitCode(err)
	if code != console.ExitDone && code != console.ExitInterrupted && !errors.Is(err, console.ErrReported) {
		fmt.Fprintln(env.Stderr, console.Explain(err))
	}
	return code
}

func (a *app) rootCommand() *cobra.Command {
	root := (&chatCommand{app: a}).cobra()
	root.Version = a.Console.Version
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return console.AsUsage(console.WithHint(err, "see "+c.CommandPath()+" --help"))
	})
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return a.checkFlags(c) }
	f := root.PersistentFlags()
	f.StringVar(&a.Settings.Flags.Config, "config", "", "configuration `FILE` instead of the usual one")
	f.StringVar(&a.Settings.Flags.Data, "data", "", "`DIR` for conversations and log")
	f.StringVar(&a.Settings.Flags.Model, "model", "", "model to talk to: `PROVIDER/ID`, or an id in the catalog")
	f.StringVar(&a.Settings.Flags.BaseURL, "base-url", "", "`URL` of an OpenAI-compatible endpoint, without /chat/completions")
	f.Var((*tokenCount)(&a.Settings.Flags.Window), "window", "context window in `TOKENS` (32000, 32k, 1M), whatever the server says")
	f.StringVar(&a.Settings.Flags.Effort, "effort", "", "how much the model reasons: `LEVEL` (none, minimal, low, medium, high, xhigh, max)")
	f.BoolVar(&a.Settings.Flags.Demo, "demo", false, "talk to the built-in demo model, which is not an AI")
	f.StringArrayVar(&a.Settings.Flags.Set, "cfg", nil, "configuration override `KEY=VALUE`, as often as needed")
	root.AddCommand(a.commands()...)
	root.SuggestionsMinimumDistance = 2
	refuseUnknownCommands(root)
	return root
}

func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		(&askCommand{app: a}).cobra(),
		(&compactCommand{app: a}).cobra(),
		(&forkCommand{app: a}).cobra(),
		(&listCommand{app: a}).cobra(),
		(&renameCommand{app: a}).cobra(),
		(&rewindCommand{app: a}).cobra(),
		(&deleteCommand{app: a}).cobra(),
		(&searchCommand{app: a}).cobra(),
		(&printCommand{app: a}).cobra(),
		(&contextCommand{app: a}).cobra(),
		(&modelsCommand{app: a}).cobra(),
		(&mcpCommand{app: a}).cobra(),
		(&connectCommand{app: a}).cobra(),
		(&disconnectCommand{app: a}).cobra(),
		(&importCommand{app: a}).cobra(),
		(&statsCommand{app: a}).cobra(),
		(&exportCommand{app: a}).cobra(),
		(&replayCommand{app: a}).cobra(),
		(&doctorCommand{app: a}).cobra(),
		(&sandboxCommand{app: a}).cobra(),
		(&configCommand{app: a}).cobra(),
		(&manCommand{app: a}).cobra(),
	}
}
