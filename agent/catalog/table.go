package catalog

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"plimsoll/agent/llm"
)

// The table is models.json: one object per model and provider, prices in USD per million tokens, null if unknown. It is
// generated from public lists. A table that cannot be parsed is a broken build, so reading it panics; a test reads all
// rows.

//go:embed models.json
var modelsJSON []byte

// row is an entry as the JSON of the table has it.
type row struct {
	Entry
	WindowKind string    `json:"window_kind"`
	Status     string    `json:"status"`
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

// table is the catalogue: rows as JSON, one per line, and an index of their names. A row is decoded when it is looked up,
// because a start needs one of hundreds.
type table struct {
	rows [][]byte
	byID map[string]map[string]int // provider -> lower-case id or alias -> row
}

// loaded returns the table.
var loaded = sync.OnceValue(func() *table {
	t, err := index(modelsJSON)
	if err != nil {
		panic(damaged(err))
	}
	return t
})

func damaged(err error) string { return fmt.Sprintf("the built-in model table is damaged: %v", err) }

// index finds the names of all rows. A line begins with the provider and the id; it may have aliases anywhere.
func index(data []byte) (*table, error) {
	t := &table{byID: map[string]map[string]int{}}
	for line := range bytes.Lines(data) {
		line = bytes.TrimRight(line, ",\r\n")
		if len(line) < 2 { // the brackets around the rows
			continue
		}
		provider, rest, ok := quoted(line, `{"provider":"`)
		if !ok {
			return nil, fmt.Errorf("a line does not begin with a provider: %.40q", line)
		}
		id, rest, ok := quoted(rest, `,"id":"`)
		if !ok {
			return nil, fmt.Errorf("a provider is not followed by an id: %.40q", line)
		}
		names := append(aliases(rest), id)
		if err := t.add(ourName(provider), names); err != nil {
			return nil, err
		}
		t.rows = append(t.rows, line)
	}
	return t, nil
}

// quoted returns the string between the beginning of a line and the next quotation mark, and the rest of the line.
func quoted(line []byte, begin string) (string, []byte, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(begin))
	if !ok {
		return "", nil, false
	}
	text, rest, ok := bytes.Cut(rest, []byte{'"'})
	return string(text), rest, ok
}

// aliases returns the other ids in a row.
func aliases(row []byte) []string {
	_, list, ok := bytes.Cut(row, []byte(`,"aliases":["`))
	if !ok {
		return nil
	}
	list, _, _ = bytes.Cut(list, []byte(`"]`))
	return strings.Split(string(list), `","`)
}

// add indexes the names of the next row.
func (t *table) add(provider string, names []string) error {
	known := t.byID[provider]
	if known == nil {
		known = map[string]int{}
		t.byID[provider] = known
	}
	for _, name := range names {
		key := strings.ToLower(name)
		if _, taken := known[key]; taken {
			return fmt.Errorf("%s/%s is listed twice", provider, name)
		}
		known[key] = len(t.rows)
	}
	return nil
}

func (t *table) entry(i int) Entry {
	var r row
	if err := json.Unmarshal(t.rows[i], &r); err != nil {
		panic(damaged(err))
	}
	e := r.Entry
	e.Provider, e.Trained, e.Deprecated = ourName(e.Provider), r.WindowKind == "trained", r.Status == "deprecated"
	if r.Input != nil && r.Output != nil {
		e.Prices = &llm.Prices{Input: *r.Input, Cached: r.Cached, CacheWrite: r.CacheWrite, Output: *r.Output, Date: r.Date}
		for _, t := range r.Tiers {
			e.Prices.Tiers = append(e.Prices.Tiers, llm.Tier(t))
		}
	}
	return e
}

func (t *table) entries() []Entry {
	all := make([]Entry, len(t.rows))
	for i := range t.rows {
		all[i] = t.entry(i)
	}
	return all
}

func ourName(provider string) string {
	if provider == "google" {
		return "gemini"
	}
	return provider
}
