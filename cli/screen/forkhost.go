package screen

import (
	"context"
	"errors"

	"plimsoll/cli/session"
	"plimsoll/compact/projection"
	"plimsoll/storage"
	"plimsoll/tui"
)

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
		return h.enter(ctx, "")
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
	if errors.Is(err, storage.ErrNotFound) && !ours {
		return session.ConversationState{}, errors.New("this conversation was deleted in the other window; nothing is left to copy")
	}
	if errors.Is(err, storage.ErrNotFound) && !ours {
		return session.ConversationState{}, errors.New("this conversation was deleted in the other window; nothing is left to copy")
	}
	if errors.Is(err, storage.ErrNotFound) {
		return session.ConversationState{}, ErrNothingToFork
	}
	if err == nil && ours { // a reply that is arriving stays where it arrives
		s = s.At(&session.Reading{Store: s.Store, ID: s.ID, Events: s.Events, Said: s.Events, View: projection.Project(s.Events)})
	}
	return s, err
}

// copyOf leaves the open conversation and continues a copy of one.
func (h *Host) copyOf(ctx context.Context, s session.ConversationState) (tui.Conversation, error) {
	id, err := h.with.Conversations.Copy(ctx, &session.First{State: s})
	if err != nil {
		return tui.Conversation{}, err
	}
	talk, err := h.enter(ctx, id)
	if err == nil {
		talk.Notes = append(talk.Notes, session.CopyNote(s.ID))
	}
	return talk, err
}
