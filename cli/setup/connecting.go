package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/cli/keys"
)

// Connecting a provider: its key is tried with a request that costs nothing, and
// stored. A key never stands in an error.

// LongestKey bounds what is read as a key, in bytes.
const LongestKey = 8 << 10

// KeyIn is the key that a text consists of, without the blanks around it.
func KeyIn(text string) (string, error) {
	key := strings.TrimSpace(text)
	switch {
	case key == "":
		return "", errors.New("no key given")
	case len(key) > LongestKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("this is not a key: it has spaces or other characters that keys do not have, or is too long")
	}
	return key, nil
}

// Keyed lists the providers that a key can be stored for: those that a key chooses
// first, then the others, then those of the configuration. A server on this machine is
// one of them if the configuration says where it is.
func (p *Providers) Keyed() []string {
	return slices.DeleteFunc(p.Names(), func(name string) bool {
		e, known := openai.Known(name)
		return known && (e.Local || e.BaseURL == "") && p.Settings.Cfg().Providers[name].BaseURL == ""
	})
}

// TryKey tries a key of a provider. The error is an *llm.Error.
func (p *Providers) TryKey(ctx context.Context, provider, key string) error {
	o := p.Endpoint(p.At(provider, ""))
	o.Key = key
	if err := openai.CheckKey(ctx, o); err != nil {
		return llm.AsError(err)
	}
	return nil
}

// KeptIn says where a stored key is.
func (s *Settings) KeptIn(place keys.Place) string {
	if place == keys.InFile {
		return s.Console.Home(s.KeyFile()) + ", which only you can read"
	}
	return "the system's keyring"
}

// KeyPlace says in a word or two where the key of a provider is, "" without one.
func (p *Providers) KeyPlace(provider string) string {
	if variable := p.Overriding(provider); variable != "" {
		return variable
	}
	key, place, err := p.StoredKey(provider)
	switch {
	case err != nil || key == "":
		return ""
	case place == keys.InRing:
		return "keyring"
	}
	return "key file"
}

// Overriding is the variable whose key is used before a stored one, "" if none is set.
func (p *Providers) Overriding(provider string) string {
	if key, variable := p.environmentKey(provider); key != "" {
		return variable
	}
	return ""
}

// RemoveKey removes the stored key of a provider. The error says if there is none.
func (p *Providers) RemoveKey(provider string) error {
	was, err := p.Settings.Keys().Delete(provider)
	if err == nil && !was {
		err = fmt.Errorf("no key for %s is stored", provider)
	}
	return err
}
