package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"plimsoll/conversation"
)

// Messages that wait for the running turn are stored outside the log until they are
// part of it, so that a crash does not lose them.

// KeepWaiting stores the messages that wait, oldest first, replacing the last
// ones. Before the user has said anything none can wait, and nothing is stored.
func (w *Writer) KeepWaiting(ctx context.Context, texts []string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(ctx); err != nil {
		return err
	}
	if !w.stored {
		return nil
	}
	err := w.store.disk.update(ctx, w.file(), func(tx txn) error { return putWaiting(tx, texts) })
	if err != nil && !errors.Is(err, errUnchanged) {
		return fmt.Errorf("keep the waiting messages of conversation %s: %w", w.id, gone(w.id, err))
	}
	return nil
}

// Waiting is the messages that waited when the program last ended, as found by
// OpenWriter, oldest first.
func (w *Writer) Waiting() []string { return w.waiting }

// Waiting reads the messages that wait in a conversation, which may be open for
// writing elsewhere.
func (s *Store) Waiting(ctx context.Context, id string) ([]string, error) {
	if err := s.dir.exists(id); err != nil {
		return nil, err
	}
	var texts []string
	err := s.disk.view(ctx, s.dir.conversation(id), func(tx txn) error {
		texts = waiting(tx)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the waiting messages of conversation %s: %w", id, gone(id, err))
	}
	return texts, nil
}

func putWaiting(tx txn, texts []string) error {
	if len(texts) == 0 {
		if tx.Bucket(bucketMeta).Get(keyWaiting) == nil {
			return errUnchanged
		}
		return tx.delete(bucketMeta, keyWaiting)
	}
	clean := make([]string, len(texts))
	for i, t := range texts {
		clean[i] = conversation.Clean(t)
	}
	value, err := json.Marshal(clean)
	if err != nil {
		return err
	}
	return tx.put(bucketMeta, keyWaiting, value)
}

// waiting reads the messages that wait. What cannot be read is left out: it was
// no part of the log.
func waiting(tx txn) []string {
	var texts []string
	value, err := tx.get(bucketMeta, keyWaiting)
	if err != nil || json.Unmarshal(value, &texts) != nil {
		return nil
	}
	return texts
}
