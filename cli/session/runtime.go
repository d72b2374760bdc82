package session

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"plimsoll/agent"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tools"
)

// Running is one open conversation with everything it is made of: the writer,
// the tools and the goroutine of its agent. Close ends them in the order in
// which nothing is lost.
type Running struct {
	From   *Agents
	ID     string
	Events []conversation.Event // as stored when it was opened
	Cfg    config.Config
	Rules  compact.Rules // by cfg
	Link   setup.Link
	Writer *storage.Writer
	Box    *tools.Box
	Agent  *agent.Agent
	Meter  compact.Meter // as it was opened
	Notes  []string

	linking sync.Mutex // guards link once the agent runs

	life      context.Context // until close
	stop      context.CancelFunc
	tasks     sync.WaitGroup // the agent
	Questions sync.WaitGroup // to the server; the agent begins some
	failed    error          // of the agent; read after tasks
}

// Agents opens conversations for writing, each with its tools and a running agent.
type Agents struct {
	Console       *console.Console
	Settings      *setup.Settings
	Providers     *setup.Providers
	Resources     *setup.Resources
	Models        *setup.Models
	Conversations *Conversations
}

// OpenOptions says how to open a conversation.
type OpenOptions struct {
	ID          string // "": a new one
	Interactive bool
	Mode        conversation.Mode // "": as configured
}

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
	var err error
	if r.Cfg, err = r.From.Settings.ConfigFor(r.Events); err != nil {
		return err
	}
	r.Rules = setup.RulesOf(r.Cfg)
	r.Link.Model = r.Bounded(r.Link.Model)
	if r.Box, err = r.From.newBox(r, store, o.Mode); err != nil {
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
	var backlog agent.Backlog
	if o.Interactive { // only there does what waited come back, so only there may it be forgotten
		backlog = r.Writer
	}
	r.Agent, err = agent.New(agent.Options{
		Log: r.Writer, Provider: r.provider(r.Link), Model: r.Link.Model, Toolbox: r.Box, Calibrations: store, Backlog: backlog, Stored: stored,
		System: prompt, Forms: shortForms(prompt, r.Box), AssumeWindow: assumedWindow(r.Link.Model.Provider), Interactive: o.Interactive, Cost: setup.Cost, CacheSaved: cacheSaved, Logger: r.From.Resources.Logger(),
		Results:   agent.Results{MaxChars: int(results.MaxChars), KeepFull: results.KeepFull, Ceiling: int(results.Ceiling)},
		Overrides: r.From.Settings.Overrides(), AskWindow: r.askWindow,
		Rules: r.Rules, Transcript: r.From.Conversations.SaveTranscript, Summarisers: r.summariser(ctx),
	})
	if err != nil {
		return err
	}
	r.Meter = r.Agent.Meter()
	r.life, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	r.tasks.Go(func() { r.failed = r.Agent.Run(r.life) })
	return nil
}

// stored is the conversation as the agent takes it over.
func (r *Running) stored(ctx context.Context, store *storage.Store) (agent.Stored, error) {
	s := agent.Stored{ID: r.ID, Events: r.Events}
	if p, ok := r.Writer.Partial(); ok {
		s.Partial = &p
	}
	in, ok := newestInstructions(r.Events)
	if !ok || in.Tools == "" {
		return s, nil
	}
	text, err := store.Blob(ctx, r.ID, in.Tools)
	if err != nil {
		// Without the recorded tools the conversation goes on with today's, at
		// the price of one cache miss.
		r.Notes = append(r.Notes, "the recorded tools could not be read; the current ones are used")
		return s, nil
	}
	s.Tools, err = agent.DecodeTools(text)
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

// Bounded is a model with what the conversation's own settings say of it.
func (r *Running) Bounded(m agent.Model) agent.Model { return r.From.Settings.BoundedBy(r.Cfg, m) }

// provider is that of a link; where servers say how large the window is, it is
// asked for when a reply arrives.
func (r *Running) provider(l setup.Link) agent.Provider {
	if l.Discover == nil {
		return l.Provider
	}
	return &listening{Provider: l.Provider, then: func() { r.Ask(l) }}
}

// Ask asks the server of a link for the limits of its model, beside the
// conversation.
func (r *Running) Ask(l setup.Link) {
	r.Questions.Go(func() {
		ctx, cancel := context.WithTimeout(r.life, 2*time.Second)
		defer cancel()
		found, err := l.Discover(ctx)
		if err != nil {
			return // a server that does not say is the usual case
		}
		r.Agent.SetWindow(l.Model.Name(), setup.ServerWindow(found))
		r.Agent.SetMaxOut(l.Model.Name(), found.MaxOut)
	})
}

// askWindow asks the server of the model in use how large its window is now.
func (r *Running) askWindow(ctx context.Context, m agent.Model) compact.Window {
	l := r.current()
	if l.Discover == nil || l.Model.Name() != m.Name() {
		return compact.Window{}
	}
	found, err := l.Discover(ctx)
	if err != nil {
		return compact.Window{} // a server that does not say is the usual case
	}
	return setup.ServerWindow(found)
}

// current is the link in use, from any goroutine.
func (r *Running) current() setup.Link {
	r.linking.Lock()
	defer r.linking.Unlock()
	return r.Link
}

// SwitchTo sends the conversation's requests to another model.
func (r *Running) SwitchTo(l setup.Link) {
	l.Model = r.Bounded(l.Model)
	r.linking.Lock()
	r.Link = l
	r.linking.Unlock()
	r.Agent.SwitchModel(l.Model, r.provider(l))
	if l.Discover != nil {
		r.Ask(l)
	}
}

// Close ends the agent, keeping what arrived, then the tools, then writing.
func (r *Running) Close() error {
	if r.stop != nil {
		r.stop()
		r.tasks.Wait()
		r.Questions.Wait()
	}
	errs := []error{r.failed}
	if r.Box != nil {
		errs = append(errs, r.Box.Close())
	}
	return errors.Join(append(errs, r.Writer.Close())...)
}
