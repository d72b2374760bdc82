package screen

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plimsoll/cli/session"
	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// What the screen does not hold is read from the store when it is asked for: the
// requests that were made, and full texts. The open conversation goes on
// meanwhile; what is read is what is stored by then.

// ErrNothingStored says that there is nothing to read yet.
var ErrNothingStored = errors.New("nothing is stored yet")

// openID is the ID of the conversation that the screen shows, "" for none; ours
// says that it is open for writing here.
func (h *Host) openID() (id string, ours bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Running != nil {
		return h.Running.ID, true
	}
	return h.Reading, false
}

// stored reads the conversation that the screen shows. The error is
// ErrNothingStored before something was said in it.
func (h *Host) stored(ctx context.Context) (*storage.Store, string, []conversation.Event, error) {
	id, _ := h.openID()
	store, err := h.with.Resources.Open()
	if err != nil {
		return nil, "", nil, err
	}
	events, _, err := store.Load(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, "", nil, ErrNothingStored
	}
	return store, id, events, err
}

// Request makes a request of the open conversation again.
func (h *Host) Request(ctx context.Context, event uint64) (inspect.Rebuilt, error) {
	store, id, events, err := h.stored(ctx)
	if err != nil {
		return inspect.Rebuilt{}, err
	}
	for _, q := range inspect.Requests(events) {
		if q.Event == event {
			return h.with.Conversations.Rebuild(ctx, session.RequestRef{Store: store, ID: id, Events: events, SentRequest: q})
		}
	}
	return inspect.Rebuilt{}, fmt.Errorf("e%d records no request", event)
}

// ExpandPage is what was said, in full: the events that about names ("e41", "e41-45",
// "t3", or the id of a call), or for "" the newest result that was cut.
func (h *Host) ExpandPage(ctx context.Context, about string) (string, error) {
	store, id, events, err := h.stored(ctx)
	if errors.Is(err, ErrNothingStored) {
		return "", errNoResult
	}
	if err != nil {
		return "", err
	}
	found, err := findSaid(events, about)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range found {
		text, err := saidInFull(ctx, store, id, e)
		if err != nil {
			return "", err
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(text)
		if b.Len() > 2*maxPage { // what is beyond is not shown
			break
		}
	}
	shown, _ := conversation.Cut(b.String(), maxPage)
	return shown, nil
}
