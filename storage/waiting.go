package storage

import (
	"context"
	"encoding/json"

	"plimsoll/conversation"
)

// Waiting messages are those that the user sends while a turn runs. Until they become part of the
// log they are stored beside it, so that a crash does not lose them.

// KeepWaiting stores the waiting messages, oldest first, and replaces the stored
// ones. It stores nothing before the first user message, when none can wait.
func (w *Writer) KeepWaiting(ctx context.Context, texts []string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.checkUsable(ctx); err != nil {
		return err
	}
	if !w.stored {
		return nil
	}
	return w.update(ctx, "keep the waiting messages", func(tx txn) error { return putWaiting(tx, texts) })
}

// Waiting returns the waiting messages that OpenWriter found in the file, oldest first: those
// that a crash left behind.
func (w *Writer) Waiting() []string { return w.waiting }

// Waiting reads the waiting messages of a conversation, which may be open for
// writing elsewhere.
func (s *Store) Waiting(ctx context.Context, id string) (texts []string, err error) {
	err = s.viewConversation(ctx, id, "read the waiting messages", func(tx txn) error {
		texts = waiting(tx)
		return nil
	})
	return texts, err
}

// putWaiting stores the waiting messages, or deletes the key if there are none.
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

// waiting reads the waiting messages. It returns nil if they cannot be read, which the log
// does not depend on.
func waiting(tx txn) []string {
	var texts []string
	value, err := tx.get(bucketMeta, keyWaiting)
	if err != nil || json.Unmarshal(value, &texts) != nil {
		return nil
	}
	return texts
}
