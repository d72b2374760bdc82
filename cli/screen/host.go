package screen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"plimsoll/agent"
	"plimsoll/agent/updates"
	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/compact"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
	"plimsoll/tools/permission"
	"plimsoll/tui"
)

// Host is the backend of the screen. Its methods run on the goroutines of the screen's commands; a mutex guards the open
// conversation, so that one command cannot close it while another uses it.
type Host struct {
	deps  *session.Agents
	first ChatOptions // which conversation Open opens; the ID is complete
	Pace  Pace        // when updates reach the screen

	mu           sync.Mutex // guards what follows
	shown                   // what the screen shows
	parent       *shown     // the open conversation while one of its tasks is shown, else nil
	isClosed     bool       // the chat ends: no conversation may be opened
	pasted       string     // folder of images from the clipboard; "" without any
	isTrustAsked bool       // the user has answered whether the workspace's file is trusted

	commands   sync.WaitGroup // commands of the user that run for the screen
	settingsMu sync.Mutex     // held while settings are stored
	uses       toolUses
	drafts     drafts
}

// shown is a conversation that is open on the screen.
type shown struct {
	Running    *session.Running // nil before the first and while read-only
	ReadOnlyID string           // ID of the conversation that is only read
	follower   *follower        // of that conversation, nil without one
}

// NewHost returns a host whose first conversation is the one that o names.
func NewHost(deps *session.Agents, options ChatOptions) *Host {
	return &Host{deps: deps, first: options, uses: toolUses{kept: map[string]storedUses{}}, drafts: drafts{files: map[string]string{}}}
}

// ChatOptions says which conversation the chat opens.
type ChatOptions struct {
	Newest bool
	Resume string // "": a new one; [Pick]: let the user choose
}

// Pick is the value of a bare -r.
const Pick = "?"

var (
	errClosing          = errors.New("the chat is closing")
	errReadOnly         = errors.New("this conversation is read only")
	errConversationLeft = errors.New("the conversation was left before the model answered")
)

// running returns the conversation that is open for writing, nil if the screen has no such conversation.
func (h *Host) running() *session.Running {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.Running
}

// connection returns the conversation that is open for writing and its connection, zero values without one.
func (h *Host) connection() (*session.Running, setup.Connection) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Running == nil {
		return nil, setup.Connection{}
	}
	return h.Running, h.Running.Connection
}

