package setup

import (
	"slices"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/compact/meter"
	"plimsoll/config"
)

// Configure loads the configuration, once.
func (s *Settings) Configure() error {
	if s.Loaded.Load() != nil {
		return nil
	}
	workspace, err := config.Workspace(s.Console.Dir)
	if err != nil {
		return err
	}
	paths, err := config.FindPaths(s.Console.Lookup, s.Flags.Data)
	if err != nil {
		return console.AsUsage(console.WithHint(err, "set HOME, or name a folder with --data"))
	}
	loaded, err := s.Read(workspace, s.Flags.Set)
	if err == nil {
		err = s.CheckNames(loaded)
	}
	if err != nil {
		return console.AsUsage(err)
	}
	s.Paths, s.Workspace = paths, workspace
	s.Loaded.Store(&loaded)
	return nil
}

// Reload puts the configuration in force as the files have it now, for what begins from
// here on.
func (s *Settings) Reload() error {
	loaded, err := s.Read(s.Workspace, s.Flags.Set)
	if err == nil {
		err = s.CheckNames(loaded)
	}
	if err != nil {
		return console.AsUsage(err)
	}
	s.Loaded.Store(&loaded)
	return nil
}

// Load reads the configuration without keeping it, and checks the names in it.
// The sources are told even when the error is not nil.
func (s *Settings) Load() (config.Loaded, error) {
	workspace, err := config.Workspace(s.Console.Dir)
	if err != nil {
		return config.Loaded{}, err
	}
	loaded, err := s.Read(workspace, s.Flags.Set)
	if err == nil {
		err = s.CheckNames(loaded)
	}
	if err == nil {
		if _, problems, _ := s.OwnThemes(loaded); len(problems) > 0 {
			err = problems
		}
	}
	return loaded, err
}

// Read reads and checks the configuration for a workspace; set are the overrides in order.
func (s *Settings) Read(workspace string, set []string) (config.Loaded, error) {
	return s.read(workspace, nil, set, nil)
}

func (s *Settings) read(workspace string, recorded, set, changed []string) (config.Loaded, error) {
	return config.Load(config.LoadOptions{
		Env: s.Console.Lookup, File: s.Flags.Config, Workspace: workspace, Recorded: recorded, Set: set, Changed: changed,
		Trust: func(hash string) bool {
			return s.TrustOf(workspace) == Trust{Workspace: workspace, Hash: hash, Trusted: true}
		},
	})
}

// BoundedBy is a model with the window and the lifetime of the cache that a
// configuration gives it; only the flag of the window is stronger.
func (s *Settings) BoundedBy(cfg config.Config, m llm.Model) llm.Model {
	if w := cfg.Context.Window; w > 0 && s.Flags.Window == 0 {
		m.Window = meter.Window{Tokens: w, Source: meter.WindowConfig}
	}
	m.CacheTTL = DescribedModel(cfg, m.Provider, m.ID).CacheTTL
	return m
}

// KeyVariables are the variables that hold keys by the configuration.
func (s *Settings) KeyVariables() []string {
	var names []string
	for _, p := range s.Cfg().Providers {
		if p.APIKeyEnv != "" {
			names = append(names, p.APIKeyEnv)
		}
	}
	slices.Sort(names)
	return names
}
