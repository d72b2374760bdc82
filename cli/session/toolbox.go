package session

import (
	"context"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tools"
)

// newBox makes the tools of a conversation as the configuration wants them.
func (g *Agents) newBox(r *Running, store *storage.Store, mode conversation.Mode) (*tools.Box, error) {
	o := setup.ToolOptions(g.Settings.Workspace, r.Cfg)
	if mode != "" {
		o.Permissions.Mode = mode
	}
	o.Permissions.Where = g.Settings.RuleAt
	o.Archive, o.Grants, o.Own = &Archive{Store: store, ID: r.ID}, g.Resources.Granted(), g.Settings.OwnFiles()
	o.RecallChars, o.ResultChars = r.recallChars, func() int { return r.Agent.ArrivalCap().Chars }
	o.Todos = tools.LastTodos(r.Events)
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

// Archive lets recall and search_history read a conversation as it is stored.
type Archive struct {
	Store *storage.Store
	ID    string
}

// Events reads the log as it is now.
func (a *Archive) Events(ctx context.Context) ([]conversation.Event, error) {
	events, _, err := a.Store.Load(ctx, a.ID)
	return events, err
}

// Blob reads a text that events name.
func (a *Archive) Blob(ctx context.Context, name string) (string, error) {
	return a.Store.Blob(ctx, a.ID, name)
}
