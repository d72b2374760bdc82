package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	chunks "plimsoll/agent/wire"
)

// A server speaks chat completions, or the Messages API if it is told to, as its
// script says: one reply for each request, in order. A request beyond the script is refused with 400, which is
// not tried again. Requests for summaries, which can come at the same time as others, can have
// their own script.

type reply func(w *wire)

// series is the requests of a kind and the replies that are left for them.
type series struct {
	script   []reply
	requests []string // bodies
}

type server struct {
	*httptest.Server
	t     testing.TB
	speak protocol

	mu        sync.Mutex    // guards what follows
	series                  // all requests, or all but those for summaries
	summaries *series       // nil if they are in order with the others
	more      chan struct{} // closed when the next request comes
}

// modelName is the model that the server has.
const modelName = "test-model"

func newServer(t testing.TB, script ...reply) *server {
	t.Helper()
	return newServerOf(t, chat, script...)
}

// newServerOf is a server that speaks a protocol.
func newServerOf(t testing.TB, speak protocol, script ...reply) *server {
	t.Helper()
	s := &server{t: t, speak: speak, series: series{script: script}, more: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// aside has requests for summaries answered by a script of their own, whenever
// they come.
func (s *server) aside(script ...reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.summaries = &series{script: script}
}

// adds puts replies at the end of the script.
func (s *server) adds(script ...reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, script...)
}

// forSummary reports whether a request is one for a summary.
func forSummary(body string) bool {
	return strings.Contains(body, "Write a summary of a part of this conversation") || strings.Contains(body, "Summarize this conversation for continuity")
}

// args are the flags that make plimsoll talk to the server.
func (s *server) args(more ...string) []string {
	own := []string{"--base-url", s.URL + "/v1", "--model", modelName, "--window", "16000"}
	if s.speak == messages {
		own = append(own, "--cfg", "providers.custom.wire=messages")
	}
	return append(own, more...)
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model"}]}`, modelName)
	case s.speak == messages && strings.HasSuffix(r.URL.Path, "/messages"):
		s.next(string(body))(&wire{Stream: newStream(w), w: w, r: r, t: s.t, content: &content{}})
	case s.speak == chat && strings.HasSuffix(r.URL.Path, "/chat/completions"):
		s.next(string(body))(&wire{Stream: newStream(w), w: w, r: r, t: s.t})
	default:
		http.NotFound(w, r)
	}
}

// newStream is a reply of the server's model.
func newStream(w http.ResponseWriter) *chunks.Stream {
	s := chunks.NewStream(w)
	s.Model = modelName
	return s
}

// next is the reply to a request.
func (s *server) next(body string) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := &s.series
	if s.summaries != nil && forSummary(body) {
		of = s.summaries
	}
	of.requests = append(of.requests, body)
	close(s.more)
	s.more = make(chan struct{})
	if len(of.script) == 0 {
		return status(400, nil, `{"error":{"message":"the script is over"}}`)
	}
	r := of.script[0]
	of.script = of.script[1:]
	return r
}

// request is the body of request i, the last if i is -1. What is on its way is
// waited for.
func (s *server) request(i int) string {
	s.t.Helper()
	return s.await(&s.series, i)
}

// await is the body of request i of a series, as request has it.
func (s *server) await(of *series, i int) string {
	s.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		s.mu.Lock()
		n, more := len(of.requests), s.more
		if at := i + n; i < 0 && at >= 0 {
			defer s.mu.Unlock()
			return of.requests[at]
		}
		if i >= 0 && i < n {
			defer s.mu.Unlock()
			return of.requests[i]
		}
		s.mu.Unlock()
		select {
		case <-more:
		case <-late.C:
			s.t.Fatalf("there was no request %d, only %d", i, n)
		}
	}
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// wire is one reply under way. Writing to a client that is gone does nothing.
type wire struct {
	*chunks.Stream
	t       testing.TB
	w       http.ResponseWriter
	r       *http.Request
	content *content // of the Messages API; nil for chat completions
}

type object = map[string]any

// reason sends pieces of reasoning, an event each.
func (w *wire) reason(pieces ...string) {
	for _, p := range pieces {
		if w.content != nil {
			w.thinking(p)
			continue
		}
		w.Send(chunks.Delta{Reasoning: p})
	}
}

// other sends a piece of the reply in a field that only some servers have.
func (w *wire) other(field, piece string) {
	w.Event(object{"choices": []object{{"index": 0, "delta": object{field: piece}, "finish_reason": nil}}})
}

// text sends pieces of text, an event each.
func (w *wire) text(pieces ...string) {
	for _, p := range pieces {
		if w.content != nil {
			w.words(p)
			continue
		}
		w.Send(chunks.Delta{Content: p})
	}
}

// call sends a whole tool call.
func (w *wire) call(index int, id, name string, args object) {
	data, err := json.Marshal(args)
	if err != nil {
		w.t.Error(err)
		return
	}
	if w.content != nil {
		w.use(id, name, string(data))
		return
	}
	w.Send(chunks.Delta{Calls: []chunks.Call{chunks.NewCall(index, id, name, string(data))}})
}

// end ends the reply with a reason, usage if prompt is above 0, and the mark
// of the end.
func (w *wire) end(reason string, prompt, completion int) {
	if w.content != nil {
		w.stop(reason, prompt, completion)
		return
	}
	w.Finish(reason)
	if prompt > 0 {
		w.Usage(object{"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion})
	}
	w.Done()
}

// pour sends pieces at the pace of a fast model until the client goes, or until
// enough is closed; false if the client went.
func (w *wire) pour(enough <-chan struct{}, piece func(i int) string) bool {
	pace := time.NewTicker(2 * time.Millisecond)
	defer pace.Stop()
	for i := 0; ; i++ {
		w.text(piece(i))
		select {
		case <-enough:
			return true
		case <-w.r.Context().Done():
			return false
		case <-pace.C:
		}
	}
}

// await says nothing until the test opens the gate, or the client goes.
func (w *wire) await(gate <-chan struct{}) {
	select {
	case <-gate:
	case <-w.r.Context().Done():
	}
}

// hang says nothing more until the client goes.
func (w *wire) hang() { <-w.r.Context().Done() }

// cut breaks the connection.
func (w *wire) cut() { panic(http.ErrAbortHandler) }

// says is a whole reply of text.
func says(pieces ...string) reply {
	return func(w *wire) {
		w.text(pieces...)
		w.end("stop", 0, 0)
	}
}

// status is a refusal.
func status(code int, headers map[string]string, body string) reply {
	return func(w *wire) {
		for name, value := range headers {
			w.w.Header().Set(name, value)
		}
		w.w.Header().Set("Content-Type", "application/json")
		w.w.WriteHeader(code)
		_, _ = io.WriteString(w.w, body)
	}
}
