package cli

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"plimsoll/agent/updates"
	"plimsoll/cli/screen"
	"plimsoll/conversation"
	"plimsoll/tui"
	"plimsoll/tui/dialog"
)

const (
	goodKey = "sk-ant-good-0123456789abcdef"
	badKey  = "sk-ant-bad-0123456789abcdef"
)

func messagesServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch {
		case r.Header.Get("X-Api-Key") != goodKey:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key `+r.Header.Get("X-Api-Key")+`"}}`)
		case r.Method == http.MethodGet:
			_, _ = io.WriteString(w, `{"data":[{"id":"claude-haiku-4-5"},{"id":"claude-sonnet-5-5","max_input_tokens":1000000},{"id":"claude-new","max_input_tokens":300000}]}`)
		default:
			_, _ = io.WriteString(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9}}}\n\n"+
				"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"+
				"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"+
				"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\ndata: {\"type\":\"message_stop\"}\n\n")
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// hostWithoutKey returns a host whose conversation uses a provider without a key.
func hostWithoutKey(t *testing.T) (*app, *screen.Host) {
	t.Helper()
	a := bareApp(t, "providers.anthropic.base_url="+messagesServer(t), "discovery.local=false")
	conn, err := a.Models.Connect(t.Context(), a.Providers.ChoiceAt("anthropic", "claude-haiku-4-5"))
	if err != nil {
		t.Fatal(err)
	}
	return a, openHost(t, a, conn, "")
}

// providerRow returns a provider of the list, and its index.
func providerRow(t *testing.T, h *screen.Host, name string) (p tui.Provider, at int) {
	t.Helper()
	list, err := h.Providers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range list {
		if p.Name == name {
			return p, i
		}
	}
	t.Fatalf("%s is not listed", name)
	return tui.Provider{}, 0
}

func TestTheChatStoresAWorkingKey(t *testing.T) {
	t.Parallel()
	a, h := hostWithoutKey(t)
	defer a.Resources.Close()
	defer h.Close()
	if p, at := providerRow(t, h, "anthropic"); p.Ready || p.Stored || at == 0 {
		t.Errorf("before, %+v at %d", p, at)
	}
	_, err := h.Connect(t.Context(), "anthropic", dialog.NewSecret(badKey))
	if err == nil || !strings.Contains(err.Error(), "nothing was stored") || strings.Contains(err.Error(), "0123456789") {
		t.Errorf("a wrong key: %v", err)
	}
	if _, err := h.Connect(t.Context(), "anthropic", dialog.NewSecret("export KEY=x")); err == nil || !strings.Contains(err.Error(), "this is not a key") {
		t.Errorf("no key: %v", err)
	}
	if _, err := os.Stat(a.Settings.KeyFile()); !os.IsNotExist(err) {
		t.Errorf("something was stored: %v", err)
	}

	got, err := h.Connect(t.Context(), "anthropic", dialog.NewSecret(" "+goodKey+"\n"))
	if err != nil || !strings.Contains(got.StoredIn, "keys.json, which only you can read") || !got.Provider.Stored {
		t.Fatalf("%+v %v", got, err)
	}
	if p, at := providerRow(t, h, "anthropic"); !p.Ready || !p.Stored || at != 0 {
		t.Errorf("after, %+v at %d", p, at)
	}
	if p, err := h.Disconnect(t.Context(), "anthropic"); err != nil || p.Ready {
		t.Errorf("removed: %+v %v", p, err)
	}
	if _, err := h.Disconnect(t.Context(), "anthropic"); err == nil {
		t.Error("removed twice")
	}
}

func TestTheOpenConversationUsesANewKey(t *testing.T) {
	t.Parallel()
	a, h := hostWithoutKey(t)
	defer a.Resources.Close()
	defer h.Close()
	running := h.Running
	send := func() (failed bool) {
		running.Agent.Send("hello")
		await(t, running.Agent.Updates(), func(u updates.Update) bool {
			_, failed = u.(updates.Failed)
			s, ok := u.(updates.Status)
			return failed || ok && s.Phase == updates.Idle
		})
		return failed
	}
	if !send() {
		t.Fatal("it was answered without a key")
	}
	if _, err := h.Connect(t.Context(), "anthropic", dialog.NewSecret(goodKey)); err != nil {
		t.Fatal(err)
	}
	if send() {
		t.Fatal("the new key is not used")
	}
	events, _, err := a.Resources.Store.Load(context.Background(), running.ID)
	if err != nil {
		t.Fatal(err)
	}
	changes := 0
	for _, e := range events {
		if _, ok := e.Body.(conversation.ModelChanged); ok {
			changes++
		}
	}
	if changes != 1 {
		t.Errorf("%d changes of model are on record, though there was none", changes-1)
	}
}
