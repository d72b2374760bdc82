package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/measure"
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
	if closed := a.resources.Close(); err == nil {
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
	root := (&chatCommand{host: a.newHost, console: a.console, conversations: a.conversations, settings: a.settings}).cobra()
	root.Version = a.console.Version
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return console.AsUsage(console.WithHint(err, "see "+c.CommandPath()+" --help"))
	})
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return a.checkFlags(c) }
	f := root.PersistentFlags()
	f.StringVar(&a.settings.Flags.Config, "config", "", "configuration `FILE` instead of the usual one")
	f.StringVar(&a.settings.Flags.Data, "data", "", "`DIR` for conversations and log")
	f.StringVar(&a.settings.Flags.Model, "model", "", "model to talk to: `PROVIDER/ID`, or an id in the catalog")
	f.StringVar(&a.settings.Flags.BaseURL, "base-url", "", "`URL` of an OpenAI-compatible endpoint, without /chat/completions")
	f.Var((*tokenCount)(&a.settings.Flags.Window), "window", "context window in `TOKENS` (32000, 32k, 1M), whatever the server says")
	f.StringVar(&a.settings.Flags.Effort, "effort", "", "how much the model reasons: `LEVEL` (none, minimal, low, medium, high, xhigh, max)")
	f.BoolVar(&a.settings.Flags.Demo, "demo", false, "talk to the built-in demo model, which is not an AI")
	f.StringArrayVar(&a.settings.Flags.Set, "cfg", nil, "configuration override `KEY=VALUE`, as often as needed")
	root.AddCommand(a.commands()...)
	root.SuggestionsMinimumDistance = 2
	refuseUnknownCommands(root)
	return root
}

// commands are the commands below the root, each with what it needs of a run.
func (a *app) commands() []*cobra.Command {
	out, set, prov, res, models, convs := a.console, a.settings, a.providers, a.resources, a.models, a.conversations
	return []*cobra.Command{
		(&askCommand{agents: a.agents, console: out, conversations: convs, models: models, settings: set}).cobra(),
		(&compactCommand{agents: a.agents, console: out, conversations: convs, models: models, settings: set}).cobra(),
		(&forkCommand{agents: a.agents, console: out, conversations: convs, models: models, settings: set}).cobra(),
		(&listCommand{console: out, resources: res, settings: set}).cobra(),
		(&renameCommand{console: out, conversations: convs}).cobra(),
		(&rewindCommand{console: out, conversations: convs}).cobra(),
		(&deleteCommand{console: out, conversations: convs}).cobra(),
		(&searchCommand{console: out, resources: res, settings: set}).cobra(),
		(&printCommand{console: out, conversations: convs, models: models, settings: set}).cobra(),
		(&contextCommand{console: out, conversations: convs, models: models, settings: set}).cobra(),
		(&modelsCommand{console: out, models: models, providers: prov, settings: set}).cobra(),
		(&mcpCommand{console: out, resources: res, settings: set}).cobra(),
		(&connectCommand{console: out, settings: set, providers: prov}).cobra(),
		(&disconnectCommand{console: out, settings: set, providers: prov}).cobra(),
		(&importCommand{console: out, resources: res, importer: a.importer()}).cobra(),
		(&statsCommand{console: out, resources: res}).cobra(),
		(&exportCommand{console: out, conversations: convs, exporter: a.exporter()}).cobra(),
		(&replayCommand{settings: set, replayer: &measure.Replayer{
			Console: a.console, Settings: a.settings, Providers: a.providers, Conversations: a.conversations}}).cobra(),
		(&doctorCommand{console: out, examiner: a.examiner()}).cobra(),
		(&sandboxCommand{console: out, resources: res, settings: set}).cobra(),
		configCommand(&configCommands{console: out, settings: set}),
		(&manCommand{console: out}).cobra(),
	}
}
