package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll/cli/table"
	"plimsoll/config"
)

// configCommand holds the commands about the configuration, which are parts.
func configCommand(parts ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Find, check or create the configuration",
		Long: `The configuration is read from the defaults, your config.yaml, .plimsoll.yaml at
the top of the workspace and --cfg KEY=VALUE; what comes later wins. Mistakes are
errors that name the line.`,
		Example: `  plimsoll config path
  plimsoll config init && $EDITOR "$(plimsoll config path)"
  plimsoll config check`,
		Args: positional(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(parts...)
	return c
}

// configPathCommand says which configuration file is in force.
type configPathCommand struct {
	console  *console
	settings *settings

	all bool
}

func (cmd *configPathCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "path",
		Short: "Say which file is in force",
		Long: `Path writes where your configuration file is, or would be: --config, else
PLIMSOLL_CONFIG, else plimsoll/config.yaml in the XDG configuration folder.`,
		Example: `  plimsoll config path
  plimsoll config path --all`,
		Args: positional(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return cmd.Run(c.Context()) },
	}
	c.Flags().BoolVar(&cmd.all, "all", false, "list every source, weakest first")
	return c
}

func (cmd *configPathCommand) Run(context.Context) error {
	path, err := cmd.settings.configFile()
	if err != nil {
		return err
	}
	if !cmd.all {
		fmt.Fprintln(cmd.console.Stdout, cmd.console.text(path))
		return nil
	}
	// Where the sources are does not depend on what stands in them.
	loaded, _ := cmd.settings.load()
	layer, source, state := &table.Column{Head: "LAYER"}, &table.Column{Head: "SOURCE"}, &table.Column{Head: "STATE"}
	for _, s := range loaded.Sources {
		layer.Add(string(s.Layer))
		place, there := s.Path, "read"
		switch {
		case s.Layer == config.LayerDefault:
			place, there = "(built in)", ""
		case !s.Found:
			there = "not there"
		}
		source.Add(cmd.console.text(place))
		state.Add(there)
	}
	return table.Write(cmd.console.Stdout, cmd.console.limit(), layer, source, state)
}

// configFile is the user's configuration file, whether it exists or not.
func (s *settings) configFile() (string, error) {
	path, _, err := config.File(s.console.Lookup, s.flags.config)
	if err != nil {
		return "", usageError{withHint(err, "set HOME, or name a file with --config")}
	}
	return path, nil
}

// load reads the configuration without keeping it, and checks the names in it.
// The sources are told even when the error is not nil.
func (s *settings) load() (config.Loaded, error) {
	workspace, err := config.Workspace(s.console.Dir)
	if err != nil {
		return config.Loaded{}, err
	}
	loaded, err := s.read(workspace, s.flags.set)
	if err == nil {
		err = s.checkNames(loaded)
	}
	return loaded, err
}

// configCheckCommand looks for mistakes in the configuration.
type configCheckCommand struct {
	console  *console
	settings *settings
}

func (cmd *configCheckCommand) cobra() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Look for mistakes",
		Long: `Check reads the configuration without starting anything. It writes "ok", or every
mistake with its line and ends with exit code 2. Keys of the workspace's file that
need your word are named, with whether they apply; they are no mistake.`,
		Example: `  plimsoll config check
  plimsoll config check --config draft.yaml`,
		Args: positional(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return cmd.Run(c.Context()) },
	}
}

func (cmd *configCheckCommand) Run(context.Context) error {
	loaded, err := cmd.settings.load()
	if err != nil {
		return err
	}
	for _, r := range loaded.Trusted {
		cmd.console.note("%s:%d: %s: %s is applied because you trust the file; it %s", r.File, r.Line, r.Key, r.Value, r.Why)
	}
	for _, r := range loaded.Refused {
		cmd.console.note("%s:%d: %s: %s is not applied: it %s", r.File, r.Line, r.Key, r.Value, r.Why)
	}
	if len(loaded.Refused) > 0 {
		cmd.console.note("`plimsoll config trust` applies what is not applied")
	}
	fmt.Fprintln(cmd.console.Stdout, "ok")
	return nil
}

// configInitCommand writes a first configuration file.
type configInitCommand struct {
	console  *console
	settings *settings
}

func (cmd *configInitCommand) cobra() *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write a first configuration file",
		Long: `Init writes a file with every key, its default and what it means to the place
that "plimsoll config path" names. A file that is there is never overwritten.`,
		Example: `  plimsoll config init
  plimsoll config init --config ./plimsoll.yaml`,
		Args: positional(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return cmd.Run(c.Context()) },
	}
}

func (cmd *configInitCommand) Run(context.Context) error {
	path, err := cmd.settings.configFile()
	if err != nil {
		return err
	}
	if err := config.WriteInit(path, cmd.console.Example); err != nil {
		return err
	}
	fmt.Fprintln(cmd.console.Stdout, "Wrote "+cmd.console.text(path)+". Every line in it is a default: delete what you do not change.")
	return nil
}
