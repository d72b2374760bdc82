package session

import (
	"context"
	"errors"
	"slices"

	"plimsoll/agent"
	"plimsoll/agent/catalog"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// Start opens a conversation for writing and starts its agent.
func (g *Agents) Start(ctx context.Context, l setup.Link, o OpenOptions) (*Running, error) {
	store, err := g.Resources.Open()
	if err != nil {
		return nil, err
	}
	r := &Running{From: g, ID: o.ID, Link: l}
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
		r.Writer, err = store.Create(ctx, storage.NewConversation{ID: r.ID, Workspace: r.From.Settings.Workspace})
		return err
	}
	if r.Writer, err = store.OpenWriter(ctx, r.ID); err != nil {
		return err
	}
	var report storage.LoadReport
	if r.Events, report, err = store.Load(ctx, r.ID); err != nil {
		return errors.Join(err, r.Writer.Close())
	}
	r.Notes = append(r.Notes, Unread(report)...)
	return nil
}

// start makes the tools and the agent, and runs it.
func (r *Running) start(ctx context.Context, store *storage.Store, o OpenOptions) error {
	prompt, notes := instructions(r.From.Settings.Workspace)
	r.Notes = append(r.Notes, notes...)
	loaded, err := r.From.Settings.LoadedFor(r.Events, nil)
	if err != nil {
		return err
	}
	r.Cfg, r.Rules = loaded.Config, loaded.Config.Rules()
	r.settled = settled{loaded: loaded, rules: r.Rules, changed: map[string]string{}}
	r.Link.Model = r.Bounded(r.Link.Model)
	if last := setup.LastModel(r.Events); r.Link.Model.Effort == "" && last.Name() == r.Link.Model.Name() {
		r.Link.Model.Effort = last.Effort
	}
	if r.Link = r.Link.Noted(); r.Link.Model.EffortNote != "" {
		r.Notes = append(r.Notes, r.Link.Model.EffortNote)
	}
	if r.Box, err = r.From.newToolbox(r, store, o.Mode); err != nil {
		return err
	}
	if _, err := r.From.Resources.Granted().In(r.From.Settings.Workspace); err != nil {
		r.Notes = append(r.Notes, err.Error())
	}
	stored, err := r.stored(ctx, store)
	if err != nil {
		return err
	}
	results := r.Cfg.ToolResults
	var backlog core.Backlog
	r.read = o.Interactive
	if o.Interactive { // only there does what waited come back, so only there may it be forgotten
		backlog = r.Writer
	}
	r.Agent, err = agent.New(core.Options{
		Log: r.Writer, Provider: r.provider(r.Link), Model: r.Link.Model, Toolbox: r.Box, Calibrations: store, Backlog: backlog, Stored: stored,
		System: prompt, Forms: shortForms(prompt, r.Box), AssumeWindow: assumedWindow(r.Link.Model.Provider), Interactive: o.Interactive, Cost: setup.Cost, CacheSaved: func(m llm.Model, u conversation.Usage) *float64 { return catalog.Savings(m)(u) }, Logger: r.From.Resources.Logger(),
		Results:   core.Results{MaxChars: results.MaxChars, KeepFull: results.KeepFull, Ceiling: int(results.Ceiling)},
		Overrides: r.From.Settings.Overrides(), AskWindow: r.askWindow, Titles: r.titles,
		Rules: r.Rules, Transcript: r.From.Conversations.SaveTranscript, Summarisers: r.summariser(ctx), Fallbacks: r.fallbacks(),
	})
	if err != nil {
		return err
	}
	r.Meter = r.Agent.Meter()
	r.life, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	r.tasks.Go(func() { r.failed = r.Agent.Run(r.life) })
	return nil
}

// titles reports whether a model names conversations: one whose price is known, and
// whose server has more than one cache to lose.
func (r *Running) titles(m llm.Model) bool {
	return r.Config().UI.Titles == "model" && m.Prices != nil && !setup.Local(m.BaseURL)
}

// stored is the conversation as the agent takes it over.
func (r *Running) stored(ctx context.Context, store *storage.Store) (core.Stored, error) {
	s := core.Stored{ID: r.ID, Events: r.Events}
	if p, ok := r.Writer.Partial(); ok {
		s.Partial = &p
	}
	in, ok := newestInstructions(r.Events)
	if ok && in.System != "" {
		if text, err := store.Blob(ctx, r.ID, in.System); err == nil { // otherwise it is today's, at the same price
			s.System = &text
		}
	}
	if !ok || in.Tools == "" {
		return s, nil
	}
	text, err := store.Blob(ctx, r.ID, in.Tools)
	if err != nil {
		// Without the recorded tools the conversation goes on with today's, at
		// the price of one cache miss.
		r.Notes = append(r.Notes, "the recorded tools could not be read; using the current ones")
		return s, nil
	}
	s.Tools, err = core.DecodeTools(text)
	return s, err
}

// newestInstructions is the newest record of system prompt and tools.
func newestInstructions(events []conversation.Event) (conversation.Instructions, bool) {
	for _, e := range slices.Backward(events) {
		if in, ok := e.Body.(conversation.Instructions); ok {
			return in, true
		}
	}
	return conversation.Instructions{}, false
}