// openID is the ID of the conversation that the screen shows, "" without one; isWritable: it is open for writing here.
func (h *Host) openID() (id string, isWritable bool) {
	if running := h.running(); running != nil {
		return running.ID, true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ReadOnlyID, false
}

// liveSession is the session of an open conversation: the agent, the permission rules of its tools, and its settings. The
// screen uses it from one goroutine.
type liveSession struct {
	*agent.Agent
	*permission.Policy
	running *session.Running
	pace    *Pace
	memory  *memoryReleaser
}

// Take waits for the next updates, and for the next frame.
func (s liveSession) Take(ctx context.Context) ([]updates.Update, error) {
	s.memory.releaseWhenIdle(ctx, s.Updates())
	updates, err := s.pace.take(ctx, s.Updates())
	s.memory.observe(updates)
	return updates, err
}

// Send sends a message, to the model of its turn if a command of the user's own named one.
func (s liveSession) Send(text string) { s.running.Send(text) }

// SetMode sets the permission mode, also of tasks.
func (s liveSession) SetMode(m conversation.Mode) { s.running.SetMode(m) }

// CheckRules checks rules for a call that waits for approval, also of a task.
func (s liveSession) CheckRules(callID string, rules []string) (conversation.Offer, error) {
	return s.running.CheckRules(callID, rules)
}

// SetProfile sets the default profile, and records it in the conversation's log.
func (s liveSession) SetProfile(name string) { s.running.SetProfile(name) }

// Conversation describes an open conversation to the screen.
func (h *Host) Conversation(running *session.Running) tui.Conversation {
	settings := h.deps.Settings
	return tui.Conversation{
		ID: running.ID, Title: session.Title(running.Events), Events: running.Events,
		Session: liveSession{running.Agent, running.Toolbox.Policy, running, &h.Pace, &memoryReleaser{isDue: true, release: releaseSpareMemory}},
		Profile: running.InitialRules.DefaultProfile, Profiles: profilesOf(running.InitialRules), KeepLast: running.InitialRules.KeepLast,
		Model: running.Connection.Model, Meter: running.InitialMeter, Waiting: running.Writer.Waiting(), Mode: running.Toolbox.Mode(),
		Confined: running.Toolbox.Confined(), NoYolo: !running.Toolbox.AllowsYolo(),
		Notes: slices.Concat(settings.RefusedNotes(), settings.OfferServers(), running.Notes),
	}
}

// profilesOf lists the profiles by name, each with a note on its effect.
func profilesOf(r preset.Rules) []tui.Profile {
	var out []tui.Profile
	for name, p := range r.Profiles {
		out = append(out, tui.Profile{Name: name, Note: profileNote(p), Summarises: p.Summarize})
	}
	slices.SortFunc(out, func(a, b tui.Profile) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// profileNote says in a few words what a profile does.
func profileNote(p preset.Profile) string {
	if p.Summarize {
		return cmp.Or(p.Summary.Model, "the model") + " writes a summary"
	}
	var what []string
	if p.Reasoning == conversation.ReasoningStrip {
		what = append(what, "reasoning")
	}
	stripsCalls, omitsCalls := p.ToolCalls == conversation.ToolCallsStrip, p.ToolCalls == conversation.ToolCallsOmit
	if omitsCalls {
		what = append(what, "calls")
	} else if stripsCalls && p.Request {
		what = append(what, "arguments")
	}
	if omitsCalls || stripsCalls && p.Response {
		what = append(what, "results")
	}
	last := len(what) - 1
	switch {
	case last < 0:
		return "changes nothing"
	case last == 0:
		return "shortens " + what[0]
	}
	return "shortens " + strings.Join(what[:last], ", ") + " and " + what[last]
}

// leaveConversation closes the open conversation before another is opened. Queued messages return to the composer. The caller
// holds h.mu.
func (h *Host) leaveConversation() {
	if h.Running != nil {
		h.Running.Agent.ReturnQueued()
	}
	if err := h.closeConversation(); err != nil {
		h.deps.Resources.Logger().Error("leaving a conversation", "error", err)
	}
}

// closeConversation closes the open or followed conversation. The caller holds h.mu.
func (h *Host) closeConversation() error {
	h.leaveTask(h.follower)
	if h.follower != nil {
		h.follower.close()
		h.follower = nil
	}
	if h.Running == nil {
		return nil
	}
	running := h.Running
	h.Running = nil
	return running.Close()
}

// arrivalCap is the limit for tool results in the open conversation; without one, the limit for an unknown window.
func (h *Host) arrivalCap() conversation.ArrivalCap {
	if running := h.running(); running != nil && running.Agent != nil {
		return running.Agent.ArrivalCap()
	}
	cfg := h.deps.Settings.Cfg()
	return compact.ArrivalCap(cfg.Compaction.Preset, cfg.ToolResults.MaxChars, 0)
}

// Close closes the conversation; further calls do nothing.
func (h *Host) Close() {
	defer h.commands.Wait() // the end of the screen's context ended them
	h.mu.Lock()
	defer h.mu.Unlock()
	h.isClosed = true
	if err := h.closeConversation(); err != nil {
		fmt.Fprintln(h.deps.Console.Stderr, console.Explain(err))
	}
	if h.pasted != "" {
		_ = os.RemoveAll(h.pasted) // else the system's cleaning takes what is left
	}
}

// Leave closes the conversation and prints how to resume it.
func (h *Host) Leave(farewell string) error {
	h.mu.Lock()
	h.leaveTask(h.follower)
	h.mu.Unlock()
	id, _ := h.openID()
	h.mu.Lock()
	h.isClosed = true
	err := h.closeConversation()
	h.mu.Unlock()
	if farewell != "" && h.deps.Settings.Cfg().UI.LeaveTranscript {
		fmt.Fprintln(h.deps.Console.Stdout, farewell)
	}
	if id != "" && h.deps.Resources.Store != nil {
		if _, err := h.deps.Resources.Store.Resolve(context.Background(), id); err == nil {
			fmt.Fprintf(h.deps.Console.Stdout, "Resume with: plimsoll -r %s\n", id)
		}
	}
	return err
}
