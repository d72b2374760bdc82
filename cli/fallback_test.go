package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/agent/updates"
	"plimsoll/cli/screen"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
)

// bodies are the bodies of the requests that a server received.
type bodies struct {
	mu   sync.Mutex
	list []string
}

func (b *bodies) add(r *http.Request) (n int, text string) {
	raw, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = append(b.list, string(raw))
	return len(b.list), string(raw)
}

func (b *bodies) get(i int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i >= len(b.list) {
		return ""
	}
	return b.list[i]
}

// overloadedServer is a server of the Messages API. It sends reasoning and an answer; the second request gets "overloaded",
// with a Retry-After that is too long to wait.
func overloadedServer(t *testing.T, got *bodies) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"data":[{"id":"claude-sonnet-5-5"}]}`)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/count_tokens") { // asked between turns, whenever the program is idle
			http.NotFound(w, r)
			return
		}
		n, _ := got.add(r)
		if n == 2 {
			w.Header().Set("Retry-After", "600")
			w.WriteHeader(529)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
			return
		}
		for _, event := range []string{
			`{"type":"message_start","message":{"usage":{"input_tokens":9}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"let me see"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2lnbmF0dXJl"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"from the first"}}`,
			`{"type":"content_block_stop","index":1}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`, `{"type":"message_stop"}`,
		} {
			fmt.Fprintf(w, "data: %s\n\n", event)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func quietServer(t *testing.T, got *bodies) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"data":[{"id":"m"}]}`)
			return
		}
		got.add(r)
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"from the second"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// runTurn sends a message and waits until the conversation is idle.
func runTurn(t *testing.T, h *screen.Host, text string) {
	t.Helper()
	h.Running.Agent.Send(text)
	await(t, h.Running.Agent.Updates(), func(u updates.Update) bool {
		s, ok := u.(updates.Status)
		return ok && s.Phase == updates.Idle
	})
}

// modelsAndNotices returns the models of the replies, and the notices.
func modelsAndNotices(t *testing.T, a *app, h *screen.Host) (models []string, notices string) {
	t.Helper()
	events, _, err := a.Resources.Store.Load(t.Context(), h.Running.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.AssistantMessage:
			models = append(models, b.Model)
		case conversation.Notice:
			notices += b.Text + "\n"
		}
	}
	return models, notices
}

func TestAFallbackServerContinuesATurn(t *testing.T) {
	t.Parallel()
	var first, second bodies
	a := bareApp(t, "providers.anthropic.base_url="+overloadedServer(t, &first), "providers.second.base_url="+quietServer(t, &second),
		"fallback=[mistral/x, second/m]", "discovery.local=false")
	defer a.Resources.Close()
	conn, err := a.Models.Connect(t.Context(), a.Providers.ChoiceAt("anthropic", "claude-sonnet-5-5"))
	if err != nil {
		t.Fatal(err)
	}
	h := openHost(t, a, conn, "")
	defer h.Close()
	for _, text := range []string{"one", "two", "three"} {
		runTurn(t, h, text)
	}
	models, notices := modelsAndNotices(t, a, h)
	if got := strings.Join(models, " "); got != "anthropic/claude-sonnet-5-5 second/m anthropic/claude-sonnet-5-5" {
		t.Errorf("the replies are of %s", got)
	}
	for _, want := range []string{"Overloaded", "mistral/x is left out: there is no key for mistral (MISTRAL_API_KEY).", "second/m continues this turn. Its cache is cold", "The next turn goes to anthropic/claude-sonnet-5-5 again."} {
		if !strings.Contains(notices, want) {
			t.Errorf("no notice contains %q: %s", want, notices)
		}
	}
	if got := second.get(0); !strings.Contains(got, "from the first") || strings.Contains(got, "c2lnbmF0dXJl") || strings.Contains(got, "let me see") {
		t.Errorf("the second server got %s", got)
	}
	if got := first.get(2); !strings.Contains(got, "from the second") || !strings.Contains(got, "three") {
		t.Errorf("the first server then got %s", got)
	}
}

func TestALocalConversationDoesNotFallBackToAHostedModel(t *testing.T) {
	t.Parallel()
	var first bodies
	a := bareApp(t, "providers.anthropic.base_url="+overloadedServer(t, &first), "fallback=[openai/gpt-5.4, mistral/mistral-medium-latest]", "discovery.local=false")
	defer a.Resources.Close()
	if _, err := a.Settings.Keys().Set("openai", "sk-0123456789"); err != nil {
		t.Fatal(err)
	}
	conn, err := a.Models.Connect(t.Context(), a.Providers.ChoiceAt("anthropic", "claude-sonnet-5-5"))
	if err != nil {
		t.Fatal(err)
	}
	h := openHost(t, a, conn, "")
	defer h.Close()
	runTurn(t, h, "one")
	runTurn(t, h, "two")
	_, notices := modelsAndNotices(t, a, h)
	for _, want := range []string{"No other model takes over.", "openai/gpt-5.4 is left out: the conversation would leave your own machines.", "there is no key for mistral (MISTRAL_API_KEY)."} {
		if !strings.Contains(notices, want) {
			t.Errorf("no notice contains %q: %s", want, notices)
		}
	}
}

// If the program ends within a turn of a fallback model, the conversation continues with the model before.
func TestAFallbackThatDidNotEndDoesNotSwitchTheModel(t *testing.T) {
	t.Parallel()
	var log conversation.Log
	add := func(bodies ...conversation.Body) {
		if err := log.Commit(log.Prepare(time.Unix(1, 0), bodies...)); err != nil {
			t.Fatal(err)
		}
	}
	want := func(name string) {
		t.Helper()
		if got := setup.LastModel(log.Events()).Name(); got != name {
			t.Errorf("after %d events it goes on with %s", log.Len(), got)
		}
	}
	chosen := conversation.ModelChanged{Provider: "a", Model: "chosen"}
	add(chosen, conversation.UserMessage{Text: "one"}, conversation.AssistantMessage{Model: "a/chosen", Text: "hi", Stop: conversation.StopEnd}, conversation.UserMessage{Text: "two"},
		conversation.ModelChanged{Provider: "b", Model: "other", OneTurn: true}, conversation.AssistantMessage{Model: "b/other", Text: "hi", Stop: conversation.StopEnd})
	want("a/chosen")
	add(conversation.ModelChanged{Provider: "c", Model: "third", OneTurn: true}, conversation.AssistantMessage{Model: "c/third", Text: "hi", Stop: conversation.StopEnd})
	want("a/chosen")
	add(chosen)
	want("a/chosen")
	add(conversation.ModelChanged{Provider: "b", Model: "other"})
	want("b/other")
}
