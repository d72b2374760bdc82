package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"plimsoll/agent"
	"plimsoll/agent/catalog"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/compact"
	"plimsoll/config"
)

// What is known about models comes from the catalogue; what a server lists
// counts more, and what the user's configuration says counts most. Servers of
// this machine and of the configuration are asked only where probing is
// allowed; --base-url is asked always.

// listing lists the models that are known: those of the catalogue, of the
// configuration and of the servers that answer.
type listing struct {
	console   *console.Console
	settings  *settings
	providers *providers
}

// modelRow is a model in `models --json`. What is not known is null.
type modelRow struct {
	Provider      string               `json:"provider"`
	ID            string               `json:"id"`
	ContextWindow *int                 `json:"context_window"`
	MaxInput      *int                 `json:"max_input"`
	MaxOutput     *int                 `json:"max_output"`
	WindowSource  compact.WindowSource `json:"window_source"`
	Prices        modelPrices          `json:"prices"`
	Date          *string              `json:"date"`

	deprecated bool
}

// modelPrices is in US dollars per million tokens.
type modelPrices struct {
	Input      *float64 `json:"input"`
	Cached     *float64 `json:"cached"`
	CacheWrite *float64 `json:"cache_write"`
	Output     *float64 `json:"output"`
}

// rows is the catalogue and what servers list, the word of a server
// counting more; with --base-url that server's list only.
func (t *listing) rows(ctx context.Context, provider string) ([]modelRow, error) {
	if t.settings.flags.baseURL != "" {
		s := openai.Server{Provider: providerCustom, BaseURL: t.settings.flags.baseURL}
		rows, err := t.listedBy(ctx, s)
		if err != nil {
			return nil, console.WithHint(fmt.Errorf("asking %s for its models: %w", shownURL(s), err), "check the address")
		}
		return rows, nil
	}
	rows := []modelRow{}
	at := map[string]int{}
	add := func(r modelRow) {
		name := r.Provider + "/" + r.ID
		if i, ok := at[name]; ok {
			rows[i] = r
			return
		}
		at[name] = len(rows)
		rows = append(rows, r)
	}
	known := t.providers.names()
	for _, e := range catalog.All() {
		if (provider == "" || e.Provider == provider) && slices.Contains(known, e.Provider) {
			add(t.catalogueRow(e, e.ID))
		}
	}
	for _, r := range t.askServers(ctx, provider) {
		add(r)
	}
	for _, r := range t.describedModels(provider) {
		if _, ok := at[r.Provider+"/"+r.ID]; !ok {
			add(r)
		}
	}
	return rows, nil
}

// describedModels are those the configuration describes.
func (t *listing) describedModels(provider string) []modelRow {
	var out []modelRow
	for name, p := range t.settings.cfg().Providers {
		for id := range p.Models {
			if provider == "" || name == provider {
				out = append(out, t.listedRow(name, openai.Listed{ID: id}))
			}
		}
	}
	slices.SortFunc(out, func(x, y modelRow) int {
		return cmp.Or(strings.Compare(x.Provider, y.Provider), strings.Compare(x.ID, y.ID))
	})
	return out
}

// serverTime is how long all servers have to list their models.
const serverTime = 3 * time.Second

// askServers asks the servers of this machine and of the configuration for
// their models. One that does not answer lists none.
func (t *listing) askServers(ctx context.Context, provider string) []modelRow {
	if !t.providers.probing() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, serverTime)
	defer cancel()
	servers := t.configuredServers()
	for _, s := range openai.Local(ctx, openai.LocalBases(t.console.Getenv), nil) {
		if !slices.ContainsFunc(servers, func(o openai.Server) bool { return o.Provider == s.Provider }) {
			servers = append(servers, s)
		}
	}
	lists := make([][]modelRow, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		if provider != "" && s.Provider != provider {
			continue
		}
		all.Go(func() {
			// A server that is not there is the usual case.
			lists[i], _ = t.listedBy(ctx, s)
		})
	}
	all.Wait()
	return slices.Concat(lists...)
}

// configuredServers are the endpoints whose address the user gave.
func (t *listing) configuredServers() []openai.Server {
	var out []openai.Server
	for name, p := range t.settings.cfg().Providers {
		if p.BaseURL != "" {
			out = append(out, openai.Server{Provider: name, BaseURL: p.BaseURL})
		}
	}
	if base := t.console.Getenv("OPENAI_BASE_URL"); base != "" && t.settings.cfg().Providers["openai"].BaseURL == "" {
		out = append(out, openai.Server{Provider: "openai", BaseURL: base})
	}
	slices.SortFunc(out, func(x, y openai.Server) int { return strings.Compare(x.Provider, y.Provider) })
	return out
}

