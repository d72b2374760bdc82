package demo_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/demo"
)

func get(t *testing.T, url, token, host string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Host = host
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode, read(t, resp)
}

func TestListsItsModel(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{})
	status, body := get(t, s.URL+"/models", s.Token, "")
	want := `{"data":[{"id":"demo","object":"model","created":1795167000,"owned_by":"builtin-demo","meta":{"n_ctx":32768,"n_ctx_train":32768}}],"object":"list"}`
	if status != 200 || body != want {
		t.Errorf("%d %s\nwant %s", status, body, want)
	}
}

func TestTurnsStrangersAway(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{})
	for name, c := range map[string]struct {
		path, token, host string
		status            int
		kind              string
	}{
		"no token":       {"/models", "", "", 401, "authentication_error"},
		"wrong token":    {"/models", "demo-nonsense", "", 401, "authentication_error"},
		"unknown path":   {"/embeddings", s.Token, "", 404, "not_found_error"},
		"wrong method":   {"/chat/completions", s.Token, "", 404, "not_found_error"},
		"a name rebound": {"/models", s.Token, "evil.example:80", 403, "permission_error"},
		"localhost":      {"/models", s.Token, "localhost:1234", 200, ""},
		"IPv6 loopback":  {"/models", s.Token, "[::1]:1234", 200, ""},
	} {
		status, body := get(t, s.URL+c.path, c.token, c.host)
		var e struct{ Error struct{ Type string } }
		if err := json.Unmarshal([]byte(body), &e); err != nil || status != c.status || e.Error.Type != c.kind {
			t.Errorf("%s: %d %s (%v)", name, status, body, err)
		}
	}
	if other := start(t, demo.Options{}); other.Token == s.Token {
		t.Error("two servers share a token")
	}
}

func TestRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{})
	calls := `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	for name, body := range map[string]string{
		"cut JSON":          `{"model":`,
		"no messages":       `{"model":"demo"}`,
		"messages no list":  `{"messages":{}}`,
		"unknown role":      `{"messages":[{"role":"robot","content":"x"}]}`,
		"no content":        `{"messages":[{"role":"user"}]}`,
		"null content":      `{"messages":[{"role":"user","content":null}]}`,
		"picture":           `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:"}}]}]}`,
		"empty assistant":   `{"messages":[{"role":"user","content":"x"},{"role":"assistant"},{"role":"user","content":"x"}]}`,
		"orphan result":     `{"messages":[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"a","content":"x"}]}`,
		"unanswered call":   `{"messages":[{"role":"user","content":"x"},` + calls + `,{"role":"user","content":"x"}]}`,
		"call at the end":   `{"messages":[{"role":"user","content":"x"},` + calls + `]}`,
		"result of nothing": `{"messages":[{"role":"user","content":"x"},` + calls + `,{"role":"tool","tool_call_id":"a"}]}`,
		"broken arguments":  `{"messages":[{"role":"user","content":"x"},` + strings.Replace(calls, `"{}"`, `"{\"a\":"`, 1) + `]}`,
		"empty arguments":   `{"messages":[{"role":"user","content":"x"},` + strings.Replace(calls, `"{}"`, `""`, 1) + `]}`,
		"no stream":         `{"messages":[{"role":"user","content":"x"}]}`,
		"tools no list":     `{"messages":[{"role":"user","content":"x"}],"tools":3}`,
	} {
		if name != "no stream" {
			body = strings.Replace(body, "{", `{"stream":true,`, 1)
		}
		resp := post(t, s, body)
		var e struct {
			Error struct {
				Code          int
				Message, Type string
			}
		}
		text := read(t, resp)
		if err := json.Unmarshal([]byte(text), &e); err != nil || resp.StatusCode != 400 || e.Error.Code != 400 ||
			e.Error.Type != "invalid_request_error" || e.Error.Message == "" {
			t.Errorf("%s: %s %s (%v)", name, resp.Status, text, err)
		}
	}
	if resp := post(t, s, `{"messages":[{"role":"user","content":"`+strings.Repeat("x", 9<<20)+`"}]}`); resp.StatusCode != 413 {
		t.Errorf("9 MiB: %s", resp.Status)
	}
}

func TestStreamsChunks(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{})
	resp := post(t, s, object{"messages": list(user("hi")), "stream": true, "max_tokens": 2, "stream_options": object{"include_usage": true}})
	text := read(t, resp)
	_, id, _ := strings.Cut(text, `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	head := `{"id":"` + id + `","object":"chat.completion.chunk","created":1795167000,"model":"demo",`
	want := `data: ` + head + `"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}

data: ` + head + `"choices":[{"index":0,"delta":{"content":"I'm "},"finish_reason":null}]}

data: ` + head + `"choices":[{"index":0,"delta":{"content":"a sm"},"finish_reason":null}]}

data: ` + head + `"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}

data: ` + head + `"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}

data: [DONE]

`
	if d := cmp.Diff(want, text); d != "" {
		t.Error(d)
	}
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("content type %q", got)
	}
	if text := read(t, post(t, s, object{"messages": list(user("hi")), "stream": true})); strings.Contains(text, "usage") {
		t.Error("usage although it was not asked for")
	}
}

func TestKeepsItsPace(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := start(t, demo.Options{Now: c.Now, Wait: c.Wait, Window: 8192, Pace: 100})
	before := c.Now()
	got := ask(t, s, list(user("help")))
	if want := time.Duration(got.Completion) * 10 * time.Millisecond; c.Now().Sub(before) != want {
		t.Errorf("%d tokens took %v, want %v", got.Completion, c.Now().Sub(before), want)
	}
	before = c.Now()
	got = ask(t, s, list(user("fill the gauge")))
	if took := c.Now().Sub(before); got.Completion < 1000 || took > 8*time.Second || took < 7*time.Second {
		t.Errorf("%d tokens took %v", got.Completion, took)
	}
}

func TestStopsWhenTheClientLeaves(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	var once bool // used by the one request only
	c := newClock()
	s := start(t, demo.Options{Now: c.Now, Pace: 1, Wait: func(ctx context.Context, _ time.Duration) error {
		if once {
			t.Error("went on after the client left")
		}
		once = true
		<-ctx.Done() // only the client's leaving ends it
		close(left)
		return ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/chat/completions", strings.NewReader(`{"stream":true,"messages":[{"role":"user","content":"help"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-left
}

func TestCloseEndsStreamsAndWaits(t *testing.T) {
	t.Parallel()
	waiting := make(chan struct{})
	c := newClock()
	s, err := demo.Start(t.Context(), demo.Options{Now: c.Now, Pace: 1, Wait: func(ctx context.Context, _ time.Duration) error {
		close(waiting)
		<-ctx.Done()
		return ctx.Err()
	}})
	if err != nil {
		t.Fatal(err)
	}
	resp := post(t, s, object{"messages": list(user("help")), "stream": true})
	<-waiting
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := readStream(t, resp.Body); err == nil {
		t.Error("the stream ended as if it were complete")
	}
	if _, err := http.Get(s.URL + "/models"); err == nil {
		t.Error("still listening")
	}
}
