package setup

import (
	"context"
	"errors"
	"strings"

	"plimsoll/agent/catalog"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
)

// fresh is the choice for a new conversation without a flag.
func (d *Models) fresh(ctx context.Context, demoAllowed bool) (Choice, error) {
	if name := d.Settings.Cfg().Model; name != "" {
		return d.Providers.Named(name)
	}
	if c, ok := d.Providers.byKey(); ok {
		return c, nil
	}
	if d.Providers.Probing() {
		for _, s := range openai.Local(ctx, openai.LocalBases(d.Console.Getenv), nil) {
			return Choice{Provider: s.Provider, Model: s.Model, BaseURL: s.BaseURL}, nil
		}
	}
	if demoAllowed {
		return Choice{Provider: ProviderDemo, Demo: true}, nil
	}
	return Choice{}, console.AsUsage(console.WithHint(errNoProvider, noProviderHint))
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

// errNoProvider says that there is nobody to talk to.
var errNoProvider = errors.New("no model is available: there is no API key in the environment or the configuration")

// noProviderHint is what to do about it.
const noProviderHint = "set OPENAI_API_KEY (or another provider's key), start Ollama, give --base-url URL, or try --demo; `plimsoll doctor` shows what was looked for"
