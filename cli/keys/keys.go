// Package keys stores API keys of providers: in the system's keyring or, if that is not available, in a file that only its
// owner can read. The caller gives keys in environment variables precedence.
//
// The file lists all providers with a stored key, and only these are looked up in the keyring. So a start without a
// stored key does not access the keyring.
package keys

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/zalando/go-keyring"

	"plimsoll/config"
)

// Keyring is a keyring of the system.
type Keyring interface {
	Set(service, user, secret string) error
	Get(service, user string) (string, error)
	Delete(service, user string) error
}

// Location is where a key is stored.
type Location string

// The possible locations.
const (
	InKeyring Location = "keyring"
	InFile    Location = "file"
)

// Store stores keys. Its methods may be called from several goroutines.
type Store struct {
	path    string
	keyring Keyring // nil: no keyring

	mu     sync.Mutex        // guards the fields below and the file
	cached map[string]string // keys read from the keyring, by provider
}

// New returns a store with the file at path, which need not exist. ring may be nil.
func New(path string, ring Keyring) *Store {
	return &Store{path: path, keyring: ring, cached: map[string]string{}}
}

const (
	service        = "plimsoll"
	keyringTimeout = 5 * time.Second // a keyring may ask the user to unlock it
	groupOtherBits = 0o077
)

// entry is the entry of a provider in the file.
type entry struct {
	Location Location `json:"place"`
	Key      string   `json:"key,omitempty"` // only for the location "file"
}

// Set stores a key, in the keyring if possible, else in the file. It returns the location.
func (s *Store) Set(provider, key string) (Location, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.load()
	if err != nil {
		return "", err
	}
	e := entry{Location: InKeyring}
	if s.withKeyring(func() error { return s.keyring.Set(service, provider, key) }) != nil {
		e = entry{Location: InFile, Key: key}
	}
	all[provider] = e
	s.cached[provider] = key
	return e.Location, s.save(all)
}

// Get returns a provider's key and its location; both are "" if no key is stored.
func (s *Store) Get(provider string) (key string, place Location, err error) {
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
	if e.Location != InKeyring {
		return e.Key, e.Location, nil
	}
	if key, ok := s.cached[provider]; ok {
		return key, InKeyring, nil
	}
	err = s.withKeyring(func() (err error) {
		key, err = s.keyring.Get(service, provider)
		return err
	})
	if err != nil {
		return "", InKeyring, fmt.Errorf("the key of %s cannot be read from the keyring: %w", provider, err)
	}
	s.cached[provider] = key
	return key, InKeyring, nil
}

// All lists the stored keys that can be read.
func (s *Store) All() (list []string) {
	s.mu.Lock()
	stored, _ := s.load() // where it fails, Get tells the user
	s.mu.Unlock()
	for name := range stored {
		if key, _, err := s.Get(name); err == nil {
			list = append(list, key)
		}
	}
	return list
}

// Delete removes a provider's key. It reports whether one was stored.
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
	if e.Location == InKeyring {
		if err := s.withKeyring(func() error { return s.keyring.Delete(service, provider) }); err != nil {
			return true, fmt.Errorf("the key of %s cannot be removed from the keyring: %w", provider, err)
		}
	}
	delete(all, provider)
	delete(s.cached, provider)
	return true, s.save(all)
}

var errNoKeyring = errors.New("there is no keyring")

// withKeyring calls use, which accesses the keyring, with a time limit. After that, the goroutine remains until use returns,
// because the keyring library takes no context.
func (s *Store) withKeyring(use func() error) error {
	if s.keyring == nil {
		return errNoKeyring
	}
	done := make(chan error, 1)
	go func() { done <- use() }()
	late := time.NewTimer(keyringTimeout)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return errors.New("it does not answer")
	}
}

// load reads the file. If other users may read it, the error says how to correct the mode.
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
	case !info.Mode().IsRegular() || info.Mode().Perm()&groupOtherBits != 0:
		return nil, fmt.Errorf("others may read the stored keys: run chmod 600 %s", s.path)
	}
	raw, err := os.ReadFile(s.path)
	if err != nil {
		return nil, fmt.Errorf("the stored keys cannot be read: %w", err)
	}
	if json.Unmarshal(raw, &all) != nil { // the JSON error could contain a key
		return nil, fmt.Errorf("the stored keys are damaged: remove %s, and connect again", s.path)
	}
	return all, nil
}

// save replaces the file atomically.
func (s *Store) save(all map[string]entry) error {
	if s.path == "" {
		return errors.New("there is no folder to keep keys in: set HOME")
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("keeping the keys: %w", err)
	}
	if err := config.ReplaceFile(s.path, raw); err != nil {
		return fmt.Errorf("keeping the keys: %w", err)
	}
	return nil
}

// SystemKeyring is the Secret Service on Linux, the Keychain on macOS and the Credential Manager on Windows.
type SystemKeyring struct{}

// Set stores a secret.
func (SystemKeyring) Set(service, user, key string) error { return keyring.Set(service, user, key) }

// Get returns a secret.
func (SystemKeyring) Get(service, user string) (string, error) { return keyring.Get(service, user) }

// Delete removes a secret.
func (SystemKeyring) Delete(service, user string) error { return keyring.Delete(service, user) }
