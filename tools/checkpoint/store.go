// Package checkpoint keeps what files had before tools changed them, and brings files back to any turn of a conversation.
package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"plimsoll/config"
	"plimsoll/conversation"
)

// Store keeps contents of files in a folder, compressed, each once under its hash. All conversations share it. Several programs
// may use it at the same time: a file of it is written whole or not at all, and never changed.
type Store struct {
	dir   string
	added atomic.Bool // something was put in
}

// NewStore returns a store in a folder, which is made when something is kept.
func NewStore(dir string) *Store { return &Store{dir: dir} }

// ErrGone reports that a content is no longer kept.
var ErrGone = errors.New("what was in it is no longer kept")

// maxContent is the longest content that is kept, in bytes.
const maxContent = 16 << 20

func (s *Store) path(hash string) string { return filepath.Join(s.dir, hash[:2], hash[2:]+".zst") }

// isHash reports whether a text can be the name of a content. Names come from logs, which may be imported.
func isHash(name string) bool {
	return len(name) == 64 && strings.Trim(name, "0123456789abcdef") == ""
}

// Put keeps a content and returns its hash. What is kept already counts as new for Prune.
func (s *Store) Put(content string) (hash string, err error) {
	unlock, err := s.lock(unix.LOCK_SH)
	if err != nil {
		return "", err
	}
	defer unlock()
	hash = conversation.ContentHash(content)
	name, now := s.path(hash), time.Now()
	if err := os.Chtimes(name, now, now); err == nil {
		return hash, nil
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return "", err
	}
	packed := enc.EncodeAll([]byte(content), nil)
	_ = enc.Close() // nothing is left in it
	if err := config.ReplaceFile(name, packed); err != nil {
		return "", err
	}
	s.added.Store(true)
	return hash, nil
}

// lock locks the store: shared to put something in, exclusive to prune it, so that nothing is removed that was just put in again.
func (s *Store) lock(how int) (unlock func(), err error) {
	return config.LockFile(filepath.Join(s.dir, "lock"), how)
}

// Get returns a content. The error is ErrGone if it is not kept, or was damaged.
func (s *Store) Get(hash string) (string, error) {
	if !isHash(hash) {
		return "", ErrGone
	}
	packed, err := os.ReadFile(s.path(hash))
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrGone
	}
	if err != nil {
		return "", err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(2*maxContent))
	if err != nil {
		return "", err
	}
	defer dec.Close()
	content, err := dec.DecodeAll(packed, nil)
	if err != nil || conversation.ContentHash(string(content)) != hash {
		return "", ErrGone
	}
	return string(content), nil
}

// kept is a file of the store.
type kept struct {
	name string
	size int64
	at   time.Time // when it was put in last
}

// list lists the files of the store, the oldest first.
func (s *Store) list() (all []kept, err error) {
	err = filepath.WalkDir(s.dir, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // there is no store yet, or another program just pruned
			return nil
		}
		if err != nil || d.IsDir() || d.Name() == "lock" {
			return err
		}
		if st, err := d.Info(); err == nil {
			all = append(all, kept{name, st.Size(), st.ModTime()})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b kept) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.name, b.name)) })
	return all, err
}

// Size returns how many contents are kept, and their bytes on disk.
func (s *Store) Size() (contents int, bytes int64, err error) {
	all, err := s.list()
	for _, k := range all {
		bytes += k.size
	}
	return len(all), bytes, err
}

// Prune removes what was put in longer than keep ago, 0 for no limit, and the oldest contents beyond budget bytes on disk. It
// does nothing if nothing was put in since NewStore.
func (s *Store) Prune(keep time.Duration, budget int64) error {
	if !s.added.Swap(false) {
		return nil
	}
	unlock, err := s.lock(unix.LOCK_EX)
	if err != nil {
		return fmt.Errorf("pruning checkpoints: %w", err)
	}
	defer unlock()
	all, err := s.list()
	if err != nil {
		return fmt.Errorf("pruning checkpoints: %w", err)
	}
	var total int64
	for _, k := range all {
		total += k.size
	}
	for _, k := range all {
		if total <= budget && (keep == 0 || time.Since(k.at) < keep) {
			break
		}
		total -= k.size
		if err := os.Remove(k.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("pruning checkpoints: %w", err)
		}
	}
	return nil
}
