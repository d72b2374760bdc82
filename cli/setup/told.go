package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/compact/meter"
	"plimsoll/config"
)

// What endpoints told of their models when they were asked last, and what the user said of windows that nobody else
// knows. It is kept between runs, counts more than the catalogue, and less than the configuration.

// Told is what is kept. Its methods may be called from several goroutines.
type Told struct {
	path string

	mu      sync.Mutex // guards what follows, and the file
	loaded  bool
	damaged bool              // the file is there and cannot be read
	all     map[string]toldBy // by address
}

// toldBy is what one endpoint told.
type toldBy struct {
	At     time.Time            `json:"at"`
	Models map[string]ToldModel `json:"models"`
	Said   map[string]int       `json:"said,omitempty"` // windows by the user, in tokens; 0 was asked for and not answered
}

// ToldModel is what an endpoint told of a model, 0 and nil where it said nothing.
type ToldModel struct {
	Window    int         `json:"context_window,omitempty"`
	MaxOutput int         `json:"max_output,omitempty"`
	Prices    *llm.Prices `json:"prices,omitempty"`
}

// Told is the store of what endpoints told.
func (s *Settings) Told() *Told {
	s.telling.Do(func() {
		paths, err := config.FindPaths(s.Console.Lookup, s.Flags.Data)
		if err == nil && paths.State != "" {
			s.told = &Told{path: filepath.Join(paths.State, "endpoints.json")}
			return
		}
		s.told = &Told{}
	})
	return s.told
}

// Of is what the endpoint at an address told of a model, and when.
func (t *Told) Of(address, model string) (ToldModel, time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	by := t.all[address]
	return by.Models[model], by.At
}

// Window is what the user said of a model's window, in tokens, and whether the user was asked.
func (t *Told) Window(address, model string) (tokens int, asked bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	tokens, asked = t.all[address].Said[model]
	return tokens, asked
}

// Say keeps what the user says of a model's window.
func (t *Told) Say(address, model string, tokens int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.loaded = false // another program may have written meanwhile
	t.load()
	return t.say(address, model, tokens)
}

// say keeps a window that the user says.
func (t *Told) say(address, model string, tokens int) error {
	by := t.all[address]
	if by.Said == nil {
		by.Said = map[string]int{}
	}
	by.Said[model] = tokens
	t.all[address] = by
	return t.save()
}

// Take keeps what an endpoint tells, in place of what it told before, and returns what is another than that.
func (t *Told) Take(address string, now time.Time, models []openai.Listed) ([]Change, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.loaded = false // another program may have written meanwhile
	t.load()
	by := t.all[address]
	before := by.Models
	by.At, by.Models = now.UTC().Truncate(time.Second), map[string]ToldModel{}
	var changes []Change
	for _, m := range models {
		if !m.Chat || len(m.ID) > longestID || len(by.Models) == mostTold {
			continue
		}
		tells := ToldModel{Window: m.Window, MaxOutput: m.MaxOut, Prices: m.Prices}
		was, had := before[m.ID]
		if c := (Change{ID: m.ID, Was: was, Now: tells, New: !had}); !had || c.differs() {
			changes = append(changes, c)
		}
		by.Models[m.ID] = tells
	}
	if len(by.Models) == 0 && len(before) > 0 {
		return nil, errors.New("it no longer lists any model; what was known is kept")
	}
	t.all[address] = by
	return changes, t.save()
}

// Bounds of what is kept of one endpoint.
const (
	mostTold  = 5000
	longestID = 256 // bytes
)

// ids lists the models that the endpoint at an address told of.
func (t *Told) ids(address string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load()
	return slices.Sorted(maps.Keys(t.all[address].Models))
}

// complete puts what an endpoint told in place of what the catalogue says.
func (t *Told) complete(m *llm.Model, address string) {
	tells, at := t.Of(address, m.ID)
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
	if tells.Prices != nil {
		m.Prices = told(m.Prices, tells.Prices, at)
	}
}

// told is a sheet with the prices that an endpoint told. What it does not tell stays, and tiers keep their relation to the
// price of input.
func told(known, tells *llm.Prices, at time.Time) *llm.Prices {
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

// completeRow is complete for a row of a list.
func (t *Told) completeRow(r *ModelRow, address string) {
	tells, at := t.Of(address, r.ID)
	date := at.Format(time.DateOnly)
	if tells.Window > 0 {
		r.ContextWindow, r.WindowSource, r.Date = &tells.Window, meter.WindowServer, &date
	}
	if tells.MaxOutput > 0 {
		r.MaxOutput = &tells.MaxOutput
	}
	if tells.Prices != nil {
		r.Prices, r.Date = newModelPrices(tells.Prices), &date
	}
}

// Change is what an endpoint tells of a model now that it did not tell before.
type Change struct {
	ID       string
	Was, Now ToldModel
	New      bool // it was not listed before
}

func (c Change) differs() bool {
	if c.Was.Window != c.Now.Window || c.Was.MaxOutput != c.Now.MaxOutput || (c.Was.Prices == nil) != (c.Now.Prices == nil) {
		return true
	}
	a, b := c.Was.Prices, c.Now.Prices
	return a != nil && (a.Input != b.Input || a.Cached != b.Cached || a.CacheWrite != b.CacheWrite || a.Output != b.Output)
}

// load reads the file. One that is damaged is put aside before another is written: it holds what only the user knows.
func (t *Told) load() {
	if t.loaded {
		return
	}
	t.loaded, t.damaged, t.all = true, false, map[string]toldBy{}
	if t.path == "" {
		return
	}
	raw, err := os.ReadFile(t.path)
	if err == nil {
		err = json.Unmarshal(raw, &t.all)
	}
	if err != nil || t.all == nil {
		t.damaged, t.all = !errors.Is(err, fs.ErrNotExist), map[string]toldBy{}
	}
}

func (t *Told) save() error {
	if t.path == "" {
		return errors.New("there is no folder to keep it in: set HOME")
	}
	raw, err := json.MarshalIndent(t.all, "", "  ")
	if err != nil {
		return fmt.Errorf("keeping what endpoints tell: %w", err)
	}
	if t.damaged {
		if err := os.Rename(t.path, t.path+".damaged"); err != nil {
			return fmt.Errorf("putting the damaged %s aside: %w", t.path, err)
		}
		t.damaged = false
	}
	if err := os.MkdirAll(filepath.Dir(t.path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keeping what endpoints tell: %w", err)
	}
	if err := console.WriteNew(t.path, true, func(w io.Writer) error { _, err := w.Write(raw); return err }); err != nil {
		return fmt.Errorf("keeping what endpoints tell: %w", err)
	}
	return nil
}
