package screen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"plimsoll/agent"
	"plimsoll/agent/updates"
	"plimsoll/cli/console"
	"plimsoll/cli/doctor"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/cli/transfer"
	"plimsoll/compact"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
	"plimsoll/tools/permission"
	"plimsoll/tui"
)

// Needs are the parts of a run by which the screen is served.
type Dependencies struct {
	Console       *console.Console
	Settings      *setup.Settings
	Providers     *setup.Providers
	Resources     *setup.Resources
	Models        *setup.Models
	Conversations *session.Conversations
	Agents        *session.Agents
	Examiner      *doctor.Examiner
	Exporter      *transfer.Exporter
}

// Host opens conversations for the screen and serves what surrounds them. Its
// methods run on the goroutines of the screen's commands; the conversation in
// use is guarded, so that leaving one and asking about it cannot cross.
type Host struct {
	deps  Dependencies
	first ChatOptions // its ID is whole
	Pace  Pace        // at which updates reach the screen

	mu           sync.Mutex       // guards what follows
	Running      *session.Running // nil before the first and while read-only
	ReadOnlyID   string           // ID of the conversation that is only read
	follower     *follower        // of it, nil while nothing is only read
	isClosed     bool             // the screen was left: nothing opens any more
	isTrustAsked bool             // about the workspace's file

	settingsMu sync.Mutex // held while settings are kept
	drafts     drafts
}

// NewHost makes the host of a screen that begins with the conversation that o names.
func NewHost(n Dependencies, o ChatOptions) *Host { return &Host{deps: n, first: o} }

// ChatOptions says which conversation the chat opens.
type ChatOptions struct {
	Newest bool
	Resume string // "": none; [Pick]: let the user choose
}

// Pick is the value of a bare -r.
const Pick = "?"

var (
	errClosing          = errors.New("the chat is closing")
	errReadOnly         = errors.New("this conversation is read only")
	errConversationLeft = errors.New("the conversation was left before the model answered")
)

// open is the conversation that is open for writing, nil for none.
func (h *Host) running() *session.Running {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.Running
}

// link is the link of the open conversation, the zero value for none.
func (h *Host) connection() (*session.Running, setup.Connection) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Running == nil {
		return nil, setup.Connection{}
	}
	return h.Running, h.Running.Connection
}

// openID is the ID of the conversation that the screen shows, "" for none; ours
// says that it is open for writing here.
func (h *Host) openID() (id string, ours bool) {
	if r := h.running(); r != nil {
		return r.ID, true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ReadOnlyID, false
}

// liveSession is a running conversation as the screen drives it, from one goroutine: the
// agent, the rules of its tools, and its settings.
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

// SetProfile chooses the default profile, and records it with the conversation.
func (s liveSession) SetProfile(name string) { s.running.SetProfile(name) }

// Conversation is an open conversation as the screen takes it.
func (h *Host) Conversation(r *session.Running) tui.Conversation {
	return tui.Conversation{
		ID: r.ID, Title: session.Title(r.Events), Events: r.Events,
		Session: liveSession{r.Agent, r.Toolbox.Policy, r, &h.Pace, &memoryReleaser{isDue: true, release: releaseSpareMemory}},
		Profile: r.InitialRules.DefaultProfile, Profiles: profilesOf(r.InitialRules), KeepLast: r.InitialRules.KeepLast,
		Model: r.Connection.Model, Meter: r.InitialMeter, Waiting: r.Writer.Waiting(), Mode: r.Toolbox.Mode(), Notes: append(h.deps.Settings.RefusedNotes(), r.Notes...),
	}
}

// profilesOf lists the profiles by name, each with what it does.
func profilesOf(r preset.Rules) []tui.Profile {
	var out []tui.Profile
	for name, p := range r.Profiles {
		out = append(out, tui.Profile{Name: name, Note: profileNote(p), Summarises: p.Summarize})
	}
	slices.SortFunc(out, func(a, b tui.Profile) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// profileNote says on a line what a profile does.
func profileNote(p preset.Profile) string {
	strips := p.ToolCalls == conversation.ToolCallsStrip
	what := ""
	switch {
	case p.Summarize && p.Summary.Model != "":
		return p.Summary.Model + " writes a summary"
	case p.Summarize:
		return "the model writes a summary"
	case p.ToolCalls == conversation.ToolCallsOmit:
		what = "calls and results"
	case strips && p.Request && p.Response:
		what = "arguments and results"
	case strips && p.Request:
		what = "arguments"
	case strips && p.Response:
		what = "results"
	}
	if p.Reasoning == conversation.ReasoningStrip {
		switch {
		case what == "":
			what = "reasoning"
		case strings.Contains(what, " and "):
			what = "reasoning, " + what
		default:
			what = "reasoning and " + what
		}
	}
	if what != "" {
		return "shortens " + what
	}
	return "changes nothing"
}

// leave ends the open conversation for another one. Messages that still waited
// in it go back to the composer instead of being stored. The caller holds h.mu.
func (h *Host) leaveConversation() {
	if h.Running != nil {
		h.Running.Agent.TakeBack()
	}
	if err := h.closeConversation(); err != nil {
		h.deps.Resources.Logger().Error("leaving a conversation", "error", err)
	}
}

// drop ends the open conversation. The lock is held.
func (h *Host) closeConversation() error {
	if h.follower != nil {
		h.follower.close()
		h.follower = nil
	}
	if h.Running == nil {
		return nil
	}
	r := h.Running
	h.Running = nil
	return r.Close()
}

// arrivalCap is how results are cut in the open conversation; where none is open, as
// in one whose window is unknown.
func (h *Host) arrivalCap() conversation.ArrivalCap {
	if r := h.running(); r != nil && r.Agent != nil {
		return r.Agent.ArrivalCap()
	}
	cfg := h.deps.Settings.Cfg()
	return compact.ArrivalCap(cfg.Compaction.Preset, cfg.ToolResults.MaxChars, 0)
}

// Close ends everything; it is safe to call twice.
func (h *Host) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.isClosed = true
	if err := h.closeConversation(); err != nil {
		fmt.Fprintln(h.deps.Console.Stderr, console.Explain(err))
	}
}

// Leave ends the conversation and says how to go on with it.
func (h *Host) Leave(farewell string) error {
	id, _ := h.openID()
	h.mu.Lock()
	h.isClosed = true
	err := h.closeConversation()
	h.mu.Unlock()
	if farewell != "" && h.deps.Settings.Cfg().UI.LeaveTranscript {
		fmt.Fprintln(h.deps.Console.Stdout, farewell)
	}
	if id != "" && h.deps.Resources.Store != nil {
		if _, err := h.deps.Resources.Store.Resolve(context.Background(), id, ""); err == nil {
			fmt.Fprintf(h.deps.Console.Stdout, "Resume with: plimsoll -r %s\n", id)
		}
	}
	return err
}
