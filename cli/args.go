package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/conversation/numbers"
)

// positional makes errors about arguments wrong use, and says what a command takes.
func positional(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err == nil {
			return nil
		}
		_, takes, _ := strings.Cut(c.Use, " ")
		name := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
		switch {
		case c.HasSubCommands(): // an unknown command: the library's words say it
		case len(args) == 0 && takes != "":
			err = fmt.Errorf("%s needs %s", name, takes)
		case takes == "":
			err = fmt.Errorf("%s takes no argument, and %q is one", name, args[0])
		default:
			err = fmt.Errorf("%s takes %s, and these are %s", name, takes, numbers.Count(len(args), "argument"))
		}
		return console.AsUsage(console.WithHint(err, "see "+c.CommandPath()+" --help"))
	}
}