// listedBy asks one server for its models and returns those fit for chat.
func (t *listing) listedBy(ctx context.Context, s openai.Server) ([]modelRow, error) {
	o := t.providers.endpoint(choice{provider: s.Provider, baseURL: s.BaseURL})
	found, err := openai.Discover(ctx, o, "")
	if err != nil {
		return nil, err
	}
	askLoaded(ctx, o, found)
	rows := []modelRow{}
	for _, l := range found.Models {
		if l.Chat {
			rows = append(rows, t.listedRow(s.Provider, l))
		}
	}
	return rows, nil
}

// maxLoaded is how many models in memory a server is asked about one by one.
const maxLoaded = 8

// askLoaded puts the windows that models in memory were loaded with in place of
// what the list of their server says of them. Servers that do not load models
// one by one say all there is to say in their list.
func askLoaded(ctx context.Context, o openai.Options, found openai.Found) {
	switch found.Server {
	case "ollama", "lmstudio", "llamacpp":
	default:
		return
	}
	var all sync.WaitGroup
	asked := 0
	for i := range found.Models {
		m := &found.Models[i]
		if !m.Chat || !m.Loaded || asked == maxLoaded {
			continue
		}
		asked++
		all.Go(func() {
			// Without an answer the list stands.
			if one, err := openai.Discover(ctx, o, m.ID); err == nil && one.Window > 0 {
				m.Window = one.Window
			}
		})
	}
	all.Wait()
}

// listedRow is a model as a server lists it, completed from the catalogue.
func (t *listing) listedRow(provider string, l openai.Listed) modelRow {
	r := modelRow{Provider: provider, ID: l.ID, WindowSource: compact.WindowUnknown}
	if e, ok := catalog.Lookup(provider, l.ID); ok {
		r = t.catalogueRow(e, l.ID)
	}
	if l.Window > 0 && r.WindowSource != compact.WindowConfig {
		r.ContextWindow, r.WindowSource = &l.Window, compact.WindowServer
	}
	if l.MaxOut > 0 {
		r.MaxOutput = &l.MaxOut
	}
	if l.Prices != nil {
		r.Prices = newModelPrices(l.Prices)
	}
	configured(&r, describedModel(t.settings.cfg(), provider, l.ID))
	return r
}

func (t *listing) catalogueRow(e catalog.Entry, id string) modelRow {
	r := modelRow{Provider: e.Provider, ID: id, MaxInput: console.Or(e.MaxInput), MaxOutput: console.Or(e.MaxOutput),
		WindowSource: compact.WindowUnknown, Prices: newModelPrices(e.Prices), Date: console.Or(e.Date), deprecated: e.Deprecated}
	if !e.Trained && e.Window > 0 {
		r.ContextWindow, r.WindowSource = &e.Window, compact.WindowCatalogue
	}
	configured(&r, describedModel(t.settings.cfg(), e.Provider, id))
	return r
}

// configured lets the user's own knowledge of a model win.
func configured(r *modelRow, own config.Model) {
	if own.ContextWindow > 0 {
		r.ContextWindow, r.WindowSource = &own.ContextWindow, compact.WindowConfig
	}
	if own.MaxInput > 0 {
		r.MaxInput = &own.MaxInput
	}
	if own.MaxOutput > 0 {
		r.MaxOutput = &own.MaxOutput
	}
	for _, set := range []struct{ to, from **float64 }{
		{&r.Prices.Input, &own.Prices.Input}, {&r.Prices.Cached, &own.Prices.Cached},
		{&r.Prices.CacheWrite, &own.Prices.CacheWrite}, {&r.Prices.Output, &own.Prices.Output},
	} {
		if *set.from != nil {
			*set.to = *set.from
		}
	}
}

// newModelPrices is a price sheet; a cached or cache-write price of 0 beside
// an input price is one that was not published.
func newModelPrices(p *agent.Prices) modelPrices {
	if p == nil {
		return modelPrices{}
	}
	out := modelPrices{Input: &p.Input, Output: &p.Output, Cached: console.Or(p.Cached), CacheWrite: console.Or(p.CacheWrite)}
	if p.Input == 0 {
		out.Cached, out.CacheWrite = &p.Cached, &p.CacheWrite
	}
	return out
}
