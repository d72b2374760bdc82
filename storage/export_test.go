package storage

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"plimsoll/storage/pages"
)

var background = context.Background()

// WithCommitFaults makes a transaction on a file fail when fail returns an error.
func WithCommitFaults(o Options, fail func(path string) error) Options {
	o.commit = fail
	return o
}

// WithReadOnlyConversations makes opening a conversation file for writing fail.
func WithReadOnlyConversations(o Options) Options {
	o.open = func(path string, flags int, mode fs.FileMode) (*os.File, error) {
		if filepath.Ext(path) == ".db" && flags&os.O_RDWR != 0 {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}
		return os.OpenFile(path, flags, mode)
	}
	return o
}

// WithFilesystem sets the network file system that the store detects for its directory.
func WithFilesystem(o Options, network string) Options {
	o.filesystem = func(string) (string, error) { return network, nil }
	return o
}

// UpdateConversation changes the file of a conversation.
func (s *Store) UpdateConversation(id string, change func(*bbolt.Tx) error) error {
	return s.disk.update(background, s.dir.conversation(id), func(tx txn) error { return change(tx.Tx) })
}

// Seal returns a value with its seal.
func Seal(bucket string, key []byte, value string) []byte {
	return pages.Seal([]byte(bucket), key, []byte(value))
}

// StripSeal removes the seal of a stored value without checking it.
func StripSeal(stored []byte) []byte { return stored[:max(0, len(stored)-pages.SealSize)] }

// PutRecord stores the record for a transaction made without the store.
func PutRecord(tx *bbolt.Tx) error { return txn{tx, true}.putRecord() }

// ForgetFile makes the store verify the file of a conversation again, as on first use.
func (s *Store) ForgetFile(id string) {
	path := s.dir.conversation(id).path
	s.disk.dropQueue(path)
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	delete(s.disk.notices, path)
}

// WaitBudget returns the reserve method of a store's budget for waiting.
func WaitBudget(most time.Duration) func(wanted time.Duration) (wait time.Duration, done func()) {
	p := waitBudget{limit: most}
	return p.reserve
}

// Refresh writes the row of a conversation into the index.
func (s *Store) Refresh(ctx context.Context, id string) error {
	return s.index.write(ctx, s.disk.wait, []indexRow{s.index.buildRow(ctx, fileInfo{id: id})}, nil)
}

// ConversationPath is the file of a conversation.
func (s *Store) ConversationPath(id string) string { return s.dir.conversation(id).path }

// Salvage reads a damaged file as a repair does: with bbolt and by its bytes, or with onlyBytes without bbolt,
// as if a branch page were damaged.
func Salvage(path string, onlyBytes bool) (events map[uint64]string, values map[string]map[string][]byte, err error) {
	got := newSalvaged()
	if onlyBytes {
		f, err := os.Open(path)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		data, err := io.ReadAll(f)
		if err != nil {
			return nil, nil, err
		}
		h := pages.ReadHeaders(f)
		got.unseal(nil)
		got.readBytes(data, int(pages.NewestHeader(h.Pages).PageSize()))
	} else if got, err = salvage(path, &compressor{}); err != nil {
		return nil, nil, err
	}
	events = map[uint64]string{}
	for _, r := range got.events() {
		events[r.seq] = string(r.value)
	}
	return events, got.values, nil
}
