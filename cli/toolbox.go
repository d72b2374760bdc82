package cli

import (
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact"
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
		Workspace: g.settings.Workspace,
		Archive:   past,
		Visible:   past.visible,
		Permissions: permission.Config{Mode: mode, Allow: cfg.Permissions.Allow, Deny: cfg.Permissions.Deny,
			Approval: setup.Approvals(cfg), Where: g.settings.RuleAt},
		Disabled:         setup.Disabled(cfg),
		Grants:           g.resources.Granted(),
		Own:              g.settings.OwnFiles(),
		RecallChars:      r.recallChars,
		ResultChars:      func() int { return r.agent.ArrivalCap().Chars },
		Ceiling:          int(cfg.ToolResults.Ceiling),
		PrivateAddresses: cfg.Permissions.PrivateAddresses,
		SecretNames:      g.settings.KeyVariables(),
		Todos:            tools.LastTodos(r.events),
	}
	box, err := tools.New(o)
	if err != nil {
		return nil, console.AsUsage(setup.Placed(*g.settings.Loaded.Load(), err))
	}
	return box, nil
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
