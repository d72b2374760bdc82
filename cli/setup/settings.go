package setup

import (
	"fmt"
	"sync"
	"sync/atomic"

	"plimsoll/cli/console"
	"plimsoll/cli/keys"
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

	making  sync.Once // of kept
	kept    *keys.Store
	telling sync.Once // of told
	told    *Told

	commands sync.Map // of *keys.Command, by provider, program and time
}

// command is where the keys of a provider come from that has a key_command.
func (s *Settings) command(provider string, p config.Provider) *keys.Command {
	id := fmt.Sprintf("%q %q %s", provider, p.KeyCommand, p.KeyTTL)
	c, _ := s.commands.LoadOrStore(id, keys.NewCommand(p.KeyCommand, p.KeyTTL))
	return c.(*keys.Command)
}

// KeyFile is where keys are kept that no keyring takes, "" if there is no folder for it.
func (s *Settings) KeyFile() string {
	paths, err := config.FindPaths(s.Console.Lookup, s.Flags.Data)
	if err != nil {
		return ""
	}
	return paths.Keys()
}

// Keys is the store of the keys that were connected.
func (s *Settings) Keys() *keys.Store {
	s.making.Do(func() { s.kept = keys.New(s.KeyFile(), s.Console.Keyring) })
	return s.kept
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
