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
	Model        string // "": the first that the server lists
	BaseURL      string // "": the provider's own
	isUnattended bool   // the demo model replies without delays
}

// IsDemo reports whether a choice is the demo model.
func (c Choice) IsDemo() bool { return c.Provider == ProviderDemo }

// Providers resolves the names of models and providers to addresses and keys. It sends no request, except in TryKey.
type Providers struct {
	Console  *console.Console
	Settings *Settings
}

const (
	ProviderCustom = "custom"
	ProviderDemo   = "demo"
)

// CanonicalID is the id of a model as it is recorded: for Ollama a name without a tag means the tag :latest.
func CanonicalID(provider, id string) string {
	if provider == "ollama" && id != "" && !strings.Contains(id[strings.LastIndexByte(id, '/')+1:], ":") {
		return id + ":latest"
	}
	return id
}

// ModelConfig returns the settings of a model in a configuration, in any spelling of its id.
func ModelConfig(cfg config.Config, provider, id string) config.Model {
	models := cfg.Providers[provider].Models
	if configured, ok := models[id]; ok {
		return configured
	}
	for _, other := range slices.Sorted(maps.Keys(models)) {
		if CanonicalID(provider, other) == CanonicalID(provider, id) {
			return models[other]
		}
	}
	return config.Model{}
}

// MayProbe reports whether local servers may be searched for.
func (p *Providers) MayProbe() bool {
	return p.Settings.Cfg().Discovery.Local && p.Console.Getenv("PLIMSOLL_NO_PROBE") != "1"
}

// ChoiceByName parses a model's name: provider/id if the first segment is a provider, else an id in the catalogue.
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

// ChoiceAt returns a model at a provider, with the address that the user set for that provider.
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

// ModelConfig returns the configured settings of a choice's model.
func (p *Providers) ModelConfig(c Choice) config.Model {
	return ModelConfig(p.Settings.Cfg(), c.Provider, c.Model)
}

// Key is the key of a provider.
type Key struct {
	Text     string // "" without a key, and if a command prints it
	Source   string // the name of a variable, or keyring, key file, key_command; "" without a key
	Variable string // environment variable that can hold it; "" if the provider has no such variable
	Err      error  // why a stored key cannot be read
}

// IsFromEnvironment reports whether the environment holds the key, which is used before a stored one.
func (k Key) IsFromEnvironment() bool { return k.Text != "" && k.Source == k.Variable }

// Key returns a provider's key: that of the environment, else the stored one.
func (p *Providers) Key(provider string) Key {
	configured, k := p.Settings.Cfg().Providers[provider], Key{}
	e, _ := openai.KnownProvider(provider)
	switch {
	case configured.KeyCommand != nil:
		return Key{Source: "key_command"} // it runs when a request is sent
	case configured.APIKeyEnv != "":
		k.Variable = configured.APIKeyEnv
		k.Text = p.Console.Getenv(k.Variable)
	default:
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

// ConfiguredKeys lists the keys of providers and servers, those of the environment and the stored ones.
func (p *Providers) ConfiguredKeys() []string {
	all := p.Settings.Keys().All()
	for _, name := range p.Names() {
		all = append(all, p.Key(name).Text)
	}
	for _, variable := range ToolOptions(p.Settings.Workspace, p.Settings.Cfg()).SecretNames {
		all = append(all, p.Console.Getenv(variable))
	}
	return all
}

// StoredKey returns the key that the user stored for a provider.
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

// Connect stores a provider's key, and describes where.
func (p *Providers) Connect(provider, key string) (where string, err error) {
	place, err := p.Settings.Keys().Set(provider, key)
	if place == keys.InKeyring {
		return "the system's keyring", err
	}
	return p.Console.Home(p.Settings.KeyFile()) + ", which only you can read", err
}

// MaxKeyLength is the length of the longest accepted key, in bytes.
const MaxKeyLength = 8 << 10

// ParseKey returns text as a key, without the blanks around it. Its errors never hold the key.
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

// AcceptingKeys lists the providers that a key can be stored for, those of the configuration last. A local server is one of
// them if the configuration sets its address.
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

// RemoveKey removes the stored key of a provider. It is an error if there is none.
func (p *Providers) RemoveKey(provider string) error {
	existed, err := p.Settings.Keys().Delete(provider)
	if err == nil && !existed {
		err = fmt.Errorf("no key for %s is stored", provider)
	}
	return err
}

// Seeing names up to three models that take images, or PDFs: of a provider first, then of those with a key, or of any if none has
// one.
func (p *Providers) Seeing(provider string, pdfs bool) (names []string) {
	sees := func(e catalog.Entry) bool {
		of, _ := openai.KnownProvider(e.Provider)
		return (of.PDFs || !pdfs) && !e.Deprecated && !e.Trained && e.Tools && (e.Images == nil || *e.Images)
	}
	connected := slices.DeleteFunc(p.Names(), func(name string) bool { return name == provider || p.Key(name).Source == "" })
	for _, name := range slices.Concat([]string{provider}, connected, p.Names()) {
		e, ok := catalog.Default(name)
		if !ok || !sees(e) {
			all := catalog.All()
			i := slices.IndexFunc(all, func(e catalog.Entry) bool { return e.Provider == name && sees(e) })
			if i < 0 {
				continue
			}
			e = all[i]
		}
		if full := e.Provider + "/" + e.ID; !slices.Contains(names, full) && len(names) < 3 && (len(names) == 0 || p.Key(name).Source != "") {
			names = append(names, full)
		}
	}
	return names
}

// Known reports whether a provider of this name exists.
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

// ChoiceOf returns a recorded model at the current address of its provider, or at the recorded address if the provider's
// name does not imply one.
func (p *Providers) ChoiceOf(lastUsed conversation.ModelChanged) Choice {
	c := p.ChoiceAt(lastUsed.Provider, lastUsed.Model)
	if !c.IsDemo() && lastUsed.BaseURL != "" && (c.Address() == "" || lastUsed.Provider == ProviderCustom && p.Settings.Flags.BaseURL == "") {
		c.BaseURL = lastUsed.BaseURL
	}
	return c
}
