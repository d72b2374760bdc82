package catalog_test

import (
	"math"
	"testing"

	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

func TestEveryRowIsValid(t *testing.T) {
	t.Parallel()
	all := catalog.All()
	if len(all) != 256 {
		t.Errorf("the table has %d rows, want 256", len(all))
	}
	for _, e := range all {
		name := e.Provider + "/" + e.ID
		if e.Provider == "" || e.ID == "" || e.Tokenizer == "" || len(e.Date) != len("2026-11-10") {
			t.Errorf("%s: a field is missing: %+v", name, e)
		}
		if e.Limit() <= 0 || e.Limit() > e.Window || e.MaxInput > e.Window {
			t.Errorf("%s: window %d, input %d, limit %d", name, e.Window, e.MaxInput, e.Limit())
		}
		if p := e.Prices; p != nil {
			if p.Input < 0 || p.Output < 0 || p.Date == "" || p.Cached > p.Input {
				t.Errorf("%s: prices %+v", name, *p)
			}
			for i, tier := range p.Tiers {
				if tier.Over <= 0 || tier.Input <= 0 || (i > 0 && tier.Over <= p.Tiers[i-1].Over) {
					t.Errorf("%s: tiers %+v", name, p.Tiers)
				}
			}
		}
		if got, ok := catalog.Lookup(e.Provider, e.ID); !ok || got.ID != e.ID || got.Guessed {
			t.Errorf("%s: looking it up gives %q", name, got.ID)
		}
		for _, a := range e.Aliases {
			if got, ok := catalog.Lookup(e.Provider, a); !ok || got.ID != e.ID || got.Guessed {
				t.Errorf("%s: its alias %s gives %q", name, a, got.ID)
			}
		}
	}
}

// FEAT-011 requires these windows.
func TestModelsOfFEAT011HaveTheirWindows(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]int{
		"claude-sonnet-4-20250514":     200_000,
		"claude-haiku-3-5-20241022":    200_000,
		"claude-opus-4-20250514":       200_000,
		"gpt-4o":                       128_000,
		"gpt-4o-mini":                  128_000,
		"gpt-4-turbo":                  128_000,
		"gemini-2.0-flash":             1_048_576,
		"gemini-2.5-pro-preview-05-06": 1_048_576,
	} {
		e, ok := catalog.ByID(id)
		if !ok || e.Limit() != want || e.Guessed {
			t.Errorf("%s: window %d (found %v), want %d", id, e.Limit(), ok, want)
		}
	}
}

func TestLookupAcceptsVariantsOfModelNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, provider, id string // no provider: ByID
		want               string // provider/id, "" not found
		guessed            bool
	}{
		{"maker before host", "", "gpt-4o", "openai/gpt-4o", false},
		{"google is gemini", "gemini", "gemini-2.5-pro", "gemini/gemini-2.5-pro", false},
		{"google is no name of ours", "google", "gemini-2.5-pro", "", false},
		{"alias", "", "claude-3-5-haiku-latest", "anthropic/claude-haiku-3-5-20241022", false},
		{"case", "ollama", "Llama3.1", "ollama/llama3.1", false},
		{"ollama tag", "ollama", "qwen3:latest", "ollama/qwen3", false},
		{"ollama size", "ollama", "qwen3:14b", "ollama/qwen3", true},
		{"longest family", "openai", "gpt-4o-mini-2029-01-01", "openai/gpt-4o-mini", true},
		{"unversioned", "mistral", "mistral-large", "mistral/mistral-large-latest", false},
		{"another version is no relative", "openai", "gpt-4.7", "", false},
		{"exact elsewhere beats family", "", "deepseek-r1:671b", "ollama/deepseek-r1:671b", false},
		{"host's own id", "", "openai/gpt-oss-120b", "groq/openai/gpt-oss-120b", false},
		{"other provider's model", "anthropic", "gpt-4o", "", false},
		{"unknown provider", "custom", "gpt-4o", "", false},
		{"empty", "openai", "", "", false},
		{"a later Claude", "anthropic", "claude-opus-6-1", "anthropic/claude-opus-5-5", true},
		{"a much later Claude", "", "claude-sonnet-9", "anthropic/claude-sonnet-5-5", true},
		{"a Claude between two known ones", "anthropic", "claude-opus-4-9-20270101", "anthropic/claude-opus-5-5", true},
		{"a Claude with a date", "anthropic", "claude-opus-5-5@20261101", "anthropic/claude-opus-5-5", true},
		{"a Claude at Bedrock", "anthropic", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic/claude-sonnet-4-5", true},
		{"a Claude with a point", "anthropic", "anthropic/claude-sonnet-5.5", "anthropic/claude-sonnet-5-5", true},
		{"a Claude of an unknown family", "anthropic", "claude-saga-6", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			find := func() (catalog.Entry, bool) { return catalog.Lookup(tt.provider, tt.id) }
			if tt.provider == "" {
				find = func() (catalog.Entry, bool) { return catalog.ByID(tt.id) }
			}
			e, ok := find()
			got := ""
			if ok {
				got = e.Provider + "/" + e.ID
			}
			if got != tt.want || e.Guessed != tt.guessed {
				t.Errorf("got %q (guessed: %v), want %q (guessed: %v)", got, e.Guessed, tt.want, tt.guessed)
			}
		})
	}
}

