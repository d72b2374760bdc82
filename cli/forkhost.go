package cli

import (
	"context"
	"errors"

	"plimsoll/compact"
	"plimsoll/storage"
	"plimsoll/tui"
)

// errNothingToFork says that there is nothing to copy yet.
var errNothingToFork = errors.New("nothing was said yet: there is nothing to copy")

// Fork leaves the open conversation and continues a copy of it. By a profile
// the copy is compacted: at once, or, where a model has to write a summary, as
// the first thing that happens in it.
func (h *host) Fork(ctx context.Context, compactWith string) (tui.Conversation, error) {
	flag := compactFlag{given: compactWith != "", profile: compactWith}
	if compactWith == tui.CompactByDefault {
		flag.profile = ""
	}
	s, err := h.source(ctx)
	if err != nil {
		return tui.Conversation{}, err
	}
	f, err := h.agents.first(s, flag, "fork")
	if err != nil {
		return tui.Conversation{}, err
	}
	id, err := h.conversations.copy(ctx, f)
	if err != nil {
		return tui.Conversation{}, err
	}
	talk, err := h.enter(ctx, id)
	if err != nil {
		return talk, err
	}
	talk.Notes = append(talk.Notes, copyNote(s.id))
	if f.none != nil {
		talk.Notes = append(talk.Notes, "not compacted: "+f.none.Error())
	}
	if f.needsModel() {
		h.compact(id, f.wish)
	}
	return talk, nil
}

// source is the open conversation as a copy of it begins.
func (h *host) source(ctx context.Context) (conversationState, error) {
	from, ours := h.openID()
	if from == "" {
		return conversationState{}, errNothingToFork
	}
	s, err := h.conversations.stateOf(ctx, from)
	if errors.Is(err, storage.ErrNotFound) {
		return conversationState{}, errNothingToFork
	}
	if err == nil && ours { // a reply that is arriving stays where it arrives
		s = s.at(&reading{store: s.store, id: s.id, events: s.events, said: s.events, view: compact.Project(s.events)})
	}
	return s, err
}

// compact has the open conversation compacted, if it is this one still.
func (h *host) compact(id string, w compact.Wish) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running != nil && h.running.id == id {
		h.running.agent.Compact(w)
	}
}

// ForkAt leaves the open conversation and continues a copy of what was said before
// an event; a new conversation where nothing was.
func (h *host) ForkAt(ctx context.Context, before uint64) (tui.Conversation, error) {
	s, err := h.source(ctx)
	if err != nil {
		return tui.Conversation{}, err
	}
	s, err = h.conversations.cut(ctx, s, before)
	if errors.Is(err, errNothingBefore) {
		return h.enter(ctx, "")
	}
	if err != nil {
		return tui.Conversation{}, err
	}
	id, err := h.conversations.copy(ctx, &first{console: h.console, conversations: h.conversations, agents: h.agents, state: s})
	if err != nil {
		return tui.Conversation{}, err
	}
	talk, err := h.enter(ctx, id)
	if err == nil {
		talk.Notes = append(talk.Notes, copyNote(s.id))
	}
	return talk, err
}
