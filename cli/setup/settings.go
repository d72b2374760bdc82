package setup

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/keys"
	"plimsoll/compact/meter"
	"plimsoll/config"
	"plimsoll/conversation"
)

// Settings holds the flags of a command and the loaded configuration.
type Settings struct {
	Console   *console.Console
	Flags     Flags
	Loaded    atomic.Pointer[config.Loaded] // nil before Configure; Reload and Adopt replace it
	Paths     config.Paths
	Workspace string

	keysOnce      sync.Once // makes keyStore
	keyStore      *keys.Store
	endpointsOnce sync.Once // makes endpoints
	endpoints     *EndpointStore

	keyCommands sync.Map // *keys.Command, by provider, command line and lifetime of the key
}

// keyCommand returns the command that prints a provider's key, always the same one for the same settings.
func (s *Settings) keyCommand(provider string, p config.Provider) *keys.Command {
	id := fmt.Sprintf("%q %q %s", provider, p.KeyCommand, p.KeyTTL)
	c, _ := s.keyCommands.LoadOrStore(id, keys.NewCommand(p.KeyCommand, p.KeyTTL))
	return c.(*keys.Command)
}

// findPaths returns the folders of the program, also before Configure.
func (s *Settings) findPaths() (config.Paths, error) {
	return config.FindPaths(s.Console.Lookup, s.Flags.Data)
}

// KeyFile is the path of the file for keys where no keyring can store them, "" if there is no folder for it.
func (s *Settings) KeyFile() string {
	paths, _ := s.findPaths() // without folders every path is ""
	return paths.Keys()
}

// Keys returns the store of the keys that the user connected.
func (s *Settings) Keys() *keys.Store {
	s.keysOnce.Do(func() { s.keyStore = keys.New(s.KeyFile(), s.Console.Keyring) })
	return s.keyStore
}

// Flags are the flags that every command takes.
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

// HasModel reports whether a flag chooses the model.
func (f Flags) HasModel() bool { return f.Model != "" || f.BaseURL != "" || f.Demo }

// Cfg is the current configuration. Configure must have been called.
func (s *Settings) Cfg() config.Config { return s.Loaded.Load().Config }

// Configure loads the configuration, once.
func (s *Settings) Configure() error {
	if s.Loaded.Load() != nil {
		return nil
	}
	workspace, err := config.FindWorkspace(s.Console.Dir)
	if err != nil {
		return err
	}
	paths, err := s.findPaths()
	if err != nil {
		return console.AsUsage(console.WithHint(err, "set HOME, or name a folder with --data"))
	}
	loaded, err := s.readAndCheck(workspace)
	if err != nil {
		return console.AsUsage(err)
	}
	s.Paths, s.Workspace = paths, workspace
	s.Loaded.Store(&loaded)
	return nil
}

// Reload reads the files again. Conversations that are opened from now on use the new configuration.
func (s *Settings) Reload() error {
	loaded, err := s.readAndCheck(s.Workspace)
	if err != nil {
		return console.AsUsage(err)
	}
	s.Loaded.Store(&loaded)
	return nil
}

// Load reads the configuration without keeping it, and checks the names in it.
// The result names the sources even when the error is not nil.
func (s *Settings) Load() (config.Loaded, error) {
	workspace, err := config.FindWorkspace(s.Console.Dir)
	if err != nil {
		return config.Loaded{}, err
	}
	loaded, err := s.readAndCheck(workspace)
	if err == nil {
		if _, problems := s.OwnThemes(loaded); len(problems) > 0 {
			err = problems
		}
	}
	return loaded, err
}

func (s *Settings) readAndCheck(workspace string) (config.Loaded, error) {
	loaded, err := s.Read(workspace, nil, nil)
	if err == nil {
		err = s.CheckNames(loaded)
	}
	return loaded, err
}

// Read reads the configuration for a workspace: the files, then the settings recorded in a conversation, then --cfg, then
// later changes.
func (s *Settings) Read(workspace string, recorded, changed map[string]string) (config.Loaded, error) {
	return config.Load(config.LoadOptions{
		Env: s.Console.Lookup, File: s.Flags.Config, Workspace: workspace,
		Recorded: assignments(recorded), Overrides: s.Flags.Set, Changed: assignments(changed),
		Trust: func(hash string) bool {
			t := s.TrustOf(workspace)
			return t.Trusted && t.Hash == hash
		},
	})
}

