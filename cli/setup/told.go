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

// What endpoints told of their models when they were asked last, and what the user said of windows that nobody else
// knows. It is kept between runs, counts more than the catalogue, and less than the configuration.

// Told is what is kept. Its methods may be called from several goroutines.
type EndpointStore struct {
	path string

	mu      sync.Mutex // guards what follows, and the file
	loaded  bool
	damaged bool                      // the file is there and cannot be read
	all     map[string]endpointRecord // by address
}

// toldBy is what one endpoint told.
type endpointRecord struct {
	At          time.Time                `json:"at"`
	Models      map[string]EndpointModel `json:"models"`
	UserWindows map[string]int           `json:"said,omitempty"` // windows by the user, in tokens
}

// ToldModel is what an endpoint told of a model, 0 and nil where it said nothing.
type EndpointModel struct {
	Window    int         `json:"context_window,omitempty"`
	MaxOutput int         `json:"max_output,omitempty"`
	Prices    *llm.Prices `json:"prices,omitempty"`
}

// Bounds of what is kept of one endpoint.
const (
	maxEndpointModels = 5000
	maxIDLength       = 256 // bytes
)

// Told is the store of what endpoints told.
func (s *Settings) Endpoints() *EndpointStore {
	s.endpointsOnce.Do(func() {
		s.endpoints = &EndpointStore{}
		if paths, err := config.FindPaths(s.Console.Lookup, s.Flags.Data); err == nil && paths.State != "" {
			s.endpoints.path = filepath.Join(paths.State, "endpoints.json")
		}
	})
	return s.endpoints
}

// of is what is kept of the endpoint at an address.
func (t *EndpointStore) record(address string) endpointRecord {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.loaded {
		t.load()
	}
	return t.all[address]
}

// Of is what the endpoint at an address told of a model, and when.
func (t *EndpointStore) Model(address, model string) (EndpointModel, time.Time) {
	by := t.record(address)
	return by.Models[model], by.At
}

// Window is what the user said of a model's window, in tokens.
func (t *EndpointStore) UserWindow(address, model string) int {
	return t.record(address).UserWindows[model]
}

// ids lists the models that the endpoint at an address told of.
func (t *EndpointStore) modelIDs(address string) []string {
	return slices.Sorted(maps.Keys(t.record(address).Models))
}

// Say keeps what the user says of a model's window.
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

// Take keeps what an endpoint tells, in place of what it told before.
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

// change changes what is kept of an endpoint in the file, which another program may have written meanwhile. One that is
// damaged is put aside: it holds what only the user knows.
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

// load reads the file. The lock is held.
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

// complete puts what an endpoint told in place of what the catalogue says.
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

// told is a sheet with the prices that an endpoint told. What it does not tell stays, and tiers keep their relation to the
// price of input.
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
