package storage

import (
	"context"
	"fmt"
	"time"

	"plimsoll/conversation"
)

// Tail follows a conversation that another program writes: it reads the events added since the
// last read. One goroutine at a time may use it.
type Tail struct {
	store     *Store
	id        string
	last      conversation.Event // the newest event read
	partial   conversation.PartialReply
	readState fileInfo // size and time of the file before the last read; zero if a later change might not show in them
}

// Tail follows a conversation from the event after last, the newest one that the caller
// has.
func (s *Store) Tail(id string, last conversation.Event) *Tail {
	return &Tail{store: s, id: id, last: last}
}

// Next returns the events added since the last call; it may return none. It does not open a file
// that has not changed. After ErrBusy the caller may try again later; ErrNotFound means
// that the conversation was deleted.
func (t *Tail) Next(ctx context.Context) ([]conversation.Event, error) {
	if err := t.store.dir.checkExists(t.id); err != nil {
		return nil, err
	}
	f := t.store.dir.conversation(t.id)
	seen, err := t.store.dir.stat(t.id)
	if err != nil {
		return nil, asNotFound(t.id, explain(f.path, err))
	}
	if seen.size == t.readState.size && seen.mtime.Equal(t.readState.mtime) {
		return nil, nil
	}
	if time.Since(seen.mtime) < clockTick {
		seen = fileInfo{} // another change could leave the same time
	}
	var added decodeJob
	var reply conversation.PartialReply // zero without one
	err = t.store.disk.viewWithin(ctx, f, t.store.disk.wait/indexWait, func(tx txn) error {
		added.copyRows(tx, t.last.Seq)
		reply, _, _ = partial(tx)
		return nil
	})
	events, _ := added.wait(t.last) // Unknown events replace the damaged ones
	if err != nil {
		return nil, fmt.Errorf("follow conversation %s: %w", t.id, asNotFound(t.id, err))
	}
	if len(events) > 0 {
		t.last = events[len(events)-1]
	}
	t.readState, t.partial = seen, reply
	return events, nil
}

// Partial returns the partial reply found when Next last read the file, zero without one.
func (t *Tail) Partial() conversation.PartialReply { return t.partial }
