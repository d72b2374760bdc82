package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
)

// manCommand writes the manual.
type manCommand struct {
	console *console.Console

	dir  string
	root *cobra.Command
}

func (cmd *manCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "man [COMMAND...]",
		Short: "Write the manual page",
		Long: `Man writes the manual page of Plimsoll or of one of its commands to standard
output, for man to show. With --dir it writes the pages of all commands as files.`,
		Example: `  plimsoll man | man -l -
  plimsoll man ask > plimsoll-ask.1
  plimsoll man --dir ~/.local/share/man/man1`,
		Args: positional(cobra.ArbitraryArgs),
		RunE: func(c *cobra.Command, args []string) error {
			cmd.root = c.Root()
			return cmd.Run(c.Context(), args)
		},
	}
	c.Flags().StringVar(&cmd.dir, "dir", "", "write one file per command into `DIR`")
	return c
}

func (cmd *manCommand) Run(_ context.Context, args []string) error {
	if cmd.dir != "" {
		if len(args) > 0 {
			return console.WrongUse("--dir writes the pages of all commands; leave %q out", strings.Join(args, " "))
		}
		return cmd.pages(cmd.root, cmd.dir)
	}
	command, rest, err := cmd.root.Find(args)
	if err != nil || len(rest) > 0 {
		return noCommand(command, args, rest)
	}
	page, err := cmd.page(command)
	if err != nil {
		return err
	}
	_, err = cmd.console.Stdout.Write(page)
	return err
}

// pages writes the pages of a command and all below it.
func (cmd *manCommand) pages(c *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("writing the manual: %w", err)
	}
	page, err := cmd.page(c)
	if err != nil {
		return err
	}
	name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
	if err := os.WriteFile(filepath.Join(dir, name), page, 0o644); err != nil {
		return fmt.Errorf("writing the manual: %w", err)
	}
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := cmd.pages(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

// page is the manual page of a command: a title, and the help that --help shows, as it stands.
func (cmd *manCommand) page(c *cobra.Command) ([]byte, error) {
	now, err := buildDate(cmd.console.Getenv("SOURCE_DATE_EPOCH"))
	if err != nil {
		return nil, fmt.Errorf("writing the manual: %w", err)
	}
	c.InitDefaultHelpFlag()
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	help := strings.TrimSpace(cmp.Or(c.Long, c.Short)) + "\n\n" + c.UsageString()
	return fmt.Appendf(nil, ".TH %q \"1\" %q %q \"Plimsoll\"\n.nh\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n%s.fi\n",
		strings.ToUpper(name), now.Format("Jan 2006"), "Plimsoll "+cmd.console.Version, name, escaped(c.Short), escaped(help)), nil
}

// escaped keeps man from reading text as its own: backslashes, and lines that begin like a request.
func escaped(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = strings.ReplaceAll("\n"+text, "\n.", "\n\\&.")
	return strings.ReplaceAll(text, "\n'", "\n\\&'")[1:]
}

// buildDate is the date of a page: now, or what those set who want the same page from every build.
func buildDate(epoch string) (time.Time, error) {
	if epoch == "" {
		return time.Now(), nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("invalid SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0), nil
}
