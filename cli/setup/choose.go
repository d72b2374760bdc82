package setup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll/agent/catalog"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/config"
)

// The order in which a model is chosen: --demo, --base-url, --model; for a
// conversation that goes on its own (again.go), for a new one the configuration,
// the first key found in the environment, a local server, the demo model. A
// Choice names an endpoint and a model; nothing is sent yet, except to local
// servers to ask for their models.

// Choice is the endpoint and the model to talk to.
type Choice struct {
	Provider string
	Model    string // "": the first the server lists
	BaseURL  string // "": the provider's own
	Demo     bool
	unread   bool // nobody reads along: the demo model need not take its time
}

const (
	ProviderCustom = "custom"
	ProviderDemo   = "demo"
)

// errNoProvider says that there is nobody to talk to.
var errNoProvider = errors.New("there is no model to talk to: no API key in the environment and none in the configuration")

// noProviderHint is what to do about it.
const noProviderHint = "set OPENAI_API_KEY (or another provider's key), start Ollama, give --base-url URL, or try --demo; `plimsoll doctor` shows what was looked for"

// Providers knows the models and servers by name, with their addresses and keys. It
// asks none of them.
type Providers struct {
	Console  *console.Console
	Settings *Settings
}

// Choose decides without asking any server but local ones; id is the conversation
// that goes on, "" for a new one. The error is *elsewhere if it cannot go on with
// what it was held with. Falling back to the demo model is for the chat only:
// Elsewhere it must be named.
func (d *Models) Choose(ctx context.Context, id string, demoAllowed bool) (Choice, error) {
	if d.Settings.Flags.ChooseModel() {
		return d.Providers.flagged()
	}
	held, err := d.Held(ctx, id)
	if err != nil {
		return Choice{}, err
	}
	if held.Name() == "" {
		return d.fresh(ctx, demoAllowed)
	}
	c, why := d.Again(ctx, held)
	if why != "" {
		return Choice{}, d.elsewhere(ctx, id, held, why, demoAllowed)
	}
	return c, nil
}

// flagged is the choice that the flags name.
func (p *Providers) flagged() (Choice, error) {
	if p.Settings.Flags.Demo {
		return Choice{Provider: ProviderDemo, Demo: true}, nil
	}
	if p.Settings.Flags.BaseURL != "" {
		return Choice{Provider: ProviderCustom, BaseURL: p.Settings.Flags.BaseURL,
			Model: strings.TrimPrefix(p.Settings.Flags.Model, ProviderCustom+"/")}, nil
	}
	return p.Named(p.Settings.Flags.Model)
}

// fresh is the choice for a new conversation without a flag.
func (d *Models) fresh(ctx context.Context, demoAllowed bool) (Choice, error) {
	if name := d.Settings.Cfg().Model; name != "" {
		return d.Providers.Named(name)
	}
	if c, ok := d.Providers.byKey(); ok {
		return c, nil
	}
	var empty *openai.Server // a server without models
	if d.Providers.Probing() {
		for _, s := range openai.Answering(ctx, openai.LocalBases(d.Console.Getenv), nil) {
			if s.Model != "" {
				return Choice{Provider: s.Provider, Model: s.Model, BaseURL: s.BaseURL}, nil
			}
			if empty == nil {
				empty = &s
			}
		}
	}
	if demoAllowed {
		return Choice{Provider: ProviderDemo, Demo: true}, nil
	}
	if empty != nil {
		what, hint := empty.NoModels()
		return Choice{}, console.AsUsage(console.WithHint(errors.New(what), hint+", set OPENAI_API_KEY (or another provider's key), or try --demo"))
	}
	return Choice{}, console.AsUsage(console.WithHint(errNoProvider, noProviderHint))
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
			return Choice{}, console.WrongUse("the model %q has no id behind the provider", name)
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
	return Choice{}, console.AsUsage(console.WithHint(fmt.Errorf("the model %q is not known", name),
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

// byKey chooses the first provider with a key in the environment. An
// OPENAI_BASE_URL counts as one: local servers need no key.
func (p *Providers) byKey() (Choice, bool) {
	if base := p.Console.Getenv("OPENAI_BASE_URL"); base != "" && !strings.Contains(base, "//api.openai.com") {
		return Choice{Provider: "openai", BaseURL: base}, true
	}
	for _, name := range openai.ByKey() {
		if key, _ := p.Key(name); key == "" {
			continue
		}
		if e, ok := catalog.Default(name); ok {
			return p.At(name, e.ID), true
		}
	}
	return Choice{}, false
}

// Key is a provider's key and the variable it stands or would stand in.
func (p *Providers) Key(provider string) (key, variable string) {
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
