package cli

import (
	"slices"

	"plimsoll/compact"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tools"
	"plimsoll/tools/permission"
)

// newBox makes the tools of a conversation as the configuration wants them.
func (g *agents) newBox(r *running, store *storage.Store, mode conversation.Mode) (*tools.Box, error) {
	cfg := r.cfg
	if mode == "" {
		mode = conversation.Mode(cfg.Permissions.Mode)
	}
	past := &archive{store: store, id: r.id}
	o := tools.Options{
		Workspace: g.settings.workspace,
		Archive:   past,
		Visible:   past.visible,
		Permissions: permission.Config{Mode: mode, Allow: cfg.Permissions.Allow, Deny: cfg.Permissions.Deny,
			Approval: approvals(cfg), Where: g.settings.ruleAt},
		Disabled:         disabled(cfg),
		Grants:           g.resources.granted(),
		Own:              g.settings.ownFiles(),
		RecallChars:      r.recallChars,
		ResultChars:      func() int { return r.agent.ArrivalCap().Chars },
		Ceiling:          int(cfg.ToolResults.Ceiling),
		PrivateAddresses: cfg.Permissions.PrivateAddresses,
		SecretNames:      g.settings.keyVariables(),
		Todos:            tools.LastTodos(r.events),
	}
	box, err := tools.New(o)
	if err != nil {
		return nil, usageError{placed(*g.settings.loaded.Load(), err)}
	}
	return box, nil
}

// approvals is what a configuration says of tools as a whole.
func approvals(cfg config.Config) map[string]permission.Approval {
	out := map[string]permission.Approval{}
	for name, t := range cfg.Tools {
		if t.Approval != "" {
			out[name] = permission.Approval(t.Approval)
		}
	}
	return out
}

// disabled are the tools that a configuration turns off, sorted.
func disabled(cfg config.Config) []string {
	var out []string
	for name, t := range cfg.Tools {
		if t.Enabled != nil && !*t.Enabled {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
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

// Limits of one recall: 8,000 tokens, or a tenth of what is free.
const (
	recallTokens = 8000
	recallShare  = 10
)

// recallChars is how many characters a recall may bring back now.
func (r *running) recallChars() int {
	tokens := recallTokens
	if free := r.agent.Free(); free >= 0 {
		tokens = min(tokens, free/recallShare)
	}
	return int(float64(tokens) * compact.CharsPerToken)
}
