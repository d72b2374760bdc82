package session

import (
	"context"
	"maps"

	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/config"
)

// Settings that change while a conversation is open. Rules:
//
//   - They are checked together with all others, as strictly as a file; an invalid value changes nothing.
//   - They are recorded in the log like values of --cfg, and override those until the conversation is closed.

// liveSettings are the current settings of an open conversation.
type liveSettings struct {
	loaded     config.Loaded
	rules      preset.Rules
	changed    map[string]string // since the conversation was opened, by dotted key, in YAML
	isSwitched bool              // the user chose another model
}

// Switched reports whether another model was chosen since the conversation was opened.
func (r *Running) Switched() bool {
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	return r.settings.isSwitched
}

// Config is the current configuration.
func (r *Running) Config() config.Config {
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	return r.settings.loaded.Config
}

// ConfigWith returns the current configuration with other values of some keys. It changes nothing.
func (r *Running) ConfigWith(set map[string]string) (config.Loaded, error) {
	r.connectionMu.Lock()
	changed, current := maps.Clone(r.settings.changed), r.settings.loaded
	r.connectionMu.Unlock()
	if len(set) == 0 {
		return current, nil
	}
	maps.Copy(changed, set)
	loaded, err := r.Agents.Settings.LoadedFor(r.Events, changed)
	if err == nil {
		err = r.Agents.Settings.CheckNames(loaded)
	}
	return loaded, err
}

// BreakdownWith returns the breakdown and forecast that other values of some keys would give.
func (r *Running) BreakdownWith(ctx context.Context, set map[string]string) (inspect.Breakdown, error) {
	loaded, err := r.ConfigWith(set)
	if err != nil {
		return inspect.Breakdown{}, err
	}
	m := r.Agents.Settings.WithLimits(loaded.Config, r.Current().Model)
	if loaded.Config.Context.Window == r.Config().Context.Window {
		m.Window = meter.Window{} // keep the window that the server or the user gave since
	}
	return r.Agent.BreakdownBy(ctx, loaded.Config.Rules(), m.Window)
}

// Configure applies other values of some keys, and records them in the log.
func (r *Running) Configure(ctx context.Context, set map[string]string) error {
	r.settingsMu.Lock()
	defer r.settingsMu.Unlock()
	loaded, err := r.ConfigWith(set)
	if err != nil {
		return err
	}
	oldWindow := r.Config().Context.Window
	r.applySettings(set, func(s *liveSettings) { s.loaded, s.rules = loaded, loaded.Config.Rules() })
	switch window := loaded.Config.Context.Window; {
	case window == oldWindow || r.Agents.Settings.Flags.Window > 0:
	case window > 0:
		r.ReplaceWindow(window)
	default: // no window is configured any more: ask the server again
		asked := r.Current().Choice()
		conn, err := r.Agents.Models.Connect(ctx, asked)
		if err != nil {
			return err
		}
		effort := r.Current().Model.Effort // the user may have changed it meanwhile
		conn.Model.Effort = effort
		r.switchIf(conn, func() bool { return r.Connection.Choice() == asked && r.Connection.Model.Effort == effort })
	}
	return nil
}

// SetProfile sets the default profile for compactions. The profile must exist.
func (r *Running) SetProfile(name string) {
	r.settingsMu.Lock()
	defer r.settingsMu.Unlock()
	r.applySettings(map[string]string{"compaction.default_profile": config.YAMLText(name)}, func(s *liveSettings) {
		s.loaded.Config.Compaction.DefaultProfile, s.rules.DefaultProfile = name, name
		s.loaded.Origins = maps.Clone(s.loaded.Origins)
		s.loaded.Origins["compaction.default_profile"] = config.Origin{Layer: config.LayerConversation}
	})
}

// applySettings changes the settings, and passes them and the rules to the agent.
func (r *Running) applySettings(set map[string]string, change func(*liveSettings)) {
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	change(&r.settings)
	maps.Copy(r.settings.changed, set)
	r.Agent.Configure(set, r.settings.rules)
}
