package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"plimsoll/conversation"
)

// Rules of writing:
//   - The file of a new conversation is created by the first append with a user message. Earlier
//     events are kept in memory and stored with it.
//   - An append that fails has stored none of its events, and may be
//     repeated.
//   - The index is updated when the file is created, and on closing. In between, a list notices
//     that the file has changed and reads it, so that an append costs one transaction and not two.

// NewConversation holds the fixed properties of a new conversation.
type NewConversation struct {
	ID        string // "" generates one
	Workspace string // folder it belongs to
}

// Writer appends to one conversation. While it is open, no other writer of the conversation
// can be opened. It is the log that the agent writes to. Its methods may be called from any
// goroutine.
type Writer struct {
	store     *Store
	id        string
	workspace string
	recovered *conversation.PartialReply // the partial reply found on opening
	waiting   []string                   // the waiting messages found on opening

	mu         sync.Mutex // guards the fields below
	lock       *os.File   // nil until the conversation has a file
	stored     bool       // the conversation has a file
	closed     bool
	indexStale bool // the index lacks the newest append
	unstored   unstored
	knownBlobs map[string]bool // names of blobs that are stored
}

// unstored is the content of a conversation that has no file yet.
type unstored struct {
	events  []conversation.Event
	partial *conversation.PartialReply
	blobs   map[string]string
}

// Create begins a conversation. It has no file until the first user message
// is appended. An ID in use is ErrExists.
func (s *Store) Create(ctx context.Context, n NewConversation) (*Writer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n.ID == "" {
		n.ID = conversation.NewID()
	}
	if !conversation.ValidID(n.ID) {
		return nil, fmt.Errorf("begin conversation: %q is not an ID", n.ID)
	}
	if _, err := os.Lstat(s.dir.conversation(n.ID).path); err == nil {
		return nil, fmt.Errorf("begin conversation %s: %w", n.ID, ErrExists)
	}
	w := &Writer{
		store: s, id: n.ID, workspace: n.Workspace,
		unstored: unstored{blobs: map[string]string{}}, knownBlobs: map[string]bool{},
	}
	if err := s.locks.register(w); err != nil {
		return nil, err
	}
	return w, nil
}

// OpenWriter opens a stored conversation for writing. If it is open for writing already,
// the error is a LockedError. A reply that was interrupted by a crash is in Partial.
func (s *Store) OpenWriter(ctx context.Context, id string) (*Writer, error) {
	if err := s.dir.checkExists(id); err != nil {
		return nil, err
	}
	lock, err := s.locks.lock(ctx, id)
	if err != nil {
		return nil, err
	}
	w := &Writer{store: s, id: id, lock: lock, stored: true, knownBlobs: map[string]bool{}}
	if err := w.readState(ctx); err != nil {
		s.locks.unlock(lock)
		return nil, fmt.Errorf("open conversation %s for writing: %w", id, asNotFound(id, err))
	}
	if err := s.locks.register(w); err != nil {
		s.locks.unlock(lock)
		return nil, err
	}
	return w, nil
}

// readState reads workspace, waiting messages and partial reply from the file.
func (w *Writer) readState(ctx context.Context) error {
	var stale bool
	err := w.store.disk.view(ctx, w.file(), func(tx txn) error {
		w.workspace = emptyEntry(tx).Workspace
		w.waiting = waiting(tx)
		p, ok, old := partial(tx)
		if ok {
			w.recovered = &p
		}
		stale = old
		return nil
	})
	if err != nil || !stale {
		return err
	}
	return w.store.disk.update(ctx, w.file(), deletePartial)
}

// ID is the ID of the conversation.
func (w *Writer) ID() string { return w.id }

// Partial returns the partial reply that OpenWriter found: one that a crash interrupted. It reports false if there was
// none. The caller appends it as an interrupted reply, which removes it.
func (w *Writer) Partial() (conversation.PartialReply, bool) {
	if w.recovered == nil {
		return conversation.PartialReply{}, false
	}
	return *w.recovered, true
}

func (w *Writer) file() dbfile { return w.store.dir.conversation(w.id) }

