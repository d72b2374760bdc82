package agent_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent"
	"plimsoll/agent/agenttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
)

func TestSheetsFollowFromPrices(t *testing.T) {
	t.Parallel()
	anthropic := &agent.Prices{Input: 4, Cached: 0.4, CacheWrite: 5, Output: 20}
	for name, c := range map[string]struct {
		model agent.Model
		want  planner.PriceSheet
	}{
		"nothing known":             {agent.Model{}, planner.DefaultSheet()},
		"free":                      {agent.Model{Provider: "ollama", Prices: &agent.Prices{}}, planner.DefaultSheet()},
		"free but for the reply":    {agent.Model{Prices: &agent.Prices{Cached: 1, CacheWrite: 1, Output: 1}}, planner.DefaultSheet()},
		"nothing known but how old": {agent.Model{CacheTTL: time.Minute}, planner.PriceSheet{Read: 0.1, Write: 1, Lifetime: time.Minute}},
		"no prices for the cache":   {agent.Model{Prices: &agent.Prices{Input: 4}}, planner.PriceSheet{Read: 1, Write: 1}},
		"a price for reading":       {agent.Model{Prices: &agent.Prices{Input: 4, Cached: 1}}, planner.PriceSheet{Read: 0.25, Write: 1}},
		"five minutes":              {agent.Model{Provider: "anthropic", ID: "m", Prices: anthropic}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute}},
		"the price of an hour": {agent.Model{Provider: "anthropic", ID: "m", Prices: &agent.Prices{Input: 5, Cached: 0.5, CacheWrite: 10}},
			planner.PriceSheet{Read: 0.1, Write: 2}},
		"OpenAI":                {agent.Model{Provider: "openai", ID: "m", Prices: anthropic}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 30 * time.Minute}},
		"OpenAI elsewhere":      {agent.Model{Provider: "openrouter", ID: "openai/m", Prices: anthropic}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 30 * time.Minute}},
		"OpenAI by half a name": {agent.Model{Provider: "myopenai", ID: "m", Prices: anthropic}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute}},
		"OpenAI, written free":  {agent.Model{Provider: "openai", ID: "m", Prices: &agent.Prices{Input: 4, Cached: 1}}, planner.PriceSheet{Read: 0.25, Write: 1}},
		"the user knows":        {agent.Model{Provider: "openai", ID: "m", Prices: anthropic, CacheTTL: 24 * time.Hour}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 24 * time.Hour}},
		"no cache":              {agent.Model{Provider: "anthropic", ID: "m", Prices: anthropic, NoCache: true}, planner.PriceSheet{Read: 1, Write: 1}},
		"no cache, no prices":   {agent.Model{NoCache: true}, planner.PriceSheet{Read: 1, Write: 1}},
	} {
		if diff := cmp.Diff(c.want, c.model.Sheet()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAStepIsTheLowestTierThatMakesInputDearer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prices *agent.Prices
		want   int
	}{
		"no prices":                  {nil, 0},
		"no tiers":                   {&agent.Prices{Input: 2}, 0},
		"of two the lower":           {&agent.Prices{Input: 2, Tiers: []agent.Tier{{Over: 200, Input: 4}, {Over: 500, Input: 8}}}, 200},
		"dearer replies are no step": {&agent.Prices{Input: 2, Tiers: []agent.Tier{{Over: 200, Input: 2, Output: 9}, {Over: 500, Input: 4}}}, 500},
		"cheaper":                    {&agent.Prices{Input: 2, Tiers: []agent.Tier{{Over: 200, Input: 1}}}, 0},
		"free below the tier":        {&agent.Prices{Tiers: []agent.Tier{{Over: 200, Input: 1}}}, 0},
	} {
		if got := (agent.Model{Prices: c.prices}).PriceStep(); got != c.want {
			t.Errorf("%s: a step at %d, want %d", name, got, c.want)
		}
	}
}

// stepped is a model whose requests cost twice as much above 272,000 tokens.
var stepped = agent.Model{Provider: "test", ID: "stepped", Window: meter.Window{Tokens: 1_050_000, Source: meter.WindowCatalogue},
	Prices: &agent.Prices{Input: 2, Tiers: []agent.Tier{{Over: 272_000, Input: 4}}}}

func TestTheLoadLineLiesBelowThePriceStepOfTheModelInUse(t *testing.T) {
	const below = 258_400 // 0.95 of the step
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *agent.Options) { o.Model = stepped }, answers("hello"))
		r.say("hi")
		if got := r.reading().LoadLine; got != below {
			t.Errorf("the load line is at %d, want %d", got, below)
		}
		r.SwitchModel(agent.Model{Provider: "test", ID: "plain", Window: stepped.Window}, r.provider)
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
