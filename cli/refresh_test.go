package cli_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestModelsAreRefreshedFromTheirEndpoints(t *testing.T) {
	t.Parallel()
	var list atomic.Value
	list.Store(`{"data":[
		{"id":"maker/big","context_length":400000,"pricing":{"prompt":"0.00000125","completion":"0.00001"},"top_provider":{"max_completion_tokens":64000}},
		{"id":"maker/plain"},
		{"id":"maker/embed-1","context_length":8000}]}`)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || list.Load() == "" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(list.Load().(string)))
	}))
	t.Cleanup(srv.Close)
	d := newCommandLine(t)
	config := filepath.Join(d.dir, "mine.yaml")
	if err := os.WriteFile(config, []byte("providers:\n  mine:\n    base_url: "+srv.URL+"/v1\n    models: {maker/plain: {prices: {output: 0}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(want int, args ...string) string {
		t.Helper()
		code, stdout, stderr := d.run(t.Context(), nil, append([]string{"--config", config, "models", "--provider", "mine"}, args...)...)
		if code != want {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
		return stdout + stderr
	}
	if got := run(0, "--refresh"); !strings.HasPrefix(got, "mine: 2 models\n") {
		t.Errorf("the first time it says\n%s", got)
	}
	list.Store(`{"data":[{"id":"maker/big","context_length":1000000,"pricing":{"prompt":"0.000001","completion":"0.00001"},"top_provider":{"max_completion_tokens":64000}},{"id":"maker/plain"}]}`)
	if got, want := run(0, "--refresh"), "mine: 2 models\n"; got != want {
		t.Errorf("the second time it says\n%s\nwant\n%s", got, want)
	}
	if got := run(2, "--refresh", "--json"); !strings.Contains(got, "not both") {
		t.Errorf("with --json it says\n%s", got)
	}
	list.Store("") // the endpoint no longer answers
	if got := run(1, "--refresh"); !strings.Contains(got, "nothing was changed") {
		t.Errorf("without an endpoint it says\n%s", got)
	}
	var rows []struct {
		ID            string `json:"id"`
		ContextWindow *int   `json:"context_window"`
		WindowSource  string `json:"window_source"`
		Prices        struct{ Input, Output *float64 }
	}
	if err := json.Unmarshal([]byte(run(0, "--json")), &rows); err != nil || len(rows) != 2 {
		t.Fatalf("%+v, %v", rows, err)
	}
	if r := rows[0]; r.ID != "maker/big" || r.ContextWindow == nil || *r.ContextWindow != 1_000_000 || r.WindowSource != "server" || r.Prices.Input == nil || *r.Prices.Input != 1 {
		t.Errorf("the stored model is listed as %+v", r)
	}
	if r := rows[1]; r.ContextWindow != nil || r.WindowSource != "unknown" || r.Prices.Input != nil || r.Prices.Output == nil || *r.Prices.Output != 0 {
		t.Errorf("the model without facts is listed as %+v", r)
	}
}
