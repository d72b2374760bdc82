package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

type manCommand struct{ *app }

func (cmd *manCommand) cobra() *cobra.Command {
	return &cobra.Command{
		Use:   "man [COMMAND...]",
		Short: "Write the manual page",
		Long: `Man writes the manual page of Plimsoll or of one of its commands to standard
output, for man to show.`,
		Example: `  plimsoll man | man -l -
  plimsoll man ask > plimsoll-ask.1`,
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(c *cobra.Command, args []string) error {
			command, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommandError(command, args, rest)
			}
			_, err = fmt.Fprint(cmd.Console.Stdout, cmd.page(command))
			return err
		},
	}
}

// page is the manual page of a command: a title, and the text of --help.
func (cmd *manCommand) page(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	help := strings.TrimSpace(cmp.Or(c.Long, c.Short)) + "\n\n" + c.UsageString()
	return fmt.Sprintf(".TH %q \"1\" \"\" %q \"Plimsoll\"\n.nh\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n%s.fi\n",
		strings.ToUpper(name), "Plimsoll "+cmd.Console.Version, name, escapeRoff(c.Short), escapeRoff(help))
}

// escapeRoff escapes what roff would interpret: backslashes, and lines that begin with a dot or a quote.
func escapeRoff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(text)
}
