package cli

import (
	"slices"
	"sync/atomic"

	"plimsoll/agent"
	"plimsoll/cli/console"
	"plimsoll/compact"
	"plimsoll/config"
)

// settings are what the user asked for: the flags, and the configuration that they
// lead to.
type settings struct {
	console   *console.Console
	flags     flags
	loaded    atomic.Pointer[config.Loaded] // nil before configure; a yes to the workspace's file replaces it
	paths     config.Paths
	workspace string
}

// configure loads the configuration, once.
func (s *settings) configure() error {
	if s.loaded.Load() != nil {
		return nil
	}
	workspace, err := config.Workspace(s.console.Dir)
	if err != nil {
		return err
	}
	paths, err := config.FindPaths(s.console.Lookup, s.flags.data)
	if err != nil {
		return console.AsUsage(console.WithHint(err, "set HOME, or name a folder with --data"))
	}
	loaded, err := s.read(workspace, s.flags.set)
	if err == nil {
		err = s.checkNames(loaded)
	}
	if err != nil {
		return console.AsUsage(err)
	}
	s.paths, s.workspace = paths, workspace
	s.loaded.Store(&loaded)
	return nil
}

// cfg is the configuration in force. configure comes first.
func (s *settings) cfg() config.Config { return s.loaded.Load().Config }

// configFile is the user's configuration file, whether it exists or not.
func (s *settings) configFile() (string, error) {
	path, _, err := config.File(s.console.Lookup, s.flags.config)
	if err != nil {
		return "", console.AsUsage(console.WithHint(err, "set HOME, or name a file with --config"))
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

// flags are those of every command.
type flags struct {
	config  string
	data    string
	model   string
	baseURL string
	window  int
	demo    bool
	set     []string
}

// chooseModel reports whether a flag says which model to talk to.
func (f flags) chooseModel() bool { return f.model != "" || f.baseURL != "" || f.demo }

// boundedBy is a model with the window and the lifetime of the cache that a
// configuration gives it; only the flag of the window is stronger.
func (s *settings) boundedBy(cfg config.Config, m agent.Model) agent.Model {
	if w := cfg.Context.Window; w > 0 && s.flags.window == 0 {
		m.Window = compact.Window{Tokens: w, Source: compact.WindowConfig}
	}
	m.CacheTTL = describedModel(cfg, m.Provider, m.ID).CacheTTL
	return m
}

// keyVariables are the variables that hold keys by the configuration.
func (s *settings) keyVariables() []string {
	var names []string
	for _, p := range s.cfg().Providers {
		if p.APIKeyEnv != "" {
			names = append(names, p.APIKeyEnv)
		}
	}
	slices.Sort(names)
	return names
}
