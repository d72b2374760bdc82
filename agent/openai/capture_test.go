package openai_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/conversation"
)

// These tests replay answers of real llama.cpp and Ollama servers, byte for byte. want.json
// was made from the bodies without this package.

const captures = "testdata/captures"

// expectedReply is the expected result of reading a capture.
type expectedReply struct {
	Text      string                  `json:"text"`
	Reasoning string                  `json:"reasoning"`
	Calls     []call                  `json:"calls"`
	Stop      conversation.StopReason `json:"stop"`
	Usage     *struct {
		Prompt, Cached, Completion int
	} `json:"usage"`
	Progress  [][2]int  `json:"progress"`
	Class     llm.Class `json:"class"`
	Status    int       `json:"status"`
	Window    int       `json:"window"`
	Requested int       `json:"requested"`
}

func serveCapture(t *testing.T, name string) http.HandlerFunc {
	t.Helper()
	head := readCapture(t, name+".headers")
	body := readCapture(t, name+".body")
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(append(head, "\r\n\r\n"...))), nil)
	if err != nil {
		t.Fatalf("%s.headers: %v", name, err)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, k := range []string{"Content-Type", "Server", "X-Accel-Buffering"} {
			if v := resp.Header.Get(k); v != "" {
				w.Header().Set(k, v)
			}
		}
		w.WriteHeader(resp.StatusCode)
		write(w, string(body))
	}
}

func readCapture(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(captures, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCapturedRepliesAreParsed(t *testing.T) {
	t.Parallel()
	var want map[string]expectedReply
	if err := json.Unmarshal(readCapture(t, "want.json"), &want); err != nil {
		t.Fatal(err)
	}
	bodies, err := filepath.Glob(captures + "/*/*.body")
	if err != nil || len(bodies) != len(want) {
		t.Fatalf("%d captures, %d expectations, %v", len(bodies), len(want), err)
	}
	for name, w := range want {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider := "llamacpp"
			if strings.HasPrefix(name, "ollama/") {
				provider = "ollama"
			}
			got := readReply(t, serve(t, provider, serveCapture(t, name)), user("hello"))
			if diff := cmp.Diff(w, summaryOf(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got.Err != nil && (got.Err.Message == "" || strings.Contains(got.Err.Message, "\n") || strings.Contains(got.Err.Message, `{"error`)) {
				t.Errorf("message %q", got.Err.Message)
			}
		})
	}
}

// summaryOf converts a reply to the form of want.json.
func summaryOf(r reply) expectedReply {
	w := expectedReply{Text: r.Text, Reasoning: r.Reasoning, Calls: r.Calls, Stop: r.Stop, Progress: r.Progress}
	if r.Usage != nil {
		w.Usage = &struct{ Prompt, Cached, Completion int }{r.Usage.Prompt, r.Usage.Cached, r.Usage.Completion}
	}
	if e := r.Err; e != nil {
		w.Class, w.Status, w.Window, w.Requested = e.Class, e.Status, e.Window, e.Requested
	}
	return w
}

func serveCaptures(t *testing.T, routes map[string]string) handlerTransport {
	t.Helper()
	mux := http.NewServeMux()
	for path, name := range routes {
		mux.HandleFunc(path, serveCapture(t, name))
	}
	return handlerTransport{mux.ServeHTTP}
}

func TestCapturedModelListsAreDiscovered(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, provider, model string
		routes                map[string]string
		want                  openai.Discovery
		models                []string
	}{
		{"llama.cpp", "llamacpp", "tiny-bigram", map[string]string{"/v1/models": "llama-server/v1-models"},
			openai.Discovery{Window: 2048, Server: "llamacpp"}, []string{"tiny-bigram"}},
		{"llama.cpp with slots, address of the user's own", "custom", "tiny-think", map[string]string{"/v1/models": "llama-server-think/v1-models"},
			openai.Discovery{Window: 1024, Server: "llamacpp"}, []string{"tiny-think"}},
		{"Ollama, loaded", "ollama", "tiny", map[string]string{"/v1/models": "ollama/v1-models", "/api/ps": "ollama/ps"},
			openai.Discovery{Window: 4096, Server: "ollama"},
			[]string{"tiny-think:latest", "tiny-tools:latest", "tiny:latest"}},
		{"Ollama, loaded with another window", "custom", "tiny:latest",
			map[string]string{"/v1/models": "ollama/v1-models", "/api/ps": "ollama/ps-after-numctx"},
			openai.Discovery{Window: 512, Server: "ollama"},
			[]string{"tiny-think:latest", "tiny-tools:latest", "tiny:latest"}},
		{"Ollama, not loaded", "ollama", "tiny-think", map[string]string{"/v1/models": "ollama/v1-models", "/api/ps": "ollama/ps"},
			openai.Discovery{Server: "ollama", AskAgain: true}, []string{"tiny-think:latest", "tiny-tools:latest", "tiny:latest"}},
		{"something that is no list", "custom", "x", map[string]string{"/v1/models": "ollama/version", "/props": "llama-server/health"},
			openai.Discovery{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := openai.Options{Provider: tt.provider, BaseURL: "http://127.0.0.1:9/v1", Transport: serveCaptures(t, tt.routes)}
			got, err := openai.Discover(t.Context(), o, tt.model)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, m := range got.Models {
				ids = append(ids, m.ID)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(openai.Discovery{}), cmpopts.IgnoreFields(openai.Discovery{}, "Models")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.models, ids); diff != "" {
				t.Errorf("models (-want +got)\n%s", diff)
			}
		})
	}
}
