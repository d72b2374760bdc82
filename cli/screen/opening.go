package screen

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll/agent/openai"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/compact/projection"
	"plimsoll/storage"
	"plimsoll/tui"
)

// Open opens the conversation the program was started for, a new one if that
// is to be picked yet.
func (h *Host) Open(ctx context.Context) (tui.Conversation, error) {
	if h.first.Resume == Pick {
		return h.New(ctx)
	}
	return h.Resume(ctx, h.first.Resume)
}

// New leaves the open conversation and begins another.
func (h *Host) New(ctx context.Context) (tui.Conversation, error) { return h.Resume(ctx, "") }

// Resume leaves the open conversation and continues another; "" is a new one.
func (h *Host) Resume(ctx context.Context, id string) (tui.Conversation, error) {
	return h.enter(ctx, id, h.linkFor)
}

// Begin leaves the open conversation and begins another with a model.
func (h *Host) Begin(ctx context.Context, model string) (tui.Conversation, error) {
	return h.enter(ctx, "", func(ctx context.Context, _ string) (setup.Link, error) {
		c, err := h.with.Providers.Named(model)
		if err != nil {
			return setup.Link{}, err
		}
		return h.with.Models.Connect(ctx, c)
	})
}

// enter leaves the open conversation and opens another with the model that find gives for it.
func (h *Host) enter(ctx context.Context, id string, find func(ctx context.Context, id string) (setup.Link, error)) (tui.Conversation, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ended:
		return tui.Conversation{}, errEnded
	case h.Running != nil && id != "" && h.Running.ID == id:
		return tui.Conversation{}, errors.New("this conversation is already open")
	}
	if q := h.trustQuestion(func(ctx context.Context) (tui.Conversation, error) { return h.enter(ctx, id, find) }); q != nil {
		return tui.Conversation{}, q
	}
	if locked := h.locked(ctx, id); locked != nil {
		return h.readOnly(ctx, id, locked) // nothing is sent, so no model is needed
	}
	l, err := find(ctx, id)
	if err != nil {
		return tui.Conversation{}, h.consent(err)
	}
	o := session.OpenOptions{ID: id, Interactive: true}
	if h.Running != nil {
		o.Mode = h.Running.Box.Mode() // it stays across conversations
	}
	r, err := h.with.Agents.Start(ctx, l, o)
	var locked *storage.LockedError
	if errors.As(err, &locked) {
		return h.readOnly(ctx, id, locked)
	}
	if err != nil {
		return tui.Conversation{}, err
	}
	h.part()
	h.Running, h.Reading = r, ""
	if l.Discover != nil {
		r.Ask(l)
	}
	talk := h.Conversation(r)
	talk.Found = h.found(r)
	talk.Draft = h.draft(ctx, r.ID, false)
	if p := h.with.Providers; p.CheckKey(p.At(l.Model.Provider, l.Model.ID)) != nil {
		talk.Keyless = l.Model.Provider
	}
	return talk, nil
}

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

