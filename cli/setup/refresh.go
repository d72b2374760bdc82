package setup

import (
	"context"
	"slices"
	"sync"
	"time"

	"plimsoll/agent/openai"
)

// refreshTime is how long all endpoints together have to list their models.
const refreshTime = 20 * time.Second

// Refreshed is what came of asking one endpoint for its models.
type Refreshed struct {
	Provider string
	Models   int // fit for chat
	Changes  []Change
	Err      error
}

// Refresh asks the endpoints for their models, and keeps what they tell of windows and prices: those that there is a key
// for, that the configuration has an address of, and the servers of this machine. provider is the only one, "" for all.
func (t *Listing) Refresh(ctx context.Context, provider string) []Refreshed {
	ctx, cancel := context.WithTimeout(ctx, refreshTime)
	defer cancel()
	servers := t.refreshable(ctx, provider)
	out := make([]Refreshed, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() { out[i] = t.refresh(ctx, s) })
	}
	all.Wait()
	return out
}

// refreshable are the endpoints that can be asked.
func (t *Listing) refreshable(ctx context.Context, provider string) []openai.Server {
	servers := t.configuredServers()
	has := func(name string) bool {
		return slices.ContainsFunc(servers, func(s openai.Server) bool { return s.Provider == name })
	}
	for _, name := range t.Providers.Names() {
		e, ok := openai.Known(name)
		if key, _ := t.Providers.Key(name); ok && !e.Local && e.BaseURL != "" && key != "" && !has(name) {
			servers = append(servers, openai.Server{Provider: name})
		}
	}
	if t.Providers.Probing() {
		for _, s := range openai.Local(ctx, openai.LocalBases(t.Console.Getenv), nil) {
			if !has(s.Provider) {
				servers = append(servers, s)
			}
		}
	}
	return slices.DeleteFunc(servers, func(s openai.Server) bool { return provider != "" && s.Provider != provider })
}

func (t *Listing) refresh(ctx context.Context, s openai.Server) Refreshed {
	r := Refreshed{Provider: s.Provider}
	c := Choice{Provider: s.Provider, BaseURL: s.BaseURL}
	o := t.Providers.Endpoint(c)
	if deadline, ok := ctx.Deadline(); ok {
		o.Answer = time.Until(deadline)
	}
	found, err := openai.Discover(ctx, o, "")
	if err != nil {
		r.Err = err
		return r
	}
	for _, m := range found.Models {
		if m.Chat {
			r.Models++
		}
	}
	r.Changes, r.Err = t.Settings.Told().Take(c.Address(), time.Now(), found.Models)
	return r
}