func TestPricesOfUnknownGenerationsAreUnknown(t *testing.T) {
	t.Parallel()
	if e, ok := catalog.Lookup("anthropic", "claude-opus-6-1"); !ok || e.Prices != nil || e.Limit() != 1_000_000 || e.MaxOutput != 128_000 || !e.Reasoning {
		t.Errorf("%+v", e)
	}
	if e, _ := catalog.Lookup("anthropic", "claude-opus-5-5-20261101"); e.Prices == nil {
		t.Error("the same model under a date has no prices")
	}
}

func TestDefaultModelsSupportTools(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"openai", "anthropic", "gemini", "openrouter", "deepseek", "mistral", "xai", "groq",
		"cerebras", "together", "fireworks", "moonshot", "zai", "alibaba", "cohere", "minimax"} {
		e, ok := catalog.Default(p)
		if !ok || e.Provider != p || e.Deprecated || !e.Tools || e.Prices == nil || e.Guessed {
			t.Errorf("%s: default %+v (found %v)", p, e, ok)
		}
	}
	for _, p := range []string{"ollama", "custom", ""} {
		if e, ok := catalog.Default(p); ok {
			t.Errorf("%q has the default %s: what a local server has, only it knows", p, e.ID)
		}
	}
}

func TestTrainedMaximumIsNotUsedAsTheWindow(t *testing.T) {
	t.Parallel()
	e, _ := catalog.Lookup("ollama", "llama3.1")
	if m := e.Model("llama3.1"); m.Window.IsKnown() || m.Window.Source != meter.WindowUnknown || m.Prices == nil || m.Prices.Input != 0 {
		t.Errorf("an Ollama model got window %+v, prices %v", m.Window, m.Prices)
	}
	e, _ = catalog.Lookup("openai", "gpt-5.4")
	m := e.Model("gpt-5.4")
	if m.Window != (meter.Window{Tokens: 922_000, Source: meter.WindowCatalogue}) || m.MaxOut != 128_000 || m.Caps.NoTools {
		t.Errorf("gpt-5.4: %+v", m)
	}
	e, _ = catalog.Lookup("openai", "gpt-3.5-turbo")
	if m := e.Model("gpt-3.5-turbo"); !m.Caps.NoTools {
		t.Error("a model without tools is said to have them")
	}
}

func TestChatToolsQuirks(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]catalog.ChatTools{
		"gpt-4o": catalog.ChatToolsPlain, "gpt-5.4": catalog.ChatToolsNoEffort,
		"gpt-5.6": catalog.ChatToolsEffortNone, "gpt-6.1-sol": catalog.ChatToolsResponses,
	} {
		if e, _ := catalog.Lookup("openai", id); e.ChatTools != want {
			t.Errorf("%s: %q, want %q", id, e.ChatTools, want)
		}
	}
	if e, _ := catalog.Lookup("anthropic", "claude-opus-5"); !e.NoTemperature || !e.Reasoning {
		t.Errorf("claude-opus-5: %+v", e.Traits)
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	sheet := llm.Prices{
		Input: 2, Cached: 0.5, CacheWrite: 2.5, Output: 10,
		Tiers: []llm.Tier{{Over: 200_000, Input: 4, Output: 15}, {Over: 500_000, Input: 8, Cached: 1, Output: 20}},
	}
	tests := []struct {
		name   string
		prices llm.Prices
		tokens llm.Tokens
		want   float64
	}{
		{"plain", sheet, llm.Tokens{Prompt: 1000, Cached: -1, CacheWrite: -1, Completion: 100, Reasoning: -1}, 0.003},
		{"cached and written are part of the prompt", sheet, llm.Tokens{Prompt: 1000, Cached: 600, CacheWrite: 200, Completion: 0}, 0.0012},
		{"written for an hour", sheet, llm.Tokens{Prompt: 1000, CacheWrite: 500, CacheWriteLong: 200}, 0.00255},
		{"at the line the lower tier holds", sheet, llm.Tokens{Prompt: 200_000}, 0.4},
		{"over the line the whole request costs more", sheet, llm.Tokens{Prompt: 200_001, Completion: 1000}, 0.815004},
		{"unpublished cache prices are the input price", sheet, llm.Tokens{Prompt: 300_000, Cached: 100_000, CacheWrite: 100_000}, 1.2},
		{"highest tier", sheet, llm.Tokens{Prompt: 600_000, Cached: 500_000}, 1.3},
		{"nothing reported", sheet, llm.Tokens{Prompt: -1, Cached: -1, CacheWrite: -1, Completion: -1, Reasoning: -1}, 0},
		{"more cached than sent is cut", sheet, llm.Tokens{Prompt: 100, Cached: 500}, 0.00005},
		{"free", llm.Prices{}, llm.Tokens{Prompt: 1000, Completion: 1000}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := catalog.Cost(tt.prices, tt.tokens); math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("got %.9f, want %.9f", got, tt.want)
			}
		})
	}
}

