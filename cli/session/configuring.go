package session

import (
	"context"
	"maps"

	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/config"
)

// Settings that change while a conversation goes on. Rules:
//
//   - They are checked as strictly as those of a file, with all others; what has a
//     mistake changes nothing.
//   - They are recorded like those of --cfg, and are stronger than these until the
//     conversation is closed.

// settled are the settings in force.
type liveSettings struct {
	loaded     config.Loaded
	rules      preset.Rules
	changed    map[string]string // since the conversation was opened, by dotted key, in YAML
	isSwitched bool              // to another model
}

// Switched reports whether another model was chosen since the conversation was opened.
func (r *Running) Switched() bool {
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	return r.settings.isSwitched
}

// Config is the configuration in force.
func (r *Running) Config() config.Config {
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	return r.settings.loaded.Config
}

// With is the configuration with other values of some keys, the one in force without
// any. Nothing changes.
func (r *Running) ConfigWith(set map[string]string) (config.Loaded, error) {
	r.connectionMu.Lock()
	changed, now := maps.Clone(r.settings.changed), r.settings.loaded
	r.connectionMu.Unlock()
	if len(set) == 0 {
		return now, nil
	}
	maps.Copy(changed, set)
	loaded, err := r.Agents.Settings.LoadedFor(r.Events, changed)
	if err == nil {
		err = r.Agents.Settings.CheckNames(loaded)
	}
	return loaded, err
}

// Weigh tells how full the window would be with other values of some keys, and what
// would come next.
func (r *Running) BreakdownWith(ctx context.Context, set map[string]string) (inspect.Breakdown, error) {
	loaded, err := r.ConfigWith(set)
	if err != nil {
		return inspect.Breakdown{}, err
	}
	m := r.Agents.Settings.WithLimits(loaded.Config, r.Current().Model)
	if loaded.Config.Context.Window == r.Config().Context.Window {
		m.Window = meter.Window{} // what the server or the user said since stays
	}
	return r.Agent.Weigh(ctx, loaded.Config.Rules(), m.Window)
}

// Configure puts other values of some keys in force, and records them.
func (r *Running) Configure(ctx context.Context, set map[string]string) error {
	r.settingsMu.Lock()
	defer r.settingsMu.Unlock()
	loaded, err := r.ConfigWith(set)
	if err != nil {
		return err
	}
	was := r.Config().Context.Window
	r.applySettings(set, func(s *liveSettings) { s.loaded, s.rules = loaded, loaded.Config.Rules() })
	switch window := loaded.Config.Context.Window; {
	case window == was || r.Agents.Settings.Flags.Window > 0:
	case window > 0:
		r.replaceWindow(window)
	default: // the window of the model in use is discovered anew
		asked := r.Current().Choice()
		l, err := r.Agents.Models.Connect(ctx, asked)
		if err != nil {
			return err
		}
		effort := r.Current().Model.Effort // it may have been chosen meanwhile
		l.Model.Effort = effort
		r.switchIf(l, func() bool { return r.Connection.Choice() == asked && r.Connection.Model.Effort == effort })
	}
	return nil
}

// SetProfile chooses the profile of compactions that name none. It is one of those
// that there are.
func (r *Running) SetProfile(name string) {
	r.settingsMu.Lock()
	defer r.settingsMu.Unlock()
	r.applySettings(map[string]string{"compaction.default_profile": config.YAMLText(name)}, func(s *liveSettings) {
		s.loaded.Config.Compaction.DefaultProfile, s.rules.DefaultProfile = name, name
		s.loaded.Origins = maps.Clone(s.loaded.Origins)
		s.loaded.Origins["compaction.default_profile"] = config.Origin{Layer: config.LayerConversation}
	})
}

// settle puts settings in force that change the rules in some way.
func (r *Running) applySettings(set map[string]string, change func(*liveSettings)) {
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	change(&r.settings)
	maps.Copy(r.settings.changed, set)
	r.Agent.Configure(set, r.settings.rules)
}
