package mcp_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"plimsoll/conversation"
	"plimsoll/tools/mcp"
)

//lint:file-ignore SA1019 servers of protocol versions before 2026-07-28 still ask for the model.

// polite is a server made with the SDK that uses all that a client offers. cancelled is told when its tool "wait" is cancelled.
func polite(cancelled chan<- struct{}) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "polite", Version: "2"}, nil)
	add := func(name string, f func(ctx context.Context, r *sdk.CallToolRequest) (string, error)) {
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: "does " + name}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
			text, err := f(ctx, r)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil, err
		})
	}
	add("echo", func(context.Context, *sdk.CallToolRequest) (string, error) { return "hello", nil })
	add("fail", func(context.Context, *sdk.CallToolRequest) (string, error) { return "", errors.New("no such row") })
	add("form", func(ctx context.Context, r *sdk.CallToolRequest) (string, error) {
		answer, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Who\x1b[31m are you?", RequestedSchema: json.RawMessage(`{"type":"object","required":["name"],"properties":{
			"age":{"type":"integer","minimum":1},"colour":{"type":"string","enum":["r","g"],"enumNames":["red","green"]},"name":{"type":"string","title":"Your name"}}}`)})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %v", answer.Action, answer.Content["name"]), nil
	})
	add("think", func(ctx context.Context, r *sdk.CallToolRequest) (string, error) {
		answer, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 10, SystemPrompt: "be brief",
			Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "2+2?"}}}})
		if err != nil {
			return "", err
		}
		return answer.Content.(*sdk.TextContent).Text, nil
	})
	add("wait", func(ctx context.Context, r *sdk.CallToolRequest) (string, error) {
		if token := r.Params.GetProgressToken(); token != nil {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Message: "half way", Progress: 1, Total: 2})
		}
		<-ctx.Done()
		cancelled <- struct{}{}
		return "", ctx.Err()
	})
	add("grow", func(context.Context, *sdk.CallToolRequest) (string, error) {
		add("grown", func(context.Context, *sdk.CallToolRequest) (string, error) { return "big", nil })
		return "grown", nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "review", Description: "reviews", Arguments: []*sdk.PromptArgument{{Name: "file", Required: true}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
				{Role: "user", Content: &sdk.TextContent{Text: "Review " + r.Params.Arguments["file"] + "\u202e."}},
				{Role: "assistant", Content: &sdk.TextContent{Text: "Gladly."}}}}, nil
		})
	s.AddResource(&sdk.Resource{URI: "note://one", Name: "one", MIMEType: "text/plain"}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "a note"}, {URI: r.Params.URI, MIMEType: "image/png", Blob: []byte("1234")}}}, nil
	})
	return s
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	return web.URL
}

func TestServerOverHTTPUsesAllThatIsOffered(t *testing.T) {
	t.Parallel()
	cancelled, changed := make(chan struct{}, 1), make(chan string, 10)
	server := polite(cancelled)
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "header-secret" {
			http.Error(w, "no key", http.StatusForbidden)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	var fields []conversation.FormField
	s := open(t, mcp.Options{
		Changed: func(name string) { changed <- name },
		Elicit: func(_ context.Context, server, message string, f []conversation.FormField) (map[string]any, string, error) {
			fields = f
			return map[string]any{"name": server + " " + message}, "accept", nil
		},
		Sample: func(_ context.Context, _ string, r mcp.SampleRequest) (mcp.SampleReply, error) {
			return mcp.SampleReply{Text: fmt.Sprintf("%s: %s %s: 4", r.System, r.Messages[0].Role, r.Messages[0].Text), Model: "m", StopReason: "endTurn"}, nil
		},
	}, mcp.Config{Name: "p", URL: address, Sampling: true, Headers: map[string]string{"X-Key": "header-secret"}, Timeout: long})
	s.Start(t.Context())
	if state := s.States()[0]; state.Phase != mcp.Ready || state.Version != "polite 2" {
		t.Fatalf("the state is %+v", state)
	}
	for tool, want := range map[string]string{"echo": "hello", "fail": "no such row", "form": "accept p Who␛[31m are you?", "think": "be brief: user 2+2?: 4"} {
		if r, err := s.Call(t.Context(), "p", tool, nil, nil); err != nil || r.Text != want || r.IsError != (tool == "fail") {
			t.Errorf("%s: %+v, %v", tool, r, err)
		}
	}
	if len(fields) != 3 || fields[0].Name != "name" || !fields[0].Required || fields[0].Title != "Your name" || fields[2].Type != "choice" || fields[2].Labels[1] != "green" ||
		fields[1].Type != "integer" || *fields[1].Min != 1 {
		t.Errorf("fields %+v", fields)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := s.Call(ctx, "p", "wait", nil, func(string) { cancel() }); err != context.Canceled {
		t.Errorf("a cancelled call: %v", err)
	}
	<-cancelled
	if _, err := s.Call(t.Context(), "p", "grow", nil, nil); err != nil {
		t.Error(err)
	}
	for <-changed; len(s.Tools()) != 7; <-changed {
	}
	prompts, err := s.Prompts(t.Context())
	if err != nil || len(prompts) != 1 || prompts[0].Name != "review" || !prompts[0].Arguments[0].Required {
		t.Errorf("prompts %+v, %v", prompts, err)
	}
	if text, err := s.GetPrompt(t.Context(), "p", "review", map[string]string{"file": "a.go"}); err != nil || text != "Review a.go«U+202E».\n\n[assistant:] Gladly." {
		t.Errorf("%q, %v", text, err)
	}
	resources, err := s.Resources(t.Context())
	if err != nil || len(resources) != 1 || resources[0].URI != "note://one" {
		t.Errorf("resources %+v, %v", resources, err)
	}
	if text, err := s.ReadResource(t.Context(), "p", "note://one"); err != nil || text != "a note\n[image/png, 4 bytes, not shown]" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := s.ReadResource(t.Context(), "p", "note://two"); err == nil || !strings.Contains(err.Error(), "the server p failed at its resource note://two") {
		t.Error(err)
	}
}

func TestFaultsOverHTTPCostAnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		want string
		h    http.HandlerFunc
	}{
		"refuses":      {"Unauthorized", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "header-secret", http.StatusUnauthorized) }},
		"is broken":    {"Bad Gateway", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }},
		"sends a page": {`unsupported content type "text/html"`, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>header-secret") }},
		"sends no JSON": {"failed to decode response", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "{")
		}},
		"sends for ever":   {"its answer is too long", endless("application/json")},
		"streams for ever": {"did not start", endless("text/event-stream")},
		"hangs":            {"no answer within 2s", func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := long
			if name == "hangs" {
				timeout = short
			}
			s := open(t, mcp.Options{}, mcp.Config{Name: "p", URL: serve(t, c.h) + "/?key=url-secret-1", Headers: map[string]string{"X-Key": "header-secret"}, Timeout: timeout})
			s.Start(t.Context())
			got := s.States()[0].Error
			if !strings.Contains(got, c.want) || strings.Contains(got, "secret") || len(got) > 2000 {
				t.Errorf("the error is %q, want %q", got, c.want)
			}
		})
	}
}

func endless(kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
				return
			}
		}
	}
}

// authority is an authorization server: each login gives a token that is valid once it was given, and until expire.
type authority struct {
	base       string
	mu         sync.Mutex
	challenge  string
	valid      string
	logins     int
	refreshes  int
	registered atomic.Bool
}

func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := func(v map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		answer(map[string]any{"issuer": a.base, "authorization_endpoint": a.base + "/authorize", "token_endpoint": a.base + "/token",
			"registration_endpoint": a.base + "/register", "response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}})
	case "/register":
		a.registered.Store(true)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.Copy(w, io.MultiReader(strings.NewReader(`{"client_id":"c1","token_endpoint_auth_method":"none","redirect_uris":["http://127.0.0.1/callback"]}`)))
	case "/authorize":
		a.challenge = r.FormValue("code_challenge")
		http.Redirect(w, r, r.FormValue("redirect_uri")+"?"+url.Values{"code": {"code-1"}, "state": {r.FormValue("state")}}.Encode(), http.StatusFound)
	case "/token":
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		switch {
		case r.FormValue("grant_type") == "refresh_token" && r.FormValue("refresh_token") == "refresh-1":
			a.refreshes++
		case r.FormValue("code") == "code-1" && base64.RawURLEncoding.EncodeToString(sum[:]) == a.challenge:
			a.logins++
		default:
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		a.valid = fmt.Sprintf("token-%d-%d", a.logins, a.refreshes)
		// A token that ends within ten seconds counts as ended.
		answer(map[string]any{"access_token": a.valid, "token_type": "Bearer", "refresh_token": "refresh-1", "expires_in": map[bool]int{true: 5, false: 3600}[a.refreshes == 0]})
	}
}

func (a *authority) counts() (logins, refreshes int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.logins, a.refreshes
}

// guarded is a polite server that wants a token of an authority.
func guarded(t *testing.T) (*authority, string) {
	a := &authority{}
	a.base = serve(t, a)
	server := polite(make(chan struct{}, 1))
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	var address string
	address = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource") {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{"resource": address + "/mcp", "authorization_servers": []string{a.base}})
			return
		}
		a.mu.Lock()
		valid := a.valid
		a.mu.Unlock()
		if valid == "" || r.Header.Get("Authorization") != "Bearer "+valid {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+address+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	return a, address + "/mcp"
}

type tokens struct{ sync.Map }

func (k *tokens) Load(server string) ([]byte, error) {
	v, _ := k.Map.Load(server)
	b, _ := v.([]byte)
	return b, nil
}

func (k *tokens) Save(server string, login []byte) error { k.Store(server, login); return nil }

func TestLoginIsKeptAndRenewed(t *testing.T) {
	t.Parallel()
	a, address := guarded(t)
	store := &tokens{}
	browser := func(ctx context.Context, page string) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
	config := mcp.Config{Name: "p", URL: address, OAuth: true, Timeout: long}
	for _, o := range []mcp.Options{{Browse: browser, Tokens: store}, {Tokens: store}} { // the second knows the login
		s := open(t, o, config)
		s.Start(t.Context())
		if state := s.States()[0]; state.Phase != mcp.Ready {
			t.Fatalf("the state is %+v", state)
		}
		if r, err := s.Call(t.Context(), "p", "echo", nil, nil); err != nil || r.Text != "hello" {
			t.Fatal(r, err)
		}
	}
	if logins, refreshes := a.counts(); logins != 1 || refreshes != 1 || !a.registered.Load() {
		t.Errorf("%d logins and %d renewals, want one of each", logins, refreshes)
	}
	data, _ := store.Load(address)
	if !strings.Contains(string(data), "token-1-1") {
		t.Errorf("kept is %s", data)
	}
}

func TestLoginThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	for want, browse := range map[string]func(context.Context, string) error{
		"it asks for a login, which needs a user": nil,
		"no browser here":                         func(context.Context, string) error { return errors.New("no browser here") },
		"the login was refused: access_denied": func(ctx context.Context, page string) error {
			u, err := url.Parse(page)
			if err != nil {
				return err
			}
			resp, err := http.Get(u.Query().Get("redirect_uri") + "?error=access_denied")
			if err != nil {
				return err
			}
			return resp.Body.Close()
		},
	} {
		_, address := guarded(t)
		s := open(t, mcp.Options{Browse: browse}, mcp.Config{Name: "p", URL: address, OAuth: true, Timeout: long})
		s.Start(t.Context())
		if got := s.States()[0].Error; !strings.Contains(got, want) {
			t.Errorf("the error is %q, want %q", got, want)
		}
	}
}
