package setup

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
)

func TestTwoProgramsStoreTheFactsOfBoth(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "endpoints.json")
	one, other := &EndpointStore{path: path}, &EndpointStore{path: path}
	one.Model("a", "m") // both have read the file
	other.Model("a", "m")
	if err := one.SetUserWindow("a", "m", 4096); err != nil {
		t.Fatal(err)
	}
	if err := other.SetModels("b", time.Now(), []openai.ListedModel{{ID: "n", Window: 8192, Chat: true}}); err != nil {
		t.Fatal(err)
	}
	again := &EndpointStore{path: path}
	if tokens := again.UserWindow("a", "m"); tokens != 4096 {
		t.Errorf("m is stored with %d", tokens)
	}
	if tells, _ := again.Model("b", "n"); tells.Window != 8192 {
		t.Errorf("n is stored with %+v", tells)
	}
}

func TestFactsThatAnEndpointDoesNotReportAreUnchanged(t *testing.T) {
	t.Parallel()
	known := &llm.Prices{Input: 3, Cached: 0.3, CacheWrite: 3.75, Output: 15, Tiers: []llm.Tier{{Over: 200_000, Input: 6, Cached: 0.6, CacheWrite: 7.5, Output: 22.5}}}
	got := mergePrices(known, &llm.Prices{Input: 1.5, Output: 8}, time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC))
	if got.Input != 1.5 || got.Output != 8 || got.Cached != 0.15 || got.CacheWrite != 1.875 || got.Date != "2026-05-04" ||
		len(got.Tiers) != 1 || got.Tiers[0].Input != 3 || got.Tiers[0].Over != 200_000 {
		t.Errorf("%+v", got)
	}
	if known.Tiers[0].Input != 6 {
		t.Error("the catalog's sheet was changed")
	}
	if got := mergePrices(nil, &llm.Prices{Input: 2, Output: 4}, time.Time{}); got.Cached != 0 || got.Tiers != nil {
		t.Errorf("of an unknown model: %+v", got)
	}
}

func TestADamagedFileOfEndpointsIsPutAside(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "endpoints.json")
	const damaged = `{"a":{"said":{"m":128000}`
	if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	kept := &EndpointStore{path: path}
	if err := kept.SetUserWindow("b", "n", 4096); err != nil {
		t.Fatal(err)
	}
	if aside, err := os.ReadFile(path + ".damaged"); err != nil || string(aside) != damaged {
		t.Errorf("aside is %q, %v", aside, err)
	}
	if tokens := (&EndpointStore{path: path}).UserWindow("b", "n"); tokens != 4096 {
		t.Errorf("n is stored with %d", tokens)
	}
}

func TestAnEmptyModelListRemovesNothing(t *testing.T) {
	t.Parallel()
	kept := &EndpointStore{path: filepath.Join(t.TempDir(), "endpoints.json")}
	if err := kept.SetModels("a", time.Now(), []openai.ListedModel{{ID: "m", Window: 4096, Chat: true}}); err != nil {
		t.Fatal(err)
	}
	if err := kept.SetModels("a", time.Now(), nil); err == nil {
		t.Error("an empty model list was stored")
	}
	if tells, _ := (&EndpointStore{path: kept.path}).Model("a", "m"); tells.Window != 4096 {
		t.Errorf("m is stored with %+v", tells)
	}
}
