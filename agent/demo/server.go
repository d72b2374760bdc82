package demo

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"plimsoll/agent/wire"
	"plimsoll/conversation"
)

// ModelID is the id of the model in the server's list and its replies.
const ModelID = "demo"

const (
	// DefaultWindow is small, so that a new user sees it fill, and large enough that a compaction more than halves
	// the tokens of the prompt.
	DefaultWindow = 32_768
	// DefaultPace is the pace of a fast local model, in tokens per second.
	DefaultPace = 100
	// longestReply is the most time for a reply: a longer one is sent faster.
	longestReply = 4 * time.Second
	// maxBody is the largest request in bytes.
	maxBody = 8 << 20
)

// Options configure the model. The zero value is a DefaultWindow and no delay.
type Options struct {
	// Window is the context window in tokens, 0 for DefaultWindow.
	Window int
	// Pace is how many tokens are sent per second, more if a reply would take longer than four seconds; 0 is as fast as
	// possible, for tests. For users it is DefaultPace.
	Pace int
}

// Server is a running demo model.
type Server struct {
	// URL is the base URL, to which the client appends /chat/completions.
	URL string
	// Token is the bearer token every request must carry, random for each Start.
	Token string

	options Options
	http    *http.Server
	stop    context.CancelFunc // ends every stream
	serving sync.WaitGroup     // the accepting goroutine
	conns   sync.WaitGroup     // the goroutines of connections

	mu     sync.Mutex // guards cached
	cached string     // the newest prompt with its reply
}

// Start listens on a free port of 127.0.0.1 and serves until Close. The end of ctx stops only the streams.
func Start(ctx context.Context, o Options) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the demo model: %w", err)
	}
	if o.Window <= 0 {
		o.Window = DefaultWindow
	}
	base, stop := context.WithCancel(ctx)
	s := &Server{URL: "http://" + listener.Addr().String() + "/v1", Token: "demo-" + rand.Text(), options: o, stop: stop}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnState:         s.track,
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0), // the client gets these errors as responses
	}
	s.serving.Go(func() { _ = s.http.Serve(listener) }) // returns ErrServerClosed after Close
	return s, nil
}

// track counts the open connections.
func (s *Server) track(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	}
}

// Close stops all streams, closes the port and waits for the server's goroutines. If ctx ends first, it returns its error.
func (s *Server) Close(ctx context.Context) error {
	s.stop()
	done := make(chan struct{})
	err := s.http.Close()
	go func() { // ends with the goroutines that it waits for
		s.serving.Wait()
		_ = s.http.Close() // closes a connection accepted meanwhile; the first Close reports errors
		s.conns.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("stop the demo model: %w", err)
	}
	return nil
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.conns.Add(1) // a dropped connection counts as closed before its goroutine ends
	defer s.conns.Done()
	token := []byte("Bearer " + s.Token)
	switch {
	case !loopback(r.Host):
		// An attacking web page can point its own host name to 127.0.0.1, but its requests still carry that name.
		fail(w, &apiError{Code: http.StatusForbidden, Message: "this server answers on loopback names only", Type: "permission_error"})
	case subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), token) != 1:
		fail(w, &apiError{Code: http.StatusUnauthorized, Message: "Invalid API Key", Type: "authentication_error"})
	case r.Method == http.MethodGet && r.URL.Path == "/v1/models":
		writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{
			"id": ModelID, "object": "model", "owned_by": "builtin-demo", "meta": map[string]int{"n_ctx": s.options.Window},
		}}})
	case r.Method == http.MethodPost && r.URL.Path == "/v1/chat/completions":
		s.chat(w, r)
	default:
		fail(w, &apiError{Code: http.StatusNotFound, Message: "File Not Found", Type: "not_found_error"})
	}
}

// loopback reports whether a Host header names this machine.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

func fail(w http.ResponseWriter, e *apiError) { writeJSON(w, e.Code, map[string]any{"error": e}) }

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := conversation.EncodeJSON(v)
	if err != nil { // cannot happen: the values are ours
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that disconnected needs no answer
}

// chat answers a request. It refuses a prompt that fills the window.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		fail(w, &apiError{Code: http.StatusRequestEntityTooLarge, Message: "the request body is larger than 8 MiB, or broken", Type: "invalid_request_error"})
		return
	}
	req, bad := parseRequest(body)
	if bad != nil {
		fail(w, bad)
		return
	}
	prompt := req.prompt()
	size := countTokens(prompt)
	if size >= s.options.Window {
		fail(w, overflow(size, s.options.Window))
		return
	}
	maxReply := s.options.Window - size
	if limit := max(req.MaxCompletionTokens, req.MaxTokens); limit > 0 {
		maxReply = min(maxReply, limit)
	}
	deltas, finish, sent := newTurn(req, size, s.options.Window, maxReply).answer().deltas(maxReply)
	usage := wire.Usage{Prompt: size, Completion: len(deltas), Total: size + len(deltas)}
	s.mu.Lock()
	usage.PromptPart.Cached, s.cached = cachedTokens(s.cached, prompt), prompt+sent
	s.mu.Unlock()

	out := wire.NewStream(w)
	out.ID, out.Model, out.Created = "chatcmpl-"+rand.Text(), ModelID, time.Now().Unix()
	out.Send(wire.Delta{Role: "assistant"})
	s.write(r.Context(), out, deltas)
	out.Finish(finish)
	if req.StreamOptions.IncludeUsage {
		out.Usage(usage)
	}
	out.Done()
}

// deltas divides a reply into at most maxReply tokens. sent is the reply as later prompts contain it.
func (r reply) deltas(maxReply int) (deltas []wire.Delta, finish, sent string) {
	finish, sent = "stop", r.text
	for _, p := range pieces(r.text) {
		deltas = append(deltas, wire.Delta{Content: p})
	}
	for i, c := range r.calls {
		finish = "tool_calls"
		sent += "\xff" + c.tool + "\xff" + c.arguments
		// The ids are random, because a conversation can contain calls of an earlier server.
		deltas = append(deltas, wire.Delta{Calls: []wire.Call{wire.NewCall(i, "call_"+rand.Text(), c.tool, "")}})
		for _, p := range pieces(c.arguments) {
			deltas = append(deltas, wire.Delta{Calls: []wire.Call{{Index: i, Function: wire.Function{Arguments: p}}}})
		}
	}
	if len(deltas) > maxReply {
		return deltas[:maxReply], "length", sent
	}
	return deltas, finish, sent
}

// write sends a reply at the pace of the options. It measures from the start of the reply, so that late timers do not
// add up. When the client disconnects, it panics to break the connection: to return would end the stream as if complete.
func (s *Server) write(ctx context.Context, out *wire.Stream, deltas []wire.Delta) {
	begun, pace := time.Now(), time.Duration(s.options.Pace)
	if pace > 0 {
		pace = max(pace, time.Duration(len(deltas))/(longestReply/time.Second)+1)
	}
	for i, d := range deltas {
		if pace > 0 {
			select {
			case <-time.After(time.Until(begun.Add(time.Duration(i+1) * time.Second / pace))):
			case <-ctx.Done():
			}
		}
		if out.Send(d); out.Err() != nil || ctx.Err() != nil {
			panic(http.ErrAbortHandler)
		}
	}
}
