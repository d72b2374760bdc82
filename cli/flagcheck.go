package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
)

// What every command's flags must be. A flag that is given with an empty value
// is a mistake, not a flag left out: a script whose variable is not set must
// not talk to another provider or write into another folder than it meant to.

// checkFlags checks the flags that every command has.
func (a *app) checkFlags(c *cobra.Command) error {
	for _, f := range []struct{ name, value, sample string }{
		{"config", a.settings.Flags.Config, "FILE"}, {"data", a.settings.Flags.Data, "DIR"},
		{"model", a.settings.Flags.Model, "PROVIDER/ID"}, {"base-url", a.settings.Flags.BaseURL, "URL"}, {"effort", a.settings.Flags.Effort, "LEVEL"},
	} {
		if c.Flags().Changed(f.name) && strings.TrimSpace(f.value) == "" {
			return console.AsUsage(console.WithHint(fmt.Errorf("--%s is empty", f.name), "write --"+f.name+" "+f.sample+", or leave it out"))
		}
	}
	if err := llm.CheckEffort(a.settings.Flags.Effort); err != nil {
		return console.AsUsage(fmt.Errorf("--effort: %w", err))
	}
	if c.Flags().Changed("window") && a.settings.Flags.Window <= 0 {
		return console.WrongUse("--window must be a number of tokens above 0, not %d", a.settings.Flags.Window)
	}
	if f := c.Flags().Lookup("resume"); f != nil && f.Changed && strings.TrimSpace(f.Value.String()) == "" {
		return console.AsUsage(console.WithHint(errors.New("the ID behind -r is empty"), "`plimsoll list` shows them; -c continues the newest"))
	}
	if a.settings.Flags.BaseURL != "" {
		return setup.CheckBaseURL("--base-url", a.settings.Flags.BaseURL)
	}
	return nil
}

// flagError says what is wrong with a flag, without the library's own words.
func flagError(c *cobra.Command, err error) error {
	var number *strconv.NumError
	if before, _, ok := strings.Cut(err.Error(), ": strconv."); ok && errors.As(err, &number) {
		err = errors.New(before + ": it takes a whole number")
		if errors.Is(number.Err, strconv.ErrRange) {
			err = errors.New(before + ": the number is too large")
		}
	}
	return console.AsUsage(console.WithHint(err, "see "+c.CommandPath()+" --help"))
}

// wrongCommands makes the library's help and completion commands refuse what is no
// command.
func wrongCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.Args = positional(cobra.NoArgs)
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
			c.Example = "  plimsoll completion bash > ~/.local/share/bash-completion/completions/plimsoll"
		case "help":
			c.Run = nil
			c.RunE = func(_ *cobra.Command, args []string) error {
				about, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return noCommand(about, args, rest)
				}
				about.InitDefaultHelpFlag()
				return about.Help()
			}
		}
	}
}

// exclusive refuses two flags of which only one can be given.
func exclusive(changed func(flag string) bool, one string, others ...string) error {
	for _, other := range others {
		if changed(one) && changed(other) {
			return console.WrongUse("use --%s or --%s, not both", one, other)
		}
	}
	return nil
}

// noCommand is the error of a word that is no command below one, with what could
// have been meant.
func noCommand(in *cobra.Command, args, rest []string) error {
	hint := "`plimsoll help` lists the commands"
	if in != nil && len(rest) > 0 {
		in.SuggestionsMinimumDistance = 2
		if near := in.SuggestionsFor(rest[0]); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
	}
	return console.AsUsage(console.WithHint(fmt.Errorf("there is no command %q", strings.Join(args, " ")), hint))
}
