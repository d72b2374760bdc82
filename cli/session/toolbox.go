package session

import (
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tools"
	"plimsoll/tools/permission"
)

// newBox makes the tools of a conversation as the configuration wants them.
func (g *Agents) newBox(r *Running, store *storage.Store, mode conversation.Mode) (*tools.Box, error) {
	cfg := r.Cfg
	if mode == "" {
		mode = conversation.Mode(cfg.Permissions.Mode)
	}
	o := tools.Options{
		Workspace: g.Settings.Workspace,
		Archive:   &Archive{Store: store, ID: r.ID},
		Permissions: permission.Config{Mode: mode, Allow: cfg.Permissions.Allow, Deny: cfg.Permissions.Deny,
			Approval: setup.Approvals(cfg), Where: g.Settings.RuleAt},
		Disabled:         setup.Disabled(cfg),
		Grants:           g.Resources.Granted(),
		Own:              g.Settings.OwnFiles(),
		RecallChars:      r.recallChars,
		ResultChars:      func() int { return r.Agent.ArrivalCap().Chars },
		Ceiling:          int(cfg.ToolResults.Ceiling),
		PrivateAddresses: cfg.Permissions.PrivateAddresses,
		SecretNames:      g.Settings.KeyVariables(),
		Todos:            tools.LastTodos(r.Events),
	}
	box, err := tools.New(o)
	if err != nil {
		return nil, console.AsUsage(setup.Placed(*g.Settings.Loaded.Load(), err))
	}
	return box, nil
}

// Limits of one recall: 8,000 tokens, or a tenth of what is free.
const (
	recallTokens = 8000
	recallShare  = 10
)

// recallChars is how many characters a recall may bring back now.
func (r *Running) recallChars() int {
	tokens := recallTokens
	if free := r.Agent.Free(); free >= 0 {
		tokens = min(tokens, free/recallShare)
	}
	return int(float64(tokens) * meter.CharsPerToken)
}
