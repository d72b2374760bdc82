package keys_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/cli/keys"
)

// memoryKeyring is a keyring in memory.
type memoryKeyring struct {
	secrets map[string]string
	fails   error
}

func (r *memoryKeyring) Set(service, user, secret string) error {
	if r.fails == nil {
		r.secrets[service+"/"+user] = secret
	}
	return r.fails
}

func (r *memoryKeyring) Get(service, user string) (string, error) {
	return r.secrets[service+"/"+user], r.fails
}

func (r *memoryKeyring) Delete(service, user string) error {
	delete(r.secrets, service+"/"+user)
	return r.fails
}

const key = "sk-very-secret-0123456789"

func TestKeyIsStoredInTheKeyring(t *testing.T) {
	t.Parallel()
	path, r := filepath.Join(t.TempDir(), "state", "keys.json"), &memoryKeyring{secrets: map[string]string{}}
	if place, err := keys.New(path, r).Set("anthropic", key); err != nil || place != keys.InKeyring {
		t.Fatalf("%s %v", place, err)
	}
	if raw, _ := os.ReadFile(path); strings.Contains(string(raw), key) {
		t.Error("the file holds the key, too")
	}
	s := keys.New(path, r)
	if got, place, err := s.Get("anthropic"); got != key || place != keys.InKeyring || err != nil {
		t.Errorf("%q %s %v", got, place, err)
	}
	if got, _, err := s.Get("openai"); got != "" || err != nil {
		t.Errorf("another provider has %q, %v", got, err)
	}
	if was, err := s.Delete("anthropic"); !was || err != nil || len(r.secrets) != 0 {
		t.Errorf("%v %v, left %d", was, err, len(r.secrets))
	}
	if was, err := s.Delete("anthropic"); was || err != nil {
		t.Errorf("removed twice: %v %v", was, err)
	}
	if got, _, err := s.Get("anthropic"); got != "" || err != nil {
		t.Errorf("after that it is %q, %v", got, err)
	}
}

func TestWithoutAKeyringTheKeyIsStoredInAPrivateFile(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]keys.Keyring{"none": nil, "one that fails": &memoryKeyring{fails: errors.New("no session")}} {
		path := filepath.Join(t.TempDir(), "keys.json")
		if place, err := keys.New(path, r).Set("openai", key); err != nil || place != keys.InFile {
			t.Fatalf("%s: %s %v", name, place, err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
		if got, place, err := keys.New(path, r).Get("openai"); got != key || place != keys.InFile || err != nil {
			t.Errorf("%s: %q %s %v", name, got, place, err)
		}
	}
}

func TestReadableOrDamagedKeyFileIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.json")
	s := keys.New(path, nil)
	if _, err := s.Set("openai", key); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Get("openai"); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("others may read it: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"openai":{"key":"`+key), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Set("openai", key); err == nil || strings.Contains(err.Error(), key) {
		t.Errorf("damaged: %v", err)
	}
}
