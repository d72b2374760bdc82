package cli

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

// running is one open conversation with everything it is made of: the writer,
// the tools and the goroutine of its agent. Close ends them in the order in
// which nothing is lost.
type running struct {
	from   *agents
	id     string
	events []conversation.Event // as stored when it was opened
	cfg    config.Config
	rules  compact.Rules // by cfg
	link   setup.Link
	writer *storage.Writer
	box    *tools.Box
	agent  *agent.Agent
	meter  compact.Meter // as it was opened
	notes  []string

	linking sync.Mutex // guards link once the agent runs

	life      context.Context // until close
	stop      context.CancelFunc
	tasks     sync.WaitGroup // the agent
	questions sync.WaitGroup // to the server; the agent begins some
	failed    error          // of the agent; read after tasks
}

// agents opens conversations for writing, each with its tools and a running agent.
type agents struct {
	console       *console.Console
	settings      *setup.Settings
	providers     *setup.Providers
	resources     *setup.Resources
	models        *setup.Models
	conversations *conversations
}

// openOptions says how to open a conversation.
type openOptions struct {
	id          string // "": a new one
	interactive bool
	mode        conversation.Mode // "": as configured
}

// start opens a conversation for writing and starts its agent.
func (g *agents) start(ctx context.Context, l setup.Link, o openOptions) (*running, error) {
	store, err := g.resources.Open()
	if err != nil {
		return nil, err
	}
	r := &running{from: g, id: o.id, link: l}
	if err := r.openWriter(ctx, store); err != nil {
		return nil, err
	}
	if err := r.start(ctx, store, o); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *running) openWriter(ctx context.Context, store *storage.Store) error {
	var err error
	if r.id == "" {
		r.id = conversation.NewID()
		r.writer, err = store.Create(ctx, storage.NewConversation{ID: r.id, Workspace: r.from.settings.Workspace})
		return err
	}
	if r.writer, err = store.OpenWriter(ctx, r.id); err != nil {
		return err
	}
	var report storage.LoadReport
	if r.events, report, err = store.Load(ctx, r.id); err != nil {
		return errors.Join(err, r.writer.Close())
	}
	r.notes = append(r.notes, unread(report)...)
	return nil
}

// start makes the tools and the agent, and runs it.
func (r *running) start(ctx context.Context, store *storage.Store, o openOptions) error {
	prompt, notes := instructions(r.from.settings.Workspace)
	r.notes = append(r.notes, notes...)
	var err error
	if r.cfg, err = r.from.settings.ConfigFor(r.events); err != nil {
		return err
	}
	r.rules = setup.RulesOf(r.cfg)
	r.link.Model = r.bounded(r.link.Model)
	if r.box, err = r.from.newBox(r, store, o.mode); err != nil {
		return err
	}
	if _, err := r.from.resources.Granted().In(r.from.settings.Workspace); err != nil {
		r.notes = append(r.notes, err.Error())
	}
	stored, err := r.stored(ctx, store)
	if err != nil {
		return err
	}
	results := r.cfg.ToolResults
	var backlog agent.Backlog
	if o.interactive { // only there does what waited come back, so only there may it be forgotten
		backlog = r.writer
	}
	r.agent, err = agent.New(agent.Options{
		Log: r.writer, Provider: r.provider(r.link), Model: r.link.Model, Toolbox: r.box, Calibrations: store, Backlog: backlog, Stored: stored,
		System: prompt, Forms: shortForms(prompt, r.box), AssumeWindow: assumedWindow(r.link.Model.Provider), Interactive: o.interactive, Cost: setup.Cost, CacheSaved: cacheSaved, Logger: r.from.resources.Logger(),
		Results:   agent.Results{MaxChars: int(results.MaxChars), KeepFull: results.KeepFull, Ceiling: int(results.Ceiling)},
		Overrides: r.from.settings.Overrides(), AskWindow: r.askWindow,
		Rules: r.rules, Transcript: r.from.conversations.saveTranscript, Summarisers: r.summariser(ctx),
	})
	if err != nil {
		return err
	}
	r.meter = r.agent.Meter()
	r.life, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	r.tasks.Go(func() { r.failed = r.agent.Run(r.life) })
	return nil
}

// stored is the conversation as the agent takes it over.
func (r *running) stored(ctx context.Context, store *storage.Store) (agent.Stored, error) {
	s := agent.Stored{ID: r.id, Events: r.events}
	if p, ok := r.writer.Partial(); ok {
		s.Partial = &p
	}
	in, ok := newestInstructions(r.events)
	if !ok || in.Tools == "" {
		return s, nil
	}
	text, err := store.Blob(ctx, r.id, in.Tools)
	if err != nil {
		// Without the recorded tools the conversation goes on with today's, at
		// the price of one cache miss.
		r.notes = append(r.notes, "the recorded tools could not be read; the current ones are used")
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

// bounded is a model with what the conversation's own settings say of it.
func (r *running) bounded(m agent.Model) agent.Model { return r.from.settings.BoundedBy(r.cfg, m) }

// provider is that of a link; where servers say how large the window is, it is
// asked for when a reply arrives.
func (r *running) provider(l setup.Link) agent.Provider {
	if l.Discover == nil {
		return l.Provider
	}
	return &listening{Provider: l.Provider, then: func() { r.ask(l) }}
}

// ask asks the server of a link for the limits of its model, beside the
// conversation.
func (r *running) ask(l setup.Link) {
	r.questions.Go(func() {
		ctx, cancel := context.WithTimeout(r.life, 2*time.Second)
		defer cancel()
		found, err := l.Discover(ctx)
		if err != nil {
			return // a server that does not say is the usual case
		}
		r.agent.SetWindow(l.Model.Name(), setup.ServerWindow(found))
		r.agent.SetMaxOut(l.Model.Name(), found.MaxOut)
	})
}

// askWindow asks the server of the model in use how large its window is now.
func (r *running) askWindow(ctx context.Context, m agent.Model) compact.Window {
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
func (r *running) current() setup.Link {
	r.linking.Lock()
	defer r.linking.Unlock()
	return r.link
}

// switchTo sends the conversation's requests to another model.
func (r *running) switchTo(l setup.Link) {
	l.Model = r.bounded(l.Model)
	r.linking.Lock()
	r.link = l
	r.linking.Unlock()
	r.agent.SwitchModel(l.Model, r.provider(l))
	if l.Discover != nil {
		r.ask(l)
	}
}

// close ends the agent, keeping what arrived, then the tools, then writing.
func (r *running) close() error {
	if r.stop != nil {
		r.stop()
		r.tasks.Wait()
		r.questions.Wait()
	}
	errs := []error{r.failed}
	if r.box != nil {
		errs = append(errs, r.box.Close())
	}
	return errors.Join(append(errs, r.writer.Close())...)
}
