package screen

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"plimsoll/cli/console"
	"plimsoll/cli/doctor"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/cli/transfer"
	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tui"
)

// Needs are the parts of a run by which the screen is served.
type Needs struct {
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
	*connector
	*shelf
	*chooser
	*drafts
	*onDisk
	*configurer
	with  Needs
	first ChatOptions // its ID is whole
	Pace  Pace        // at which updates reach the screen

	mu        sync.Mutex       // guards what follows
	Running   *session.Running // nil before the first and while read-only
	Reading   string           // ID of the conversation that is only read
	following *follower        // of it, nil while nothing is only read
	ended     bool             // the screen was left: nothing opens any more

	trustAsked bool // about the workspace's file
}

// NewHost makes the host of a screen that begins with the conversation that o names.
func NewHost(n Needs, o ChatOptions) *Host {
	h := &Host{with: n, first: o}
	h.connector = &connector{console: n.Console, settings: n.Settings, providers: n.Providers, changed: h.relink}
	h.shelf = &shelf{console: n.Console, settings: n.Settings, resources: n.Resources, conversations: n.Conversations, open: h.openID}
	h.chooser = &chooser{listing: &setup.Listing{Console: n.Console, Settings: n.Settings, Providers: n.Providers},
		settings: n.Settings, providers: n.Providers, resources: n.Resources, current: h.linkInUse}
	h.configurer = &configurer{console: n.Console, settings: n.Settings, running: h.open}
	h.onDisk = &onDisk{n.Settings}
	h.drafts = &drafts{settings: n.Settings, resources: n.Resources}
	return h
}

// linkInUse is that of the open conversation, the zero value for none.
func (h *Host) linkInUse() setup.Link {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Running == nil {
		return setup.Link{}
	}
	return h.Running.Link
}

// open is the conversation that is open for writing, nil for none.
func (h *Host) open() *session.Running {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.Running
}

// errEnded says that the screen is gone.
var errEnded = errors.New("the chat is closing")

// locked is who has a conversation open for writing elsewhere, nil for nobody.
func (h *Host) locked(ctx context.Context, id string) *storage.LockedError {
	store, err := h.with.Resources.Open()
	if id == "" || err != nil || !store.OpenElsewhere(id) {
		return nil
	}
	w, err := store.OpenWriter(ctx, id)
	var locked *storage.LockedError
	if err == nil {
		err = w.Close() // it was left meanwhile
	}
	errors.As(err, &locked)
	return locked
}

// linkTo is a link to a choice: the one in use, if it is that. The lock is held.
func (h *Host) linkTo(ctx context.Context, c setup.Choice) (setup.Link, error) {
	if h.Running != nil && h.Running.Link.Choice() == c {
		l := h.Running.Link
		h.with.Models.Relearn(ctx, &l.Model)
		return l, nil
	}
	return h.with.Models.Connect(ctx, c)
}

// mode is the permission mode in use, so that it stays across conversations.
func (h *Host) mode() conversation.Mode {
	if h.Running == nil {
		return ""
	}
	return h.Running.Box.Mode()
}

// link is the model to go on with in conversation id, or to begin one with: the
// one it was held with; for a new one the one in use. The flag that the program was
// started with names the model of this one too as long as that is on the user's own
// machines or at the same place. The error is *elsewhere if a yes is needed. The lock is held.
func (h *Host) link(ctx context.Context, id string) (setup.Link, error) {
	if h.Running == nil {
		c, err := h.with.Models.Choose(ctx, id, true)
		if err != nil {
			return setup.Link{}, err
		}
		return h.with.Models.Connect(ctx, c)
	}
	current := h.Running.Link.Choice()
	held, err := h.with.Models.Held(ctx, id)
	if err != nil {
		return setup.Link{}, err
	}
	to := h.Running.Link.Model
	same := held.Name() == to.Name() && (held.BaseURL == "" || setup.SamePlace(held.BaseURL, to.BaseURL))
	asked := h.with.Settings.Flags.ChooseModel() && (setup.Local(to.BaseURL) || setup.SamePlace(h.with.Providers.HeldAt(held).Address(), to.BaseURL))
	if held.Name() == "" || (same || asked) && !setup.Leaves(held, to) {
		return h.linkTo(ctx, current)
	}
	c, why := h.with.Models.Again(held)
	if why != "" {
		return setup.Link{}, &setup.Elsewhere{ID: id, Held: held, Why: why, Proposed: &current}
	}
	return h.with.Models.Connect(ctx, c)
}

// Conversation is an open conversation as the screen takes it.
func (h *Host) Conversation(r *session.Running) tui.Conversation {
	talk := tui.Conversation{
		ID: r.ID, Events: r.Events, Session: liveSession{r.Agent, r, &h.Pace, &quiet{due: true, giveBack: giveBackSpare}},
		Profile: r.Rules.DefaultProfile, Profiles: profilesOf(r.Rules), KeepLast: r.Rules.KeepLast, Model: r.Link.Model, Meter: r.Meter, Waiting: r.Writer.Waiting(), Mode: r.Box.Mode(), Notes: append(h.with.Settings.Refused(), r.Notes...),
	}
	talk.Title = session.Title(r.Events)
	return talk
}

// part ends the open conversation for another one. What still waited in it
// comes back to the composer, which stays: it is not kept with the conversation
// as well. The lock is held.
func (h *Host) part() {
	if h.Running != nil {
		h.Running.Agent.TakeBack()
	}
	if err := h.drop(); err != nil {
		h.with.Resources.Logger().Error("leaving a conversation", "error", err)
	}
}

// drop ends the open conversation. The lock is held.
func (h *Host) drop() error {
	if h.following != nil {
		h.following.close()
		h.following = nil
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
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Running != nil && h.Running.Agent != nil {
		return h.Running.Agent.ArrivalCap()
	}
	cfg := h.with.Settings.Cfg()
	return compact.ArrivalCap(cfg.Compaction.Preset, int(cfg.ToolResults.MaxChars), 0)
}

// Close ends everything; it is safe to call twice.
func (h *Host) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	if err := h.drop(); err != nil {
		fmt.Fprintln(h.with.Console.Stderr, console.Explain(err))
	}
}

// Leave ends the conversation and says how to go on with it.
func (h *Host) Leave(farewell string) error {
	h.mu.Lock()
	id, said := "", false
	if h.Running != nil {
		id = h.Running.ID
	} else {
		id = h.Reading
	}
	h.ended = true
	err := h.drop()
	h.mu.Unlock()
	if id != "" && h.with.Resources.Store != nil {
		_, statErr := h.with.Resources.Store.Resolve(context.Background(), id, "")
		said = statErr == nil
	}
	if farewell != "" && h.with.Settings.Cfg().UI.LeaveTranscript {
		fmt.Fprintln(h.with.Console.Stdout, farewell)
	}
	if said {
		fmt.Fprintf(h.with.Console.Stdout, "Resume with: plimsoll -r %s\n", id)
	}
	return err
}

// ChatOptions says which conversation the chat opens.
type ChatOptions struct {
	Newest bool
	Resume string // "": none; pick: let the user choose
}

// Pick is the value of a bare -r.
const Pick = "?"
