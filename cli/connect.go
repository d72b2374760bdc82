package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/conversation/numbers"
)

// connectCommand stores the key of a provider.
type connectCommand struct {
	*app

	skipCheck bool
}

func (cmd *connectCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "connect [PROVIDER]",
		Short: "Store the key of a provider",
		Long: `Connect asks for the key of a provider, tries it with a request that costs
nothing, and stores it in the system's keyring, or without a keyring in a file that
only you can read. In a pipe it reads the key from standard input. A key in
the environment is used before a stored one.`,
		Example: `  plimsoll connect anthropic
  pass show openai | plimsoll connect openai`,
		Args:              usageArgs(cobra.MaximumNArgs(1)),
		ValidArgsFunction: cobra.FixedCompletions(openai.ProvidersByKey(), cobra.ShellCompDirectiveNoFileComp),
		RunE:              func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	c.Flags().BoolVar(&cmd.skipCheck, "no-check", false, "store the key without trying it")
	return c
}

func (cmd *connectCommand) Run(ctx context.Context, args []string) error {
	if err := cmd.Settings.Configure(); err != nil {
		return err
	}
	provider, err := cmd.provider(ctx, args)
	if err != nil {
		return err
	}
	key, err := readKey(ctx, cmd.Console, provider)
	if err != nil {
		return err
	}
	if !cmd.skipCheck {
		if err := cmd.tryKey(ctx, provider, key); err != nil {
			return err
		}
	}
	where, err := cmd.Providers.Connect(provider, key)
	if err != nil {
		return err
	}
	cmd.reportStored(provider, where)
	return nil
}

// provider returns the provider to connect: the argument, or one that the user chooses from a list.
func (cmd *connectCommand) provider(ctx context.Context, args []string) (string, error) {
	known, name := openai.ProvidersByKey(), ""
	switch {
	case len(args) > 0:
		name = args[0]
	case !console.Terminal(cmd.Console.Stdin):
		return "", console.AsUsage(console.WithHint(errors.New("which provider?"),
			"plimsoll connect PROVIDER, one of "+strings.Join(known, ", ")+" or of your configuration"))
	default:
		var err error
		if name, err = cmd.askProvider(ctx, known); err != nil {
			return "", err
		}
	}
	if !cmd.Providers.Known(strings.ToLower(name)) {
		return "", unknownProvider(name, cmd.Providers)
	}
	return strings.ToLower(name), nil
}

func unknownProvider(name string, providers *setup.Providers) error {
	return console.AsUsage(console.WithHint(fmt.Errorf("unknown provider %q", name), "the providers are "+strings.Join(providers.Names(), ", ")))
}

// askProvider asks the user to choose from a list, by number or by name.
func (cmd *connectCommand) askProvider(ctx context.Context, known []string) (string, error) {
	for i, name := range known {
		note := ""
		if k := cmd.Providers.Key(name); k.Source != "" {
			note = "  has a key: " + k.Source
		}
		fmt.Fprintf(cmd.Console.Stderr, "  %d  %s%s\n", i+1, name, note)
	}
	fmt.Fprint(cmd.Console.Stderr, "Provider (number or name): ")
	text, err := cmd.Console.ReadLine(ctx, false, 1<<10)
	text = strings.TrimSpace(text)
	if n, parseErr := strconv.Atoi(text); parseErr == nil && n >= 1 && n <= len(known) {
		return known[n-1], nil
	}
	if text == "" && err == nil {
		err = console.AsUsage(errors.New("no provider was chosen; nothing was stored"))
	}
	return text, err
}

// readKey asks for a key: hidden on a terminal, else from standard input.
func readKey(ctx context.Context, c *console.Console, name string) (string, error) {
	if console.Terminal(c.Stdin) {
		fmt.Fprintf(c.Stderr, "Key for %s (hidden): ", name)
	}
	text, err := c.ReadLine(ctx, true, setup.MaxKeyLength)
	if err != nil {
		return "", fmt.Errorf("reading the key: %w", err)
	}
	key, err := setup.ParseKey(text)
	if err != nil {
		return "", console.AsUsage(fmt.Errorf("%w; nothing was stored", err))
	}
	return key, nil
}

func (cmd *connectCommand) tryKey(ctx context.Context, provider, key string) error {
	err := cmd.Providers.TryKey(ctx, provider, key)
	if err == nil {
		return nil
	}
	e := llm.AsError(err)
	if e.Class == llm.Auth {
		return fmt.Errorf("%s; nothing was stored", e.Message)
	}
	return console.WithHint(fmt.Errorf("the key could not be tried: %s; nothing was stored", e.Message), "--no-check stores it untried")
}

// reportStored prints where the key is stored, and the provider's default model.
func (cmd *connectCommand) reportStored(provider, where string) {
	out := cmd.Console.Stdout
	fmt.Fprintf(out, "The key for %s is stored in %s.\n", provider, where)
	if e, ok := catalog.Default(provider); ok {
		fmt.Fprintf(out, "Default model: %s/%s", provider, e.ID)
		if w := e.Limit(); w > 0 {
			fmt.Fprintf(out, ", window %s tokens", numbers.Grouped(w))
		}
		if p := e.Prices; p != nil {
			fmt.Fprintf(out, ", $%g in and $%g out per million tokens", p.Input, p.Output)
		}
		fmt.Fprintln(out)
	}
	if k := cmd.Providers.Key(provider); k.IsFromEnvironment() {
		fmt.Fprintf(out, "%s is set and is used before it.\n", k.Variable)
	}
	fmt.Fprintf(out, "Start with: plimsoll --model %s\n", provider)
}

// disconnectCommand removes the key of a provider.
type disconnectCommand struct{ *app }

func (cmd *disconnectCommand) cobra() *cobra.Command {
	return &cobra.Command{
		Use:               "disconnect PROVIDER",
		Short:             "Remove the stored key of a provider",
		Long:              "Disconnect removes a key that connect stored. A key in the environment stays.",
		Example:           "  plimsoll disconnect anthropic",
		Args:              usageArgs(cobra.ExactArgs(1)),
		ValidArgsFunction: cobra.FixedCompletions(openai.ProvidersByKey(), cobra.ShellCompDirectiveNoFileComp),
		RunE:              func(_ *cobra.Command, args []string) error { return cmd.Run(args[0]) },
	}
}

func (cmd *disconnectCommand) Run(provider string) error {
	if err := cmd.Settings.Configure(); err != nil {
		return err
	}
	provider = strings.ToLower(provider)
	if err := cmd.Providers.RemoveKey(provider); err != nil {
		return err
	}
	fmt.Fprintf(cmd.Console.Stdout, "The stored key for %s is removed.\n", provider)
	if k := cmd.Providers.Key(provider); k.IsFromEnvironment() {
		fmt.Fprintf(cmd.Console.Stdout, "%s is still set.\n", k.Variable)
	}
	return nil
}
