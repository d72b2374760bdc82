package cli

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/conversation"
)

func newAppWith(t *testing.T, set ...string) *app {
	t.Helper()
	a := newApp(console.Env{Lookup: func(string) (string, bool) { return "", false }, Dir: t.TempDir()}, setup.Flags{Data: t.TempDir(), Set: set})
	if err := a.Settings.Configure(); err != nil {
		t.Fatal(err)
	}
	return a
}

// resolvedModel returns the model of a name, with its settings.
func resolvedModel(t *testing.T, a *app, name string) llm.Model {
	t.Helper()
	c, err := a.Providers.ChoiceByName(name)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := a.Models.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return conn.Model
}

func TestModelsHaveTheirPriceSheets(t *testing.T) {
	t.Parallel()
	a := newAppWith(t, "providers.openai.models={gpt-5.4: {cache_ttl: 24h}}", "providers.ollama.models={qwen3: {cache_ttl: 5m}}", "providers.anthropic.models={claude-sonnet-5: {cache_ttl: 1h}}",
		"providers.mine={base_url: http://127.0.0.1:1/v1}")
	chats := newAppWith(t, "providers.anthropic.wire=chat")
	proxied := newAppWith(t, "providers.anthropic={base_url: http://127.0.0.1:1/v1}")
	for name, c := range map[string]struct {
		app  *app
		want planner.PriceSheet
	}{
		"openai/gpt-5.4":                       {a, planner.PriceSheet{Read: 0.1, Write: 1, Lifetime: 24 * time.Hour}},
		"openai/gpt-5.6-sol":                   {a, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 30 * time.Minute}},
		"anthropic/claude-sonnet-5":            {a, planner.PriceSheet{Read: 0.1, Write: 2, Lifetime: time.Hour}}, // the configured lifetime
		"anthropic/claude-opus-4-6":            {a, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute}},
		"anthropic/claude-sonnet-4-6":          {chats, planner.PriceSheet{Read: 1, Write: 1}}, // caches nothing over chat completions
		"anthropic/claude-opus-4-5":            {proxied, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute}},
		"openrouter/anthropic/claude-opus-5.5": {a, planner.PriceSheet{Read: 0.05, Write: 1.25, Lifetime: 5 * time.Minute}},
		"ollama/qwen3":                         {a, planner.PriceSheet{Read: 0.1, Write: 1, Lifetime: 5 * time.Minute, Unpriced: true}},
		"mine/whatever":                        {a, planner.DefaultSheet()},
	} {
		got := resolvedModel(t, c.app, name).Sheet()
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestARecordedCacheLifetimeIsUsed(t *testing.T) {
	t.Parallel()
	a := newAppWith(t)
	m := resolvedModel(t, a, "openai/gpt-5.4")
	if m.CacheTTL != 0 {
		t.Fatalf("a lifetime that nothing recorded: %v", m.CacheTTL)
	}
	cfg, err := a.Settings.ConfigFor(newEvents(conversation.ConfigChanged{Set: map[string]string{"providers.openai.models": "{gpt-5.4: {cache_ttl: 2h}}"}}))
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Settings.WithLimits(cfg, m).Sheet().Lifetime; got != 2*time.Hour {
		t.Errorf("the cache lives %v", got)
	}
}

func TestTheLoadLineIsBelowThePriceStepOfTheModel(t *testing.T) {
	t.Parallel()
	a := newAppWith(t)
	m := resolvedModel(t, a, "openai/gpt-5.4")
	if m.Window.Tokens != 922_000 || len(m.Prices.Tiers) == 0 {
		t.Fatalf("the model in the catalogue has changed: %+v", m)
	}
	reading := func(m llm.Model) meter.Reading {
		return meter.New(m.MeterOptions(a.Settings.Cfg().Rules())).Reading()
	}
	if got := reading(m).LoadLine; got != 258_400 { // 0.95 of 272,000
		t.Errorf("the load line is at %d", got)
	}
	same := *m.Prices
	same.Tiers = []llm.Tier{{Over: 272_000, Input: same.Input, Output: 2 * same.Output}}
	m.Prices = &same
	if got := reading(m).LoadLine; got != 783_700 { // 0.85 of the window
		t.Errorf("a step that makes no input dearer puts the load line at %d", got)
	}
}
