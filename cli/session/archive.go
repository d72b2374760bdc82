package session

import (
	"context"
	"slices"
	"sync"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// Archive lets recall and search_history read a conversation as it is stored,
// and tells which of it the model is shown anyway.
type Archive struct {
	Store *storage.Store
	ID    string

	mu     sync.Mutex // guards what follows
	events []conversation.Event
	shown  map[uint64]bool // of events; nil until somebody asks
}

// Events reads the log as it is now.
func (a *Archive) Events(ctx context.Context) ([]conversation.Event, error) {
	events, _, err := a.Store.Load(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(events) != len(a.events) { // a log only grows
		a.events, a.shown = events, nil
	}
	return events, nil
}

// Blob reads a text that events name.
func (a *Archive) Blob(ctx context.Context, name string) (string, error) {
	return a.Store.Blob(ctx, a.ID, name)
}

// Visible reports whether the model is shown an event as it was said, in the
// log as it was read last.
func (a *Archive) Visible(event uint64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.shown == nil {
		a.shown = shownAsSaid(a.events)
	}
	return a.shown[event]
}

// shownAsSaid is the events whose text and arguments the model is shown whole.
func shownAsSaid(events []conversation.Event) map[uint64]bool {
	said := map[uint64]*projection.Message{}
	all := projection.Project(withoutOverlays(events)).Messages
	for i := range all {
		said[all[i].Events[0]] = &all[i]
	}
	shown := map[uint64]bool{}
	view := projection.Project(events).Messages
	for i := range view {
		m := &view[i]
		if was := said[m.Events[0]]; len(m.Events) == 1 && was != nil {
			shown[m.Events[0]] = m.Role == was.Role && m.Text == was.Text && slices.EqualFunc(m.Calls, was.Calls, sameCall)
		}
	}
	return shown
}

func sameCall(a, b conversation.ToolCall) bool {
	return a.ID == b.ID && a.Name == b.Name && a.Arguments == b.Arguments
}
