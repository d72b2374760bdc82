package setup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/cli/keys"
	"plimsoll/config"
	"plimsoll/conversation"
)

// Choice is the endpoint and the model to talk to.
type Choice struct {
	Provider     string
	Model        string // "": the first the server lists
	BaseURL      string // "": the provider's own
	isUnattended bool   // nobody reads along: the demo model need not take its time
}

// Demo reports whether a choice is the demo model.
func (c Choice) IsDemo() bool { return c.Provider == ProviderDemo }

// Providers knows the models and servers by name, with their addresses and keys. It
// asks none of them.
type Providers struct {
	Console  *console.Console
	Settings *Settings
}

const (
	ProviderCustom = "custom"
	ProviderDemo   = "demo"
)

// CanonicalID is the id of a model in the one spelling that is recorded: Ollama
// takes a name without a tag for the one with :latest.
func CanonicalID(provider, id string) string {
	if provider == "ollama" && id != "" && !strings.Contains(id[strings.LastIndexByte(id, '/')+1:], ":") {
		return id + ":latest"
	}
	return id
}

// DescribedModel is what a configuration says of a model, whichever spelling of
// its id it has.
func ModelConfig(cfg config.Config, provider, id string) config.Model {
	models := cfg.Providers[provider].Models
	if own, ok := models[id]; ok {
		return own
	}
	for _, other := range slices.Sorted(maps.Keys(models)) {
		if CanonicalID(provider, other) == CanonicalID(provider, id) {
			return models[other]
		}
	}
	return config.Model{}
}

// Probing reports whether local servers may be looked for.
func (p *Providers) MayProbe() bool {
	return p.Settings.Cfg().Discovery.Local && p.Console.Getenv("PLIMSOLL_NO_PROBE") != "1"
}

// Named reads a model's name: provider/id if the first segment is a provider,
// else an id that the catalogue knows.
func (p *Providers) ChoiceByName(name string) (Choice, error) {
	if name == ProviderDemo || strings.HasPrefix(name, ProviderDemo+"/") {
		return Choice{Provider: ProviderDemo}, nil
	}
	if first, rest, ok := strings.Cut(name, "/"); ok && p.Known(first) {
		if rest == "" {
			return Choice{}, console.WrongUse("the model %q has no id after the provider", name)
		}
		return p.ChoiceAt(first, rest), nil
	}
	if e, ok := catalog.ByID(name); ok && p.Known(e.Provider) {
		return p.ChoiceAt(e.Provider, name), nil
	}
	if p.Known(name) {
		if e, ok := catalog.Default(name); ok {
			return p.ChoiceAt(name, e.ID), nil
		}
		return p.ChoiceAt(name, ""), nil
	}
	return Choice{}, console.AsUsage(console.WithHint(fmt.Errorf("unknown model %q", name),
		"write it as provider/id, with one of "+strings.Join(p.Names(), ", ")+"; `plimsoll models` lists what is known"))
}

// At is a model at a provider, with the address the user gave it.
func (p *Providers) ChoiceAt(provider, model string) Choice {
	c := Choice{Provider: provider, Model: CanonicalID(provider, model), BaseURL: p.Settings.Cfg().Providers[provider].BaseURL}
	switch {
	case provider == ProviderDemo:
		return Choice{Provider: provider}
	case c.BaseURL != "":
	case provider == "openai":
		c.BaseURL = p.Console.Getenv("OPENAI_BASE_URL")
	case provider == "ollama":
		c.BaseURL = openai.OllamaBase(p.Console.Getenv)
	case provider == ProviderCustom:
		c.BaseURL = p.Settings.Flags.BaseURL
	}
	return c
}

// OwnModel is what the user's configuration says of the model of a choice.
func (p *Providers) ModelConfig(c Choice) config.Model {
	return ModelConfig(p.Settings.Cfg(), c.Provider, c.Model)
}

// Key is the key of a provider.
type Key struct {
	Text     string // "" for none, and where a program prints it
	Source   string // where it is: a variable of the environment, keyring, key file, key_command; "" nowhere
	Variable string // of the environment that holds it, or would; "" if there is none
	Err      error  // why a stored one cannot be read
}

