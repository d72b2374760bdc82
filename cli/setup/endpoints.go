package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/compact/meter"
	"plimsoll/config"
)

// What endpoints reported about their models is stored between runs, with windows that the user set. It overrides the
// catalogue; the configuration overrides it.

// EndpointStore is that file. Its methods may be called from several goroutines.
type EndpointStore struct {
	path string

	mu      sync.Mutex // guards what follows, and the file
	loaded  bool
	damaged bool                      // the file exists and cannot be read
	all     map[string]endpointRecord // by address
}

// endpointRecord is what is stored about one endpoint.
type endpointRecord struct {
	At          time.Time                `json:"at"`
	Models      map[string]EndpointModel `json:"models"`
	UserWindows map[string]int           `json:"said,omitempty"` // windows that the user set, in tokens
}

// EndpointModel is what an endpoint reported about a model; 0 and nil are unknown.
type EndpointModel struct {
	Window    int         `json:"context_window,omitempty"`
	MaxOutput int         `json:"max_output,omitempty"`
	Prices    *llm.Prices `json:"prices,omitempty"`
}

// Limits of what is stored about one endpoint.
const (
	maxEndpointModels = 5000
	maxIDLength       = 256 // bytes
)

// Endpoints returns the store of what endpoints reported.
func (s *Settings) Endpoints() *EndpointStore {
	s.endpointsOnce.Do(func() {
		s.endpoints = &EndpointStore{}
		if paths, err := config.FindPaths(s.Console.Lookup, s.Flags.Data); err == nil && paths.State != "" {
			s.endpoints.path = filepath.Join(paths.State, "endpoints.json")
		}
	})
	return s.endpoints
}

// record returns what is stored about the endpoint at an address.
func (t *EndpointStore) record(address string) endpointRecord {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.loaded {
		t.load()
	}
	return t.all[address]
}

// Model returns what the endpoint at an address reported about a model, and when.
func (t *EndpointStore) Model(address, model string) (EndpointModel, time.Time) {
	by := t.record(address)
	return by.Models[model], by.At
}

// UserWindow returns the window that the user set for a model, in tokens, 0 for none.
func (t *EndpointStore) UserWindow(address, model string) int {
	return t.record(address).UserWindows[model]
}

// modelIDs lists the models that the endpoint at an address reported.
func (t *EndpointStore) modelIDs(address string) []string {
	return slices.Sorted(maps.Keys(t.record(address).Models))
}

// SetUserWindow stores the window that the user sets for a model, in tokens.
func (t *EndpointStore) SetUserWindow(address, model string, tokens int) error {
	return t.change(address, func(by *endpointRecord) error {
		said := maps.Clone(by.UserWindows) // others may read it
		if said == nil {
			said = map[string]int{}
		}
		said[model] = tokens
		by.UserWindows = said
		return nil
	})
}

// SetModels stores what an endpoint reports, in place of its earlier report.
func (t *EndpointStore) SetModels(address string, now time.Time, models []openai.ListedModel) error {
	return t.change(address, func(by *endpointRecord) error {
		tells := map[string]EndpointModel{}
		for _, m := range models {
			if m.Chat && len(m.ID) <= maxIDLength && len(tells) < maxEndpointModels {
				tells[m.ID] = EndpointModel{Window: m.Window, MaxOutput: m.MaxOut, Prices: m.Prices}
			}
		}
		if len(tells) == 0 && len(by.Models) > 0 {
			return errors.New("it no longer lists any model; what was known is kept")
		}
		by.At, by.Models = now.UTC().Truncate(time.Second), tells
		return nil
	})
}

// change reads the file again, because another program may have written it, changes the record of an endpoint and writes
// it. A damaged file is renamed, not deleted: it holds windows that only the user knows.
func (t *EndpointStore) change(address string, change func(*endpointRecord) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.path == "" {
		return errors.New("there is no folder to keep it in: set HOME")
	}
	t.load()
	by := t.all[address]
	if err := change(&by); err != nil {
		return err
	}
	t.all[address] = by
	raw, err := json.MarshalIndent(t.all, "", "  ")
	if err == nil && t.damaged {
		err = os.Rename(t.path, t.path+".damaged")
	}
	if err == nil {
		err = config.ReplaceFile(t.path, raw)
	}
	if err != nil {
		return fmt.Errorf("keeping what endpoints tell: %w", err)
	}
	t.damaged = false
	return nil
}

// load reads the file. The caller holds the lock.
func (t *EndpointStore) load() {
	t.loaded, t.damaged, t.all = true, false, map[string]endpointRecord{}
	if t.path == "" {
		return
	}
	raw, err := os.ReadFile(t.path)
	if err == nil {
		err = json.Unmarshal(raw, &t.all)
	}
	if err != nil || t.all == nil {
		t.damaged, t.all = !errors.Is(err, fs.ErrNotExist), map[string]endpointRecord{}
	}
}

// apply overrides the window, reply limit and prices of a catalogue model with those that its endpoint reported.
func (t *EndpointStore) apply(m *llm.Model, address string) {
	tells, at := t.Model(address, m.ID)
	if tells.Window > 0 {
		most := tells.Window
		if in := publishedInput(m.Provider, m.ID); in > 0 {
			most = min(most, in)
		}
		m.Window = meter.Window{Tokens: most, Source: meter.WindowServer}
	}
	if tells.MaxOutput > 0 {
		m.MaxOut = tells.MaxOutput
	}
	m.Prices = mergePrices(m.Prices, tells.Prices, at)
}

// mergePrices returns known prices with those that an endpoint reported. Unreported ones, and those of tiers, change in
// proportion to the price of input.
func mergePrices(known, tells *llm.Prices, at time.Time) *llm.Prices {
	if tells == nil {
		return known
	}
	p := *tells
	p.Date = at.Format(time.DateOnly)
	if known == nil || known.Input <= 0 || p.Input <= 0 {
		return &p
	}
	by := p.Input / known.Input
	for _, rate := range []struct {
		to   *float64
		from float64
	}{{&p.Cached, known.Cached}, {&p.CacheWrite, known.CacheWrite}, {&p.Output, known.Output}} {
		if *rate.to == 0 {
			*rate.to = rate.from * by
		}
	}
	p.Tiers = nil
	for _, t := range known.Tiers {
		p.Tiers = append(p.Tiers, llm.Tier{Over: t.Over, Input: t.Input * by, Cached: t.Cached * by, CacheWrite: t.CacheWrite * by, Output: t.Output * by})
	}
	return &p
}