func TestCacheSaved(t *testing.T) {
	t.Parallel()
	sheet := llm.Prices{Input: 2, Cached: 0.5, CacheWrite: 2.5, Output: 10,
		Tiers: []llm.Tier{{Over: 200_000, Input: 4, Output: 15}, {Over: 500_000, Input: 8, Cached: 1, Output: 20}}}
	for name, c := range map[string]struct {
		tokens llm.Tokens
		want   float64
	}{
		"served at the price of the cache":  {llm.Tokens{Prompt: 1000, Cached: 600}, 0.0009},
		"what was written is no part of it": {llm.Tokens{Prompt: 1000, Cached: 600, CacheWrite: 400}, 0.0009},
		"no price of the cache, no savings": {llm.Tokens{Prompt: 300_000, Cached: 100_000}, 0},
		"the highest tier":                  {llm.Tokens{Prompt: 600_000, Cached: 500_000}, 3.5},
		"more served than sent is cut":      {llm.Tokens{Prompt: 100, Cached: 500}, 0.00015},
		"nothing reported":                  {llm.Tokens{Prompt: -1, Cached: -1}, 0},
	} {
		if got := catalog.CacheSaved(sheet, c.tokens); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %.9f, want %.9f", name, got, c.want)
		}
		all := llm.Tokens{Prompt: c.tokens.Prompt, Cached: c.tokens.Cached, CacheWrite: -1}
		none := llm.Tokens{Prompt: c.tokens.Prompt, CacheWrite: -1}
		if got := catalog.Cost(sheet, none) - catalog.Cost(sheet, all); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: without its cache it costs %.9f more, not %.9f", name, got, c.want)
		}
	}
}

func TestCacheSavingsUseThePricesOfTheRequestedModel(t *testing.T) {
	t.Parallel()
	own := llm.Model{Provider: "custom", ID: "mine", Prices: &llm.Prices{Input: 10, Cached: 1}}
	saved := catalog.Savings(own)
	of := func(model string, cached int) *float64 {
		return saved(conversation.Usage{Model: model, Prompt: 1_000_000, Cached: cached})
	}
	if got := of("custom/mine", 100_000); got == nil || math.Abs(*got-0.9) > 1e-9 {
		t.Errorf("by its own prices: %v", got)
	}
	e, _ := catalog.Lookup("openai", "gpt-5.4")
	want := catalog.CacheSaved(*e.Prices, llm.Tokens{Prompt: 1_000_000, Cached: 100_000})
	if got := of("openai/gpt-5.4", 100_000); got == nil || *got != want || want <= 0 {
		t.Errorf("by the catalogue's: %v, want %v", got, want)
	}
	for _, model := range []string{"custom/other", "openai/gpt-5.4-2031-01-01", "", "nobody"} {
		if got := of(model, 100_000); got != nil {
			t.Errorf("%q: %v", model, *got)
		}
	}
	if of("custom/mine", -1) != nil || saved(conversation.Usage{Model: "custom/mine", Prompt: -1, Cached: 4}) != nil {
		t.Error("what was not reported is reckoned")
	}
	if got := catalog.Savings(llm.Model{Provider: "custom", ID: "mine"})(conversation.Usage{Model: "custom/mine", Prompt: 9, Cached: 4}); got != nil {
		t.Errorf("without prices: %v", *got)
	}
}

func TestEntriesSayHowImagesAreTaken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider, id string
		blind        bool
		rule         meter.ImageRule
	}{
		{"openai", "gpt-4o", false, meter.TileRule},
		{"openai", "gpt-4o-mini", false, meter.ImageRule{Base: 2833, Tile: 5667}},
		{"anthropic", "claude-sonnet-4-5", false, meter.PixelRule},
		{"openrouter", "anthropic/claude-sonnet-4.5", false, meter.PixelRule},
		{"deepseek", "deepseek-chat", true, meter.TileRule},
		{"ollama", "qwen3-vl", false, meter.TileRule},
	} {
		e, ok := catalog.Lookup(c.provider, c.id)
		if m := e.Model(c.id); !ok || m.Caps.NoImages != c.blind || m.Images != c.rule {
			t.Errorf("%s/%s: %v, takes no images: %v, %+v", c.provider, c.id, ok, m.Caps.NoImages, m.Images)
		}
	}
}
