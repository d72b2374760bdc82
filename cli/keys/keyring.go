package keys

import "github.com/zalando/go-keyring"

// SystemKeyring is the Secret Service on Linux, the Keychain on macOS and the Credential Manager on Windows.
type SystemKeyring struct{}

// Set stores a secret.
func (SystemKeyring) Set(service, user, key string) error { return keyring.Set(service, user, key) }

// Get returns a secret.
func (SystemKeyring) Get(service, user string) (string, error) { return keyring.Get(service, user) }

// Delete removes a secret.
func (SystemKeyring) Delete(service, user string) error { return keyring.Delete(service, user) }
