package cli

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
// choice names an endpoint and a model; nothing is sent yet, except to local
// servers to ask for their models.

// choice is the endpoint and the model to talk to.
type choice struct {
	provider string
	model    string // "": the first the server lists
	baseURL  string // "": the provider's own
	demo     bool
	unread   bool // nobody reads along: the demo model need not take its time
}

const (
	providerCustom = "custom"
	providerDemo   = "demo"
)

// errNoProvider says that there is nobody to talk to.
var errNoProvider = errors.New("there is no model to talk to: no API key in the environment and none in the configuration")

// noProviderHint is what to do about it.
const noProviderHint = "set OPENAI_API_KEY (or another provider's key), start Ollama, give --base-url URL, or try --demo; `plimsoll doctor` shows what was looked for"

// providers knows the models and servers by name, with their addresses and keys. It
// asks none of them.
type providers struct {
	console  *console.Console
	settings *settings
}

// choose decides without asking any server but local ones; id is the conversation
// that goes on, "" for a new one. The error is *elsewhere if it cannot go on with
// what it was held with. Falling back to the demo model is for the chat only:
// elsewhere it must be named.
func (d *models) choose(ctx context.Context, id string, demoAllowed bool) (choice, error) {
	if d.settings.flags.chooseModel() {
		return d.providers.flagged()
	}
	held, err := d.held(ctx, id)
	if err != nil {
		return choice{}, err
	}
	if held.Name() == "" {
		return d.fresh(ctx, demoAllowed)
	}
	c, why := d.again(ctx, held)
	if why != "" {
		return choice{}, d.elsewhere(ctx, id, held, why, demoAllowed)
	}
	return c, nil
}

// flagged is the choice that the flags name.
func (p *providers) flagged() (choice, error) {
	if p.settings.flags.demo {
		return choice{provider: providerDemo, demo: true}, nil
	}
	if p.settings.flags.baseURL != "" {
		return choice{provider: providerCustom, baseURL: p.settings.flags.baseURL,
			model: strings.TrimPrefix(p.settings.flags.model, providerCustom+"/")}, nil
	}
	return p.named(p.settings.flags.model)
}

// fresh is the choice for a new conversation without a flag.
func (d *models) fresh(ctx context.Context, demoAllowed bool) (choice, error) {
	if name := d.settings.cfg().Model; name != "" {
		return d.providers.named(name)
	}
	if c, ok := d.providers.byKey(); ok {
		return c, nil
	}
	var empty *openai.Server // a server without models
	if d.providers.probing() {
		for _, s := range openai.Answering(ctx, openai.LocalBases(d.console.Getenv), nil) {
			if s.Model != "" {
				return choice{provider: s.Provider, model: s.Model, baseURL: s.BaseURL}, nil
			}
			if empty == nil {
				empty = &s
			}
		}
	}
	if demoAllowed {
		return choice{provider: providerDemo, demo: true}, nil
	}
	if empty != nil {
		what, hint := empty.NoModels()
		return choice{}, console.AsUsage(console.WithHint(errors.New(what), hint+", set OPENAI_API_KEY (or another provider's key), or try --demo"))
	}
	return choice{}, console.AsUsage(console.WithHint(errNoProvider, noProviderHint))
}

// probing reports whether local servers may be looked for.
func (p *providers) probing() bool {
	return p.settings.cfg().Discovery.Local && p.console.Getenv("PLIMSOLL_NO_PROBE") != "1"
}

// named reads a model's name: provider/id if the first segment is a provider,
// else an id that the catalogue knows.
func (p *providers) named(name string) (choice, error) {
	if name == providerDemo || strings.HasPrefix(name, providerDemo+"/") {
		return choice{provider: providerDemo, demo: true}, nil
	}
	if first, rest, ok := strings.Cut(name, "/"); ok && p.known(first) {
		if rest == "" {
			return choice{}, console.WrongUse("the model %q has no id behind the provider", name)
		}
		return p.at(first, rest), nil
	}
	if e, ok := catalog.ByID(name); ok && p.known(e.Provider) {
		return p.at(e.Provider, name), nil
	}
	if p.known(name) {
		if e, ok := catalog.Default(name); ok {
			return p.at(name, e.ID), nil
		}
		return p.at(name, ""), nil
	}
	return choice{}, console.AsUsage(console.WithHint(fmt.Errorf("the model %q is not known", name),
		"write it as provider/id, with one of "+strings.Join(p.names(), ", ")+"; `plimsoll models` lists what is known"))
}

// at is a model at a provider, with the address the user gave it.
func (p *providers) at(provider, model string) choice {
	c := choice{provider: provider, model: canonicalID(provider, model), baseURL: p.settings.cfg().Providers[provider].BaseURL}
	switch {
	case c.baseURL != "":
	case provider == "openai":
		c.baseURL = p.console.Getenv("OPENAI_BASE_URL")
	case provider == "ollama":
		c.baseURL = openai.OllamaBase(p.console.Getenv)
	case provider == providerCustom:
		c.baseURL = p.settings.flags.baseURL
	}
	return c
}

// ownModel is what the user's configuration says of the model of a choice.
func (p *providers) ownModel(c choice) config.Model {
	return describedModel(p.settings.cfg(), c.provider, c.model)
}

// describedModel is what a configuration says of a model, whichever spelling of
// its id it has.
func describedModel(cfg config.Config, provider, id string) config.Model {
	models := cfg.Providers[provider].Models
	if own, ok := models[id]; ok {
		return own
	}
	for _, other := range slices.Sorted(maps.Keys(models)) {
		if canonicalID(provider, other) == canonicalID(provider, id) {
			return models[other]
		}
	}
	return config.Model{}
}

// byKey chooses the first provider with a key in the environment. An
// OPENAI_BASE_URL counts as one: local servers need no key.
func (p *providers) byKey() (choice, bool) {
	if base := p.console.Getenv("OPENAI_BASE_URL"); base != "" && !strings.Contains(base, "//api.openai.com") {
		return choice{provider: "openai", baseURL: base}, true
	}
	for _, name := range openai.ByKey() {
		if key, _ := p.key(name); key == "" {
			continue
		}
		if e, ok := catalog.Default(name); ok {
			return p.at(name, e.ID), true
		}
	}
	return choice{}, false
}

// key is a provider's key and the variable it stands or would stand in.
func (p *providers) key(provider string) (key, variable string) {
	if v := p.settings.cfg().Providers[provider].APIKeyEnv; v != "" {
		return p.console.Getenv(v), v
	}
	if provider == providerCustom {
		return p.console.Getenv("PLIMSOLL_API_KEY"), "PLIMSOLL_API_KEY"
	}
	e, ok := openai.Known(provider)
	if !ok {
		return "", ""
	}
	return e.Key(p.console.Getenv)
}

func (p *providers) known(name string) bool { return slices.Contains(p.names(), name) }

// names lists the built-in providers and the user's own.
func (p *providers) names() []string {
	names := openai.Providers()
	for name := range p.settings.cfg().Providers {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names[len(openai.Providers()):])
	return names
}
