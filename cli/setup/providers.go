package setup

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll/agent/catalog"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/cli/keys"
	"plimsoll/config"
	"plimsoll/conversation"
)

// Choice is the endpoint and the model to talk to.
type Choice struct {
	Provider string
	Model    string // "": the first the server lists
	BaseURL  string // "": the provider's own
	Demo     bool
	unread   bool // nobody reads along: the demo model need not take its time
}

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
func DescribedModel(cfg config.Config, provider, id string) config.Model {
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
func (p *Providers) Probing() bool {
	return p.Settings.Cfg().Discovery.Local && p.Console.Getenv("PLIMSOLL_NO_PROBE") != "1"
}

// Named reads a model's name: provider/id if the first segment is a provider,
// else an id that the catalogue knows.
func (p *Providers) Named(name string) (Choice, error) {
	if name == ProviderDemo || strings.HasPrefix(name, ProviderDemo+"/") {
		return Choice{Provider: ProviderDemo, Demo: true}, nil
	}
	if first, rest, ok := strings.Cut(name, "/"); ok && p.Known(first) {
		if rest == "" {
			return Choice{}, console.WrongUse("the model %q has no id after the provider", name)
		}
		return p.At(first, rest), nil
	}
	if e, ok := catalog.ByID(name); ok && p.Known(e.Provider) {
		return p.At(e.Provider, name), nil
	}
	if p.Known(name) {
		if e, ok := catalog.Default(name); ok {
			return p.At(name, e.ID), nil
		}
		return p.At(name, ""), nil
	}
	return Choice{}, console.AsUsage(console.WithHint(fmt.Errorf("unknown model %q", name),
		"write it as provider/id, with one of "+strings.Join(p.Names(), ", ")+"; `plimsoll models` lists what is known"))
}

// At is a model at a provider, with the address the user gave it.
func (p *Providers) At(provider, model string) Choice {
	c := Choice{Provider: provider, Model: CanonicalID(provider, model), BaseURL: p.Settings.Cfg().Providers[provider].BaseURL}
	switch {
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
func (p *Providers) OwnModel(c Choice) config.Model {
	return DescribedModel(p.Settings.Cfg(), c.Provider, c.Model)
}

// Key is a provider's key and the variable it stands or would stand in. The
// environment comes before the key that was stored.
func (p *Providers) Key(provider string) (key, variable string) {
	if p.Settings.Cfg().Providers[provider].KeyCommand != nil {
		return "", "" // its program is asked when a request is sent
	}
	key, variable = p.environmentKey(provider)
	if key == "" {
		key, _, _ = p.StoredKey(provider) // one that cannot be read is none; doctor says why
	}
	return key, variable
}

// StoredKey is the key of a provider that was connected, and where it is kept.
func (p *Providers) StoredKey(provider string) (key string, place keys.Place, err error) {
	return p.Settings.Keys().Get(provider)
}

// KeySource says where the key of a provider comes from, "" if there is none.
func (p *Providers) KeySource(provider string) string {
	if p.Settings.Cfg().Providers[provider].KeyCommand != nil {
		return "printed by key_command"
	}
	if key, variable := p.environmentKey(provider); key != "" {
		return variable
	}
	key, place, err := p.StoredKey(provider)
	switch {
	case err != nil:
		return err.Error()
	case key == "":
		return ""
	case place == keys.InRing:
		return "stored in the system's keyring"
	}
	return "stored in " + p.Console.Home(p.Settings.KeyFile())
}

// environmentKey is Key, of the environment alone.
func (p *Providers) environmentKey(provider string) (key, variable string) {
	if v := p.Settings.Cfg().Providers[provider].APIKeyEnv; v != "" {
		return p.Console.Getenv(v), v
	}
	if provider == ProviderCustom {
		return p.Console.Getenv("PLIMSOLL_API_KEY"), "PLIMSOLL_API_KEY"
	}
	e, ok := openai.Known(provider)
	if !ok {
		return "", ""
	}
	return e.Key(p.Console.Getenv)
}

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
func (p *Providers) HeldAt(held conversation.ModelChanged) Choice {
	c := p.At(held.Provider, held.Model)
	if held.BaseURL != "" && (c.Address() == "" || held.Provider == ProviderCustom && p.Settings.Flags.BaseURL == "") {
		c.BaseURL = held.BaseURL
	}
	return c
}
