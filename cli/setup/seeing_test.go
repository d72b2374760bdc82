package setup

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/agent/catalog"
	"plimsoll/cli/console"
	"plimsoll/config"
)

func TestModelsWithEyesAreNamed(t *testing.T) {
	t.Parallel()
	loaded, err := config.Load(config.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Settings{Console: &console.Console{Env: console.Env{Lookup: func(name string) (string, bool) { return "k", name == "ANTHROPIC_API_KEY" }}}}
	s.Loaded.Store(&loaded)
	p := &Providers{Console: s.Console, Settings: s}
	for _, provider := range []string{"deepseek", "openai", "anthropic", "custom"} {
		names := p.Seeing(provider, false)
		if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "anthropic/") }) || len(names) > 3 {
			t.Errorf("%s: %v", provider, names)
		}
		for i, name := range names {
			of, id, _ := strings.Cut(name, "/")
			e, ok := catalog.Lookup(of, id)
			if !ok || e.Images != nil && !*e.Images || provider == "openai" && i == 0 && of != "openai" {
				t.Errorf("%s: %s", provider, name)
			}
		}
	}
	if names := p.Seeing("gemini", true); !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "anthropic/") }) ||
		slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "gemini/") }) {
		t.Errorf("PDFs are taken by %v", names)
	}
}
