package cli

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/agent"
	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tui"
)

// A conversation that is open elsewhere can be read here and continued as a
// copy. A copy has the same events and texts under another ID; the original is
// not touched.

// readOnly shows a conversation that another Plimsoll has open. The lock is
// held.
func (h *host) readOnly(ctx context.Context, id string, l link, locked *storage.LockedError) (tui.Conversation, error) {
	events, _, err := h.app.store.Load(ctx, id)
	if err != nil {
		return tui.Conversation{}, err
	}
	h.part()
	h.reading = id
	meter := h.app.meterOf(&reading{events: events, view: compact.Project(events)}, l.model)
	box := agent.NewMailbox()
	box.Close() // nothing more happens here
	return tui.Conversation{
		ID: id, Title: title(events), Events: events, Session: nobody{}, Settings: nobody{}, Updates: box, Model: l.model, Meter: meter,
		Mode:     conversation.ModePlan,
		ReadOnly: fmt.Sprintf("read only: %v. /fork continues a copy of it, /new begins another", locked),
	}, nil
}

// nobody is the session of a conversation that is only read.
type nobody struct{}

func (nobody) Send(string)                               {}
func (nobody) Cancel()                                   {}
func (nobody) TakeBack()                                 {}
func (nobody) Answer(string, conversation.Grant, string) {}
func (nobody) SetMode(conversation.Mode)                 {}
func (nobody) Rename(string)                             {}

// errNothingToFork says that there is nothing to copy yet.
var errNothingToFork = errors.New("nothing was said yet: there is nothing to copy")

// Fork leaves the open conversation and continues a copy of it.
func (h *host) Fork(ctx context.Context) (tui.Conversation, error) {
	h.mu.Lock()
	from := h.reading
	if h.running != nil {
		from = h.running.id
	}
	h.mu.Unlock()
	if from == "" {
		return tui.Conversation{}, errNothingToFork
	}
	id, err := h.app.fork(ctx, from)
	if errors.Is(err, storage.ErrNotFound) {
		return tui.Conversation{}, errNothingToFork
	}
	if err != nil {
		return tui.Conversation{}, err
	}
	return h.enter(ctx, id)
}

// fork copies a stored conversation and returns the copy's ID.
func (a *app) fork(ctx context.Context, from string) (string, error) {
	store, err := a.open()
	if err != nil {
		return "", err
	}
	events, _, err := store.Load(ctx, from)
	if err != nil {
		return "", err
	}
	id := conversation.NewID()
	w, err := store.Create(ctx, storage.NewConversation{ID: id, Workspace: a.workspace})
	if err != nil {
		return "", err
	}
	err = copyInto(ctx, w, store, from, events)
	return id, errors.Join(err, w.Close())
}

// copyInto writes the texts that events name, then the events, in one
// transaction.
func copyInto(ctx context.Context, w *storage.Writer, store *storage.Store, from string, events []conversation.Event) error {
	for _, name := range blobsOf(events) {
		text, err := store.Blob(ctx, from, name)
		if err != nil {
			return fmt.Errorf("copying a text of %s: %w", from, err)
		}
		if _, err := w.PutBlob(ctx, text); err != nil {
			return err
		}
	}
	return w.Append(ctx, events)
}

// blobsOf lists the texts that events name, each once.
func blobsOf(events []conversation.Event) []string {
	var names []string
	seen := map[string]bool{"": true}
	add := func(list ...string) {
		for _, n := range list {
			if !seen[n] {
				seen[n] = true
				names = append(names, n)
			}
		}
	}
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.ToolResult:
			add(b.Blob)
		case conversation.Instructions:
			add(b.System, b.Tools)
		}
	}
	return names
}
