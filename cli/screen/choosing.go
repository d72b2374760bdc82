package screen

import (
	"context"
	"slices"
	"sync"
	"time"

	"plimsoll/agent/catalog"
	"plimsoll/cli/setup"
	"plimsoll/themes"
	"plimsoll/tui"
)

// The models to choose from: what servers list, what the catalogue knows of providers
// with a key, one of each provider without, and the demo model.

// serversTime is how long servers have to list their models before the list opens
// without them.
const serversTime = 2 * time.Second

// chooser knows the models to choose from.
type chooser struct {
	listing   *setup.Listing
	settings  *setup.Settings
	providers *setup.Providers
	resources *setup.Resources
	current   func() setup.Link // in use; the zero value for none
}

// Models lists what can be switched to.
func (o *chooser) Models(ctx context.Context) ([]tui.ModelChoice, error) {
	found := o.found(ctx, o.current())
	listed := map[string]bool{} // providers whose server says what there is
	c := choosing{chooser: o, keys: map[string]string{}}
	for _, r := range found {
		listed[r.Provider] = true
		c.add(r, true)
	}
	for _, usual := range []bool{true, false} {
		for _, e := range catalog.All() {
			if first, _ := catalog.Default(e.Provider); usual != (first.ID == e.ID) || !usual && c.keyOf(e.Provider) == "" {
				continue
			}
			if !e.Deprecated && e.Tools && !listed[e.Provider] && o.providers.Known(e.Provider) {
				c.add(o.listing.Row(e), false)
			}
		}
	}
	c.out = append(c.out, tui.ModelChoice{Name: setup.ProviderDemo, Note: "built in, not an AI", Plain: true})
	return c.marked(), nil
}

// found is what the server in use lists, and the other servers that answer.
func (o *chooser) found(ctx context.Context, current setup.Link) []setup.ModelRow {
	ctx, cancel := context.WithTimeout(ctx, serversTime)
	defer cancel()
	var here, others []setup.ModelRow
	var all sync.WaitGroup
	if current.Discover != nil {
		all.Go(func() {
			// Without an answer the catalogue stands.
			if found, err := current.Discover(ctx); err == nil {
				here = o.listing.RowsOf(current.Model.Provider, found)
			}
		})
	}
	all.Go(func() { others = o.listing.OfServers(ctx) })
	all.Wait()
	for _, r := range others {
		if r.Provider != current.Model.Provider || len(here) == 0 {
			here = append(here, r)
		}
	}
	return here
}

// choosing makes the list.
type choosing struct {
	chooser *chooser
	keys    map[string]string // by provider: where its key is, "" for none
	out     []tui.ModelChoice
}

// add adds a model, once.
func (c *choosing) add(r setup.ModelRow, found bool) {
	m := tui.ModelChoice{Name: r.Provider + "/" + r.ID, Input: r.Prices.Input, Cached: r.Prices.Cached, Output: r.Prices.Output, Found: found, Key: c.keyOf(r.Provider)}
	if slices.ContainsFunc(c.out, func(o tui.ModelChoice) bool { return o.Name == m.Name }) {
		return
	}
	if r.ContextWindow != nil {
		m.Window = *r.ContextWindow
	}
	if e, ok := catalog.Lookup(r.Provider, r.ID); ok && e.Match != catalog.MatchFamily {
		m.Plain = !e.Reasoning
	}
	switch {
	case m.Key == "" && found:
		m.Key = "its server"
	case m.Key == "":
		m.NoKey = true
	}
	c.out = append(c.out, m)
}

// keyOf says where the key of a provider is.
func (c *choosing) keyOf(provider string) string {
	if where, known := c.keys[provider]; known {
		return where
	}
	where := c.chooser.providers.KeyPlace(provider)
	c.keys[provider] = where
	return where
}

// marked is the list with what the user marked and used of late.
func (c *choosing) marked() []tui.ModelChoice {
	picks := c.chooser.settings.Picks()
	for i := range c.out {
		c.out[i].Favorite = slices.Contains(picks.Favorites, c.out[i].Name)
		c.out[i].Recent = slices.Index(picks.Recent, c.out[i].Name) + 1
	}
	return c.out
}

// Themes reads the user's own themes.
func (o *chooser) Themes(context.Context) ([]themes.Theme, error) {
	own, problems, _ := o.settings.OwnThemes(*o.settings.Loaded.Load())
	if len(problems) > 0 {
		return own, problems
	}
	return own, nil
}

// Favor marks a model as a favorite, or no longer.
func (o *chooser) Favor(_ context.Context, model string, on bool) error {
	return o.settings.Favor(model, on)
}

// used notes that a model was chosen. The list is as useful without.
func (o *chooser) used(model string) {
	if err := o.settings.Used(model); err != nil {
		o.resources.Logger().Warn("the models used of late", "error", err)
	}
}