// assignments writes settings as KEY=VALUE, sorted.
func assignments(set map[string]string) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(set)) {
		out = append(out, key+"="+set[key])
	}
	return out
}

// Overrides are the settings of --cfg that the log of a conversation records, by key: they also hold when it goes on later.
// Settings of providers, and the variables and headers of servers, are not recorded, because they may hold secrets.
func (s *Settings) Overrides() map[string]string {
	set := map[string]string{}
	for _, text := range s.Flags.Set {
		key, value, ok := strings.Cut(text, "=")
		key = strings.TrimSpace(key)
		section, rest, _ := strings.Cut(key, ".")
		mayHoldKeys := section == "providers" || section == "mcp" && !strings.HasSuffix(rest, ".enabled") && !strings.HasSuffix(rest, ".command")
		if ok && !mayHoldKeys {
			set[key] = strings.TrimSpace(value)
		}
	}
	return set
}

// LoadedFor returns the configuration of a conversation: the current one, with the settings that its log records and those
// that changed since it was opened.
func (s *Settings) LoadedFor(events []conversation.Event, changed map[string]string) (config.Loaded, error) {
	recorded := RecordedSettings(events)
	if len(recorded) == 0 && len(changed) == 0 {
		return *s.Loaded.Load(), nil
	}
	loaded, err := s.Read(s.Workspace, recorded, changed)
	if err != nil {
		return config.Loaded{}, console.AsUsage(console.WithHint(err, "the conversation records settings that no longer hold; --cfg KEY=VALUE overrides them"))
	}
	return loaded, nil
}

// ConfigFor is the configuration of a conversation that is not open.
func (s *Settings) ConfigFor(events []conversation.Event) (config.Config, error) {
	loaded, err := s.LoadedFor(events, nil)
	return loaded.Config, err
}

// RecordedSettings are the settings that a log records, by key.
func RecordedSettings(events []conversation.Event) map[string]string {
	recorded := map[string]string{}
	for _, e := range events {
		if c, ok := e.Body.(conversation.ConfigChanged); ok {
			maps.Copy(recorded, c.Set)
		}
	}
	return recorded
}

// AdoptRecorded applies a conversation's recorded settings to the whole run, for a command about that conversation only.
func (s *Settings) AdoptRecorded(events []conversation.Event) error {
	loaded := *s.Loaded.Load()
	var err error
	if loaded.Config, err = s.ConfigFor(events); err == nil {
		s.Loaded.Store(&loaded)
	}
	return err
}

// WithLimits returns a model with the window and the cache lifetime of a configuration; the --window flag overrides the
// window.
func (s *Settings) WithLimits(cfg config.Config, m llm.Model) llm.Model {
	if w := cfg.Context.Window; w > 0 && s.Flags.Window == 0 {
		m.Window = meter.Window{Tokens: w, Source: meter.WindowConfig}
	}
	m.CacheTTL = ModelConfig(cfg, m.Provider, m.ID).CacheTTL
	return m
}

// ConfigFile is the user's configuration file, whether it exists or not.
func (s *Settings) ConfigFile() (string, error) {
	path, _, err := config.UserFile(s.Console.Lookup, s.Flags.Config)
	if err != nil {
		return "", console.AsUsage(console.WithHint(err, "set HOME, or name a file with --config"))
	}
	return path, nil
}

// OwnFiles are the program's own folders and its configuration files.
func (s *Settings) OwnFiles() []string {
	own := []string{s.Paths.Data, s.Paths.State, s.Paths.Grants()}
	if path, _, err := config.UserFile(s.Console.Lookup, s.Flags.Config); err == nil {
		if full, err := filepath.Abs(path); err == nil {
			own = append(own, full)
		}
	}
	return own
}

// RuleOrigin is the file and line of a list of permission rules, "" if no file sets the list.
func (s *Settings) RuleOrigin(list, _ string) string {
	origin, set := s.Loaded.Load().Origins["permissions."+list]
	if !set || origin.File == "" {
		return ""
	}
	return s.Console.Home(origin.File) + ":" + strconv.Itoa(origin.Line)
}
