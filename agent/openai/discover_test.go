package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/conversation"
)

// serveJSON starts a server with one JSON body per path, and returns its address.
func serveJSON(t *testing.T, bodies map[string]string) string {
	t.Helper()
	mux := http.NewServeMux()
	for path, body := range bodies {
		mux.HandleFunc(path, status(http.StatusOK, body))
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

var discoveries = []struct {
	name, provider, base, model string
	bodies                      map[string]string
	want                        openai.Discovery
}{
	{"llama.cpp, the slot's window from props", "llamacpp", "/v1", "x",
		map[string]string{"/v1/models": `{"data":[{"id":"x","owned_by":"llamacpp"}]}`, "/props": `{"default_generation_settings":{"n_ctx":1024},"total_slots":2}`},
		openai.Discovery{Window: 1024, Server: "llamacpp", Models: []openai.ListedModel{{ID: "x", Chat: true, Loaded: true}}}},
	{"llama.cpp's router, nothing loaded", "llamacpp", "/v1", "x",
		map[string]string{"/v1/models": `{"data":[{"id":"x","owned_by":"llamacpp","status":{"value":"unloaded","args":[]}},{"id":"y","owned_by":"llamacpp","status":{"value":"loaded"}}]}`,
			"/props": `{"role":"router","default_generation_settings":{"params":{},"n_ctx":0},"total_slots":0}`},
		openai.Discovery{Server: "llamacpp", AskAgain: true, Models: []openai.ListedModel{{ID: "x", Chat: true}, {ID: "y", Chat: true, Loaded: true}}}},
	{"Ollama, num_ctx of a model that is not loaded", "ollama", "/v1", "x",
		map[string]string{"/v1/models": `{"data":[{"id":"x:latest","owned_by":"library"}]}`, "/api/ps": `{"models":[]}`,
			"/api/show": `{"parameters":"stop \"<|eot|>\"\nnum_ctx                        8192\n","model_info":{"llama.context_length":131072}}`},
		openai.Discovery{Window: 8192, Server: "ollama", AskAgain: true, Models: []openai.ListedModel{{ID: "x:latest", Chat: true}}}},
	{"Ollama under another name", "box", "/v1", "x",
		map[string]string{"/v1/models": `{"data":[{"id":"x:latest","owned_by":"library"}]}`, "/api/ps": `{"models":[]}`, "/api/show": `{"parameters":"num_ctx 8192"}`},
		openai.Discovery{Window: 8192, Server: "ollama", AskAgain: true, Models: []openai.ListedModel{{ID: "x:latest", Chat: true}}}},
	{"Ollama's trained maximum is no window", "ollama", "/v1", "x",
		map[string]string{"/v1/models": `{"data":[{"id":"x:latest","owned_by":"library"}]}`, "/api/ps": `{"models":[]}`,
			"/api/show": `{"parameters":"","model_info":{"llama.context_length":131072}}`},
		openai.Discovery{Server: "ollama", AskAgain: true, Models: []openai.ListedModel{{ID: "x:latest", Chat: true}}}},
	{"LM Studio, loaded", "lmstudio", "/v1", "b",
		map[string]string{"/v1/models": `{"data":[{"id":"a"},{"id":"b"}]}`,
			"/api/v1/models": `{"models":[{"type":"embedding","key":"a","loaded_instances":[],"max_context_length":512},{"type":"llm","key":"b","loaded_instances":[{"id":"b","config":{"context_length":4096}}],"max_context_length":131072,"capabilities":{"trained_for_tool_use":true}}]}`},
		openai.Discovery{Window: 4096, Server: "lmstudio",
			Models: []openai.ListedModel{{ID: "a", Window: 512}, {ID: "b", Window: 131072, Chat: true, Loaded: true}}}},
	{"vLLM", "vllm", "/v1", "b", map[string]string{"/v1/models": `{"data":[{"id":"b","owned_by":"vllm","max_model_len":32768}]}`},
		openai.Discovery{Window: 32768, Server: "vllm", Models: []openai.ListedModel{{ID: "b", Window: 32768, Chat: true, Loaded: true}}}},
	{"OpenRouter", "openrouter", "/api/v1", "a/b", map[string]string{"/api/v1/models": `{"data":[{"id":"a/b","context_length":200000,"top_provider":{"context_length":128000,"max_completion_tokens":8000},
		"pricing":{"prompt":"0.000003","completion":"0.000015","input_cache_read":"0.0000003"},"supported_parameters":["tools"]},{"id":"openrouter/auto","pricing":{"prompt":"-1","completion":"-1"},"supported_parameters":["top_p"]}]}`},
		openai.Discovery{Window: 128000, MaxOut: 8000, Models: []openai.ListedModel{
			{ID: "a/b", Window: 128000, MaxOut: 8000, Chat: true, Loaded: true, Prices: &llm.Prices{Input: 3, Output: 15, Cached: 0.3}},
			{ID: "openrouter/auto", Chat: true, Loaded: true}}}},
	{"Groq", "groq", "/openai/v1", "b", map[string]string{"/openai/v1/models": `{"data":[{"id":"b","active":true,"context_window":131072,"max_completion_tokens":32768},{"id":"old","active":false}]}`},
		openai.Discovery{Window: 131072, MaxOut: 32768, Models: []openai.ListedModel{{ID: "b", Window: 131072, MaxOut: 32768, Chat: true, Loaded: true}, {ID: "old", Loaded: true}}}},
	{"Mistral, by alias", "mistral", "/v1", "b-latest", map[string]string{"/v1/models": `{"data":[{"id":"b-2512","aliases":["b-latest"],"max_context_length":262144,"capabilities":{"completion_chat":true,"function_calling":true}},{"id":"e","capabilities":{"completion_chat":false}}]}`},
		openai.Discovery{Window: 262144, Models: []openai.ListedModel{{ID: "b-2512", Aliases: []string{"b-latest"}, Window: 262144, Chat: true, Loaded: true}, {ID: "e", Loaded: true}}}},
	{"Together, a bare list", "together", "/v1", "b", map[string]string{"/v1/models": `[{"id":"b","type":"chat","context_length":8192,"pricing":{"input":0.2,"output":0.6}},{"id":"i","type":"image"}]`},
		openai.Discovery{Window: 8192, Models: []openai.ListedModel{{ID: "b", Window: 8192, Chat: true, Loaded: true, Prices: &llm.Prices{Input: 0.2, Output: 0.6}}, {ID: "i", Loaded: true}}}},
	{"Gemini, its own list", "gemini", "/v1beta/openai", "g", map[string]string{"/v1beta/openai/models": `{"data":[{"id":"models/g"}]}`,
		"/v1beta/models": `{"models":[{"name":"models/g","inputTokenLimit":1048576,"outputTokenLimit":65536,"supportedGenerationMethods":["generateContent"]}]}`},
		openai.Discovery{Window: 1048576, MaxOut: 65536, Models: []openai.ListedModel{{ID: "g", Window: 1048576, MaxOut: 65536, Chat: true, Loaded: true}}}},
	{"Anthropic", "anthropic", "/v1", "c", map[string]string{"/v1/models": `{"data":[{"id":"c","type":"model","max_input_tokens":1000000,"max_tokens":128000}]}`},
		openai.Discovery{Window: 1000000, MaxOut: 128000, Models: []openai.ListedModel{{ID: "c", Window: 1000000, MaxOut: 128000, Chat: true, Loaded: true}}}},
	{"LiteLLM", "custom", "/v1", "b", map[string]string{"/v1/models": `{"data":[{"id":"b"}]}`, "/model/info": `{"data":[{"model_name":"b","model_info":{"max_input_tokens":32000,"max_output_tokens":4000}}]}`},
		openai.Discovery{Window: 32000, MaxOut: 4000, Server: "litellm", Models: []openai.ListedModel{{ID: "b", Chat: true, Loaded: true}}}},
	{"ids only", "openai", "/v1", "gpt-4o", map[string]string{"/v1/models": `{"data":[{"id":"text-embedding-3-small"},{"id":"gpt-4o"}]}`},
		openai.Discovery{Models: []openai.ListedModel{{ID: "text-embedding-3-small", Loaded: true}, {ID: "gpt-4o", Chat: true, Loaded: true}}}},
	{"odd types", "custom", "/v1", "b", map[string]string{"/v1/models": `{"data":[7,{"id":"b","max_model_len":"big","context_length":100,"pricing":"free"},null,{}]}`},
		openai.Discovery{Window: 100, Models: []openai.ListedModel{{ID: "b", Window: 100, Chat: true, Loaded: true}}}},
}

func TestDiscoverFindsModelsAndWindows(t *testing.T) {
	t.Parallel()
	for _, tt := range discoveries {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := openai.Options{Provider: tt.provider, BaseURL: serveJSON(t, tt.bodies) + tt.base, Key: testKey, Transport: transport(t)}
			got, err := openai.Discover(t.Context(), o, tt.model)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(openai.Discovery{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestDiscoverSendsTheKeyInTheProvidersHeader(t *testing.T) {
	t.Parallel()
	for provider, header := range map[string]string{"anthropic": "X-Api-Key", "openai": "Authorization"} {
		var got atomic.Value
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got.Store(r.Header.Get(header))
			write(w, `{"data":[]}`)
		}))
		_, err := openai.Discover(t.Context(), openai.Options{Provider: provider, BaseURL: srv.URL, Key: testKey, Transport: transport(t)}, "")
		srv.Close()
		if sent, _ := got.Load().(string); err != nil || strings.TrimPrefix(sent, "Bearer ") != testKey {
			t.Errorf("%s: %q, %v", provider, sent, err)
		}
	}
}

func TestDiscoverFailsWithTheServersMessage(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(status(http.StatusUnauthorized, `{"error":{"message":"who are you, `+testKey+`?"}}`))
	t.Cleanup(srv.Close)
	_, err := openai.Discover(t.Context(), openai.Options{Provider: "custom", BaseURL: srv.URL + "/v1", Key: testKey, Transport: transport(t)}, "x")
	if e := llm.AsError(err); e == nil || e.Class != llm.Auth || strings.Contains(e.Message, testKey) {
		t.Errorf("%v", err)
	}
}

// machine is a transport without a network: the bodies of lists of models by host, "" for one that never answers.
type machine map[string]string

func (m machine) RoundTrip(r *http.Request) (*http.Response, error) {
	body, listens := m[r.URL.Host]
	if !listens {
		return nil, syscall.ECONNREFUSED
	}
	w := httptest.NewRecorder()
	switch {
	case body == "":
		<-r.Context().Done()
		return nil, r.Context().Err()
	case r.URL.Path == "/v1/models":
		_, _ = io.WriteString(w, body)
	default:
		http.NotFound(w, r)
	}
	return w.Result(), nil
}

func TestLocalServersAreFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bases := []openai.Server{{Provider: "ollama", BaseURL: "http://deaf/v1"}, {Provider: "lmstudio", BaseURL: "http://b/v1"},
			{Provider: "llamacpp", BaseURL: "http://c/v1"}, {Provider: "vllm", BaseURL: "http://d/v1"},
			{Provider: "vllm", BaseURL: "http://e/v1"}, {Provider: "vllm", BaseURL: "http://gone/v1"}}
		got := openai.LocalWithModels(t.Context(), bases, machine{"deaf": "",
			"b": `{"data":[{"id":"text-embedding-nomic"}]}`, "c": `{"data":[{"id":"tiny","owned_by":"llamacpp"}]}`,
			"d": `{"data":[{"id":"nomic-embed","owned_by":"library"},{"id":"qwen3","owned_by":"library"}]}`, "e": `<html>a web server</html>`})
		want := []openai.Server{
			{Provider: "llamacpp", BaseURL: "http://c/v1", Model: "tiny"},
			{Provider: "ollama", BaseURL: "http://d/v1", Model: "qwen3"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func TestLocalBases(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"": "http://127.0.0.1:11434/v1", "0.0.0.0": "http://127.0.0.1:11434/v1", ":9999": "http://127.0.0.1:9999/v1",
		"box:1234": "http://box:1234/v1", "https://box.example/ollama/": "https://box.example:11434/ollama/v1",
		"[::]:5": "http://127.0.0.1:5/v1", "ftp://x": "http://127.0.0.1:11434/v1", "http://[bad": "http://127.0.0.1:11434/v1",
	} {
		got := openai.LocalCandidates(func(name string) string {
			if name == "OLLAMA_HOST" {
				return host
			}
			return ""
		})
		if got[0] != (openai.Server{Provider: "ollama", BaseURL: want}) || len(got) != 4 {
			t.Errorf("OLLAMA_HOST=%q: %+v", host, got)
		}
	}
}

func TestProviders(t *testing.T) {
	t.Parallel()
	want := []string{"openai", "anthropic", "gemini", "openrouter", "deepseek", "mistral", "xai", "groq"}
	if diff := cmp.Diff(want, openai.ProvidersByKey()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, name := range openai.Providers() {
		e, ok := openai.KnownProvider(name)
		if !ok || e.Label == "" || (e.BaseURL == "") != (name == "custom") || strings.HasSuffix(e.BaseURL, "/") || !e.Local && len(e.KeyVars) == 0 {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// The router reports the window of the requested model once the model is loaded; asking does not load it.
func TestRouterIsAskedForTheWindowOfTheModel(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/models", status(http.StatusOK, `{"data":[{"id":"a/b:Q4","owned_by":"llamacpp","status":{"value":"loaded"}}]}`))
	mux.HandleFunc("/props", func(w http.ResponseWriter, r *http.Request) {
		n := 0
		if q := r.URL.Query(); q.Get("model") == "a/b:Q4" && q.Get("autoload") == "false" {
			n = 16384
		}
		status(http.StatusOK, fmt.Sprintf(`{"default_generation_settings":{"n_ctx":%d}}`, n))(w, r)
	})
	got, err := openai.Discover(t.Context(), openai.Options{Provider: "llamacpp", BaseURL: servedBy(t, mux), Transport: transport(t)}, "a/b:Q4")
	if err != nil || got.Window != 16384 || got.AskAgain {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestServerWithoutModelsIsFound(t *testing.T) {
	t.Parallel()
	empty := serveJSON(t, map[string]string{"/v1/models": `{"object":"list","data":null}`, "/api/ps": `{"models":[]}`})
	other := serveJSON(t, map[string]string{"/v1/models": `{"data":[]}`}) // nobody knows what it is
	bases := []openai.Server{{Provider: "lmstudio", BaseURL: other + "/v1"}, {Provider: "custom", BaseURL: empty + "/v1"}}
	got := openai.LocalServers(t.Context(), bases, transport(t))
	if diff := cmp.Diff([]openai.Server{{Provider: "ollama", BaseURL: empty + "/v1"}}, got); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	if what, hint := got[0].NoModels(); !strings.Contains(what, "Ollama runs") || !strings.Contains(hint, "ollama pull") {
		t.Errorf("%q, %q", what, hint)
	}
	if usable := openai.LocalWithModels(t.Context(), bases, transport(t)); len(usable) != 0 {
		t.Errorf("there is nothing to talk to, but %+v", usable)
	}
}

func TestTokensAreCountedWhenTheServerSupportsIt(t *testing.T) {
	t.Parallel()
	r := user("hi")
	r.System = "be brief"
	r.Tools = []conversation.ToolSpec{{Name: "ls", Description: "lists"}}
	answer := func(routes map[string]string) (http.HandlerFunc, *[]seenRequest) {
		var list []seenRequest
		return recordRequests(t, &list, func(w http.ResponseWriter, q *http.Request) {
			text, ok := routes[q.URL.Path]
			if !ok {
				w.WriteHeader(http.StatusNotFound)
			}
			_, _ = io.WriteString(w, text)
		}), &list
	}
	for name, c := range map[string]struct {
		provider string
		routes   map[string]string
		want     int
	}{
		"Messages":             {"anthropic", map[string]string{"/v1/messages/count_tokens": `{"input_tokens":2095}`}, 2095},
		"llama.cpp":            {"llamacpp", map[string]string{"/apply-template": `{"prompt":"<s>be brief"}`, "/tokenize": `{"tokens":[1,2,3]}`}, 3},
		"vLLM":                 {"vllm", map[string]string{"/tokenize": `{"count":17,"max_model_len":4096,"tokens":[]}`}, 17},
		"a proxy without":      {"anthropic", nil, 0},
		"an older llama.cpp":   {"llamacpp", map[string]string{"/tokenize": `{"tokens":[1,2,3]}`}, 0},
		"nonsense":             {"vllm", map[string]string{"/tokenize": `not JSON`}, 0},
		"no count":             {"vllm", map[string]string{"/tokenize": `{}`}, 0},
		"one that cannot":      {"groq", nil, 0},
		"OpenAI, which cannot": {"openai", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, list := answer(c.routes)
			srv := httptest.NewServer(h)
			t.Cleanup(srv.Close)
			wire := openai.WireAuto
			if c.provider == "vllm" {
				wire = openai.WireResponses // it counts messages whatever the wire is
			}
			got, err := openai.New(openai.Options{Provider: c.provider, BaseURL: srv.URL + "/v1", Wire: wire, Key: testKey, Transport: transport(t)}).CountTokens(t.Context(), r)
			if (err == nil) != (c.want > 0) || err == nil && got != c.want {
				t.Fatalf("%d, %v, want %d", got, err, c.want)
			}
			if c.want == 0 {
				return
			}
			first := (*list)[0]
			if first.body["tools"] == nil || first.body["messages"] == nil || first.body["stream"] != nil || first.body["max_tokens"] != nil {
				t.Errorf("it was asked to count %v", first.body)
			}
		})
	}
}