// linkFor is the model to go on with in conversation id, or to begin one with: the
// one it was held with; for a new one the one in use. The flag that the program was
// started with names the model of this one too as long as that is on the user's own
// machines or at the same place. The error is [setup.Elsewhere] if a yes is needed. The lock is held.
func (h *Host) linkFor(ctx context.Context, id string) (setup.Link, error) {
	if h.Running == nil {
		c, err := h.with.Models.Choose(ctx, id, true)
		if err != nil {
			return setup.Link{}, err
		}
		return h.with.Models.Connect(ctx, c)
	}
	held, err := h.with.Models.Held(ctx, id)
	if err != nil {
		return setup.Link{}, err
	}
	current, to := h.Running.Link.Choice(), h.Running.Link.Model
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

// linkTo is a link to a choice: the one in use, if it is that. The lock is held.
func (h *Host) linkTo(ctx context.Context, c setup.Choice) (setup.Link, error) {
	if h.Running != nil && h.Running.Link.Choice() == c {
		l := h.Running.Link
		h.with.Models.Relearn(ctx, &l.Model)
		return l, nil
	}
	return h.with.Models.Connect(ctx, c)
}

// consent is an error as the screen takes it: one that a yes gets past says how.
func (h *Host) consent(err error) error {
	var e *setup.Elsewhere
	if !errors.As(err, &e) || e.Proposed == nil {
		return err
	}
	to := *e.Proposed
	return &tui.Consent{
		Title: "Send it elsewhere?", Question: e.Question(), Yes: "go on with " + to.Name() + " at " + to.Place(), No: "no, send nothing",
		Declined: "nothing was sent · /model chooses another model, /resume " + e.ID + " asks again",
		Open: func(ctx context.Context) (tui.Conversation, error) {
			return h.enter(ctx, e.ID, func(ctx context.Context, _ string) (setup.Link, error) { return h.linkTo(ctx, to) })
		},
	}
}

// trustQuestion asks for a yes to the keys of the workspace's file that need one,
// before a conversation is opened with them or without; nil if nothing is to be
// asked. The lock is held.
func (h *Host) trustQuestion(open func(context.Context) (tui.Conversation, error)) *tui.Consent {
	settings, l := h.with.Settings, h.with.Settings.Loaded.Load()
	if h.trustAsked || len(l.Refused) == 0 || settings.TrustOf(settings.Workspace).Hash == l.Hash {
		return nil
	}
	say := func(yes bool) func(context.Context) (tui.Conversation, error) {
		return func(ctx context.Context) (tui.Conversation, error) {
			h.mu.Lock()
			h.trustAsked = true
			h.mu.Unlock()
			err := settings.KeepTrust(setup.Trust{Workspace: settings.Workspace, Hash: l.Hash, Trusted: yes})
			if err == nil && yes {
				err = settings.Reload()
			}
			if err != nil {
				return tui.Conversation{}, err
			}
			return open(ctx)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s came with this folder and sets what only you can decide:\n", h.with.Console.Home(l.Refused[0].File))
	for _, r := range l.Refused {
		fmt.Fprintf(&b, "\n%s: %s\n    it %s\n", r.Key, r.Value, r.Why)
	}
	for _, note := range settings.Unknown(*l) {
		b.WriteString("\n" + note + "\n")
	}
	return &tui.Consent{
		Title: "Apply the folder's settings?", Question: b.String(), Yes: "apply them, until the file changes", No: "leave them out",
		Declined: "left out · plimsoll config trust applies them", Open: say(true), Decline: say(false),
	}
}

// found is what there is to talk to, in words without any key, for who opens the
// program for the first time: nil once a conversation is stored. It asks no server;
// /connect does.
func (h *Host) found(r *session.Running) []string {
	store, err := h.with.Resources.Open()
	if err != nil || len(r.Events) > 0 {
		return nil
	}
	if empty, err := store.Empty(); err != nil || !empty {
		return nil
	}
	var out []string
	for _, name := range openai.ByKey() {
		if h.with.Providers.Key(name).Text != "" {
			out = append(out, "a key for "+name)
		}
	}
	if base := h.with.Console.Getenv("OPENAI_BASE_URL"); base != "" && !strings.Contains(base, "//api.openai.com") {
		out = append(out, "a server at "+setup.HostOf(base))
	}
	in := r.Link.Model.Provider
	if e, ok := openai.Known(in); ok && e.Local {
		out = append(out, in+" on this machine")
	}
	for _, name := range slices.Sorted(maps.Keys(h.with.Settings.Cfg().Providers)) {
		if !slices.Contains(openai.ByKey(), name) && name != in {
			out = append(out, name+" in the configuration")
		}
	}
	return out
}

// Delete removes the open conversation for good and begins another.
func (h *Host) Delete(ctx context.Context) (tui.Conversation, error) {
	old := h.open()
	talk, err := h.New(ctx)
	if err != nil || old == nil {
		return talk, err
	}
	if err := h.with.Resources.Store.Delete(ctx, old.ID); err != nil && !errors.Is(err, storage.ErrNotFound) {
		return talk, fmt.Errorf("deleting %s: %w", old.ID, err)
	}
	return talk, h.with.Conversations.DeleteDraft(old.ID)
}

// ErrNothingToFork says that there is nothing to copy yet.
var ErrNothingToFork = errors.New("nothing to copy yet")

// Fork leaves the open conversation and continues a copy of it.
func (h *Host) Fork(ctx context.Context) (tui.Conversation, error) {
	s, err := h.source(ctx)
	if err != nil {
		return tui.Conversation{}, err
	}
	return h.copyOf(ctx, s)
}

// ForkAt leaves the open conversation and continues a copy of what was said before
// an event; a new conversation where nothing was.
func (h *Host) ForkAt(ctx context.Context, before uint64) (tui.Conversation, error) {
	s, err := h.source(ctx)
	if err == nil {
		s, err = h.with.Conversations.Cut(ctx, s, before)
	}
	if errors.Is(err, session.ErrNothingBefore) {
		return h.New(ctx)
	}
	if err != nil {
		return tui.Conversation{}, err
	}
	return h.copyOf(ctx, s)
}

// ForkStored leaves the open conversation and continues a copy of another.
func (h *Host) ForkStored(ctx context.Context, id string) (tui.Conversation, error) {
	s, err := h.with.Conversations.StateOf(ctx, id)
	if err != nil {
		return tui.Conversation{}, err
	}
	return h.copyOf(ctx, s)
}

// source is the open conversation as a copy of it begins.
func (h *Host) source(ctx context.Context) (session.ConversationState, error) {
	from, ours := h.openID()
	if from == "" {
		return session.ConversationState{}, ErrNothingToFork
	}
	s, err := h.with.Conversations.StateOf(ctx, from)
	switch {
	case errors.Is(err, storage.ErrNotFound) && ours:
		return s, ErrNothingToFork
	case errors.Is(err, storage.ErrNotFound):
		return s, errors.New("this conversation was deleted in the other window; nothing is left to copy")
	case err == nil && ours: // a reply that is arriving stays where it arrives
		s = s.At(&session.Reading{Store: s.Store, ID: s.ID, Events: s.Events, Said: s.Events, View: projection.Project(s.Events)})
	}
	return s, err
}

// copyOf leaves the open conversation and continues a copy of one.
func (h *Host) copyOf(ctx context.Context, s session.ConversationState) (tui.Conversation, error) {
	id, err := h.with.Conversations.Copy(ctx, s)
	if err != nil {
		return tui.Conversation{}, err
	}
	talk, err := h.Resume(ctx, id)
	if err == nil {
		talk.Notes = append(talk.Notes, session.CopyNote(s.ID))
	}
	return talk, err
}
