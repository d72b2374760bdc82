package keys

import "github.com/zalando/go-keyring"

// System is the keyring of the system: the Secret Service on Linux, the keychain on macOS, the credential manager on
// Windows.
type System struct{}

// Set keeps a secret.
func (System) Set(service, user, secret string) error { return keyring.Set(service, user, secret) }

// Get returns a secret.
func (System) Get(service, user string) (string, error) { return keyring.Get(service, user) }

// Delete removes a secret.
func (System) Delete(service, user string) error { return keyring.Delete(service, user) }
