// Package keys keeps the keys of providers: in the system's keyring, or where there is none in a file that only its owner
// can read. The environment wins over both; that is for the caller.
//
// A file says of which providers there is a key, so that only those are looked up in the keyring: a start without a
// stored key does not access it.
package keys

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Ring is a keyring of the system.
type Ring interface {
	Set(service, user, secret string) error
	Get(service, user string) (string, error)
	Delete(service, user string) error
}

// Place is where a key is kept.
type Place string

// The places.
const (
	InRing Place = "keyring"
	InFile Place = "file"
)

// Store keeps keys. Its methods may be called from several goroutines.
type Store struct {
	path string
	ring Ring // nil for none

	mu    sync.Mutex        // guards what follows, and the file
	found map[string]string // keys that the ring gave, by provider
}

// New returns a store whose file is path; ring may be nil.
func New(path string, ring Ring) *Store {
	return &Store{path: path, ring: ring, found: map[string]string{}}
}

const (
	service   = "plimsoll"
	ringTime  = 5 * time.Second // a keyring may ask its owner to unlock it
	dirMode   = 0o700
	otherBits = 0o077
)

// entry is what the file says of a provider.
type entry struct {
	Place Place  `json:"place"`
	Key   string `json:"key,omitempty"` // in the file
}

// Set keeps a key and says where. The keyring comes first.
func (s *Store) Set(provider, key string) (Place, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.load()
	if err != nil {
		return "", err
	}
	e := entry{Place: InRing}
	if s.inRing(func() error { return s.ring.Set(service, provider, key) }) != nil {
		e = entry{Place: InFile, Key: key}
	}
	all[provider] = e
	s.found[provider] = key
	return e.Place, s.save(all)
}

// Get is a provider's key and where it is kept; "" if none is.
func (s *Store) Get(provider string) (key string, place Place, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.load()
	if err != nil {
		return "", "", err
	}
	e, ok := all[provider]
	if !ok {
		return "", "", nil
	}
	if e.Place != InRing {
		return e.Key, e.Place, nil
	}
	if key, ok := s.found[provider]; ok {
		return key, InRing, nil
	}
	err = s.inRing(func() (err error) {
		key, err = s.ring.Get(service, provider)
		return err
	})
	if err != nil {
		return "", InRing, fmt.Errorf("the key of %s cannot be read from the keyring: %w", provider, err)
	}
	s.found[provider] = key
	return key, InRing, nil
}

// Delete removes a provider's key. It reports whether there was one.
func (s *Store) Delete(provider string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.load()
	if err != nil {
		return false, err
	}
	e, ok := all[provider]
	if !ok {
		return false, nil
	}
	if e.Place == InRing {
		if err := s.inRing(func() error { return s.ring.Delete(service, provider) }); err != nil {
			return true, fmt.Errorf("the key of %s cannot be removed from the keyring: %w", provider, err)
		}
	}
	delete(all, provider)
	delete(s.found, provider)
	return true, s.save(all)
}

var errNoRing = errors.New("there is no keyring")

// inRing uses the keyring, within its time. A keyring that does not answer by then keeps its goroutine: its library takes
// no context.
func (s *Store) inRing(use func() error) error {
	if s.ring == nil {
		return errNoRing
	}
	done := make(chan error, 1)
	go func() { done <- use() }()
	late := time.NewTimer(ringTime)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return errors.New("it does not answer")
	}
}

// load reads the file. One that others may read is refused.
func (s *Store) load() (map[string]entry, error) {
	all := map[string]entry{}
	if s.path == "" {
		return all, nil
	}
	info, err := os.Lstat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return all, nil
	case err != nil:
		return nil, fmt.Errorf("the stored keys cannot be read: %w", err)
	case !info.Mode().IsRegular() || info.Mode().Perm()&otherBits != 0:
		return nil, fmt.Errorf("others may read the stored keys: run chmod 600 %s", s.path)
	}
	raw, err := os.ReadFile(s.path)
	if err != nil {
		return nil, fmt.Errorf("the stored keys cannot be read: %w", err)
	}
	if json.Unmarshal(raw, &all) != nil { // its words could hold a key
		return nil, fmt.Errorf("the stored keys are damaged: remove %s, and connect again", s.path)
	}
	return all, nil
}

// save replaces the file, at once or not at all.
func (s *Store) save(all map[string]entry) error {
	if s.path == "" {
		return errors.New("there is no folder to keep keys in: set HOME")
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("keeping the keys: %w", err)
	}
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return fmt.Errorf("keeping the keys: %w", err)
	}
	draft, err := os.CreateTemp(dir, ".keys-*") // of mode 0600
	if err != nil {
		return fmt.Errorf("keeping the keys: %w", err)
	}
	_, err = draft.Write(raw)
	err = errors.Join(err, draft.Sync(), draft.Close())
	if err == nil {
		err = os.Rename(draft.Name(), s.path)
	}
	if err != nil {
		_ = os.Remove(draft.Name()) // it holds a key; the error that counts is err
		return fmt.Errorf("keeping the keys: %w", err)
	}
	return nil
}
