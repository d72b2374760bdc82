package demo

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"plimsoll/conversation"
)

// The order of checks is: loopback host, token, path, size, JSON, history,
// window.

const (
	// DefaultWindow is small, so that a newcomer sees the window fill, and large enough that
	// a compaction more than halves what is used, in tokens.
	DefaultWindow = 32_768
	// DefaultPace is the pace of a fast local model, in tokens per second.
	DefaultPace = 100
	// longestReply is how long a reply takes at most: a longer one is sent faster.
	longestReply = 8 * time.Second
	// maxBody bounds a request, in bytes.
	maxBody = 8 << 20
)

// Options says how the model behaves. The zero value is a DefaultWindow, as
// fast as possible, on the real clock.
type Options struct {
	// Window is the context window in tokens, 0 for DefaultWindow.
	Window int
	// Pace is how many tokens are sent per second, more where a reply would take
	// longer than eight seconds; 0 and less is as fast as possible, for tests. A
	// person wants DefaultPace.
	Pace int
	// Now tells the time for pace, cache expiry and the created field, nil for
	// time.Now.
	Now func() time.Time
	// Wait waits for d or the end of ctx, whose error it returns; nil for a
	// real timer. Called from the goroutines of requests.
	Wait func(ctx context.Context, d time.Duration) error
}

// Server is a running demo model.
type Server struct {
	// URL is the base URL to append /chat/completions to.
	URL string
	// Token is the bearer token every request must carry, random for each Start.
	Token string

	options Options
	http    *http.Server
	stop    context.CancelFunc // ends every stream
	serving sync.WaitGroup     // the accepting goroutine
	conns   sync.WaitGroup     // the goroutines of connections

	mu    sync.Mutex // guards cache
	cache prefixCache
}

// Start listens on a free port of 127.0.0.1 and serves until Close or the end
// of ctx, which stops the streams but not the listening.
func Start(ctx context.Context, o Options) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the demo model: %w", err)
	}
	if o.Window <= 0 {
		o.Window = DefaultWindow
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	base, stop := context.WithCancel(ctx)
	s := &Server{
		URL: "http://" + listener.Addr().String() + "/v1", Token: "demo-" + rand.Text(),
		options: o, stop: stop,
	}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnState:         s.track,
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0), // a client that misbehaves is told so over the wire
	}
	s.serving.Go(func() { _ = s.http.Serve(listener) }) // ends with ErrServerClosed, when Close says so
	return s, nil
}

// wait is the Wait of the real clock.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// track counts connections, each of which has a goroutine.
func (s *Server) track(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	}
}

// Close stops every stream, closes the port and waits for the goroutines of
// the server, or for the end of ctx, whose error it then returns.
func (s *Server) Close(ctx context.Context) error {
	s.stop()
	err := s.http.Close()
	done := make(chan struct{})
	go func() { // ends with the goroutines it waits for
		s.serving.Wait()
		_ = s.http.Close() // a connection accepted in the same moment; the first Close has reported
		s.conns.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return fmt.Errorf("stop the demo model: %w", ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("stop the demo model: %w", err)
	}
	return nil
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.conns.Add(1) // a connection that is dropped counts as closed before its goroutine ends
	defer s.conns.Done()
	switch {
	case !loopback(r.Host):
		// A page in a browser that rebinds its name to 127.0.0.1 sends its own name.
		fail(w, &apiError{Code: http.StatusForbidden, Message: "this server answers on loopback names only", Type: "permission_error"})
	case !s.authorised(r):
		fail(w, &apiError{Code: http.StatusUnauthorized, Message: "Invalid API Key", Type: "authentication_error"})
	case r.Method == http.MethodGet && r.URL.Path == "/v1/models":
		s.models(w)
	case r.Method == http.MethodPost && r.URL.Path == "/v1/chat/completions":
		s.chat(w, r)
	default:
		fail(w, &apiError{Code: http.StatusNotFound, Message: "File Not Found", Type: "not_found_error"})
	}
}

func loopback(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

func (s *Server) authorised(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(token), []byte(s.Token)) == 1
}

func (s *Server) models(w http.ResponseWriter) {
	type meta struct {
		Window  int `json:"n_ctx"`
		Trained int `json:"n_ctx_train"`
	}
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
		Meta    meta   `json:"meta"`
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []model{{
		ID: ModelID, Object: "model", Created: s.options.Now().Unix(), OwnedBy: "builtin-demo",
		Meta: meta{Window: s.options.Window, Trained: s.options.Window},
	}}})
}

func fail(w http.ResponseWriter, e *apiError) {
	writeJSON(w, e.Code, map[string]any{"error": e})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := conversation.EncodeJSON(v)
	if err != nil { // the values are ours and always encode
		status, body = http.StatusInternalServerError, []byte(`{"error":{"code":500,"message":"internal error","type":"server_error"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone needs no answer
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			fail(w, &apiError{Code: http.StatusRequestEntityTooLarge, Message: "the request body is larger than 8 MiB", Type: "invalid_request_error"})
			return
		}
		fail(w, badRequest("the request body cannot be read: %v", err))
		return
	}
	req, bad := parseRequest(body)
	if bad != nil {
		fail(w, bad)
		return
	}
	g, bad := s.generate(req)
	if bad != nil {
		fail(w, bad)
		return
	}
	s.stream(w, r, g, req.StreamOptions.IncludeUsage)
}
