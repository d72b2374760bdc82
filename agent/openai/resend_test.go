package openai_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
)

// dying answers one request on each connection; what the next one on it meets is
// up to then. It counts the requests that reached it.
type dying struct {
	then   func(net.Conn)
	answer http.HandlerFunc // nil: a short reply

	mu       sync.Mutex
	served   map[string]bool // connections
	requests int
}

func (d *dying) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	again := d.served[r.RemoteAddr]
	d.served[r.RemoteAddr] = true
	d.requests++
	d.mu.Unlock()
	if !again {
		_, _ = io.Copy(io.Discard, r.Body) // or the server closes the connection
		if d.answer == nil {
			d.answer = sse(hello + stop + done)
		}
		d.answer(w, r)
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	d.then(conn)
	_ = conn.Close()
}

// reset closes a connection so that the client's writing fails, too.
func reset(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }

// rest makes requests until a connection of the client waits for the next one, and
// forgets them. The end of a stream that comes late costs the connection, so that the
// first request need not leave one.
func (d *dying) rest(t *testing.T, c *openai.Client) {
	t.Helper()
	var kept atomic.Bool
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{PutIdleConn: func(err error) { kept.Store(err == nil) }})
	for range 1000 {
		if got := gatherContext(ctx, t, c, user("hi")); got.Err != nil {
			t.Fatal(got.Err)
		}
		if kept.Load() {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.requests = 0
			return
		}
	}
	t.Fatal("no connection is kept")
}

func TestARequestThatMeetsADeadConnectionIsSentAgain(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 2<<20) // more than sockets hold
	tests := []struct {
		name     string
		then     func(net.Conn)
		text     string
		class    llm.Class // of the second request's failure, "" for none
		requests int       // for the second one
	}{
		{"closed", func(net.Conn) {}, "hi", "", 2},
		{"reset", reset, "hi", "", 2},
		{"reset while the request is written", reset, long, "", 2},
		{"after a byte of an answer", func(c net.Conn) { _, _ = c.Write([]byte("H")) }, "hi", llm.Network, 1},
		{"after the head of an answer", func(c net.Conn) {
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"))
		}, "hi", llm.Truncated, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := &dying{then: tt.then, served: map[string]bool{}}
			c := serve(t, "llamacpp", d.ServeHTTP)
			d.rest(t, c)
			got := gather(t, c, user(tt.text))
			switch {
			case tt.class == "" && (got.Err != nil || got.Text != "Hello"):
				t.Errorf("the dead connection shows: %q, %v", got.Text, got.Err)
			case tt.class != "" && (got.Err == nil || got.Err.Class != tt.class):
				t.Errorf("%v, want %s", got.Err, tt.class)
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.requests != tt.requests {
				t.Errorf("the server was asked %d times, want %d", d.requests, tt.requests)
			}
		})
	}
}

// slowDeath is a connection from before that breaks a minute after it took a request.
type slowDeath struct{ requests int }

func (d *slowDeath) RoundTrip(r *http.Request) (*http.Response, error) {
	d.requests++
	trace := httptrace.ContextClientTrace(r.Context())
	trace.GotConn(httptrace.GotConnInfo{Reused: true})
	if trace.WroteRequest != nil {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
	time.Sleep(time.Minute)
	return nil, io.EOF
}

// A server that took the request and was at work may have been paid for it: it is
// not asked again unseen.
func TestARequestThatWasWorkedOnIsNotSentAgainUnseen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &slowDeath{}
		c := openai.New(openai.Options{Provider: "custom", BaseURL: "http://localhost/v1", Transport: d})
		if got := gather(t, c, user("hi")); got.Err == nil || got.Err.Class != llm.Network || d.requests != 1 {
			t.Errorf("%v after %d requests", got.Err, d.requests)
		}
	})
}

// A new connection that dies says something about the server.
func TestANewConnectionThatDiesIsAFailure(t *testing.T) {
	t.Parallel()
	var requests atomic.Int32
	c := serve(t, "llamacpp", func(http.ResponseWriter, *http.Request) {
		requests.Add(1)
		panic(http.ErrAbortHandler)
	})
	got := gather(t, c, user("hi"))
	if got.Err == nil || got.Err.Class != llm.Network || requests.Load() != 1 {
		t.Errorf("%v after %d requests", got.Err, requests.Load())
	}
}

