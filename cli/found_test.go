package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
	"plimsoll/cli/setup"
)

func TestNewcomersHearWhatWasFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set      []string
		env      map[string]string
		provider string
		stored   bool
		want     []string
	}{
		"nothing": {provider: "demo"},
		"keys": {env: map[string]string{"ANTHROPIC_API_KEY": "sk-secret", "OPENAI_API_KEY": "sk-secret"}, provider: "openai",
			want: []string{"a key for openai", "a key for anthropic"}},
		"a server": {env: map[string]string{"OPENAI_BASE_URL": "http://user:secret@127.0.0.1:8080/v1"}, provider: "openai",
			want: []string{"a server at 127.0.0.1:8080"}},
		"a local server":               {provider: "ollama", want: []string{"ollama on this machine"}},
		"an own one":                   {set: []string{"providers.mine.base_url=http://127.0.0.1:1/v1"}, provider: "demo", want: []string{"mine in the configuration"}},
		"for who has been here before": {env: map[string]string{"OPENAI_API_KEY": "sk-secret"}, provider: "openai", stored: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := bareApp(t, c.set...)
			defer a.resources.Close()
			a.console.Lookup = func(name string) (string, bool) { value, ok := c.env[name]; return value, ok }
			if c.stored {
				keep(t, a, stored, fileTurns(1)...)
			}
			l := setup.Link{Provider: agenttest.NewProvider(), Model: llm.Model{Provider: c.provider, ID: "m"}}
			h := hosting(t, a, l, "")
			defer h.Close()
			talk, err := h.New(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, talk.Found); diff != "" {
				t.Error(diff)
			}
		})
	}
}
