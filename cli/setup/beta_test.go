package setup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Source: context windows, "1M token context window".
func TestALargeWindowOfAnOlderClaudeIsAskedFor(t *testing.T) {
	t.Parallel()
	own := map[string]string{"anthropic-beta": "files-api-2025-04-14", "X-Team": "a"}
	for name, c := range map[string]struct {
		provider, model string
		window          int
		headers, want   map[string]string
	}{
		"asked for":             {"anthropic", "claude-sonnet-4-5", 1_000_000, nil, map[string]string{"Anthropic-Beta": "context-1m-2025-08-07"}},
		"dated":                 {"anthropic", "claude-sonnet-4-20250514", 1_000_000, nil, map[string]string{"Anthropic-Beta": "context-1m-2025-08-07"}},
		"beside another beta":   {"anthropic", "claude-sonnet-4-5-20250929", 500_000, own, map[string]string{"Anthropic-Beta": "files-api-2025-04-14,context-1m-2025-08-07", "X-Team": "a"}},
		"the usual window":      {"anthropic", "claude-sonnet-4-5", 200_000, nil, nil},
		"not said":              {"anthropic", "claude-sonnet-4-5", 0, own, own},
		"one that has it":       {"anthropic", "claude-sonnet-4-6", 1_000_000, nil, nil},
		"a newer one":           {"anthropic", "claude-sonnet-5", 1_000_000, nil, nil},
		"at another provider":   {"openrouter", "claude-sonnet-4-5", 1_000_000, nil, nil},
		"one that never had it": {"anthropic", "claude-opus-4-5", 1_000_000, nil, nil},
	} {
		if diff := cmp.Diff(c.want, withBetas(c.headers, c.provider, c.model, c.window)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
