package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/conversation"
)

func TestConnectionDropped(t *testing.T) {
	t.Parallel()
	drop := func(behind string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			write(w, behind)
			panic(http.ErrAbortHandler)
		}
	}
	got := gather(t, serve(t, "custom", drop(hello+"data: {\"choi")), user("hi"))
	if got.Text != "Hello" || got.Err == nil || got.Err.Class != llm.Network || !got.Err.Retryable() {
		t.Errorf("in the middle: %q, %v", got.Text, got.Err)
	}
	got = gather(t, serve(t, "custom", drop(hello+stop)), user("hi"))
	if got.Text != "Hello" || got.Stop != conversation.StopEnd {
		t.Errorf("behind the stop reason: %q, %q, %v", got.Text, got.Stop, got.Err)
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.NotFoundHandler())
	addr := strings.TrimPrefix(srv.URL, "http://")
	srv.Close()
	c := openai.New(openai.Options{Provider: "ollama", BaseURL: "http://me:secretword@" + addr + "/v1", Transport: transport(t)})
	got := gather(t, c, user("hi"))
	if got.Err == nil || got.Err.Class != llm.Network || got.Err.Message != "No answer from http://"+addr+"/v1" || !strings.Contains(got.Err.Hint, "ollama serve") || !got.Err.Down {
		t.Errorf("%v, hint %q", got.Err, got.Err.Hint)
	}
	if strings.Contains(fmt.Sprintf("%v %v", got.Err, got.Err.Err), "secretword") {
		t.Errorf("the password shows: %v", got.Err.Err)
	}
}

func TestHugeHeader(t *testing.T) {
	t.Parallel()
	tr := transport(t)
	tr.MaxResponseHeaderBytes = 64 << 10
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Big", strings.Repeat("x", 256<<10))
		write(w, hello)
	}))
	t.Cleanup(srv.Close)
	got := gather(t, openai.New(openai.Options{BaseURL: srv.URL, Transport: tr}), user("hi"))
	if got.Err == nil || got.Err.Class != llm.Network {
		t.Errorf("%v", got.Err)
	}
}

// silent sends a text and then nothing until the client has left, and says so
// on left, if that is not nil. A server waits for its handlers when it is closed,
// so a client that never leaves ends no test.
func silent(text string, left chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		// Only a server that has read the request sees the client leave.
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

func TestSilence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		first      time.Duration
		idle       time.Duration
		want       wanted
	}{
		{"before the first byte", "", 30 * time.Millisecond, time.Hour, wanted{Class: llm.Stalled}},
		{"in the middle", hello, time.Hour, 30 * time.Millisecond, wanted{Text: "Hello", Class: llm.Stalled}},
		{"behind the stop reason", hello + stop, time.Hour, 30 * time.Millisecond, wanted{Text: "Hello", Stop: conversation.StopEnd}},
		{"behind [DONE]", hello + stop + done, time.Hour, time.Hour, wanted{Text: "Hello", Stop: conversation.StopEnd}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			// A client that gives up early may never have reached the server.
			srv := httptest.NewServer(silent(tt.text, nil))
			t.Cleanup(srv.Close)
			c := openai.New(openai.Options{BaseURL: srv.URL, FirstByte: tt.first, Idle: tt.idle, Transport: transport(t)})
			got := gather(t, c, user("hi"))
			if diff := cmp.Diff(tt.want, summary(got)); diff != "" {
				t.Errorf("(-want +got)\n%s\n%v", diff, got.Err)
			}
		})
	}
}

// A reply that has ended is over, whatever signs of life follow it.
func TestSignsOfLifeBehindTheEnd(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"stop reason": hello + stop, "[DONE]": hello + stop + done} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			left := make(chan struct{})
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				defer close(left)
				for write(w, text); r.Context().Err() == nil; {
					write(w, ": still here\n\n")
				}
			}))
			t.Cleanup(srv.Close)
			c := openai.New(openai.Options{BaseURL: srv.URL, Idle: 30 * time.Millisecond, Transport: transport(t)})
			got := gather(t, c, user("hi"))
			if diff := cmp.Diff(wanted{Text: "Hello", Stop: conversation.StopEnd}, summary(got)); diff != "" {
				t.Errorf("(-want +got)\n%s\n%v", diff, got.Err)
			}
			<-left
		})
	}
}

// A server that drips one byte at a time is slow, not silent.
func TestSlowDrip(t *testing.T) {
	t.Parallel()
	got := gather(t, serve(t, "custom", func(w http.ResponseWriter, _ *http.Request) {
		for _, b := range []byte(hello + stop + done) {
			write(w, string(b))
		}
	}), user("hi"))
	if got.Text != "Hello" || got.Stop != conversation.StopEnd {
		t.Errorf("%q %q %v", got.Text, got.Stop, got.Err)
	}
}

func TestCancelClosesTheConnection(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got reply
	for chunk, err := range serve(t, "custom", silent(hello, left)).Stream(ctx, user("hi")) {
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

// Cancelling works before the server has said anything, too.
func TestCancelBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	left, arrived := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	wait := silent("", left)
	got := gatherContext(ctx, t, serve(t, "custom", func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		wait(w, r)
	}), user("hi"))
	if got.Err == nil || got.Err.Class != llm.Cancelled {
		t.Errorf("%v", got.Err)
	}
	<-left
}

func TestLeavingTheLoopClosesTheConnection(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	for chunk, err := range serve(t, "custom", silent(hello, left)).Stream(t.Context(), user("hi")) {
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Text != "" {
			break
		}
	}
	<-left
}

func TestDeadlineOfTheCaller(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	got := gatherContext(ctx, t, serve(t, "custom", silent(hello, nil)), user("hi"))
	if got.Err == nil || got.Err.Class != llm.Stalled {
		t.Errorf("%v", got.Err)
	}
}

// pipes is a network within a bubble: a server on it answers while no time passes.
type pipes struct {
	dialled  chan net.Conn
	closed   chan struct{}
	accepted int
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		p.accepted++
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error { close(p.closed); return nil }

// Addr implements net.Listener.
func (*pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.dialled <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// One connection serves one request after the other, even if its stream ends a
// moment behind [DONE]. For an end that comes later nobody waits.
func TestConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	for behind, want := range map[time.Duration]int{0: 1, 40 * time.Millisecond: 1, time.Minute: 3} {
		t.Run(behind.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &pipes{dialled: make(chan net.Conn), closed: make(chan struct{})}
				srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body) // or it does not see the client leave
					write(w, hello+stop+done)
					select {
					case <-time.After(behind):
					case <-r.Context().Done():
					}
				})}
				go func() { _ = srv.Serve(p) }() // it ends with an error whenever it is closed
				t.Cleanup(func() { _ = srv.Close() })
				tr := transport(t)
				tr.DialContext = p.dial
				c := openai.New(openai.Options{Provider: "custom", BaseURL: "http://localhost/v1", Transport: tr})
				began := time.Now()
				for range 3 {
					if got := gather(t, c, user("hi")); got.Err != nil {
						t.Fatal(got.Err)
					}
				}
				if took := time.Since(began); p.accepted != want || took > time.Second {
					t.Errorf("%d connections for 3 requests, want %d; they took %v", p.accepted, want, took)
				}
			})
		})
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	got := gather(t, serve(t, "custom", status(http.StatusMovedPermanently, "", "Location", "https://elsewhere.example/v1")), user("hi"))
	if got.Err == nil || got.Err.Class != llm.BadRequest || !strings.Contains(got.Err.Hint, "https://elsewhere.example/v1") {
		t.Errorf("%v, hint %q", got.Err, got.Err.Hint)
	}
}