// Append stores events in one transaction, which is on disk when Append returns nil.
// The first must follow the newest stored one, else the error is ErrConflict.
// A reply among them removes the partial reply. Before the first user message
// events are only kept in memory.
func (w *Writer) Append(ctx context.Context, events []conversation.Event) error {
	if len(events) == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.checkUsable(ctx); err != nil {
		return err
	}
	if !w.stored {
		return w.appendUnstored(ctx, events)
	}
	rows, err := encodeRows(events)
	if err != nil {
		return err
	}
	err = w.update(ctx, "append to the log", func(tx txn) error {
		entry, entryErr := storedEntry(tx)
		if entryErr != nil {
			entry = rebuildEntry(tx)
		}
		if err := putRows(tx, rows); err != nil {
			return err
		}
		if hasKind(events, conversation.KindAssistant) {
			if err := deletePartial(tx); err != nil {
				return err
			}
		}
		return putEntry(tx, entry, events)
	})
	w.indexStale = w.indexStale || err == nil
	return err
}

// appendUnstored is Append for a conversation without a file. It creates the file if there is a user message.
func (w *Writer) appendUnstored(ctx context.Context, events []conversation.Event) error {
	all := append(w.unstored.events[:len(w.unstored.events):len(w.unstored.events)], events...)
	rows, err := encodeRows(all)
	if err != nil {
		return err
	}
	if rows[0].seq != 1 {
		return fmt.Errorf("conversation %s begins with event %d: %w", w.id, rows[0].seq, ErrConflict)
	}
	if !hasKind(all, conversation.KindUser) {
		w.unstored.events = all
		return nil
	}
	if w.lock == nil {
		if w.lock, err = w.store.locks.lock(ctx, w.id); err != nil {
			return err
		}
	}
	if hasKind(events, conversation.KindAssistant) {
		w.unstored.partial = nil
	}
	entry := Entry{ID: w.id, Workspace: w.workspace}
	err = w.store.disk.create(ctx, w.file(), func(tx txn) error { return w.fillNewFile(tx, all, rows, entry) })
	if errors.Is(err, fs.ErrExist) {
		err = ErrExists
	}
	if err != nil {
		return fmt.Errorf("begin conversation %s: %w", w.id, err)
	}
	for name := range w.unstored.blobs {
		w.knownBlobs[name] = true
	}
	w.stored, w.unstored = true, unstored{}
	entry.add(all)
	w.indexStale = !w.store.index.tryWrite(ctx, entry)
	return nil
}

func (w *Writer) fillNewFile(tx txn, all []conversation.Event, rows []row, entry Entry) error {
	if err := putIdentity(tx, w.id, w.workspace, all[0].Time); err != nil {
		return err
	}
	for name, text := range w.unstored.blobs {
		if err := putBlob(tx, name, w.store.texts.pack(text)); err != nil {
			return err
		}
	}
	if err := putRows(tx, rows); err != nil {
		return err
	}
	if w.unstored.partial != nil {
		if err := putPartial(tx, *w.unstored.partial); err != nil {
			return err
		}
	}
	return putEntry(tx, entry, all)
}

// KeepPartial stores the reply as received so far, and replaces the stored one.
func (w *Writer) KeepPartial(ctx context.Context, p conversation.PartialReply) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.checkUsable(ctx); err != nil {
		return err
	}
	p.Text, p.Reasoning = conversation.Clean(p.Text), conversation.Clean(p.Reasoning)
	if !w.stored {
		w.unstored.partial = &p
		return nil
	}
	return w.update(ctx, "keep the reply so far", func(tx txn) error { return putPartial(tx, p) })
}

// update changes the file of the conversation in one transaction; doing is what for, in its error.
func (w *Writer) update(ctx context.Context, doing string, change func(txn) error) error {
	if err := w.store.disk.update(ctx, w.file(), change); err != nil {
		return fmt.Errorf("%s of conversation %s: %w", doing, w.id, asNotFound(w.id, err))
	}
	return nil
}

// Close updates the index and releases the writer lock.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	if w.indexStale {
		w.store.index.refresh(context.Background(), w.id)
	}
	if w.lock != nil {
		w.store.locks.unlock(w.lock)
	}
	w.store.locks.unregister(w)
	return nil
}

// checkUsable returns an error if the writer is closed or ctx has ended.
func (w *Writer) checkUsable(ctx context.Context) error {
	if w.closed {
		return fmt.Errorf("conversation %s: writer %w", w.id, ErrClosed)
	}
	return ctx.Err()
}
