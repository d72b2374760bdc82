package catalog

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"plimsoll/agent"
)

// The table is models.json: one object per model and provider, prices in USD
// per million tokens, null where unknown. It is generated from public lists
// and only read here. A table that does not parse is a build that must not
// ship, so reading it panics; a test reads it.

//go:embed models.json
var modelsJSON []byte

// row is an entry as the table writes it.
type row struct {
	Provider   string   `json:"provider"`
	ID         string   `json:"id"`
	Aliases    []string `json:"aliases"`
	Window     int      `json:"context_window"`
	MaxInput   int      `json:"max_input"`
	MaxOutput  int      `json:"max_output"`
	WindowKind string   `json:"window_kind"`
	Tokenizer  string   `json:"tokenizer"`
	Status     string   `json:"status"`
	Date       string   `json:"date"`
	rowPrices
	rowTraits
}

type rowPrices struct {
	Input      *float64  `json:"input_price"`
	Cached     float64   `json:"cached_input_price"`
	CacheWrite float64   `json:"cache_write_price"`
	Output     *float64  `json:"output_price"`
	Tiers      []rowTier `json:"tiers"`
}

type rowTier struct {
	Over       int     `json:"over"`
	Input      float64 `json:"input"`
	Cached     float64 `json:"cached"`
	CacheWrite float64 `json:"cache_write"`
	Output     float64 `json:"output"`
}

type rowTraits struct {
	Tools         bool      `json:"tools"`
	Reasoning     bool      `json:"reasoning"`
	NoTemperature bool      `json:"no_temperature"`
	ChatTools     ChatTools `json:"chat_tools"`
}

// table is the catalogue with its indices.
type table struct {
	entries []Entry
	byID    map[string]map[string]int // provider -> lower-case id or alias -> entry
}

var loaded = sync.OnceValue(func() *table {
	t, err := parse(modelsJSON)
	if err != nil {
		panic(fmt.Sprintf("the built-in model table is damaged: %v", err))
	}
	return t
})

func parse(data []byte) (*table, error) {
	var rows []row
	if err := json.Unmarshal(data, &rows); err != nil {
		return nil, err
	}
	t := &table{entries: make([]Entry, 0, len(rows)), byID: map[string]map[string]int{}}
	for _, r := range rows {
		e := r.entry()
		names := t.byID[e.Provider]
		if names == nil {
			names = map[string]int{}
			t.byID[e.Provider] = names
		}
		for _, name := range append([]string{e.ID}, e.Aliases...) {
			key := strings.ToLower(name)
			if _, taken := names[key]; taken {
				return nil, fmt.Errorf("%s/%s stands there twice", e.Provider, name)
			}
			names[key] = len(t.entries)
		}
		t.entries = append(t.entries, e)
	}
	return t, nil
}

func (r row) entry() Entry {
	return Entry{
		Provider: ourName(r.Provider), ID: r.ID, Aliases: r.Aliases,
		Window: r.Window, MaxInput: r.MaxInput, MaxOutput: r.MaxOutput,
		Trained: r.WindowKind == "trained", Prices: r.prices(), Tokenizer: r.Tokenizer,
		Deprecated: r.Status == "deprecated", Traits: Traits(r.rowTraits), Date: r.Date,
	}
}

func (r row) prices() *agent.Prices {
	if r.Input == nil || r.Output == nil {
		return nil
	}
	p := &agent.Prices{Input: *r.Input, Cached: r.Cached, CacheWrite: r.CacheWrite, Output: *r.Output, Date: r.Date}
	for _, t := range r.Tiers {
		p.Tiers = append(p.Tiers, agent.Tier(t))
	}
	return p
}

// ourName is the name Plimsoll gives a provider of the table.
func ourName(provider string) string {
	if provider == "google" {
		return "gemini"
	}
	return provider
}
