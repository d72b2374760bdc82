package demo_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

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
	want := `{"data":[{"id":"demo","meta":{"n_ctx":32768},"object":"model","owned_by":"builtin-demo"}],"object":"list"}`
	if status != 200 || body != want {
		t.Errorf("%d %s\nwant %s", status, body, want)
	}
}

func TestRefusesForeignTokensAndHosts(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{})
	for name, c := range map[string]struct {
		path, token, host string
		status            int
	}{
		"no token":       {"/models", "", "", 401},
		"wrong token":    {"/models", "demo-nonsense", "", 401},
		"unknown path":   {"/embeddings", s.Token, "", 404},
		"wrong method":   {"/chat/completions", s.Token, "", 404},
		"a name rebound": {"/models", s.Token, "evil.example:80", 403},
		"localhost":      {"/models", s.Token, "localhost:1234", 200},
		"IPv6 loopback":  {"/models", s.Token, "[::1]:1234", 200},
	} {
		if status, body := get(t, s.URL+c.path, c.token, c.host); status != c.status {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if other := start(t, demo.Options{}); other.Token == s.Token {
		t.Error("two servers share a token")
	}
}

func TestRefusesMalformedRequests(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{})
	for name, body := range map[string]string{
		"cut JSON":         `{"model":`,
		"no messages":      `{"model":"demo"}`,
		"messages no list": `{"messages":{}}`,
		"picture":          `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:"}}]}]}`,
		"tools no list":    `{"messages":[{"role":"user","content":"x"}],"tools":3}`,
	} {
		resp := post(t, s, body)
		text := read(t, resp)
		if resp.StatusCode != 400 || !strings.HasPrefix(text, `{"error":{"code":400,"message":"`) || !strings.Contains(text, "invalid_request_error") {
			t.Errorf("%s: %s %s", name, resp.Status, text)
		}
	}
	if resp := post(t, s, `{"messages":[{"role":"user","content":"`+strings.Repeat("x", 9<<20)+`"}]}`); resp.StatusCode != 413 {
		t.Errorf("9 MiB: %s", resp.Status)
	}
}

func TestStreamsAtItsConfiguredPace(t *testing.T) {
	t.Parallel()
	const pace = 1000
	s := start(t, demo.Options{Pace: pace})
	begun := time.Now()
	got := ask(t, s, list(user("help")))
	if took := time.Since(begun); took < time.Duration(got.Completion)*time.Second/pace {
		t.Errorf("%d tokens took %v", got.Completion, took)
	}
}

// The reply would take minutes: a disconnected client or a closed server ends it.
func TestAReplyEndsWithItsClientOrItsServer(t *testing.T) {
	t.Parallel()
	s, err := demo.Start(t.Context(), demo.Options{Pace: 1})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	left := post(t, s, object{"messages": list(user("help"))})
	cut := post(t, s, object{"messages": list(user("help"))})
	if _, err := bufio.NewReader(left.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := left.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := readStream(t, cut.Body); err == nil {
		t.Error("the stream ended as if it were complete")
	}
	if _, err := http.Get(s.URL + "/models"); err == nil {
		t.Error("still listening")
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}
