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

// The list of models. The catalogue is overridden by what an endpoint reported or lists now, and that by the configuration.
// Local servers and those of the configuration are asked only if probing is allowed; --base-url is always asked.

// ModelRow is a model in the list.
type ModelRow struct {
	catalog.Entry
	OwnPrices config.Prices      // from the configuration; a price here overrides that of Entry
	Source    meter.WindowSource // of Window; 0 is an unknown window
	IsExact   bool               // Entry is of this model, not of its family
}

// Row merges all that is known about a model at a provider; l is the server's own entry.
func (models *Models) Row(provider string, l openai.ListedModel) ModelRow {
	r := ModelRow{Source: meter.WindowUnknown}
	if e, ok := catalog.Lookup(provider, l.ID); ok {
		r.Entry, r.IsExact = e, !e.Guessed
		if r.Source = meter.WindowCatalogue; e.Trained || e.Window == 0 {
			r.Window, r.Source = 0, meter.WindowUnknown
		}
	}
	r.Provider, r.ID = provider, l.ID
	reported, at := models.Settings.Endpoints().Model(models.Providers.ChoiceAt(provider, "").Address(), l.ID)
	if reported.Window > 0 || reported.Prices != nil {
		r.Date = at.Format(time.DateOnly)
	}
	configured := ModelConfig(models.Settings.Cfg(), provider, l.ID)
	for _, w := range []meter.Window{
		{Tokens: reported.Window, Source: meter.WindowServer}, {Tokens: l.Window, Source: meter.WindowServer},
		{Tokens: configured.ContextWindow, Source: meter.WindowConfig},
	} {
		if w.Tokens > 0 {
			r.Window, r.Source = w.Tokens, w.Source
		}
	}
	for _, limit := range []int{reported.MaxOutput, l.MaxOut, configured.MaxOutput} {
		if limit > 0 {
			r.MaxOutput = limit
		}
	}
	if configured.MaxInput > 0 {
		r.MaxInput = configured.MaxInput
	}
	r.Prices = mergePrices(r.Prices, reported.Prices, at)
	if l.Prices != nil {
		r.Prices = l.Prices
	}
	r.OwnPrices = configured.Prices
	return r
}

// Rows lists the models of the catalogue, of endpoint reports, of servers and of the configuration; with --base-url only
// those of that server. provider limits the list to one provider, "" for all.
func (models *Models) Rows(ctx context.Context, provider string) ([]ModelRow, error) {
	if base := models.Settings.Flags.BaseURL; base != "" {
		result := models.listModels(ctx, openai.Server{Provider: ProviderCustom, BaseURL: base})[0]
		if result.Err != nil {
			return nil, console.WithHint(fmt.Errorf("asking %s for its models: %w", ShownURL(result.Server), result.Err), "check the address")
		}
		return models.ListedRows(ProviderCustom, result.Found), nil
	}
	known, rows := map[string]int{}, []ModelRow{}
	add := func(r ModelRow, isListed bool) {
		name := r.Provider + "/" + r.ID
		if i, ok := known[name]; !ok {
			known[name] = len(rows)
			rows = append(rows, r)
		} else if isListed {
			rows[i] = r
		}
	}
	names := slices.DeleteFunc(models.Providers.Names(), func(name string) bool { return provider != "" && name != provider })
	for _, e := range catalog.All() {
		if slices.Contains(names, e.Provider) {
			add(models.Row(e.Provider, openai.ListedModel{ID: e.ID}), false)
		}
	}
	for _, name := range names {
		reported := models.Settings.Endpoints().record(models.Providers.ChoiceAt(name, "").Address())
		for _, id := range slices.Sorted(maps.Keys(reported.Models)) {
			add(models.Row(name, openai.ListedModel{ID: id}), false)
		}
	}
	for _, r := range models.ServerRows(ctx, provider) {
		add(r, true)
	}
	for _, name := range names {
		for _, id := range slices.Sorted(maps.Keys(models.Settings.Cfg().Providers[name].Models)) {
			add(models.Row(name, openai.ListedModel{ID: id}), false)
		}
	}
	return rows, nil
}

// ListedRows are the chat models that a server lists.
func (models *Models) ListedRows(provider string, found openai.Discovery) []ModelRow {
	rows := []ModelRow{}
	for _, l := range found.Models {
		if l.Chat {
			rows = append(rows, models.Row(provider, l))
		}
	}
	return rows
}

// ServerRows are the models that local servers and those of the configuration list, if probing is allowed.
func (models *Models) ServerRows(ctx context.Context, provider string) []ModelRow {
	if !models.Providers.MayProbe() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	var rows []ModelRow
	for _, result := range models.listModels(ctx, models.servers(ctx, provider, false)...) {
		rows = append(rows, models.ListedRows(result.Provider, result.Found)...) // most local servers do not run, so errors are ignored
	}
	return rows
}

// ListResult is the result of asking one endpoint for its models.
type ListResult struct {
	openai.Server
	Found openai.Discovery
	Err   error
}

// Refresh asks all endpoints, also those with a key, for their models, and stores the windows and prices that they report.
func (models *Models) Refresh(ctx context.Context, provider string) []ListResult {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	all := models.listModels(ctx, models.servers(ctx, provider, true)...)
	for i, result := range all {
		if result.Err == nil {
			at := Choice{Provider: result.Provider, BaseURL: result.BaseURL}
			all[i].Err = models.Settings.Endpoints().SetModels(at.Address(), time.Now(), result.Found.Models)
		}
	}
	return all
}

// servers are the endpoints that can be asked: those with a configured address, if keyed those with a key, and local ones.
func (models *Models) servers(ctx context.Context, provider string, withKeys bool) []openai.Server {
	var out []openai.Server
	add := func(s openai.Server) {
		same := func(o openai.Server) bool { return o.Provider == s.Provider }
		if (provider == "" || s.Provider == provider) && !slices.ContainsFunc(out, same) {
			out = append(out, s)
		}
	}
	for _, name := range models.Providers.Names() {
		base := models.Settings.Cfg().Providers[name].BaseURL
		if base == "" && name == "openai" {
			base = models.Console.Getenv("OPENAI_BASE_URL")
		}
		e, known := openai.KnownProvider(name)
		if base != "" || withKeys && known && !e.Local && e.BaseURL != "" && models.Providers.Key(name).Text != "" {
			add(openai.Server{Provider: name, BaseURL: base})
		}
	}
	if models.Providers.MayProbe() {
		for _, s := range openai.LocalWithModels(ctx, openai.LocalCandidates(models.Console.Getenv), nil) {
			add(s)
		}
	}
	return out
}

// listModels asks servers for their models, in parallel. The deadline of ctx also replaces the client's own timeout.
func (models *Models) listModels(ctx context.Context, servers ...openai.Server) []ListResult {
	out := make([]ListResult, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() {
			o := models.Providers.Endpoint(Choice{Provider: s.Provider, BaseURL: s.BaseURL})
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
