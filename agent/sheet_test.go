package agent_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
)

func TestSheetsFollowFromPrices(t *testing.T) {
	t.Parallel()
	anthropic := &llm.Prices{Input: 4, Cached: 0.4, CacheWrite: 5, Output: 20}
	for name, c := range map[string]struct {
		model llm.Model
		want  planner.PriceSheet
	}{
		"nothing known":             {llm.Model{}, planner.DefaultSheet()},
		"free":                      {llm.Model{Provider: "ollama", Prices: &llm.Prices{}}, planner.DefaultSheet()},
		"free but for the reply":    {llm.Model{Prices: &llm.Prices{Cached: 1, CacheWrite: 1, Output: 1}}, planner.DefaultSheet()},
		"nothing known but how old": {llm.Model{CacheTTL: time.Minute}, planner.PriceSheet{Read: 0.1, Write: 1, Lifetime: time.Minute}},
		"no prices for the cache":   {llm.Model{Prices: &llm.Prices{Input: 4}}, planner.PriceSheet{Read: 1, Write: 1}},
		"a price for reading":       {llm.Model{Prices: &llm.Prices{Input: 4, Cached: 1}}, planner.PriceSheet{Read: 0.25, Write: 1}},
		"five minutes":              {llm.Model{Provider: "anthropic", ID: "m", Prices: anthropic}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute}},
		"the price of an hour": {llm.Model{Provider: "anthropic", ID: "m", Prices: &llm.Prices{Input: 5, Cached: 0.5, CacheWrite: 10}},
			planner.PriceSheet{Read: 0.1, Write: 2}},
		"OpenAI":                {llm.Model{Provider: "openai", ID: "m", Prices: anthropic}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 30 * time.Minute}},
		"OpenAI elsewhere":      {llm.Model{Provider: "openrouter", ID: "openai/m", Prices: anthropic}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 30 * time.Minute}},
		"OpenAI by half a name": {llm.Model{Provider: "myopenai", ID: "m", Prices: anthropic}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute}},
		"OpenAI, written free":  {llm.Model{Provider: "openai", ID: "m", Prices: &llm.Prices{Input: 4, Cached: 1}}, planner.PriceSheet{Read: 0.25, Write: 1}},
		"the user knows":        {llm.Model{Provider: "openai", ID: "m", Prices: anthropic, CacheTTL: 24 * time.Hour}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 24 * time.Hour}},
		"asked for an hour":     {llm.Model{Provider: "anthropic", ID: "m", Prices: anthropic, CacheTTL: time.Hour, TTL: llm.TTLAsked}, planner.PriceSheet{Read: 0.1, Write: 2, Lifetime: time.Hour}},
		"nothing chosen yet":    {llm.Model{Provider: "anthropic", ID: "m", Prices: anthropic, TTL: llm.TTLChosen}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute}},
		"chosen, no prices":     {llm.Model{Provider: "proxy", ID: "m", CacheTTL: time.Hour, TTL: llm.TTLChosen}, planner.PriceSheet{Read: 0.1, Write: 2, Lifetime: time.Hour}},
		"no cache":              {llm.Model{Provider: "anthropic", ID: "m", Prices: anthropic, NoCache: true}, planner.PriceSheet{Read: 1, Write: 1}},
		"no cache, no prices":   {llm.Model{NoCache: true}, planner.PriceSheet{Read: 1, Write: 1}},
	} {
		if diff := cmp.Diff(c.want, c.model.Sheet()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAStepIsTheLowestTierThatMakesInputDearer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prices *llm.Prices
		want   int
	}{
		"no prices":                  {nil, 0},
		"no tiers":                   {&llm.Prices{Input: 2}, 0},
		"of two the lower":           {&llm.Prices{Input: 2, Tiers: []llm.Tier{{Over: 200, Input: 4}, {Over: 500, Input: 8}}}, 200},
		"dearer replies are no step": {&llm.Prices{Input: 2, Tiers: []llm.Tier{{Over: 200, Input: 2, Output: 9}, {Over: 500, Input: 4}}}, 500},
		"cheaper":                    {&llm.Prices{Input: 2, Tiers: []llm.Tier{{Over: 200, Input: 1}}}, 0},
		"free below the tier":        {&llm.Prices{Tiers: []llm.Tier{{Over: 200, Input: 1}}}, 0},
	} {
		if got := (llm.Model{Prices: c.prices}).PriceStep(); got != c.want {
			t.Errorf("%s: a step at %d, want %d", name, got, c.want)
		}
	}
}

// stepped is a model whose requests cost twice as much above 272,000 tokens.
var stepped = llm.Model{Provider: "test", ID: "stepped", Window: meter.Window{Tokens: 1_050_000, Source: meter.WindowCatalogue},
	Prices: &llm.Prices{Input: 2, Tiers: []llm.Tier{{Over: 272_000, Input: 4}}}}

func TestTheLoadLineLiesBelowThePriceStepOfTheModelInUse(t *testing.T) {
	const below = 258_400 // 0.95 of the step
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *core.Options) { o.Model = stepped }, answers("hello"))
		r.say("hi")
		if got := r.reading().LoadLine; got != below {
			t.Errorf("the load line is at %d, want %d", got, below)
		}
		r.SwitchModel(llm.Model{Provider: "test", ID: "plain", Window: stepped.Window}, r.provider)
		r.wait()
		if got := r.reading().LoadLine; got != 892_500 {
			t.Errorf("without a step the load line is at %d", got)
		}
		r.SwitchModel(stepped, agenttest.NewProvider())
		r.wait()
		if got := r.reading().LoadLine; got != below {
			t.Errorf("back at the model the load line is at %d, want %d", got, below)
		}
		r.finish()
	})
}
