package screen

import (
	"context"
	"errors"
	"fmt"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/storage"
	"plimsoll/tui"
)

// Open opens the conversation the program was started for, a new one if that
// is to be picked yet.
func (h *Host) Open(ctx context.Context) (tui.Conversation, error) {
	if h.first.Resume == Pick {
		return h.enter(ctx, "")
	}
	return h.enter(ctx, h.first.Resume)
}

// enter leaves the open conversation and opens another; "" is a new one.
func (h *Host) enter(ctx context.Context, id string) (tui.Conversation, error) {
	return h.enterWith(ctx, id, h.link)
}

// enterWith is enter with the model that find gives for a conversation.
func (h *Host) enterWith(ctx context.Context, id string, find func(ctx context.Context, id string) (setup.Link, error)) (tui.Conversation, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ended:
		return tui.Conversation{}, errEnded
	case h.Running != nil && id != "" && h.Running.ID == id:
		return tui.Conversation{}, errors.New("this conversation is already open")
	}
	if q := h.trustQuestion(func(ctx context.Context) (tui.Conversation, error) { return h.enterWith(ctx, id, find) }); q != nil {
		return tui.Conversation{}, q
	}
	if locked := h.locked(ctx, id); locked != nil {
		return h.readOnly(ctx, id, locked) // nothing is sent, so no model is needed
	}
	l, err := find(ctx, id)
	if err != nil {
		return tui.Conversation{}, h.consent(err)
	}
	r, err := h.with.Agents.Start(ctx, l, session.OpenOptions{ID: id, Interactive: true, Mode: h.mode()})
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
			return h.enterWith(ctx, e.ID, func(ctx context.Context, _ string) (setup.Link, error) { return h.linkTo(ctx, to) })
		},
	}
}

// New leaves the open conversation and begins another.
func (h *Host) New(ctx context.Context) (tui.Conversation, error) { return h.enter(ctx, "") }

// Resume leaves the open conversation and continues another.
func (h *Host) Resume(ctx context.Context, id string) (tui.Conversation, error) {
	return h.enter(ctx, id)
}

// Delete removes the open conversation for good and begins another.
func (h *Host) Delete(ctx context.Context) (tui.Conversation, error) {
	h.mu.Lock()
	old := h.Running
	h.mu.Unlock()
	talk, err := h.enter(ctx, "")
	if err != nil || old == nil {
		return talk, err
	}
	if err := h.with.Resources.Store.Delete(ctx, old.ID); err != nil && !errors.Is(err, storage.ErrNotFound) {
		return talk, fmt.Errorf("deleting %s: %w", old.ID, err)
	}
	return talk, h.with.Conversations.DeleteDraft(old.ID)
}
