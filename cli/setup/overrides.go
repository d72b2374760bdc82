package setup

import (
	"maps"
	"slices"
	"strings"

	"plimsoll/cli/console"
	"plimsoll/config"
	"plimsoll/conversation"
)

// What --cfg sets holds for the conversation it was given with, also when that
// goes on later: it is recorded in the log, and applied again when the
// conversation is opened. Settings of providers are not recorded, because they
// may hold secrets.

// unrecorded is the key that, with all below it, never enters a log.
const unrecorded = "providers"

// Overrides are the settings of --cfg by key.
func (s *Settings) Overrides() map[string]string {
	set := map[string]string{}
	for _, text := range s.Flags.Set {
		key, value, ok := strings.Cut(text, "=")
		if key = strings.TrimSpace(key); ok && key != unrecorded && !strings.HasPrefix(key, unrecorded+".") {
			set[key] = strings.TrimSpace(value)
		}
	}
	return set
}

// ConfigFor is the configuration of a conversation: the one in force, then
// what the log records, then --cfg, then what a command sets besides.
func (s *Settings) ConfigFor(events []conversation.Event, besides ...string) (config.Config, error) {
	loaded, err := s.loadedFor(events, besides)
	return loaded.Config, err
}

// LoadedFor is ConfigFor with where the values come from; changed is what was changed
// since the conversation was opened.
func (s *Settings) LoadedFor(events []conversation.Event, changed map[string]string) (config.Loaded, error) {
	return s.loadedFor(events, assignments(changed))
}

func (s *Settings) loadedFor(events []conversation.Event, besides []string) (config.Loaded, error) {
	recorded := RecordedSettings(events)
	if len(recorded) == 0 && len(besides) == 0 {
		return *s.Loaded.Load(), nil
	}
	loaded, err := s.read(s.Workspace, assignments(recorded), s.Flags.Set, besides)
	if err != nil {
		return config.Loaded{}, console.AsUsage(console.WithHint(err, "the conversation records settings that no longer hold; --cfg KEY=VALUE overrides them"))
	}
	return loaded, nil
}

// assignments are settings as KEY=VALUE, sorted.
func assignments(set map[string]string) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(set)) {
		out = append(out, key+"="+set[key])
	}
	return out
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

// Adopt puts the settings that a conversation records in force, for a command
// that shows this one only.
func (s *Settings) Adopt(events []conversation.Event) error {
	cfg, err := s.ConfigFor(events)
	if err != nil {
		return err
	}
	loaded := *s.Loaded.Load()
	loaded.Config = cfg
	s.Loaded.Store(&loaded)
	return nil
}
