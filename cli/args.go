package cli

import (
	"github.com/spf13/cobra"

	"plimsoll/cli/console"
)

// usageArgs wraps an argument check so that its errors are usage errors with a hint.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return console.AsUsage(console.WithHint(err, c.UseLine()+"; see "+c.CommandPath()+" --help"))
		}
		return nil
	}
}
