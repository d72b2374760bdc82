package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/compact/meter"
)

// What endpoints reported about their models is stored between runs, with windows that the user set. It overrides the
// catalogue; the configuration overrides it.

// EndpointStore is the file with these reports. Its methods may be called from several goroutines.
type EndpointStore struct {
	path string

	mu  sync.Mutex                // guards what follows, and the file
	all map[string]endpointRecord // by address; nil before the file is read
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
		if paths, _ := s.findPaths(); paths.State != "" {
			s.endpoints.path = filepath.Join(paths.State, "endpoints.json")
		}
	})
	return s.endpoints
}

func (s *EndpointStore) record(address string) endpointRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.load()
	}
	return s.all[address]
}

// Model returns what the endpoint at an address reported about a model, and when.
func (s *EndpointStore) Model(address, model string) (EndpointModel, time.Time) {
	record := s.record(address)
	return record.Models[model], record.At
}

// UserWindow returns the window that the user set for a model, in tokens, 0 if it is not set.
func (s *EndpointStore) UserWindow(address, model string) int {
	return s.record(address).UserWindows[model]
}

// SetUserWindow stores the window that the user sets for a model, in tokens.
func (s *EndpointStore) SetUserWindow(address, model string, tokens int) error {
	return s.change(address, func(record *endpointRecord) error {
		windows := maps.Clone(record.UserWindows) // other goroutines may read the old map
		if windows == nil {
			windows = map[string]int{}
		}
		windows[model] = tokens
		record.UserWindows = windows
		return nil
	})
}

// SetModels stores what an endpoint reports, in place of its earlier report.
func (s *EndpointStore) SetModels(address string, now time.Time, models []openai.ListedModel) error {
	return s.change(address, func(record *endpointRecord) error {
		reported := map[string]EndpointModel{}
		for _, m := range models {
			if m.Chat && len(m.ID) <= maxIDLength && len(reported) < maxEndpointModels {
				reported[m.ID] = EndpointModel{Window: m.Window, MaxOutput: m.MaxOut, Prices: m.Prices}
			}
		}
		if len(reported) == 0 && len(record.Models) > 0 {
			return errors.New("it no longer lists any model; what was known is kept")
		}
		record.At, record.Models = now.UTC().Truncate(time.Second), reported
		return nil
	})
}

// change reads the file again, because another program may have written it, changes the record of an endpoint and writes
// it. A damaged file is renamed, not deleted: it holds windows that only the user knows.
func (s *EndpointStore) change(address string, change func(*endpointRecord) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path == "" {
		return errors.New("there is no folder to keep it in: set HOME")
	}
	isRead := s.load()
	record := s.all[address]
	if err := change(&record); err != nil {
		return err
	}
	s.all[address] = record
	if !isRead {
		if err := os.Rename(s.path, s.path+".damaged"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("keeping what endpoints tell: %w", err)
		}
	}
	return writeJSON(s.path, "keeping what endpoints tell", s.all)
}

// load reads the file, and reports whether that succeeded. The caller holds the lock.
func (s *EndpointStore) load() bool {
	s.all = nil
	isRead := readJSON(s.path, &s.all) && s.all != nil
	if !isRead {
		s.all = map[string]endpointRecord{}
	}
	return isRead
}

// apply overrides the window, reply limit and prices of a catalogue model with those that its endpoint reported.
func (s *EndpointStore) apply(m *llm.Model, address string) {
	reported, at := s.Model(address, m.ID)
	if reported.Window > 0 {
		window := reported.Window
		if in := publishedInput(m.Provider, m.ID); in > 0 {
			window = min(window, in)
		}
		m.Window = meter.Window{Tokens: window, Source: meter.WindowServer}
	}
	if reported.MaxOutput > 0 {
		m.MaxOut = reported.MaxOutput
	}
	m.Prices = mergePrices(m.Prices, reported.Prices, at)
}

// mergePrices returns known prices with those that an endpoint reported. Unreported ones, and those of tiers, change in
// proportion to the price of input.
func mergePrices(known, reported *llm.Prices, at time.Time) *llm.Prices {
	if reported == nil {
		return known
	}
	p := *reported
	p.Date = at.Format(time.DateOnly)
	if known == nil || known.Input <= 0 || p.Input <= 0 {
		return &p
	}
	ratio := p.Input / known.Input
	for _, rate := range []struct {
		to   *float64
		from float64
	}{{&p.Cached, known.Cached}, {&p.CacheWrite, known.CacheWrite}, {&p.Output, known.Output}} {
		if *rate.to == 0 {
			*rate.to = rate.from * ratio
		}
	}
	p.Tiers = nil
	for _, t := range known.Tiers {
		p.Tiers = append(p.Tiers, llm.Tier{Over: t.Over, Input: t.Input * ratio, Cached: t.Cached * ratio, CacheWrite: t.CacheWrite * ratio, Output: t.Output * ratio})
	}
	return &p
}
