package storage

import (
	"context"
	"fmt"
	"time"

	"plimsoll/conversation"
)

// Tail reads what is added to a conversation, for a reader that follows it while another
// program writes it. One goroutine at a time uses it.
type Tail struct {
	store *Store
	id    string
	last  conversation.Event // the newest one that was read
	half  *conversation.PartialReply
	seen  fileSeen // the file as it was before that; the zero value if a change could look the same
}

// Tail follows a conversation from behind last, the newest event that the caller
// has.
func (s *Store) Tail(id string, last conversation.Event) *Tail {
	return &Tail{store: s, id: id, last: last}
}

// Next reads the events that were added since the last call, none if there are
// none. A file that did not change is not opened. ErrBusy says to ask again later,
// ErrNotFound that the conversation was deleted.
func (t *Tail) Next(ctx context.Context) ([]conversation.Event, error) {
	if err := t.store.dir.exists(t.id); err != nil {
		return nil, err
	}
	f := t.store.dir.conversation(t.id)
	seen, err := t.store.dir.seen(t.id)
	if err != nil {
		return nil, gone(t.id, explain(f.path, err))
	}
	if seen.size == t.seen.size && seen.mtime.Equal(t.seen.mtime) {
		return nil, nil
	}
	if time.Since(seen.mtime) < tick {
		seen = fileSeen{} // a further change could have the same time
	}
	var added decoding
	var half conversation.PartialReply
	arriving := false
	err = t.store.disk.viewWithin(ctx, f, t.store.disk.wait/indexWait, func(tx txn) error {
		added.copy(tx, t.last.Seq)
		half, arriving, _ = partial(tx)
		return nil
	})
	events, _ := added.events(t.last) // what is damaged is an event that says so
	if err != nil {
		return nil, fmt.Errorf("follow conversation %s: %w", t.id, gone(t.id, err))
	}
	if len(events) > 0 {
		t.last = events[len(events)-1]
	}
	t.seen, t.half = seen, nil
	if arriving {
		t.half = &half
	}
	return events, nil
}

// Partial is the reply that was arriving when Next last read the file, false if none
// was.
func (t *Tail) Partial() (conversation.PartialReply, bool) {
	if t.half == nil {
		return conversation.PartialReply{}, false
	}
	return *t.half, true
}
