package session

import (
	"context"
	"errors"

	"plimsoll/agent"
	"plimsoll/agent/catalog"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/cli/setup"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// Start opens a conversation for writing and starts its agent.
func (a *Agents) Start(ctx context.Context, conn setup.Connection, o OpenOptions) (*Running, error) {
	store, err := a.Resources.Open()
	if err != nil {
		return nil, err
	}
	r := &Running{Agents: a, ID: o.ID, Connection: conn}
	if err := r.openWriter(ctx, store); err != nil {
		return nil, err
	}
	if err := r.start(ctx, store, o); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Running) openWriter(ctx context.Context, store *storage.Store) error {
	var err error
	if r.ID == "" {
		r.ID = conversation.NewID()
		r.Writer, err = store.Create(ctx, storage.NewConversation{ID: r.ID, Workspace: r.Agents.Settings.Workspace})
		return err
	}
	if r.Writer, err = store.OpenWriter(ctx, r.ID); err != nil {
		return err
	}
	var report storage.LoadReport
	if r.Events, report, err = store.Load(ctx, r.ID); err != nil {
		return errors.Join(err, r.Writer.Close())
	}
	r.Notes = append(r.Notes, DamageNotes(report)...)
	return nil
}

// start creates the tools and the agent, and starts the agent's goroutine.
func (r *Running) start(ctx context.Context, store *storage.Store, o OpenOptions) error {
	files := instructionFiles(r.Agents.Settings)
	prompt := buildSystemPrompt(r.Agents.Settings.Workspace, files)
	for _, f := range files {
		if f.Note != "" {
			r.Notes = append(r.Notes, f.Note)
		}
	}
	overrides, err := r.configure(o.Task)
	if err != nil {
		return err
	}
	titles, keepWarm := r.writesTitles, func() bool { return r.Config().Context.KeepWarm }
	if o.Task != nil {
		prompt, titles, keepWarm = prompt+taskPrompt+o.Task.system, nil, nil
	}
	if last := setup.LastModel(r.Events); r.Connection.Model.Effort == "" && last.Name() == r.Connection.Model.Name() {
		r.Connection.Model.Effort = last.Effort
	}
	if r.Connection = r.Connection.WithEffortNote(); r.Connection.Model.EffortNote != "" {
		r.Notes = append(r.Notes, r.Connection.Model.EffortNote)
	}
	r.subtasks = newTaskRunner(r)
	if r.Toolbox, err = r.Agents.newToolbox(r, store, o); err != nil {
		return err
	}
	if _, err := r.Agents.Resources.Grants().In(r.Agents.Settings.Workspace); err != nil {
		r.Notes = append(r.Notes, err.Error())
	}
	r.noteUnfinished(ctx)
	stored, err := r.storedState(ctx, store)
	if err != nil {
		return err
	}
	results := r.InitialConfig.ToolResults
	var backlog core.Backlog
	r.isInteractive = o.Interactive
	if o.Interactive && o.Task == nil { // only the chat restores queued messages, so only the chat may remove them from the store
		backlog = r.Writer
	}
	var servers core.ToolServers
	if r.Toolbox.HasServers() {
		servers = r.Toolbox
	}
	r.Agent, err = agent.New(core.Options{
		Servers: servers, Log: r.Writer, Provider: r.provider(r.Connection),
		Model: r.Connection.Model, Toolbox: r.Toolbox, Calibrations: store, Backlog: backlog, Stored: stored,
		System: prompt, Schema: o.Schema, Forms: shortForms(prompt, r.Toolbox), AssumeWindow: assumedWindow(r.Connection.Model.Provider), Interactive: o.Interactive, Cost: setup.Cost, CacheSaved: func(m llm.Model, u conversation.Usage) *float64 { return catalog.Savings(m)(u) }, Logger: r.Agents.Resources.Logger(),
		Results:   core.Results{MaxChars: results.MaxChars, KeepFull: results.KeepFull, Ceiling: int(results.Ceiling)},
		Overrides: overrides, AskWindow: r.discoverWindow, Titles: titles, KeepWarm: keepWarm, Hooks: r.hooks(), Rules: r.InitialRules,
		Transcript: r.Agents.Conversations.SaveTranscript, Summarisers: r.summaryModels(ctx), Fallbacks: r.fallbacks(),
	})
	if err != nil {
		return err
	}
	r.InitialMeter = r.Agent.Meter()
	if note := changedNote(files, r.Agent.StoredPrompt(), prompt); note != "" && o.Interactive {
		r.Notes = append(r.Notes, note+" /memory asks.")
	}
	r.lifetime, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	if o.Task == nil {
		r.Agents.Servers.attach(r)
	}
	for _, lost := range conversation.LostJobs(r.Events) {
		r.Agent.Record(lost)
	}
	r.settleTasks(ctx, store)
	r.tasks.Go(func() { r.agentErr = r.Agent.Run(r.lifetime) })
	return nil
}

// configure sets the configuration with which the conversation begins, and the limits of its model. It returns the settings that
// the log has to record.
func (r *Running) configure(t *TaskOptions) (overrides map[string]string, err error) {
	var changed map[string]string
	if overrides = r.Agents.Settings.Overrides(); t != nil {
		overrides, changed = t.settings, t.settings
	}
	loaded, err := r.Agents.Settings.LoadedFor(r.Events, changed)
	if err != nil {
		return nil, err
	}
	r.InitialConfig, r.InitialRules = loaded.Config, loaded.Config.Rules()
	r.settings = liveSettings{loaded: loaded, rules: r.InitialRules, changed: map[string]string{}}
	if r.Connection.Model = r.WithLimits(r.Connection.Model); t != nil && t.window > 0 {
		r.Connection.Model.Window = meter.Window{Tokens: t.window, Source: meter.WindowConfig}
	}
	return overrides, nil
}

// writesTitles reports whether a model is asked for titles. Its prices must be known, and it must not be local: a local
// server often has one prompt cache, which the extra request would replace.
func (r *Running) writesTitles(m llm.Model) bool {
	return r.Config().UI.Titles == "model" && m.Prices != nil && !setup.IsLocal(m.BaseURL)
}

// storedState is the stored conversation that the agent starts from.
func (r *Running) storedState(ctx context.Context, store *storage.Store) (core.Stored, error) {
	s := core.Stored{ID: r.ID, Events: r.Events}
	if p, ok := r.Writer.Partial(); ok {
		s.Partial = &p
	}
	in, ok := conversation.Newest[conversation.Instructions](r.Events)
	if ok && in.System != "" {
		if text, err := store.Blob(ctx, r.ID, in.System); err == nil { // otherwise the current prompt is used: one cache miss
			s.System = &text
		}
	}
	if !ok || in.Tools == "" {
		return s, nil
	}
	text, err := store.Blob(ctx, r.ID, in.Tools)
	if err != nil {
		// The current tools are used, at the cost of one cache miss.
		r.Notes = append(r.Notes, "the recorded tools could not be read; using the current ones")
		return s, nil
	}
	s.Tools, err = core.DecodeTools(text)
	return s, err
}
