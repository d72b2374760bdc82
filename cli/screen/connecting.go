package screen

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/tui"
)

// connector knows the providers, and keeps their keys.
type connector struct {
	console   *console.Console
	settings  *setup.Settings
	providers *setup.Providers
	changed   func(ctx context.Context, provider string) // the key of a provider
}

// Providers lists the providers: those that can be talked to come first.
func (c *connector) Providers(ctx context.Context) ([]tui.Provider, error) {
	var ready, others []tui.Provider
	add := func(p tui.Provider) {
		if p.Ready {
			ready = append(ready, p)
			return
		}
		others = append(others, p)
	}
	for _, s := range c.servers(ctx) {
		add(serverRow(s))
	}
	for _, name := range c.providers.Keyed() {
		if !slices.ContainsFunc(ready, func(p tui.Provider) bool { return p.Name == name }) {
			add(c.keyedRow(name))
		}
	}
	return append(ready, others...), nil
}

// servers are those on this machine that answer.
func (c *connector) servers(ctx context.Context) []openai.Server {
	if !c.providers.Probing() {
		return nil
	}
	return openai.Answering(ctx, openai.LocalBases(c.console.Getenv), nil)
}

// serverRow is a server on this machine.
func serverRow(s openai.Server) tui.Provider {
	e, _ := openai.Known(s.Provider)
	p := tui.Provider{Name: s.Provider, Label: e.Label, Ready: s.Model != "", Note: "answers at " + hostOf(s.BaseURL)}
	if !p.Ready {
		what, hint := s.NoModels()
		p.Note = what + ": " + hint
	}
	return p
}

// keyedRow is a provider that takes a key.
func (c *connector) keyedRow(name string) tui.Provider {
	e, known := openai.Known(name)
	own := c.settings.Cfg().Providers[name]
	stored, _, _ := c.providers.StoredKey(name) // why one cannot be read stands in its source
	source := c.providers.KeySource(name)
	p := tui.Provider{Name: name, Label: cmp.Or(e.Label, name), Keyed: true, Stored: stored != "", Variable: c.providers.Overriding(name), KeyPage: e.KeyPage}
	key, _ := c.providers.Key(name)
	switch {
	case p.Variable != "":
		p.Ready, p.Note = true, "key in "+p.Variable
	case key != "":
		p.Ready, p.Note = true, "key "+source
	case source != "":
		p.Note = source
	case (!known || e.Local) && own.APIKeyEnv == "", len(own.Headers) > 0:
		p.Ready, p.Note = true, "in the configuration, at "+hostOf(own.BaseURL)
	default:
		p.Note = "no key yet"
	}
	return p
}

// hostOf is the host of an address.
func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return "an address that cannot be read"
}

// Connect tries a key of a provider, and stores it. The open conversation has it from
// the next request on.
func (c *connector) Connect(ctx context.Context, provider string, secret tui.Secret) (tui.Connected, error) {
	key, err := setup.KeyIn(secret.Reveal())
	if err != nil {
		return tui.Connected{}, fmt.Errorf("%w; nothing was stored", err)
	}
	if err := c.providers.TryKey(ctx, provider, key); err != nil {
		return tui.Connected{}, refused(provider, err)
	}
	if err := ctx.Err(); err != nil {
		return tui.Connected{}, err
	}
	place, err := c.settings.Keys().Set(provider, key)
	if err != nil {
		return tui.Connected{}, err
	}
	c.changed(ctx, provider)
	return tui.Connected{Provider: c.keyedRow(provider), Place: c.settings.KeptIn(place)}, nil
}

// refused says why a key was not stored, and what to do.
func refused(provider string, err error) error {
	e := llm.AsError(err)
	if e.Class == llm.Auth {
		return fmt.Errorf("%s; nothing was stored. Check that it was copied whole, and that it is one for %s", e.Message, provider)
	}
	return fmt.Errorf("the key could not be tried: %s; nothing was stored. Try again, or store it untried: plimsoll connect %s --no-check", e.Message, provider)
}

// Disconnect removes the stored key of a provider.
func (c *connector) Disconnect(ctx context.Context, provider string) (tui.Provider, error) {
	if err := c.providers.RemoveKey(provider); err != nil {
		return tui.Provider{}, err
	}
	c.changed(ctx, provider)
	return c.keyedRow(provider), nil
}

// relink gives the open conversation the key that its provider has now. Where that fails
// the next request says so.
func (h *Host) relink(ctx context.Context, provider string) {
	h.mu.Lock()
	r, in := h.Running, setup.Link{}
	if r != nil {
		in = r.Link
	}
	h.mu.Unlock()
	if r == nil || in.Model.Provider != provider {
		return
	}
	l, err := h.with.Models.Connect(ctx, in.Choice())
	if err == nil {
		l.Model.Effort = in.Model.Effort
		err = h.switchTo(r, l)
	}
	if err != nil {
		h.with.Resources.Logger().Warn("the conversation keeps its key", "error", err)
	}
}

// Begin leaves the open conversation and begins another with a model.
func (h *Host) Begin(ctx context.Context, model string) (tui.Conversation, error) {
	return h.enterWith(ctx, "", func(ctx context.Context, _ string) (setup.Link, error) {
		c, err := h.with.Providers.Named(model)
		if err != nil {
			return setup.Link{}, err
		}
		return h.with.Models.Connect(ctx, c)
	})
}
