package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/config"
)

type configCommand struct{ *app }

func (cmd *configCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Manage the configuration",
		Long: `The configuration is read from the defaults, your config.yaml, what /settings keeps
beside it (config.settings.yaml), .plimsoll.yaml at the top of the workspace and
--cfg KEY=VALUE; what comes later wins. Mistakes are errors that name the line.`,
		Example: `  plimsoll config path
  plimsoll config init && $EDITOR "$(plimsoll config path)"
  plimsoll config check`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	trust := &cobra.Command{
		Use:   "trust",
		Short: "Apply all of the workspace's .plimsoll.yaml",
		Long: `Trust applies every key of the .plimsoll.yaml at the top of the workspace, also
those that need your consent: the model, providers, summaries, keys, permissions. It
lists them. This holds until the file changes; --forget revokes it.`,
		Example: `  plimsoll config trust
  plimsoll config trust --forget`,
		Args: usageArgs(cobra.NoArgs),
	}
	forget := trust.Flags().Bool("forget", false, "forget the decision, a no included")
	trust.RunE = func(*cobra.Command, []string) error { return cmd.trust(*forget) }
	c.AddCommand(&cobra.Command{
		Use:   "path",
		Short: "Print the path of the configuration file in use",
		Long: `Path writes where your configuration file is, or would be: --config, else
PLIMSOLL_CONFIG, else plimsoll/config.yaml in the XDG configuration folder.`,
		Example: "  plimsoll config path",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(*cobra.Command, []string) error { return cmd.path() },
	}, &cobra.Command{
		Use:   "check",
		Short: "Check the configuration for mistakes",
		Long: `Check reads the configuration without starting anything. It writes "ok", or every
mistake with its line and ends with exit code 2. Keys of the workspace's file that
need your consent are listed, with whether they apply; they are no mistake.`,
		Example: `  plimsoll config check
  plimsoll config check --config draft.yaml`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return cmd.check() },
	}, &cobra.Command{
		Use:   "init",
		Short: "Create a starter configuration",
		Long: `Init writes a file with every key, its default and what it means to the place
that "plimsoll config path" names. A file that is there is never overwritten.`,
		Example: `  plimsoll config init
  plimsoll config init --config ./plimsoll.yaml`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return cmd.init() },
	}, trust)
	return c
}

func (cmd *configCommand) path() error {
	path, err := cmd.Settings.ConfigFile()
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.Console.Stdout, cmd.Console.Text(path))
	return nil
}

func (cmd *configCommand) check() error {
	loaded, err := cmd.Settings.Load()
	if err != nil {
		return err
	}
	for _, note := range cmd.Settings.UnknownNotes(loaded) {
		cmd.Console.Note("%s", note)
	}
	for _, r := range loaded.Trusted {
		cmd.Console.Note("%s:%d: %s: %s is applied because you trust the file; it %s", r.File, r.Line, r.Key, r.Value, r.Why)
	}
	for _, r := range loaded.Refused {
		cmd.Console.Note("%s:%d: %s: %s is not applied: it %s", r.File, r.Line, r.Key, r.Value, r.Why)
	}
	if len(loaded.Refused) > 0 {
		cmd.Console.Note("`plimsoll config trust` applies the rest")
	}
	fmt.Fprintln(cmd.Console.Stdout, "ok")
	return nil
}

func (cmd *configCommand) init() error {
	path, err := cmd.Settings.ConfigFile()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return console.WithHint(fmt.Errorf("%s exists already", path), "edit it, move it away, or name another with --config")
	}
	if err := config.ReplaceFile(path, cmd.Console.Example); err != nil {
		return err
	}
	fmt.Fprintln(cmd.Console.Stdout, "Wrote "+cmd.Console.Text(path)+". Every line in it is a default: delete what you do not change.")
	return nil
}

func (cmd *configCommand) trust(forget bool) error {
	workspace, err := config.FindWorkspace(cmd.Console.Dir)
	if err != nil {
		return err
	}
	if forget {
		if err := cmd.Settings.ForgetTrust(workspace); err != nil {
			return err
		}
		fmt.Fprintln(cmd.Console.Stdout, "Nothing is kept of "+cmd.Console.Text(cmd.Console.Home(workspace))+" any more.")
		return nil
	}
	loaded, err := cmd.Settings.Read(workspace, nil, nil)
	if err != nil {
		return console.AsUsage(err)
	}
	if err := cmd.Settings.Configure(); err != nil {
		return err
	}
	contents := cmd.Settings.WorkspaceContents()
	if loaded.Hash == "" && len(contents) == 0 {
		return console.WithHint(fmt.Errorf("there is no %s in %s", config.WorkspaceFile, cmd.Console.Home(workspace)), "there is nothing to trust")
	}
	if err := cmd.Settings.StoreTrust(setup.Trust{Workspace: workspace, Hash: loaded.Hash, Trusted: true}, contents...); err != nil {
		return err
	}
	for _, r := range append(loaded.Refused, loaded.Trusted...) {
		fmt.Fprintln(cmd.Console.Stdout, cmd.Console.Text(fmt.Sprintf("%s: %s", r.Key, r.Value)))
	}
	for _, c := range contents {
		fmt.Fprintln(cmd.Console.Stdout, cmd.Console.Text(cmd.Console.Home(c.Path)+": it "+c.Why))
	}
	for _, note := range cmd.Settings.UnknownNotes(loaded) {
		cmd.Console.Note("%s", note)
	}
	fmt.Fprintln(cmd.Console.Stdout, "Applied from now on, until the file changes.")
	return nil
}
