package screen

import (
	"context"
	"errors"

	"plimsoll/compact/edit"

	"plimsoll/compact/projection"

	"plimsoll/cli/session"
	"plimsoll/storage"
	"plimsoll/tui"
)

// ErrNothingToFork says that there is nothing to copy yet.
var ErrNothingToFork = errors.New("nothing to copy yet")

// Fork leaves the open conversation and continues a copy of it. By a profile
// the copy is compacted: at once, or, where a model has to write a summary, as
// the first thing that happens in it.
func (h *Host) Fork(ctx context.Context, compactWith string) (tui.Conversation, error) {
	flag := session.CompactFlag{Given: compactWith != "", Profile: compactWith}
	if compactWith == tui.CompactByDefault {
		flag.Profile = ""
	}
	s, err := h.source(ctx)
	if err != nil {
		return tui.Conversation{}, err
	}
	f, err := h.with.Agents.First(s, flag, "fork")
	if err != nil {
		return tui.Conversation{}, err
	}
	return h.copyOf(ctx, f)
}

// copyOf leaves the open conversation and continues a copy that was prepared.
func (h *Host) copyOf(ctx context.Context, f *session.First) (tui.Conversation, error) {
	id, err := h.with.Conversations.Copy(ctx, f)
	if err != nil {
		return tui.Conversation{}, err
	}
	talk, err := h.enter(ctx, id)
	if err != nil {
		return talk, err
	}
	talk.Notes = append(talk.Notes, session.CopyNote(f.State.ID))
	if f.None != nil {
		talk.Notes = append(talk.Notes, "not compacted: "+f.None.Error())
	}
	if f.NeedsModel() {
		h.compact(id, f.Request)
	}
	return talk, nil
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
	if errors.Is(err, storage.ErrNotFound) {
		return session.ConversationState{}, ErrNothingToFork
	}
	if err == nil && ours { // a reply that is arriving stays where it arrives
		s = s.At(&session.Reading{Store: s.Store, ID: s.ID, Events: s.Events, Said: s.Events, View: projection.Project(s.Events)})
	}
	return s, err
}

// compact has the open conversation compacted, if it is this one still.
func (h *Host) compact(id string, w edit.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Running != nil && h.Running.ID == id {
		h.Running.Agent.Compact(w)
	}
}

// ForkAt leaves the open conversation and continues a copy of what was said before
// an event; a new conversation where nothing was.
func (h *Host) ForkAt(ctx context.Context, before uint64) (tui.Conversation, error) {
	s, err := h.source(ctx)
	if err != nil {
		return tui.Conversation{}, err
	}
	s, err = h.with.Conversations.Cut(ctx, s, before)
	if errors.Is(err, session.ErrNothingBefore) {
		return h.enter(ctx, "")
	}
	if err != nil {
		return tui.Conversation{}, err
	}
	id, err := h.with.Conversations.Copy(ctx, &session.First{Console: h.with.Console, Conversations: h.with.Conversations, Agents: h.with.Agents, State: s})
	if err != nil {
		return tui.Conversation{}, err
	}
	talk, err := h.enter(ctx, id)
	if err == nil {
		talk.Notes = append(talk.Notes, session.CopyNote(s.ID))
	}
	return talk, err
}

// ForkStored leaves the open conversation and continues a copy of another.
func (h *Host) ForkStored(ctx context.Context, id string) (tui.Conversation, error) {
	s, err := h.with.Conversations.StateOf(ctx, id)
	if err != nil {
		return tui.Conversation{}, err
	}
	f, err := h.with.Agents.First(s, session.CompactFlag{}, "fork")
	if err != nil {
		return tui.Conversation{}, err
	}
	return h.copyOf(ctx, f)
}
