package measure

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact/planner"
	"plimsoll/compact/replay"
)

// Sheets returns the price sheets that --prices names, by sheet or by model; without values, the default ones.
func (rp *Replayer) Sheets(values []string) ([]replay.PriceSheet, error) {
	if values == nil {
		return replay.DefaultSheets(), nil
	}
	names, err := splitList("--prices", values)
	if err != nil {
		return nil, err
	}
	var sheets []replay.PriceSheet
	for _, name := range names {
		s, err := rp.sheet(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(sheets, func(o replay.PriceSheet) bool { return o.Name == s.Name }) {
			sheets = append(sheets, s)
		}
	}
	return sheets, nil
}

const pricesHint = "set providers.NAME.models.ID.prices in the configuration, or name a sheet or another model"

func (rp *Replayer) sheet(name string) (replay.PriceSheet, error) {
	for _, s := range namedSheets() {
		if s.Name == name {
			return s, nil
		}
	}
	c, err := rp.Providers.ChoiceByName(name)
	if err != nil {
		return replay.PriceSheet{}, console.AsUsage(console.WithHint(fmt.Errorf("there is no price sheet and no model %q", name),
			"the sheets are "+strings.Join(SheetNames(), ", ")+"; `plimsoll models` lists the models and their prices"))
	}
	m := llm.Model{Provider: c.Provider, ID: c.Model}
	if e, ok := catalog.Lookup(c.Provider, c.Model); ok {
		m = e.Model(c.Model)
	}
	configured := rp.Providers.ModelConfig(c)
	m.Prices = setup.WithPrices(m.Prices, configured.Prices)
	switch {
	case c.IsDemo() || m.Prices != nil && m.Prices.Input <= 0 && m.Prices.Output <= 0:
		return replay.PriceSheet{}, console.AsUsage(console.WithHint(fmt.Errorf("%s costs nothing, so there are no costs to compare", name), pricesHint))
	case m.Prices == nil || m.Prices.Input <= 0:
		return replay.PriceSheet{}, console.AsUsage(console.WithHint(fmt.Errorf("the prices of %s are not known", name), pricesHint))
	}
	m.CacheTTL = configured.CacheTTL
	return modelSheet(m), nil
}

// modelSheet is the price sheet of a model, the one that the planner uses for its conversations.
func modelSheet(m llm.Model) replay.PriceSheet {
	p := m.Sheet()
	s := replay.PriceSheet{Name: m.Name(), Read: p.Read, Write: p.Write, Output: m.Prices.Output / m.Prices.Input, Lifetime: p.Lifetime}
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

func namedSheets() []replay.PriceSheet {
	return append(replay.DefaultSheets(), replay.ClaudeSheets()...)
}
