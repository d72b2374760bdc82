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
//   - The file of a new conversation appears with the first append in which
//     there is a message of the user. Earlier events are kept in memory and
//     stored with it.
//   - An append that fails has stored nothing of what it was given, and may be
//     repeated.
//   - The index learns of a new conversation and, on closing, of its last
//     state. In between a list sees that the file has changed and reads it, so
//     that an append costs one transaction and not two.

// NewConversation says what is fixed about a conversation from the start.
type NewConversation struct {
	ID        string // "" makes one
	Workspace string // folder it belongs to
}

// Writer appends to one conversation, which nobody else can do while it is
// open. It is the log the agent writes to. Its methods may be called from any
// goroutine.
type Writer struct {
	store     *Store
	id        string
	workspace string
	recovered *conversation.PartialReply // found when the conversation was opened
	waiting   []string                   // likewise

	mu      sync.Mutex // guards the fields below
	lock    *os.File   // nil until the conversation has a file
	stored  bool       // the conversation has a file
	closed  bool
	lagging bool // the index has not been told of the newest append
	early   early
	known   map[string]bool // names of blobs that are stored
}

// early is what a conversation without a file keeps in memory.
type early struct {
	events  []conversation.Event
	partial *conversation.PartialReply
	blobs   map[string]string
}

// Create begins a conversation. Nothing is on disk until the user has said
// something. An ID that is taken is ErrExists.
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
		early: early{blobs: map[string]string{}}, known: map[string]bool{},
	}
	if err := s.locks.enlist(w); err != nil {
		return nil, err
	}
	return w, nil
}

// OpenWriter opens a stored conversation for writing. If another has it open,
// the error is a LockedError. A reply that was arriving when the program last
// ended is in Partial.
func (s *Store) OpenWriter(ctx context.Context, id string) (*Writer, error) {
	if err := s.dir.exists(id); err != nil {
		return nil, err
	}
	lock, err := s.locks.lock(ctx, id)
	if err != nil {
		return nil, err
	}
	w := &Writer{store: s, id: id, lock: lock, stored: true, known: map[string]bool{}}
	if err := w.read(ctx); err != nil {
		s.locks.unlock(lock)
		return nil, fmt.Errorf("open conversation %s for writing: %w", id, gone(id, err))
	}
	if err := s.locks.enlist(w); err != nil {
		s.locks.unlock(lock)
		return nil, err
	}
	return w, nil
}

// read takes what the writer has to know from the file.
func (w *Writer) read(ctx context.Context) error {
	var stale bool
	err := w.store.disk.view(ctx, w.file(), func(tx txn) error {
		w.workspace = blank(tx).Workspace
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
	return w.store.disk.update(ctx, w.file(), dropPartial)
}

// ID is the conversation's.
func (w *Writer) ID() string { return w.id }

// Workspace is the folder the conversation belongs to.
func (w *Writer) Workspace() string { return w.workspace }

// Partial is the reply that was arriving when the program last ended, as found
// by OpenWriter. Whoever opens the conversation appends it as an interrupted
// reply, which removes it.
func (w *Writer) Partial() (conversation.PartialReply, bool) {
	if w.recovered == nil {
		return conversation.PartialReply{}, false
	}
	return *w.recovered, true
}

func (w *Writer) file() dbfile { return w.store.dir.conversation(w.id) }

// Append stores events in one transaction that is on disk when it returns nil.
// The first must follow the newest stored one, else the error is ErrConflict.
// A reply among them removes the partial reply. Before the user has said
// anything events are only kept in memory.
func (w *Writer) Append(ctx context.Context, events []conversation.Event) error {
	if len(events) == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(ctx); err != nil {
		return err
	}
	if !w.stored {
		return w.begin(ctx, events)
	}
	rows, err := rowsOf(events)
	if err != nil {
		return err
	}
	err = w.store.disk.update(ctx, w.file(), func(tx txn) error {
		entry, lost := card(tx)
		if lost != nil {
			entry = recount(tx)
		}
		if err := putRows(tx, rows); err != nil {
			return err
		}
		if hold(events, conversation.KindAssistant) {
			if err := dropPartial(tx); err != nil {
				return err
			}
		}
		return addToCard(tx, entry, events)
	})
	if err != nil {
		return fmt.Errorf("append to conversation %s: %w", w.id, gone(w.id, err))
	}
	w.lagging = true
	return nil
}

// begin is Append while the conversation has no file.
func (w *Writer) begin(ctx context.Context, events []conversation.Event) error {
	all := append(w.early.events[:len(w.early.events):len(w.early.events)], events...)
	rows, err := rowsOf(all)
	if err != nil {
		return err
	}
	if rows[0].seq != 1 {
		return fmt.Errorf("conversation %s begins with event %d: %w", w.id, rows[0].seq, ErrConflict)
	}
	if !hold(all, conversation.KindUser) {
		w.early.events = all
		return nil
	}
	if w.lock == nil {
		if w.lock, err = w.store.locks.lock(ctx, w.id); err != nil {
			return err
		}
	}
	if hold(events, conversation.KindAssistant) {
		w.early.partial = nil
	}
	entry := Entry{ID: w.id, Workspace: w.workspace}
	err = w.store.disk.create(ctx, w.file(), func(tx txn) error { return w.fill(tx, all, rows, entry) })
	if errors.Is(err, fs.ErrExist) {
		err = ErrExists
	}
	if err != nil {
		return fmt.Errorf("begin conversation %s: %w", w.id, err)
	}
	for name := range w.early.blobs {
		w.known[name] = true
	}
	w.stored, w.early = true, early{}
	entry.add(all)
	w.lagging = !w.store.index.note(ctx, entry)
	return nil
}

// fill writes a new conversation.
func (w *Writer) fill(tx txn, all []conversation.Event, rows []row, entry Entry) error {
	if err := identify(tx, w.id, w.workspace, all[0].Time); err != nil {
		return err
	}
	for name, text := range w.early.blobs {
		if err := putBlob(tx, name, w.store.blobs.text.pack(text)); err != nil {
			return err
		}
	}
	if err := putRows(tx, rows); err != nil {
		return err
	}
	if w.early.partial != nil {
		if err := putPartial(tx, *w.early.partial); err != nil {
			return err
		}
	}
	return addToCard(tx, entry, all)
}

// KeepPartial stores the reply so far, replacing the last one.
func (w *Writer) KeepPartial(ctx context.Context, p conversation.PartialReply) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(ctx); err != nil {
		return err
	}
	p.Text, p.Reasoning = conversation.Clean(p.Text), conversation.Clean(p.Reasoning)
	if !w.stored {
		w.early.partial = &p
		return nil
	}
	err := w.store.disk.update(ctx, w.file(), func(tx txn) error { return putPartial(tx, p) })
	if err != nil {
		return fmt.Errorf("keep the reply so far of conversation %s: %w", w.id, gone(w.id, err))
	}
	return nil
}

// Close ends writing and lets others write.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	if w.lagging {
		w.store.index.refresh(context.Background(), w.id)
	}
	if w.lock != nil {
		w.store.locks.unlock(w.lock)
	}
	w.store.locks.strike(w)
	return nil
}

// usable reports why nothing can be written.
func (w *Writer) usable(ctx context.Context) error {
	if w.closed {
		return fmt.Errorf("conversation %s: writer %w", w.id, ErrClosed)
	}
	return ctx.Err()
}
