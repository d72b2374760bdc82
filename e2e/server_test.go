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

// A server answers over chat completions or the Messages API. Its script has one reply for each request, in order. A request
// after the end of the script gets status 400, which the program does not retry. Requests for summaries, which may come at the
// same time as others, can have their own script.

type reply func(w *wire)

// series is the requests of a kind and their remaining replies.
type series struct {
	script   []reply
	requests []string // bodies
}

type server struct {
	*httptest.Server
	t     testing.TB
	proto protocol

	mu        sync.Mutex    // guards what follows
	series                  // all requests, or all but those for summaries
	summaries *series       // nil if they use the script of the others
	more      chan struct{} // closed when the next request comes
}

// modelName is the model of the server.
const modelName = "test-model"

func newServer(t testing.TB, script ...reply) *server {
	t.Helper()
	return newServerOf(t, chat, script...)
}

func newServerOf(t testing.TB, proto protocol, script ...reply) *server {
	t.Helper()
	s := &server{t: t, proto: proto, series: series{script: script}, more: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// scriptSummaries gives requests for summaries a script of their own.
func (s *server) scriptSummaries(script ...reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.summaries = &series{script: script}
}

func (s *server) addReplies(script ...reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, script...)
}

func isSummaryRequest(body string) bool {
	return strings.Contains(body, "Write a summary of a part of this conversation") || strings.Contains(body, "Summarize this conversation for continuity")
}

func (s *server) flags(more ...string) []string {
	own := []string{"--base-url", s.URL + "/v1", "--model", modelName, "--window", "16000"}
	if s.proto == messages {
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
	case s.proto == messages && strings.HasSuffix(r.URL.Path, "/messages"):
		s.nextReply(string(body))(&wire{Stream: newStream(w), w: w, r: r, t: s.t, body: string(body), blocks: &blockState{}})
	case s.proto == chat && strings.HasSuffix(r.URL.Path, "/chat/completions"):
		s.nextReply(string(body))(&wire{Stream: newStream(w), w: w, r: r, t: s.t, body: string(body)})
	default:
		http.NotFound(w, r)
	}
}

func newStream(w http.ResponseWriter) *chunks.Stream {
	s := chunks.NewStream(w)
	s.Model = modelName
	return s
}

func (s *server) nextReply(body string) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := &s.series
	if s.summaries != nil && isSummaryRequest(body) {
		of = s.summaries
	}
	of.requests = append(of.requests, body)
	close(s.more)
	s.more = make(chan struct{})
	if len(of.script) == 0 {
		return errorReply(400, nil, `{"error":{"message":"the script is over"}}`)
	}
	r := of.script[0]
	of.script = of.script[1:]
	return r
}

// request returns the body of request i, the last if i is -1. It waits for a request that is not there yet.
func (s *server) request(i int) string {
	s.t.Helper()
	return s.awaitRequest(&s.series, i)
}

// awaitRequest returns the body of request i of a series, as request does.
func (s *server) awaitRequest(of *series, i int) string {
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

func (s *server) requestCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// wire is one reply in progress. Writing to a client that has disconnected does nothing.
type wire struct {
	*chunks.Stream
	t      testing.TB
	w      http.ResponseWriter
	r      *http.Request
	body   string      // of the request
	blocks *blockState // of the Messages API; nil for chat completions
}

type object = map[string]any

// reasoning sends pieces of reasoning, one event each.
func (w *wire) reasoning(pieces ...string) {
	for _, p := range pieces {
		if w.blocks != nil {
			w.thinkingDelta(p)
			continue
		}
		w.Send(chunks.Delta{Reasoning: p})
	}
}

// field sends a piece of the reply in a field that only some servers have.
func (w *wire) field(field, piece string) {
	w.Event(object{"choices": []object{{"index": 0, "delta": object{field: piece}, "finish_reason": nil}}})
}

// text sends pieces of text, one event each.
func (w *wire) text(pieces ...string) {
	for _, p := range pieces {
		if w.blocks != nil {
			w.textDelta(p)
			continue
		}
		w.Send(chunks.Delta{Content: p})
	}
}

// call sends a complete tool call.
func (w *wire) call(index int, id, name string, args object) {
	data, err := json.Marshal(args)
	if err != nil {
		w.t.Error(err)
		return
	}
	if w.blocks != nil {
		w.toolUse(id, name, string(data))
		return
	}
	w.Send(chunks.Delta{Calls: []chunks.Call{chunks.NewCall(index, id, name, string(data))}})
}

// end ends the reply with a reason, with usage if prompt is above 0, and with the end marker.
func (w *wire) end(reason string, prompt, completion int) {
	if w.blocks != nil {
		w.endMessage(reason, prompt, completion)
		return
	}
	w.Finish(reason)
	if prompt > 0 {
		w.Usage(object{"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion})
	}
	w.Done()
}

// streamUntil sends pieces as fast as a fast model until enough is closed. It returns false if the client disconnects.
func (w *wire) streamUntil(enough <-chan struct{}, piece func(i int) string) bool {
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

// awaitGate waits until the test closes the channel, or the client disconnects.
func (w *wire) awaitGate(gate <-chan struct{}) {
	select {
	case <-gate:
	case <-w.r.Context().Done():
	}
}

// hang waits until the client disconnects.
func (w *wire) hang() { <-w.r.Context().Done() }

func (w *wire) dropConnection() { panic(http.ErrAbortHandler) }

func textReply(pieces ...string) reply {
	return func(w *wire) {
		w.text(pieces...)
		w.end("stop", 0, 0)
	}
}

func errorReply(code int, headers map[string]string, body string) reply {
	return func(w *wire) {
		for name, value := range headers {
			w.w.Header().Set(name, value)
		}
		w.w.Header().Set("Content-Type", "application/json")
		w.w.WriteHeader(code)
		_, _ = io.WriteString(w.w, body)
	}
}
