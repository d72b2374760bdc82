package session

import (
	"cmp"
	"context"
	"slices"

	"plimsoll/agent/updates"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tools"
	"plimsoll/tools/checkpoint"
	"plimsoll/tools/permission"
	"plimsoll/tools/sandbox"
)

// newToolbox creates the tools of a conversation from its configuration. Its mode, if not "", replaces the configured one.
func (a *Agents) newToolbox(r *Running, store *storage.Store, with OpenOptions) (*tools.Box, error) {
	o := setup.ToolOptions(a.Settings.Workspace, r.InitialConfig)
	o.Permissions.AllowsYolo = o.Permissions.Mode == conversation.ModeYolo
	o.Permissions.Mode = cmp.Or(with.Mode, o.Permissions.Mode)
	o.Permissions.Where = a.Settings.RuleOrigin
	o.Archive, o.Grants, o.Own = &Archive{Store: store, ID: r.ID}, a.Resources.Grants(), a.Settings.OwnFiles()
	o.RecallChars, o.ResultChars = r.recallChars, func() int { return r.Agent.ArrivalCap().Chars }
	o.KeepImage = r.keepImage
	rules := r.InitialConfig.Permissions
	if o.Sandbox = a.Resources.Sandbox(r.InitialConfig); o.Sandbox.Proxied() && (rules.Network == "ask" || len(rules.Hosts) > 0) {
		o.Reach = o.Sandbox.Reach
	}
	o.Permissions.Whole = func() bool { return r.isConfined(o.Sandbox) }
	ask := func(name string) tools.AskUser {
		return func(ctx context.Context, id string, review conversation.Review) (conversation.Answer, bool) {
			return r.Agent.AskAbout(ctx, conversation.ToolCall{ID: id, Name: name}, review)
		}
	}
	if o.AskOutside = ask(permission.Outside); rules.Network == "ask" {
		o.AskHost = ask(permission.Network)
	}
	o.Writing = &a.writing
	o.Skills = a.Settings.Skills(r.InitialConfig)
	o.Todos = conversation.LastTodos(r.Events)
	o.Instructions = map[string]conversation.InstructionsLoaded{}
	for _, e := range r.Events {
		switch b := e.Body.(type) {
		case conversation.InstructionsLoaded:
			o.Instructions[b.Path] = b
		case conversation.JobStarted:
			o.Jobs++
		}
	}
	o.RecordJob = func(event conversation.Body, running int) {
		r.Agent.Record(event)
		r.Agent.Updates().Put(updates.Jobs{Running: running})
	}
	o.ResultNow = func(ctx context.Context, call string) (string, bool) { return r.Agent.ResultText(ctx, call) }
	switch t := with.Task; {
	case t == nil:
		o.Tasks, o.Servers = r.subtasks, a.Servers.open(r)
	default:
		if o.Only = t.only; t.parent.Toolbox.HasServers() {
			o.Servers = &serversOf{servers: a.Servers, running: r}
		}
	}
	if r.InitialConfig.Checkpoints.Enabled {
		o.Checkpoints = &checkpoint.Keeper{Store: a.Resources.Checkpoints(), Record: func(ctx context.Context, b conversation.Body) error {
			if t := with.Task; t != nil { // a rewind of the parent brings back what its tasks changed
				if err := t.parent.Agent.Append(ctx, b); err != nil {
					return err
				}
			}
			return r.Agent.Append(ctx, b)
		}}
	}
	box, err := tools.New(o)
	if err != nil {
		return nil, console.AsUsage(setup.LocateError(*a.Settings.Loaded.Load(), err))
	}
	return box, nil
}

// isConfined reports whether a sandbox confines commands. If not, it tells the user once why auto mode asks about them.
func (r *Running) isConfined(box *sandbox.Sandbox) bool {
	if box.Whole() {
		return true
	}
	text := "Auto mode asks about commands here: nothing confines them. plimsoll doctor says why."
	if box.Active() {
		text = "Auto mode asks about commands here: the sandbox cannot keep them from .git/hooks and the like in the workspace. plimsoll doctor says why."
	}
	told := slices.ContainsFunc(r.Events, func(e conversation.Event) bool {
		n, ok := e.Body.(conversation.Notice)
		return ok && n.Text == text
	})
	if !r.isAutoNoted.Swap(true) && !told {
		r.Agent.AddNotice(text)
	}
	return false
}

// One recall returns at most recallTokens, or 1/recallShare of the free tokens if that is less.
const (
	recallTokens = 8000
	recallShare  = 10
)

// recallChars is how many characters the recall tool may return now.
func (r *Running) recallChars() int {
	tokens := recallTokens
	if free := r.Agent.FreeTokens(); free >= 0 {
		tokens = min(tokens, free/recallShare)
	}
	return int(float64(tokens) * meter.CharsPerToken)
}

// Archive gives the tools recall and search_history the stored conversation.
type Archive struct {
	Store *storage.Store
	ID    string
}

// Events reads the current log.
func (a *Archive) Events(ctx context.Context) ([]conversation.Event, error) {
	events, _, err := a.Store.Load(ctx, a.ID)
	return events, err
}

// Blob reads a stored text by the name that an event gives it.
func (a *Archive) Blob(ctx context.Context, name string) (string, error) {
	return a.Store.Blob(ctx, a.ID, name)
}
