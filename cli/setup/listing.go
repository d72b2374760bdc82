package setup

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"plimsoll/agent/catalog"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/compact/meter"
	"plimsoll/config"
)

// What is known about models comes from the catalogue; what their endpoint told or lists now counts more, and what the
// user's configuration says counts most. Servers of this machine and of the configuration are asked only where probing is
// allowed; --base-url is asked always.

// ModelRow is what is known of a model in a list.
type ModelRow struct {
	catalog.Entry
	OwnPrices config.Prices      // what the configuration says, which wins one by one
	Source    meter.WindowSource // of Window, which is 0 where nobody knows it
	IsExact   bool               // the catalogue has this very model
}

// Row is what is known of a model at a provider, with what its server lists.
func (d *Models) Row(provider string, l openai.ListedModel) ModelRow {
	r := ModelRow{Source: meter.WindowUnknown}
	if e, ok := catalog.Lookup(provider, l.ID); ok {
		r.Entry, r.IsExact = e, e.Match != catalog.MatchFamily
		if r.Source = meter.WindowCatalogue; e.Trained || e.Window == 0 {
			r.Window, r.Source = 0, meter.WindowUnknown
		}
	}
	r.Provider, r.ID = provider, l.ID
	tells, at := d.Settings.Endpoints().Model(d.Providers.ChoiceAt(provider, "").Address(), l.ID)
	if tells.Window > 0 || tells.Prices != nil {
		r.Date = at.Format(time.DateOnly)
	}
	own := ModelConfig(d.Settings.Cfg(), provider, l.ID)
	for _, w := range []meter.Window{
		{Tokens: tells.Window, Source: meter.WindowServer}, {Tokens: l.Window, Source: meter.WindowServer},
		{Tokens: own.ContextWindow, Source: meter.WindowConfig},
	} {
		if w.Tokens > 0 {
			r.Window, r.Source = w.Tokens, w.Source
		}
	}
	for _, most := range []int{tells.MaxOutput, l.MaxOut, own.MaxOutput} {
		if most > 0 {
			r.MaxOutput = most
		}
	}
	if own.MaxInput > 0 {
		r.MaxInput = own.MaxInput
	}
	r.Prices = mergePrices(r.Prices, tells.Prices, at)
	if l.Prices != nil {
		r.Prices = l.Prices
	}
	r.OwnPrices = own.Prices
	return r
}

// Rows lists the catalogue, what endpoints told, what servers list and what the configuration describes; with --base-url
// that server's list only. provider is the only one, "" for all.
func (d *Models) Rows(ctx context.Context, provider string) ([]ModelRow, error) {
	if base := d.Settings.Flags.BaseURL; base != "" {
		a := d.listModels(ctx, openai.Server{Provider: ProviderCustom, BaseURL: base})[0]
		if a.Err != nil {
			return nil, console.WithHint(fmt.Errorf("asking %s for its models: %w", ShownURL(a.Server), a.Err), "check the address")
		}
		return d.ListedRows(ProviderCustom, a.Found), nil
	}
	known, rows := map[string]int{}, []ModelRow{}
	add := func(r ModelRow, now bool) {
		name := r.Provider + "/" + r.ID
		if i, ok := known[name]; !ok {
			known[name] = len(rows)
			rows = append(rows, r)
		} else if now {
			rows[i] = r
		}
	}
	names := slices.DeleteFunc(d.Providers.Names(), func(name string) bool { return provider != "" && name != provider })
	for _, e := range catalog.All() {
		if slices.Contains(names, e.Provider) {
			add(d.Row(e.Provider, openai.ListedModel{ID: e.ID}), false)
		}
	}
	for _, name := range names {
		for _, id := range d.Settings.Endpoints().modelIDs(d.Providers.ChoiceAt(name, "").Address()) {
			add(d.Row(name, openai.ListedModel{ID: id}), false)
		}
	}
	for _, r := range d.ServerRows(ctx, provider) {
		add(r, true)
	}
	for _, name := range names {
		for _, id := range slices.Sorted(maps.Keys(d.Settings.Cfg().Providers[name].Models)) {
			add(d.Row(name, openai.ListedModel{ID: id}), false)
		}
	}
	return rows, nil
}

// RowsOf is what a server lists that is fit for chat.
func (d *Models) ListedRows(provider string, found openai.Discovery) []ModelRow {
	rows := []ModelRow{}
	for _, l := range found.Models {
		if l.Chat {
			rows = append(rows, d.Row(provider, l))
		}
	}
	return rows
}

// OfServers is what the servers of this machine and of the configuration list, where they may be asked.
func (d *Models) ServerRows(ctx context.Context, provider string) []ModelRow {
	if !d.Providers.MayProbe() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	var rows []ModelRow
	for _, a := range d.listModels(ctx, d.servers(ctx, provider, false)...) {
		rows = append(rows, d.ListedRows(a.Provider, a.Found)...) // a server that is not there is the usual case
	}
	return rows
}

// Refreshed is what came of asking one endpoint for its models.
type ListResult struct {
	openai.Server
	Found openai.Discovery
	Err   error
}

// Refresh asks the endpoints that there is a key for, too, and keeps what they tell of windows and prices.
func (d *Models) Refresh(ctx context.Context, provider string) []ListResult {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	all := d.listModels(ctx, d.servers(ctx, provider, true)...)
	for i, a := range all {
		if a.Err == nil {
			at := Choice{Provider: a.Provider, BaseURL: a.BaseURL}
			all[i].Err = d.Settings.Endpoints().SetModels(at.Address(), time.Now(), a.Found.Models)
		}
	}
	return all
}

// servers are the endpoints that can be asked: those that the user gave an address of, where keyed those that there is a
// key for, and the servers of this machine.
func (d *Models) servers(ctx context.Context, provider string, keyed bool) []openai.Server {
	var out []openai.Server
	add := func(s openai.Server) {
		same := func(o openai.Server) bool { return o.Provider == s.Provider }
		if (provider == "" || s.Provider == provider) && !slices.ContainsFunc(out, same) {
			out = append(out, s)
		}
	}
	for _, name := range d.Providers.Names() {
		base := d.Settings.Cfg().Providers[name].BaseURL
		if base == "" && name == "openai" {
			base = d.Console.Getenv("OPENAI_BASE_URL")
		}
		e, known := openai.KnownProvider(name)
		if base != "" || keyed && known && !e.Local && e.BaseURL != "" && d.Providers.Key(name).Text != "" {
			add(openai.Server{Provider: name, BaseURL: base})
		}
	}
	if d.Providers.MayProbe() {
		for _, s := range openai.LocalWithModels(ctx, openai.LocalCandidates(d.Console.Getenv), nil) {
			add(s)
		}
	}
	return out
}

// ask asks servers for their models, beside each other. A ctx that ends is the caller's patience, also with one that is
// far away.
func (d *Models) listModels(ctx context.Context, servers ...openai.Server) []ListResult {
	out := make([]ListResult, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() {
			o := d.Providers.Endpoint(Choice{Provider: s.Provider, BaseURL: s.BaseURL})
			if deadline, ok := ctx.Deadline(); ok {
				o.Answer = time.Until(deadline)
			}
			out[i].Server = s
			out[i].Found, out[i].Err = openai.Discover(ctx, o, "")
		})
	}
	all.Wait()
	return out
}
