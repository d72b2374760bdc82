package setup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/compact/meter"
	"plimsoll/config"
)

// What is known about models comes from the catalogue; what a server lists
// counts more, and what the user's configuration says counts most. Servers of
// this machine and of the configuration are asked only where probing is
// allowed; --base-url is asked always.

// Listing lists the models that are known: those of the catalogue, of the
// configuration and of the servers that answer.
type Listing struct {
	Console   *console.Console
	Settings  *Settings
	Providers *Providers
}

// ModelRow is a model in `models --json`. What is not known is null.
type ModelRow struct {
	Provider      string             `json:"provider"`
	ID            string             `json:"id"`
	ContextWindow *int               `json:"context_window"`
	MaxInput      *int               `json:"max_input"`
	MaxOutput     *int               `json:"max_output"`
	WindowSource  meter.WindowSource `json:"window_source"`
	Prices        modelPrices        `json:"prices"`
	Date          *string            `json:"date"`

	Deprecated bool `json:"-"`
}

// modelPrices is in US dollars per million tokens.
type modelPrices struct {
	Input      *float64 `json:"input"`
	Cached     *float64 `json:"cached"`
	CacheWrite *float64 `json:"cache_write"`
	Output     *float64 `json:"output"`
}

// Rows is the catalogue and what servers list, the word of a server
// counting more; with --base-url that server's list only.
func (t *Listing) Rows(ctx context.Context, provider string) ([]ModelRow, error) {
	if t.Settings.Flags.BaseURL != "" {
		s := openai.Server{Provider: ProviderCustom, BaseURL: t.Settings.Flags.BaseURL}
		rows, err := t.listedBy(ctx, s)
		if err != nil {
			return nil, console.WithHint(fmt.Errorf("asking %s for its models: %w", ShownURL(s), err), "check the address")
		}
		return rows, nil
	}
	rows := []ModelRow{}
	at := map[string]int{}
	add := func(r ModelRow) {
		name := r.Provider + "/" + r.ID
		if i, ok := at[name]; ok {
			rows[i] = r
			return
		}
		at[name] = len(rows)
		rows = append(rows, r)
	}
	known := t.Providers.Names()
	for _, e := range catalog.All() {
		if (provider == "" || e.Provider == provider) && slices.Contains(known, e.Provider) {
			add(t.catalogueRow(e, e.ID))
		}
	}
	for _, name := range known {
		if provider != "" && name != provider {
			continue
		}
		for _, id := range t.Settings.Told().ids(t.Providers.At(name, "").Address()) {
			if _, ok := at[name+"/"+id]; !ok {
				add(t.listedRow(name, openai.Listed{ID: id}))
			}
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
func (t *Listing) describedModels(provider string) []ModelRow {
	var out []ModelRow
	for name, p := range t.Settings.Cfg().Providers {
		for id := range p.Models {
			if provider == "" || name == provider {
				out = append(out, t.listedRow(name, openai.Listed{ID: id}))
			}
		}
	}
	slices.SortFunc(out, func(x, y ModelRow) int {
		return cmp.Or(strings.Compare(x.Provider, y.Provider), strings.Compare(x.ID, y.ID))
	})
	return out
}

// serverTime is how long all servers have to list their models.
const serverTime = 3 * time.Second

// askServers asks the servers of this machine and of the configuration for
// their models. One that does not answer lists none.
func (t *Listing) askServers(ctx context.Context, provider string) []ModelRow {
	if !t.Providers.Probing() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, serverTime)
	defer cancel()
	servers := t.configuredServers()
	for _, s := range openai.Local(ctx, openai.LocalBases(t.Console.Getenv), nil) {
		if !slices.ContainsFunc(servers, func(o openai.Server) bool { return o.Provider == s.Provider }) {
			servers = append(servers, s)
		}
	}
	lists := make([][]ModelRow, len(servers))
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
func (t *Listing) configuredServers() []openai.Server {
	var out []openai.Server
	for name, p := range t.Settings.Cfg().Providers {
		if p.BaseURL != "" {
			out = append(out, openai.Server{Provider: name, BaseURL: p.BaseURL})
		}
	}
	if base := t.Console.Getenv("OPENAI_BASE_URL"); base != "" && t.Settings.Cfg().Providers["openai"].BaseURL == "" {
		out = append(out, openai.Server{Provider: "openai", BaseURL: base})
	}
	slices.SortFunc(out, func(x, y openai.Server) int { return strings.Compare(x.Provider, y.Provider) })
	return out
}

// listedBy asks one server for its models and returns those fit for chat.
func (t *Listing) listedBy(ctx context.Context, s openai.Server) ([]ModelRow, error) {
	o := t.Providers.Endpoint(Choice{Provider: s.Provider, BaseURL: s.BaseURL})
	if deadline, ok := ctx.Deadline(); ok { // the caller's patience, for one that is far away
		o.Answer = time.Until(deadline)
	}
	found, err := openai.Discover(ctx, o, "")
	if err != nil {
		return nil, err
	}
	return t.RowsOf(s.Provider, found), nil
}

// Row is a model of the catalogue.
func (t *Listing) Row(e catalog.Entry) ModelRow { return t.catalogueRow(e, e.ID) }

// RowsOf is what a server lists that is fit for chat.
func (t *Listing) RowsOf(provider string, found openai.Found) []ModelRow {
	rows := []ModelRow{}
	for _, l := range found.Models {
		if l.Chat {
			rows = append(rows, t.listedRow(provider, l))
		}
	}
	return rows
}

// OfServers is what the servers of this machine and of the configuration list.
func (t *Listing) OfServers(ctx context.Context) []ModelRow { return t.askServers(ctx, "") }

// listedRow is a model as a server lists it, completed from the catalogue.
func (t *Listing) listedRow(provider string, l openai.Listed) ModelRow {
	r := ModelRow{Provider: provider, ID: l.ID, WindowSource: meter.WindowUnknown}
	if e, ok := catalog.Lookup(provider, l.ID); ok {
		r = t.catalogueRow(e, l.ID)
	} else {
		t.Settings.Told().completeRow(&r, t.Providers.At(provider, "").Address())
	}
	if l.Window > 0 && r.WindowSource != meter.WindowConfig {
		r.ContextWindow, r.WindowSource = &l.Window, meter.WindowServer
	}
	if l.MaxOut > 0 {
		r.MaxOutput = &l.MaxOut
	}
	if l.Prices != nil {
		r.Prices = newModelPrices(l.Prices)
	}
	configured(&r, DescribedModel(t.Settings.Cfg(), provider, l.ID))
	return r
}

func (t *Listing) catalogueRow(e catalog.Entry, id string) ModelRow {
	r := ModelRow{Provider: e.Provider, ID: id, MaxInput: console.Or(e.MaxInput), MaxOutput: console.Or(e.MaxOutput),
		WindowSource: meter.WindowUnknown, Prices: newModelPrices(e.Prices), Date: console.Or(e.Date), Deprecated: e.Deprecated}
	if !e.Trained && e.Window > 0 {
		r.ContextWindow, r.WindowSource = &e.Window, meter.WindowCatalogue
	}
	t.Settings.Told().completeRow(&r, t.Providers.At(e.Provider, "").Address())
	configured(&r, DescribedModel(t.Settings.Cfg(), e.Provider, id))
	return r
}

// configured lets the user's own knowledge of a model win.
func configured(r *ModelRow, own config.Model) {
	if own.ContextWindow > 0 {
		r.ContextWindow, r.WindowSource = &own.ContextWindow, meter.WindowConfig
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
func newModelPrices(p *llm.Prices) modelPrices {
	if p == nil {
		return modelPrices{}
	}
	out := modelPrices{Input: &p.Input, Output: &p.Output, Cached: console.Or(p.Cached), CacheWrite: console.Or(p.CacheWrite)}
	if p.Input == 0 {
		out.Cached, out.CacheWrite = &p.Cached, &p.CacheWrite
	}
	return out
}
