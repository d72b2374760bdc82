package session

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"plimsoll/agent"
	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/agent/updates"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tools"
)

// Running is one open conversation with everything it is made of: the writer,
// the tools and the goroutine of its agent. Close ends them in the order in
// which nothing is lost.
type Running struct {
	Agents        *Agents
	ID            string
	Events        []conversation.Event // as stored when it was opened
	InitialConfig config.Config        // as it was opened; Config is what is in force
	InitialRules  preset.Rules         // by Cfg
	Connection    setup.Connection
	Writer        *storage.Writer
	Toolbox       *tools.Box
	Agent         *agent.Agent
	InitialMeter  meter.Meter // as it was opened
	Notes         []string
	isInteractive bool // somebody reads along, and can answer

	settingsMu   sync.Mutex // held while settings change
	connectionMu sync.Mutex // guards Link and settled once the agent runs
	settings     liveSettings

	lifetime      context.Context // until close
	stop          context.CancelFunc
	tasks         sync.WaitGroup // the agent
	Discoveries   sync.WaitGroup // to the server; the agent begins some
	isSilent      atomic.Bool    // the server did not answer the newest question
	isWindowNoted atomic.Bool    // it was told that nobody knows the window
	agentErr      error          // of the agent; read after tasks
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

// Bounded is a model with what the conversation's own settings say of it.
func (r *Running) WithLimits(m llm.Model) llm.Model {
	return r.Agents.Settings.WithLimits(r.Config(), m)
}

// provider is that of a link; where servers say how large the window is, it is
// asked for when a reply arrives.
func (r *Running) provider(l setup.Connection) llm.Provider {
	if l.Discover == nil {
		return l.Provider
	}
	return &replyObserver{Provider: l.Provider, onReply: func() { r.DiscoverLimits(l) }}
}

// Ask asks the server of a link for the limits of its model, beside the
// conversation.
func (r *Running) DiscoverLimits(l setup.Connection) {
	r.Discoveries.Go(func() {
		ctx, cancel := context.WithTimeout(r.lifetime, 2*time.Second)
		defer cancel()
		found, err := l.Discover(ctx)
		r.reportReachability(l, err)
		if err != nil {
			return // a server that does not say is the usual case
		}
		r.noteUnknownWindow(l, found)
		r.Agent.SetWindow(l.Model.Name(), setup.WindowOf(found))
		r.Agent.SetMaxOut(l.Model.Name(), found.MaxOut)
	})
}

// notice tells that nothing answers where the user runs the server, and that it does again.
func (r *Running) reportReachability(l setup.Connection, err error) {
	e, why := llm.AsError(err), ""
	if e != nil && e.Class == llm.Network && (l.Model.Provider == setup.ProviderCustom || setup.IsLocal(l.Model.BaseURL)) {
		why = strings.TrimSuffix(e.Message+": "+e.Hint, ": ")
	}
	if r.isSilent.Swap(why != "") || why != "" {
		r.Agent.Updates().Put(updates.Unreachable{Why: why})
	}
}

// SetWindow says how many tokens the model in use holds, and keeps it for later runs.
func (r *Running) SetWindow(tokens int) error {
	m := r.replaceWindow(tokens)
	return r.Agents.Settings.Endpoints().SetUserWindow(m.BaseURL, m.ID, tokens)
}

// replaceWindow says how many tokens the model in use holds.
func (r *Running) replaceWindow(tokens int) llm.Model {
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	r.Connection.Model.Window = meter.Window{Tokens: tokens, Source: meter.WindowConfig}
	r.Agent.ReplaceWindow(r.Connection.Model.Name(), r.Connection.Model.Window)
	return r.Connection.Model
}

// wonder tells once in a run that nobody says how large the window of a model is. A server that knows it when the model is loaded
// is asked again then.
func (r *Running) noteUnknownWindow(l setup.Connection, found openai.Discovery) {
	if !r.isInteractive || l.Model.Window.Known() || found.Window > 0 || found.AskAgain || l.Model.Provider == setup.ProviderDemo || r.isWindowNoted.Swap(true) {
		return
	}
	r.Agent.Tell("The window of " + l.Model.Name() + " is unknown, so compaction waits until the server refuses a request. " +
		"If you know it, /window 128k says so, once and for all.")
}

// askWindow asks the server of the model in use how large its window is now.
func (r *Running) discoverWindow(ctx context.Context, m llm.Model) meter.Window {
	l := r.Current()
	if l.Discover == nil || l.Model.Name() != m.Name() {
		return meter.Window{}
	}
	found, err := l.Discover(ctx)
	if err != nil {
		return meter.Window{} // a server that does not say is the usual case
	}
	return setup.WindowOf(found)
}

// Current is the link in use, from any goroutine.
func (r *Running) Current() setup.Connection {
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	return r.Connection
}

// SwitchTo sends the conversation's requests to another model.
func (r *Running) SwitchTo(l setup.Connection) { r.switchIf(l, func() bool { return true }) }

// switchIf is SwitchTo under a condition, which is asked with the lock held.
func (r *Running) switchIf(l setup.Connection, still func() bool) {
	l = l.WithEffortNote()
	l.Model = r.WithLimits(l.Model)
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	if !still() {
		return
	}
	if note := l.Model.EffortNote; note != "" && note != r.Connection.Model.EffortNote {
		r.Agent.Tell(note)
	}
	r.settings.isSwitched = r.settings.isSwitched || l.Model.Name() != r.Connection.Model.Name()
	r.Connection = l
	r.Agent.SwitchModel(l.Model, r.provider(l))
	if l.Discover != nil {
		r.DiscoverLimits(l)
	}
}

// Close ends the agent, keeping what arrived, then the tools, then writing.
func (r *Running) Close() error {
	if r.stop != nil {
		r.stop()
		r.tasks.Wait()
		r.Discoveries.Wait()
	}
	errs := []error{r.agentErr}
	if r.Toolbox != nil {
		errs = append(errs, r.Toolbox.Close())
	}
	return errors.Join(append(errs, r.Writer.Close())...)
}
