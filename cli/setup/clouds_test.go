package setup

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/compact/projection"
	"plimsoll/config"
)

// The clouds of docs/providers.md are configured for a local server that checks address, headers and body.
func TestTheDocumentedCloudsAreReached(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/providers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "Fill in region, project and resource:\n\n```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	type got struct {
		path, key string
		body      map[string]any
	}
	asked := make(chan got, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		g := got{path: r.URL.Path, key: r.Header.Get("Authorization")}
		if err := json.Unmarshal(raw, &g.body); err != nil {
			t.Error(err)
		}
		asked <- g
		http.Error(w, `{"error":{"message":"enough"}}`, http.StatusTeapot)
	}))
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	for name, want := range map[string]string{"gcloud": "auth print-access-token", "az": "account get-access-token --resource https://cognitiveservices.azure.com --query accessToken -o tsv"} {
		script := "#!/bin/sh\n[ \"$*\" = '" + want + "' ] && echo token-of-" + name + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	text = strings.NewReplacer("base_url: https://", "base_url: "+srv.URL+"/", "[gcloud", "["+dir+"/gcloud", "[az", "["+dir+"/az").Replace(text)
	file := filepath.Join(dir, "config.yaml")
	_ = config.ReplaceFile(file, []byte(text)) // Load tells of a missing file
	loaded, err := config.Load(config.LoadOptions{File: file})
	if err != nil {
		t.Fatal(err)
	}
	s := &Settings{Console: &console.Console{Env: console.Env{Lookup: func(name string) (string, bool) {
		return "token-of-bedrock", name == "AWS_BEARER_TOKEN_BEDROCK"
	}}}}
	s.Loaded.Store(&loaded)
	p := &Providers{Console: s.Console, Settings: s}
	for name, want := range map[string]struct{ model, path, field, key string }{
		"bedrock/openai.gpt-oss-120b-1:0": {"openai.gpt-oss-120b-1:0", "/bedrock-runtime.us-west-2.amazonaws.com/openai/v1/chat/completions", "messages", "token-of-bedrock"},
		"vertex/google/gemini-3.8-flash":  {"google/gemini-3.8-flash", "/aiplatform.googleapis.com/v1/projects/PROJECT/locations/global/endpoints/openapi/chat/completions", "reasoning_effort", "token-of-gcloud"},
		"azure/my-gpt":                    {"my-gpt", "/RESOURCE.openai.azure.com/openai/v1/responses", "input", "token-of-az"},
	} {
		c, err := p.ChoiceByName(name)
		if err == nil {
			err = p.CheckKey(c)
		}
		if err != nil {
			t.Fatal(err)
		}
		for range openai.New(p.Endpoint(c)).Stream(t.Context(), llm.Request{Model: c.Model, Messages: []projection.Message{{Role: projection.RoleUser, Text: "hi"}}}) {
		}
		if g := <-asked; g.path != want.path || g.key != "Bearer "+want.key || g.body["model"] != want.model || g.body[want.field] == nil {
			t.Errorf("%s: %+v", name, g)
		}
	}
}

func TestTheBodyOfAModelOverridesThatOfItsProvider(t *testing.T) {
	t.Parallel()
	loaded, err := config.Load(config.LoadOptions{Overrides: []string{"providers={ollama: {body: {a: 1, deep: {x: 1, y: [1]}}}}",
		`models={qwen3: {body: {b: 2, deep: {x: 2}}}, "ollama/qwen3:latest": {body: {b: 3}}, "groq/qwen3": {body: {b: 4}}}`}})
	if err != nil {
		t.Fatal(err)
	}
	s := &Settings{Console: &console.Console{Env: console.Env{Lookup: func(string) (string, bool) { return "", false }}}}
	s.Loaded.Store(&loaded)
	p := &Providers{Console: s.Console, Settings: s}
	raw, err := openai.New(p.Endpoint(p.ChoiceAt("ollama", "qwen3"))).Body(llm.Request{Model: "qwen3:latest"}, "")
	if want := `"a":1,"b":3,"deep":{"x":2,"y":[1]}`; err != nil || !strings.Contains(string(raw), want) {
		t.Errorf("%s, %v", raw, err)
	}
}
