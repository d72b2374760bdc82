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
	"plimsoll/cli/setup"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tools"
)

// Running is one conversation that is open for writing: its writer, its tools and the goroutine of its agent. Close ends
// them in an order that loses nothing.
type Running struct {
	Agents        *Agents
	ID            string
	Events        []conversation.Event // as stored when it was opened
	InitialConfig config.Config        // when it was opened; Config returns the current one
	InitialRules  preset.Rules         // of InitialConfig
	Connection    setup.Connection
	Writer        *storage.Writer
	Toolbox       *tools.Box
	Agent         *agent.Agent
	InitialMeter  meter.Meter // when it was opened
	Notes         []string
	subtasks      *taskRunner
	isInteractive bool // a user watches the screen and can answer questions

	settingsMu   sync.Mutex // held while settings change
	connectionMu sync.Mutex // guards Connection, settings and turnModels once the agent runs
	settings     liveSettings
	turnModels   map[string]setup.Connection // of messages that are not passed on yet, by text

	lifetime      context.Context // ends in Close
	stop          context.CancelFunc
	tasks         sync.WaitGroup // the agent's goroutine
	Discoveries   sync.WaitGroup // requests to the server for its limits, some begun by the agent's goroutine
	isSilent      atomic.Bool    // the server did not answer the newest request for limits
	isWindowNoted atomic.Bool    // the user was told that the window is unknown
	isAutoNoted   atomic.Bool    // the user was told that auto mode asks
	agentErr      error          // why the agent ended; read after tasks
}

// Agents opens conversations for writing, each with its tools and a running agent.
type Agents struct {
	setup.Parts
	Conversations *Conversations
	Servers       *Servers

	writing sync.Mutex // held while a tool writes a file
}

// OpenOptions says how to open a conversation.
type OpenOptions struct {
	ID          string // "": a new one
	Interactive bool
	Mode        conversation.Mode    // "": as configured
	Schema      conversation.RawJSON // of the replies; nil: none
	Task        *TaskOptions         // nil: it is the user's own
}

// WithLimits returns a model with the window and the cache lifetime that the conversation's configuration sets.
func (r *Running) WithLimits(m llm.Model) llm.Model {
	return r.Agents.Settings.WithLimits(r.Config(), m)
}

// provider returns the connection's provider. If its server can report limits, they are asked for when a reply arrives.
func (r *Running) provider(conn setup.Connection) llm.Provider {
	if conn.Discover == nil {
		return conn.Provider
	}
	return &replyObserver{Provider: conn.Provider, onReply: func() { r.DiscoverLimits(conn) }}
}

// DiscoverLimits asks a connection's server for the limits of its model, in the background.
func (r *Running) DiscoverLimits(conn setup.Connection) {
	r.Discoveries.Go(func() {
		ctx, cancel := context.WithTimeout(r.lifetime, 2*time.Second)
		defer cancel()
		found, err := conn.Discover(ctx)
		r.reportReachability(conn, err)
		if err != nil {
			return // most servers do not report limits
		}
		r.noteUnknownWindow(conn, found)
		r.Agent.SetWindow(conn.Model.Name(), setup.WindowOf(found))
		r.Agent.SetMaxOut(conn.Model.Name(), found.MaxOut)
	})
}

// reportReachability tells the screen that the user's own server does not answer, and later that it answers again.
func (r *Running) reportReachability(conn setup.Connection, err error) {
	e, why := llm.AsError(err), ""
	if e != nil && e.Class == llm.Network && (conn.Model.Provider == setup.ProviderCustom || setup.IsLocal(conn.Model.BaseURL)) {
		why = strings.TrimSuffix(e.Message+": "+e.Hint, ": ")
	}
	if r.isSilent.Swap(why != "") || why != "" {
		r.Agent.Updates().Put(updates.Unreachable{Why: why})
	}
}

// ReplaceWindow sets the window of the model in use, in tokens.
func (r *Running) ReplaceWindow(tokens int) llm.Model {
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	r.Connection.Model.Window = meter.Window{Tokens: tokens, Source: meter.WindowConfig}
	r.Agent.ReplaceWindow(r.Connection.Model.Name(), r.Connection.Model.Window)
	return r.Connection.Model
}

// noteUnknownWindow tells the user, once in a run, that the model's window is unknown. A server that only knows it after
// loading the model is asked again later.
func (r *Running) noteUnknownWindow(conn setup.Connection, found openai.Discovery) {
	if !r.isInteractive || conn.Model.Window.IsKnown() || found.Window > 0 || found.AskAgain || conn.Model.Provider == setup.ProviderDemo || r.isWindowNoted.Swap(true) {
		return
	}
	r.Agent.AddNotice("The window of " + conn.Model.Name() + " is unknown, so compaction waits until the server refuses a " +
		"request. If you know it, /window 128k says so, once and for all.")
}

// discoverWindow asks the server of the model in use for its current window.
func (r *Running) discoverWindow(ctx context.Context, m llm.Model) meter.Window {
	conn := r.Current()
	if conn.Discover == nil || conn.Model.Name() != m.Name() {
		return meter.Window{}
	}
	found, err := conn.Discover(ctx)
	if err != nil {
		return meter.Window{} // most servers do not report limits
	}
	return setup.WindowOf(found)
}

// Current returns the connection in use. It may be called from any goroutine.
func (r *Running) Current() setup.Connection {
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	return r.Connection
}

// SwitchTo sends the conversation's requests to another model.
func (r *Running) SwitchTo(c setup.Connection) { r.switchIf(c, func() bool { return true }) }

// switchIf is SwitchTo under a condition that is checked with the lock held.
func (r *Running) switchIf(conn setup.Connection, condition func() bool) {
	conn = conn.WithEffortNote()
	conn.Model = r.WithLimits(conn.Model)
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	if !condition() {
		return
	}
	if note := conn.Model.EffortNote; note != "" && note != r.Connection.Model.EffortNote {
		r.Agent.AddNotice(note)
	}
	r.settings.isSwitched = r.settings.isSwitched || conn.Model.Name() != r.Connection.Model.Name()
	r.Connection = conn
	r.Agent.SwitchModel(conn.Model, r.provider(conn))
	if conn.Discover != nil {
		r.DiscoverLimits(conn)
	}
}

// Close stops the agent, which stores a partial reply, then the tools, then closes the writer.
func (r *Running) Close() error {
	if r.stop != nil {
		r.Agents.Servers.detach(r)
		r.Toolbox.Jobs().Close() // while the agent records their ends
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
