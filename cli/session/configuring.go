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
type settled struct {
	loaded   config.Loaded
	rules    preset.Rules
	changed  map[string]string // since the conversation was opened, by dotted key, in YAML
	switched bool              // to another model
}

// Switched reports whether another model was chosen since the conversation was opened.
func (r *Running) Switched() bool {
	r.linking.Lock()
	defer r.linking.Unlock()
	return r.settled.switched
}

// Config is the configuration in force.
func (r *Running) Config() config.Config {
	r.linking.Lock()
	defer r.linking.Unlock()
	return r.settled.loaded.Config
}

// With is the configuration with other values of some keys, the one in force without
// any. Nothing changes.
func (r *Running) With(set map[string]string) (config.Loaded, error) {
	r.linking.Lock()
	changed, now := maps.Clone(r.settled.changed), r.settled.loaded
	r.linking.Unlock()
	if len(set) == 0 {
		return now, nil
	}
	maps.Copy(changed, set)
	loaded, err := r.From.Settings.LoadedFor(r.Events, changed)
	if err == nil {
		err = r.From.Settings.CheckNames(loaded)
	}
	return loaded, err
}

// Weigh tells how full the window would be with other values of some keys, and what
// would come next.
func (r *Running) Weigh(ctx context.Context, set map[string]string) (inspect.Breakdown, error) {
	loaded, err := r.With(set)
	if err != nil {
		return inspect.Breakdown{}, err
	}
	m := r.From.Settings.BoundedBy(loaded.Config, r.Current().Model)
	if loaded.Config.Context.Window == r.Config().Context.Window {
		m.Window = meter.Window{} // what the server or the user said since stays
	}
	return r.Agent.Weigh(ctx, loaded.Config.Rules(), m.Window)
}

// Configure puts other values of some keys in force, and records them.
func (r *Running) Configure(ctx context.Context, set map[string]string) error {
	r.configuring.Lock()
	defer r.configuring.Unlock()
	loaded, err := r.With(set)
	if err != nil {
		return err
	}
	was := r.Config().Context.Window
	r.settle(set, func(s *settled) { s.loaded, s.rules = loaded, loaded.Config.Rules() })
	switch window := loaded.Config.Context.Window; {
	case window == was || r.From.Settings.Flags.Window > 0:
	case window > 0:
		r.replaceWindow(window)
	default: // the window of the model in use is discovered anew
		asked := r.Current().Choice()
		l, err := r.From.Models.Connect(ctx, asked)
		if err != nil {
			return err
		}
		effort := r.Current().Model.Effort // it may have been chosen meanwhile
		l.Model.Effort = effort
		r.switchIf(l, func() bool { return r.Link.Choice() == asked && r.Link.Model.Effort == effort })
	}
	return nil
}

// SetProfile chooses the profile of compactions that name none. It is one of those
// that there are.
func (r *Running) SetProfile(name string) {
	r.configuring.Lock()
	defer r.configuring.Unlock()
	r.settle(map[string]string{"compaction.default_profile": config.YAMLText(name)}, func(s *settled) {
		s.loaded.Config.Compaction.DefaultProfile, s.rules.DefaultProfile = name, name
		s.loaded.Origins = maps.Clone(s.loaded.Origins)
		s.loaded.Origins["compaction.default_profile"] = config.Origin{Layer: config.LayerConversation}
	})
}

// settle puts settings in force that change the rules in some way.
func (r *Running) settle(set map[string]string, change func(*settled)) {
	r.linking.Lock()
	defer r.linking.Unlock()
	change(&r.settled)
	maps.Copy(r.settled.changed, set)
	r.Agent.Configure(set, r.settled.rules)
}
