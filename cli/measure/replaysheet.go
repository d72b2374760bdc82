package measure

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact/planner"
	"plimsoll/compact/replay"
	"plimsoll/conversation/numbers"
)

// What --prices takes: a named sheet, or a model by the names that --model takes.
// A model's sheet is the one that conversations with it are planned by
// ([llm.Model.Sheet]), an hour standing for a lifetime that nobody knows. What
// the endpoint caches does not count: recordings come from other clients, too.

// ReplaySheets are the sheets that are asked for, all named ones without any.
func (rp *Replayer) ReplaySheets(values []string) ([]replay.Sheet, error) {
	if values == nil {
		return replay.Sheets(), nil
	}
	names, err := splitList("--prices", values)
	if err != nil {
		return nil, err
	}
	var sheets []replay.Sheet
	for _, name := range names {
		s, err := rp.replaySheet(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(sheets, func(o replay.Sheet) bool { return o.Name == s.Name }) {
			sheets = append(sheets, s)
		}
	}
	return sheets, nil
}

func (rp *Replayer) replaySheet(name string) (replay.Sheet, error) {
	for _, s := range namedSheets() {
		if s.Name == name {
			return s, nil
		}
	}
	c, err := rp.Providers.Named(name)
	if err != nil {
		return replay.Sheet{}, console.AsUsage(console.WithHint(fmt.Errorf("there is no price sheet and no model %q", name),
			"the sheets are "+strings.Join(SheetNames(), ", ")+"; `plimsoll models` lists the models and their prices"))
	}
	m := llm.Model{Provider: c.Provider, ID: c.Model}
	if e, ok := catalog.Lookup(c.Provider, c.Model); ok {
		m = e.Model(c.Model)
	}
	own := rp.Providers.OwnModel(c)
	setup.ApplyPrices(&m, own.Prices)
	switch {
	case c.Demo || m.Prices != nil && m.Prices.Input <= 0 && m.Prices.Output <= 0:
		return replay.Sheet{}, console.AsUsage(console.WithHint(fmt.Errorf("%s costs nothing, so there are no costs to compare", name), pricesHint))
	case m.Prices == nil || m.Prices.Input <= 0:
		return replay.Sheet{}, console.AsUsage(console.WithHint(fmt.Errorf("the prices of %s are not known", name), pricesHint))
	}
	m.CacheTTL = own.CacheTTL
	return ModelSheet(m), nil
}

// CacheNotes tell by sheet how long the caches of models live; named sheets say
// that by their names.
func (rp *Replayer) CacheNotes(sheets []replay.Sheet) map[string]string {
	notes := map[string]string{}
	for _, s := range sheets {
		if slices.Contains(SheetNames(), s.Name) {
			continue
		}
		provider, id, _ := strings.Cut(s.Name, "/")
		note := "cache lives " + lifetimeText(s.Lifetime)
		if setup.DescribedModel(rp.Settings.Cfg(), provider, id).CacheTTL <= 0 {
			note += " (assumed)"
		}
		notes[s.Name] = note
	}
	return notes
}

// lifetimeText is a time in minutes, which most are, or in hours if it is long.
func lifetimeText(d time.Duration) string {
	switch {
	case d >= 2*time.Hour && d%time.Hour == 0:
		return numbers.Grouped(int(d/time.Hour)) + " h"
	case d%time.Minute == 0:
		return numbers.Grouped(int(d/time.Minute)) + " min"
	}
	return d.String()
}

// pricesHint is what to do about a model without prices.
const pricesHint = "set providers.NAME.models.ID.prices in the configuration, or name a sheet or another model"

// ModelSheet is the sheet of a model that has prices.
func ModelSheet(m llm.Model) replay.Sheet {
	p := m.Sheet()
	s := replay.Sheet{Name: m.Name(), Read: p.Read, Write: p.Write, Output: m.Prices.Output / m.Prices.Input, Lifetime: p.Lifetime}
	if s.Lifetime <= 0 {
		s.Lifetime = planner.UnknownLifetime
	}
	if t, ok := m.Prices.Step(); ok {
		s.Step, s.StepFactor = t.Over, t.Input/m.Prices.Input
	}
	return s
}

// SheetNames lists the named sheets.
func SheetNames() []string {
	var names []string
	for _, s := range namedSheets() {
		names = append(names, s.Name)
	}
	return names
}

func namedSheets() []replay.Sheet { return append(replay.Sheets(), replay.ClaudeSheets()...) }