// Set reports whether the environment holds the key, which is used before a stored one.
func (k Key) IsFromEnvironment() bool { return k.Text != "" && k.Source == k.Variable }

// Key is a provider's key: that of the environment, or the one that was stored.
func (p *Providers) Key(provider string) Key {
	own, k := p.Settings.Cfg().Providers[provider], Key{}
	e, _ := openai.KnownProvider(provider)
	switch {
	case own.KeyCommand != nil:
		return Key{Source: "key_command"} // asked when a request is sent
	case own.APIKeyEnv != "":
		k.Variable = own.APIKeyEnv
		k.Text = p.Console.Getenv(k.Variable)
	case provider == ProviderCustom:
		k.Variable = "PLIMSOLL_API_KEY"
		k.Text = p.Console.Getenv(k.Variable)
	case e.Name != "":
		k.Text, k.Variable = e.Key(p.Console.Getenv)
	}
	if k.Text != "" {
		k.Source = k.Variable
		return k
	}
	stored := p.StoredKey(provider)
	stored.Variable = k.Variable
	return stored
}

// StoredKey is the key of a provider that was connected.
func (p *Providers) StoredKey(provider string) (k Key) {
	var place keys.Location
	if k.Text, place, k.Err = p.Settings.Keys().Get(provider); k.Text != "" {
		k.Source = "key file"
		if place == keys.InKeyring {
			k.Source = "keyring"
		}
	}
	return k
}

// Connect keeps a key of a provider and says where.
func (p *Providers) Connect(provider, key string) (where string, err error) {
	place, err := p.Settings.Keys().Set(provider, key)
	if place == keys.InKeyring {
		return "the system's keyring", err
	}
	return p.Console.Home(p.Settings.KeyFile()) + ", which only you can read", err
}

// LongestKey bounds what is read as a key, in bytes.
const MaxKeyLength = 8 << 10

// KeyIn is the key that a text consists of, without the blanks around it. A key never stands in an error.
func ParseKey(text string) (string, error) {
	key := strings.TrimSpace(text)
	switch {
	case key == "":
		return "", errors.New("no key given")
	case len(key) > MaxKeyLength || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("this is not a key: it has spaces or other characters that keys do not have, or is too long")
	}
	return key, nil
}

// Keyed lists the providers that a key can be stored for: those that a key chooses
// first, then the others, then those of the configuration. A server on this machine is
// one of them if the configuration says where it is.
func (p *Providers) AcceptingKeys() []string {
	return slices.DeleteFunc(p.Names(), func(name string) bool {
		e, known := openai.KnownProvider(name)
		return known && (e.Local || e.BaseURL == "") && p.Settings.Cfg().Providers[name].BaseURL == ""
	})
}

// TryKey tries a key of a provider with a request that costs nothing. The error is an *llm.Error.
func (p *Providers) TryKey(ctx context.Context, provider, key string) error {
	o := p.Endpoint(p.ChoiceAt(provider, ""))
	o.Key = key
	if err := openai.CheckKey(ctx, o); err != nil {
		return llm.AsError(err)
	}
	return nil
}

// RemoveKey removes the stored key of a provider. The error says if there is none.
func (p *Providers) RemoveKey(provider string) error {
	was, err := p.Settings.Keys().Delete(provider)
	if err == nil && !was {
		err = fmt.Errorf("no key for %s is stored", provider)
	}
	return err
}

// Known reports whether there is a provider of a name.
func (p *Providers) Known(name string) bool { return slices.Contains(p.Names(), name) }

// Names lists the built-in providers and the user's own.
func (p *Providers) Names() []string {
	names := openai.Providers()
	for name := range p.Settings.Cfg().Providers {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names[len(openai.Providers()):])
	return names
}

// HeldAt is the choice of a model at the address of its provider; where a name
// says nothing of the address, at the recorded one.
func (p *Providers) ChoiceOf(held conversation.ModelChanged) Choice {
	c := p.ChoiceAt(held.Provider, held.Model)
	if !c.IsDemo() && held.BaseURL != "" && (c.Address() == "" || held.Provider == ProviderCustom && p.Settings.Flags.BaseURL == "") {
		c.BaseURL = held.BaseURL
	}
	return c
}