// Questions about the window are sent again, too: one of them is a POST.
func TestAQuestionThatMeetsADeadConnectionIsAskedAgain(t *testing.T) {
	t.Parallel()
	d := &dying{then: reset, served: map[string]bool{}, answer: func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/chat/completions":
			sse(hello+stop+done)(w, r)
		case "/api/show":
			write(w, `{"parameters":"num_ctx 6144"}`)
		default:
			http.NotFound(w, r)
		}
	}}
	tr := transport(t)
	tr.MaxConnsPerHost = 1 // each question meets the connection of the one before
	o := openai.Options{Provider: "ollama", BaseURL: servedBy(t, d), Transport: tr}
	if got := gather(t, openai.New(o), user("hi")); got.Err != nil {
		t.Fatal(got.Err)
	}
	found, err := openai.Discover(t.Context(), o, "m")
	if err != nil || found.Window != 6144 {
		t.Errorf("window %d, %v", found.Window, err)
	}
}

// A key that is good for a while is made anew where the server refuses it, once, and no error repeats one.
func TestAKeyThatExpiredIsMadeAnewOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		wire   openai.Wire
		good   string
		fails  error
		asked  []string // what was stale
		served int
		text   string
	}{
		"good":           {openai.WireChat, "secret-key-1", nil, []string{""}, 1, "Hello"},
		"expired":        {openai.WireChat, "secret-key-2", nil, []string{"", "secret-key-1"}, 2, "Hello"},
		"never good":     {openai.WireChat, "other", nil, []string{"", "secret-key-1"}, 2, ""},
		"on messages":    {openai.WireMessages, "secret-key-2", nil, []string{"", "secret-key-1"}, 2, ""},
		"no key is made": {openai.WireChat, "other", errors.New("key_command failed"), []string{""}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			served := 0
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				served++
				raw, _ := io.ReadAll(r.Body)
				key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
				if !bytes.Contains(raw, []byte("hi")) || r.Header.Get("X-Own") != "mine" || tt.wire == openai.WireMessages && r.Header.Get("X-Api-Key") != key {
					t.Errorf("%s, %v", raw, r.Header)
				}
				if key != tt.good {
					http.Error(w, `{"error":{"message":"the key `+key+` expired"}}`, http.StatusUnauthorized)
					return
				}
				write(w, hello+stop+done)
			}))
			t.Cleanup(srv.Close)
			c := openai.New(openai.Options{Provider: "cloud", BaseURL: srv.URL, Wire: tt.wire, Headers: map[string]string{"X-Own": "mine"},
				Renew: func(_ context.Context, stale string) (string, error) {
					asked = append(asked, stale)
					return fmt.Sprint("secret-key-", len(asked)), tt.fails
				}})
			got := gather(t, c, user("hi"))
			if got.Text != tt.text || !slices.Equal(asked, tt.asked) || served != tt.served {
				t.Errorf("text %q, asked %q, served %d, %v", got.Text, asked, served, got.Err)
			}
			if tt.text == "" && tt.wire == openai.WireChat {
				if e := got.Err; e == nil || e.Class != llm.Auth || strings.Contains(e.Message, "secret-key") || !strings.Contains(e.Hint, "key_command") {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

// Silence and Esc while a key is made are told as what they are.
func TestAKeyThatIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := openai.Options{Provider: "cloud", BaseURL: "http://localhost/v1", Transport: &slowDeath{},
			Renew: func(ctx context.Context, _ string) (string, error) { <-ctx.Done(); return "", context.Cause(ctx) }}
		if got := gather(t, openai.New(o), user("hi")); got.Err == nil || got.Err.Class != llm.Stalled {
			t.Errorf("silence: %v", got.Err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := openai.Discover(ctx, o, ""); err != context.DeadlineExceeded {
			t.Errorf("cancelled: %v", err)
		}
	})
}
