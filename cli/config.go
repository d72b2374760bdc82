package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"plimsoll/cli/table"
	"plimsoll/config"
)

func (a *app) configCommand() *cobra.Command {
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
	c.AddCommand(a.configPathCommand(), a.configCheckCommand(), a.configInitCommand(), a.configTrustCommand())
	return c
}

func (a *app) configPathCommand() *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:   "path",
		Short: "Say which file is in force",
		Long: `Path writes where your configuration file is, or would be: --config, else
PLIMSOLL_CONFIG, else plimsoll/config.yaml in the XDG configuration folder.`,
		Example: `  plimsoll config path
  plimsoll config path --all`,
		Args: positional(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return a.configPath(all) },
	}
	c.Flags().BoolVar(&all, "all", false, "list every source, weakest first")
	return c
}

func (a *app) configPath(all bool) error {
	path, err := a.configFile()
	if err != nil {
		return err
	}
	if !all {
		fmt.Fprintln(a.env.Stdout, a.text(path))
		return nil
	}
	// Where the sources are does not depend on what stands in them.
	loaded, _ := a.load()
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
		source.Add(a.text(place))
		state.Add(there)
	}
	return table.Write(a.env.Stdout, a.limit(), layer, source, state)
}

// configFile is the user's configuration file, whether it exists or not.
func (a *app) configFile() (string, error) {
	path, _, err := config.File(a.env.Lookup, a.flags.config)
	if err != nil {
		return "", usageError{withHint(err, "set HOME, or name a file with --config")}
	}
	return path, nil
}

// load reads the configuration without keeping it, and checks the names in it.
// The sources are told even when the error is not nil.
func (a *app) load() (config.Loaded, error) {
	workspace, err := config.Workspace(a.env.Dir)
	if err != nil {
		return config.Loaded{}, err
	}
	loaded, err := a.loadConfig(workspace, a.flags.set)
	if err == nil {
		err = a.checkNames(loaded)
	}
	return loaded, err
}

func (a *app) configCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Look for mistakes",
		Long: `Check reads the configuration without starting anything. It writes "ok", or every
mistake with its line and ends with exit code 2. Keys of the workspace's file that
need your word are named, with whether they apply; they are no mistake.`,
		Example: `  plimsoll config check
  plimsoll config check --config draft.yaml`,
		Args: positional(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return a.configCheck() },
	}
}

func (a *app) configCheck() error {
	loaded, err := a.load()
	if err != nil {
		return err
	}
	for _, r := range loaded.Trusted {
		a.note("%s:%d: %s: %s is applied because you trust the file; it %s", r.File, r.Line, r.Key, r.Value, r.Why)
	}
	for _, r := range loaded.Refused {
		a.note("%s:%d: %s: %s is not applied: it %s", r.File, r.Line, r.Key, r.Value, r.Why)
	}
	if len(loaded.Refused) > 0 {
		a.note("`plimsoll config trust` applies what is not applied")
	}
	fmt.Fprintln(a.env.Stdout, "ok")
	return nil
}

func (a *app) configInitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write a first configuration file",
		Long: `Init writes a file with every key, its default and what it means to the place
that "plimsoll config path" names. A file that is there is never overwritten.`,
		Example: `  plimsoll config init
  plimsoll config init --config ./plimsoll.yaml`,
		Args: positional(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return a.configInit() },
	}
}

func (a *app) configInit() error {
	path, err := a.configFile()
	if err != nil {
		return err
	}
	if err := config.WriteInit(path, a.env.Example); err != nil {
		return err
	}
	fmt.Fprintln(a.env.Stdout, "Wrote "+a.text(path)+". Every line in it is a default: delete what you do not change.")
	return nil
}
