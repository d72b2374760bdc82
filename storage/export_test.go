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

// WithFaults makes transactions on a file fail when fail returns an error.
func WithFaults(o Options, fail func(path string) error) Options {
	o.commit = fail
	return o
}

// ThatCannotWrite makes files of conversations such as may only be read.
func ThatCannotWrite(o Options) Options {
	o.open = func(path string, flags int, mode fs.FileMode) (*os.File, error) {
		if filepath.Ext(path) == ".db" && flags&os.O_RDWR != 0 {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}
		return os.OpenFile(path, flags, mode)
	}
	return o
}

// OnFilesystem makes the store believe what its directory lies on.
func OnFilesystem(o Options, network string) Options {
	o.filesystem = func(string) (string, error) { return network, nil }
	return o
}

// Migration is a step forward for WithMigrations.
type Migration struct {
	Name string
	Run  func(*bbolt.Tx) error
}

// UpdateConversation opens the file of a conversation for writing as a program
// would whose conversations have these migrations.
func (s *Store) UpdateConversation(id string, steps []Migration, change func(*bbolt.Tx) error) error {
	return s.disk.update(background, later(s.dir.conversation(id), steps), func(tx txn) error { return change(tx.Tx) })
}

// ViewConversation is UpdateConversation for reading.
func (s *Store) ViewConversation(id string, steps []Migration, read func(*bbolt.Tx) error) error {
	return s.disk.view(background, later(s.dir.conversation(id), steps), func(tx txn) error { return read(tx.Tx) })
}

// Sealed is a value as it is stored.
func Sealed(bucket string, key []byte, value string) []byte {
	return pages.Seal([]byte(bucket), key, []byte(value))
}

// Unsealed is a stored value as it was given.
func Unsealed(stored []byte) []byte { return stored[:max(0, len(stored)-pages.SealSize)] }

// KeepRecord ends a transaction that was made without the store.
func KeepRecord(tx *bbolt.Tx) error { return txn{tx, true}.putRecord() }

func later(f dbfile, steps []Migration) dbfile {
	l := *f.layout
	for _, m := range steps {
		l.migrations = append(l.migrations, migration{m.Name, m.Run})
	}
	return dbfile{f.path, &l}
}

// Forget makes the store look at the file of a conversation as if for the first time.
func (s *Store) Forget(id string) {
	path := s.dir.conversation(id).path
	s.disk.dropQueue(path)
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	delete(s.disk.notices, path)
}

// Patience is what the calls of a store take their waits from.
func Patience(most time.Duration) func(wanted time.Duration) (wait time.Duration, done func()) {
	p := waitBudget{limit: most}
	return p.reserve
}

// Refresh writes the row of a conversation into the index.
func (s *Store) Refresh(ctx context.Context, id string) error {
	return s.index.write(ctx, s.disk.wait, []indexRow{s.index.buildRow(ctx, fileInfo{id: id})}, nil)
}

// ConversationPath is the file of a conversation.
func (s *Store) ConversationPath(id string) string { return s.dir.conversation(id).path }

// Salvage is what a repair reads of a file: by bbolt and by its bytes, or only by those,
// as where a page leads astray.
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
