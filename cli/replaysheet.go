package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"plimsoll/agent"
	"plimsoll/agent/catalog"
	"plimsoll/compact"
	"plimsoll/compact/replay"
)

// What --prices takes: a named sheet, or a model by the names that --model takes.
// A model's sheet is what its provider takes in relation to its price for input:
//
//   - Without a price for tokens from the cache nothing is saved by it; without
//     one for writing, that costs what input costs.
//   - The lowest price step counts; a step that makes nothing dearer is none.
//   - How long the cache lives no catalogue says. Where the configuration does not,
//     it is assumed: what takes 1.25 of the input's price for writing keeps that for
//     five minutes, as Anthropic does, and OpenAI for thirty; all others for an hour.

// replaySheets are the sheets that are asked for, all named ones without any.
func (a *app) replaySheets(values []string) ([]replay.Sheet, error) {
	if values == nil {
		return replay.Sheets(), nil
	}
	names, err := splitList("--prices", values)
	if err != nil {
		return nil, err
	}
	var sheets []replay.Sheet
	for _, name := range names {
		s, err := a.replaySheet(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(sheets, func(o replay.Sheet) bool { return o.Name == s.Name }) {
			sheets = append(sheets, s)
		}
	}
	return sheets, nil
}

func (a *app) replaySheet(name string) (replay.Sheet, error) {
	for _, s := range replay.Sheets() {
		if s.Name == name {
			return s, nil
		}
	}
	c, err := a.named(name)
	if err != nil {
		return replay.Sheet{}, usageError{withHint(fmt.Errorf("there is no price sheet and no model %q", name),
			"the sheets are "+strings.Join(sheetNames(), ", ")+"; `plimsoll models` lists the models and their prices")}
	}
	m := agent.Model{Provider: c.provider, ID: c.model}
	if e, ok := catalog.Lookup(c.provider, c.model); ok {
		m = e.Model(c.model)
	}
	own := a.cfg().Providers[c.provider].Models[c.model]
	applyPrices(&m, own.Prices)
	switch {
	case c.demo || m.Prices != nil && m.Prices.Input <= 0 && m.Prices.Output <= 0:
		return replay.Sheet{}, usageError{withHint(fmt.Errorf("%s costs nothing, so there are no costs to compare", name), pricesHint)}
	case m.Prices == nil || m.Prices.Input <= 0:
		return replay.Sheet{}, usageError{withHint(fmt.Errorf("the prices of %s are not known", name), pricesHint)}
	}
	s := modelSheet(m.Name(), *m.Prices)
	if s.Lifetime = own.CacheTTL; s.Lifetime <= 0 {
		s.Lifetime = assumedLifetime(s)
	}
	return s, nil
}

// How long caches live whose writing costs shortWrite times what input costs.
const (
	shortWrite     = 1.25
	shortLifetime  = 5 * time.Minute
	openaiLifetime = 30 * time.Minute // at least, as of gpt-5.6
)

// assumedLifetime is how long the cache of a model lives, as far as its prices
// and its maker tell.
func assumedLifetime(s replay.Sheet) time.Duration {
	switch {
	case math.Abs(s.Write-shortWrite) > 1e-6:
		return compact.UnknownLifetime
	case strings.HasPrefix(s.Name, "openai/") || strings.Contains(s.Name, "/openai/"):
		return openaiLifetime
	}
	return shortLifetime
}

// cacheNotes tell by sheet how long the caches of models live; named sheets say
// that by their names.
func (a *app) cacheNotes(sheets []replay.Sheet) map[string]string {
	notes := map[string]string{}
	for _, s := range sheets {
		if slices.Contains(sheetNames(), s.Name) {
			continue
		}
		provider, id, _ := strings.Cut(s.Name, "/")
		note := "cache lives " + lifetimeText(s.Lifetime)
		if a.cfg().Providers[provider].Models[id].CacheTTL <= 0 {
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
		return grouped(int(d/time.Hour)) + " h"
	case d%time.Minute == 0:
		return grouped(int(d/time.Minute)) + " min"
	}
	return d.String()
}

// pricesHint is what to do about a model without prices.
const pricesHint = "set providers.NAME.models.ID.prices in the configuration, or name a sheet or another model"

// modelSheet is a model's prices in relation to that of its input.
func modelSheet(name string, p agent.Prices) replay.Sheet {
	s := replay.Sheet{Name: name, Read: 1, Write: 1, Output: p.Output / p.Input}
	if p.Cached > 0 {
		s.Read = p.Cached / p.Input
	}
	if p.CacheWrite > 0 {
		s.Write = p.CacheWrite / p.Input
	}
	if len(p.Tiers) > 0 && p.Tiers[0].Input > p.Input {
		s.Step, s.StepFactor = p.Tiers[0].Over, p.Tiers[0].Input/p.Input
	}
	return s
}

// sheetNames lists the named sheets.
func sheetNames() []string {
	var names []string
	for _, s := range replay.Sheets() {
		names = append(names, s.Name)
	}
	return names
}
