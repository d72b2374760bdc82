package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/conversation/numbers"
)

// checkFlags checks the flags of a command: effort, window and address have to be valid, and an empty value is an error. A script
// whose variable is not set must not use another provider or folder than it meant to.
func (a *app) checkFlags(c *cobra.Command) error {
	for _, name := range []string{"config", "data", "model", "base-url", "effort", "resume", "profile", "output", "plot", "title"} {
		if f := c.Flags().Lookup(name); f != nil && f.Changed && strings.TrimSpace(f.Value.String()) == "" {
			return console.AsUsage(console.WithHint(fmt.Errorf("--%s is empty", name), "give it a value, or leave it out"))
		}
	}
	if err := llm.CheckEffort(a.Settings.Flags.Effort); err != nil {
		return console.AsUsage(fmt.Errorf("--effort: %w", err))
	}
	if c.Flags().Changed("window") && a.Settings.Flags.Window <= 0 {
		return console.WrongUse("--window must be a number of tokens above 0, not %d", a.Settings.Flags.Window)
	}
	if a.Settings.Flags.BaseURL != "" {
		return setup.CheckBaseURL("--base-url", a.Settings.Flags.BaseURL)
	}
	return nil
}

// resumeID returns the ID of the conversation that -c or -r selects, "" for a new one.
func resumeID(ctx context.Context, conversations *session.Conversations, newest bool, id string) (string, error) {
	var args []string
	switch {
	case newest && id != "":
		return "", console.WrongUse("use -c or -r, not both: -c continues the newest conversation, -r a chosen one")
	case id != "":
		args = []string{id}
	case !newest:
		return "", nil
	}
	_, id, err := conversations.Resolve(ctx, args)
	return id, err
}

// refuseUnknownCommands makes `help` and `completion` return an error for a command that does not exist. The library only prints
// help there.
func refuseUnknownCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.Args = usageArgs(cobra.NoArgs)
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
			c.Example = "  plimsoll completion bash > ~/.local/share/bash-completion/completions/plimsoll"
		case "help":
			c.Run = nil
			c.RunE = func(_ *cobra.Command, args []string) error {
				command, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return unknownCommandError(command, args, rest)
				}
				command.InitDefaultHelpFlag()
				return command.Help()
			}
		}
	}
}

// exclusive returns an error if a flag was given together with any of the others.
func exclusive(changed func(flag string) bool, flag string, others ...string) error {
	for _, other := range others {
		if changed(flag) && changed(other) {
			return console.WrongUse("use --%s or --%s, not both", flag, other)
		}
	}
	return nil
}

// unknownCommandError returns the error for an unknown subcommand, with similar names as a hint.
func unknownCommandError(in *cobra.Command, args, rest []string) error {
	hint := "`plimsoll help` lists the commands"
	if in != nil && len(rest) > 0 {
		in.SuggestionsMinimumDistance = 2
		if suggestions := in.SuggestionsFor(rest[0]); len(suggestions) > 0 {
			hint = "did you mean " + strings.Join(suggestions, " or ") + "?"
		}
	}
	return console.AsUsage(console.WithHint(fmt.Errorf("there is no command %q", strings.Join(args, " ")), hint))
}

// usageArgs wraps an argument check so that its errors are usage errors with a hint.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return console.AsUsage(console.WithHint(err, c.UseLine()+"; see "+c.CommandPath()+" --help"))
		}
		return nil
	}
}

// tokenCount is a flag that takes a number of tokens: 32000, 32k or 1.5M.
type tokenCount int

// Set reads the value of the flag.
func (t *tokenCount) Set(text string) error {
	n, err := numbers.ParseCount(text)
	if err == nil {
		*t = tokenCount(n)
	}
	return err
}

// String is the number.
func (t *tokenCount) String() string { return strconv.Itoa(int(*t)) }

// Type names the flag's value in the help.
func (t *tokenCount) Type() string { return "tokens" }
