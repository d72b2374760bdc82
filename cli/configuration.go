package cli

import (
	"sync/atomic"

	"plimsoll/config"
)

// settings are what the user asked for: the flags, and the configuration that they
// lead to.
type settings struct {
	console   *console
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
		return usageError{withHint(err, "set HOME, or name a folder with --data")}
	}
	loaded, err := s.read(workspace, s.flags.set)
	if err == nil {
		err = s.checkNames(loaded)
	}
	if err != nil {
		return usageError{err}
	}
	s.paths, s.workspace = paths, workspace
	s.loaded.Store(&loaded)
	return nil
}

// cfg is the configuration in force. configure comes first.
func (s *settings) cfg() config.Config { return s.loaded.Load().Config }
