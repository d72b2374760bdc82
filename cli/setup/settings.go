package setup

import (
	"sync/atomic"

	"plimsoll/cli/console"
	"plimsoll/config"
)

// Settings are what the user asked for: the flags, and the configuration that they
// lead to.
type Settings struct {
	Console   *console.Console
	Flags     Flags
	Loaded    atomic.Pointer[config.Loaded] // nil before configure; a yes to the workspace's file replaces it
	Paths     config.Paths
	Workspace string
}

// Flags are those of every command.
type Flags struct {
	Config  string
	Data    string
	Model   string
	BaseURL string
	Window  int
	Effort  string
	Demo    bool
	Set     []string
}

// ChooseModel reports whether a flag says which model to talk to.
func (f Flags) ChooseModel() bool { return f.Model != "" || f.BaseURL != "" || f.Demo }

// Cfg is the configuration in force. configure comes first.
func (s *Settings) Cfg() config.Config { return s.Loaded.Load().Config }

// ConfigFile is the user's configuration file, whether it exists or not.
func (s *Settings) ConfigFile() (string, error) {
	path, _, err := config.File(s.Console.Lookup, s.Flags.Config)
	if err != nil {
		return "", console.AsUsage(console.WithHint(err, "set HOME, or name a file with --config"))
	}
	return path, nil
}
