package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact/planner"
	"plimsoll/compact/replay"
)

// Models are billed by their prices in the catalog and the configuration. How long
// a cache lives that nobody says is assumed by the price of writing.
func TestModelsHaveSheetsInRelationToTheirInput(t *testing.T) {
	t.Parallel()
	a := newApp(console.Env{Lookup: func(string) (string, bool) { return "", false }, Dir: t.TempDir()}, setup.Flags{Data: t.TempDir(), Set: []string{
		"providers.anthropic.models={claude-opus-4-5: {prices: {input: 5, cache_write: 10, output: 25}}, claude-sonnet-4-5: {cache_ttl: 1h}}",
		"providers.openai.models={gpt-5.4: {cache_ttl: 24h, prices: {input: 2, cached: 1, output: 10}}}"}})
	if err := a.settings.Configure(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]replay.Sheet{
		"openai/gpt-5.4":                       {Read: 0.5, Write: 1, Output: 5, Lifetime: 24 * time.Hour},
		"anthropic/claude-opus-4-5":            {Read: 0.1, Write: 2, Output: 5, Lifetime: planner.UnknownLifetime}, // the price of the hour
		"anthropic/claude-sonnet-4-5":          {Read: 0.1, Write: 1.25, Output: 5, Lifetime: time.Hour},
		"anthropic/claude-opus-4-6":            {Read: 0.1, Write: 1.25, Output: 5, Lifetime: 5 * time.Minute},
		"openrouter/anthropic/claude-opus-5.5": {Read: 0.05, Write: 1.25, Output: 5, Lifetime: 5 * time.Minute},
		"openai/gpt-5.6-sol":                   {Read: 0.1, Write: 1.25, Output: 5, Lifetime: 30 * time.Minute},
		"openai/gpt-4o":                        {Read: 0.5, Write: 1, Output: 4, Lifetime: planner.UnknownLifetime},
		"gpt-4o":                               {Read: 0.5, Write: 1, Output: 5, Lifetime: 10 * time.Minute},
	} {
		sheets, err := a.replayer().Sheets([]string{name + ", " + name})
		if err != nil || len(sheets) != 1 {
			t.Fatalf("%s: %+v, %v", name, sheets, err)
		}
		got := sheets[0]
		got.Step, got.StepFactor, want.Name = 0, 0, name
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestNumbersOfTokensCanBeShort(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"32000": 32_000, "32k": 32_000, "200K": 200_000, "1M": 1_000_000, "1.05m": 1_050_000, "0.5k": 500,
		"128_000": 128_000, " 7 ": 7, "-3": -3} {
		var n tokenCount
		if err := n.Set(text); err != nil || int(n) != want {
			t.Errorf("%q is %d, not %d: %v", text, n, want, err)
		}
	}
	for _, text := range []string{"", "k", "12 k", "12kk", "1e3", "NaN", "infM", "1.5", "0x", "99999999999999999999", strings.Repeat("9", 400) + "k", "٣k"} {
		var n tokenCount
		if err := n.Set(text); err == nil {
			t.Errorf("%q is taken for %d", text, n)
		}
	}
}
