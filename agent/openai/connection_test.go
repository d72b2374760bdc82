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

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/conversation"
)

func TestDroppedConnectionIsANetworkError(t *testing.T) {
	t.Parallel()
	drop := func(behind string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			write(w, behind)
			panic(http.ErrAbortHandler)
		}
	}
	got := readReply(t, startServer(t, "custom", drop(hello+"data: {\"choi")), user("hi"))
	if got.Text != "Hello" || got.Err == nil || got.Err.Class != llm.Network || !got.Err.Retryable() {
		t.Errorf("in the middle: %q, %v", got.Text, got.Err)
	}
	got = readReply(t, startServer(t, "custom", drop(hello+stop)), user("hi"))
	if got.Text != "Hello" || got.Stop != conversation.StopEnd {
		t.Errorf("behind the stop reason: %q, %q, %v", got.Text, got.Stop, got.Err)
	}
}

func TestUnreachableServerIsANetworkError(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.NotFoundHandler())
	addr := strings.TrimPrefix(srv.URL, "http://")
	srv.Close()
	c := openai.New(openai.Options{Provider: "ollama", BaseURL: "http://me:secretword@" + addr + "/v1", Transport: transport(t)})
	got := readReply(t, c, user("hi"))
	if got.Err == nil || got.Err.Class != llm.Network || got.Err.Message != "No answer from http://"+addr+"/v1" || !strings.Contains(got.Err.Hint, "ollama serve") || !got.Err.NotListening {
		t.Errorf("%v, hint %q", got.Err, got.Err.Hint)
	}
	if strings.Contains(fmt.Sprintf("%v %v", got.Err, got.Err.Err), "secretword") {
		t.Errorf("the password shows: %v", got.Err.Err)
	}
}

// silent sends a text, then waits until the client disconnects, and reports that on left, if it is not nil. Closing a
// server waits for its handlers, so a client that never disconnects fails the test.
func silent(text string, left chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		// A server sees the disconnection only after it has read the request.
		_, _ = io.Copy(io.Discard, r.Body)
		if text != "" {
			write(w, text)
		}
		<-r.Context().Done()
		if left != nil {
			close(left)
		}
	}
}

func TestSilentServerIsStalled(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		first      time.Duration
		idle       time.Duration
		want       expectedReply
	}{
		{"before the first byte", "", 30 * time.Millisecond, time.Hour, expectedReply{Class: llm.Stalled}},
		{"in the middle", hello, time.Hour, 30 * time.Millisecond, expectedReply{Text: "Hello", Class: llm.Stalled}},
		{"behind the stop reason", hello + stop, time.Hour, 30 * time.Millisecond, expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
		{"behind [DONE]", hello + stop + done, time.Hour, time.Hour, expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			// A client that cancels early may never have reached the server.
			srv := httptest.NewServer(silent(tt.text, nil))
			t.Cleanup(srv.Close)
			c := openai.New(openai.Options{BaseURL: srv.URL, FirstByte: tt.first, Idle: tt.idle, Transport: transport(t)})
			got := readReply(t, c, user("hi"))
			if diff := cmp.Diff(tt.want, summaryOf(got)); diff != "" {
				t.Errorf("(-want +got)\n%s\n%v", diff, got.Err)
			}
		})
	}
}

func TestCancelClosesTheConnection(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got reply
	for chunk, err := range startServer(t, "custom", silent(hello, left)).Stream(ctx, user("hi")) {
		got.add(t, chunk)
		if err != nil && !errors.As(err, &got.Err) {
			t.Errorf("a failure of type %T", err)
		}
		if got.Text != "" {
			cancel()
		}
	}
	if got.Text != "Hello" || got.Err == nil || got.Err.Class != llm.Cancelled || got.Err.Retryable() {
		t.Errorf("%q, %v", got.Text, got.Err)
	}
	<-left
}

func TestEndingTheIterationClosesTheConnection(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	for chunk, err := range startServer(t, "custom", silent(hello, left)).Stream(t.Context(), user("hi")) {
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Text != "" {
			break
		}
	}
	<-left
}

func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	got := readReply(t, serve(t, "custom", status(http.StatusMovedPermanently, "", "Location", "https://elsewhere.example/v1")), user("hi"))
	if got.Err == nil || got.Err.Class != llm.BadRequest || !strings.Contains(got.Err.Hint, "https://elsewhere.example/v1") {
		t.Errorf("%v, hint %q", got.Err, got.Err.Hint)
	}
}

// dyingServer answers the first request on each connection, and handles the next one
// with then. It counts the requests that reached it.
type dyingServer struct {
	then   func(net.Conn)
	answer http.HandlerFunc // nil: a short reply

	mu       sync.Mutex
	served   map[string]bool // connections
	requests int
}

func (d *dyingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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

// resetOnClose makes closing a connection reset it, so that the client's writes also fail.
func resetOnClose(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }

// leaveIdleConnection sends requests until the client has an idle connection, and resets the count. A stream that ends late
// loses its connection, so that one request may not be enough.
func (d *dyingServer) leaveIdleConnection(t *testing.T, c *openai.Client) {
	t.Helper()
	var kept atomic.Bool
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{PutIdleConn: func(err error) { kept.Store(err == nil) }})
	for range 1000 {
		if got := readReplyContext(ctx, t, c, user("hi")); got.Err != nil {
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

func TestRequestOnADeadConnectionIsSentAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		then     func(net.Conn)
		text     string
		class    llm.Class // of the second request's failure, "" for none
		requests int       // for the second one
	}{
		{"closed", func(net.Conn) {}, "hi", "", 2},
		{"reset", resetOnClose, "hi", "", 2},
		{"after a byte of an answer", func(c net.Conn) { _, _ = c.Write([]byte("H")) }, "hi", llm.Network, 1},
		{"after the head of an answer", func(c net.Conn) {
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"))
		}, "hi", llm.Truncated, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := &dyingServer{then: tt.then, served: map[string]bool{}}
			c := startServer(t, "llamacpp", d.ServeHTTP)
			d.leaveIdleConnection(t, c)
			got := readReply(t, c, user(tt.text))
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

// When the server refuses a temporary key, the client makes a new one, once; no error text contains a key.
func TestExpiredKeyIsRenewedOnce(t *testing.T) {
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
			got := readReply(t, c, user("hi"))
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

// A timeout and a cancellation while a key is made are reported as such.
func TestTimeoutAndCancelWhileAKeyIsMade(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := openai.Options{Provider: "cloud", BaseURL: "http://localhost/v1", Transport: transport(t),
			Renew: func(ctx context.Context, _ string) (string, error) { <-ctx.Done(); return "", context.Cause(ctx) }}
		if got := readReply(t, openai.New(o), user("hi")); got.Err == nil || got.Err.Class != llm.Stalled {
			t.Errorf("silence: %v", got.Err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := openai.Discover(ctx, o, ""); err != context.DeadlineExceeded {
			t.Errorf("cancelled: %v", err)
		}
	})
}
