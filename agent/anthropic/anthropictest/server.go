package anthropictest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Key is the API key that tests use.
const Key = "sk-ant-0123456789abcdef"

// Server implements the Messages API as an http.RoundTripper. It fails the test if a request is not as documented.
type Server struct {
	t testing.TB

	mu       sync.Mutex // guards the fields below
	script   func(n int, r Request) Answer
	requests []Request
	sent     map[string]*sentThinking // thinking that was sent, by block
	errors   []string                 // errors about thinking
}

// Answer is the answer to a request: a stream of blocks, or one of the other fields in its place.
type Answer struct {
	Blocks  []Block
	Stream  []string          // the data of each event
	Raw     string            // the whole stream as bytes
	Status  int               // of an error, 0 for none
	Body    string            // of an error, or a reply that is not streamed
	Headers map[string]string // in addition to the usual ones
}

// NewTransport returns a server whose answer to request number n is answer(n, r).
func NewTransport(t testing.TB, answer func(n int, r Request) Answer) *Server {
	return &Server{t: t, script: answer, sent: map[string]*sentThinking{}}
}

// Reply returns an answer with a text.
func Reply(words string) Answer { return ReplyWithThinking("", words) }

// ReplyWithThinking returns an answer with thinking, a text and tool calls, each an id and a name.
func ReplyWithThinking(thinking, words string, calls ...[2]string) Answer {
	var a Answer
	if thinking != "" {
		a.Blocks = append(a.Blocks, Block{"type": "thinking", "thinking": thinking})
	}
	if words != "" {
		a.Blocks = append(a.Blocks, Block{"type": "text", "text": words})
	}
	for _, c := range calls {
		a.Blocks = append(a.Blocks, Block{"type": "tool_use", "id": c[0], "name": c[1], "input": map[string]any{"a": 1.0}})
	}
	return a
}

// RoundTrip answers a request without a connection.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	s.serve(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// ForgetThinking makes the server forget the thinking that it sent, so that it refuses it.
func (s *Server) ForgetThinking() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.sent)
}

// ThinkingErrors returns all errors about thinking so far, including those for which the thinking was only dropped.
func (s *Server) ThinkingErrors() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.errors)
}

// Requests returns the requests that were answered so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	counting := strings.HasSuffix(r.URL.Path, "/count_tokens")
	if err != nil || !strings.HasPrefix(r.URL.Path, "/v1/messages") {
		s.t.Errorf("%s %s: %v", r.Method, r.URL, err)
		return
	}
	if r.Method != http.MethodPost || r.Header.Get("Anthropic-Version") == "" || r.Header.Get("X-Api-Key") == "" || r.Header.Get("Content-Type") != "application/json" {
		s.t.Errorf("a required header is missing: %s %v", r.Method, r.Header)
	}
	for _, p := range Problems(raw, counting) {
		s.t.Errorf("the API would refuse the request: %s", p)
	}
	if counting {
		fmt.Fprintf(w, `{"input_tokens":%d}`, tokens(raw))
		return
	}
	a := s.answer(raw, strings.Contains(strings.Join(r.Header.Values("Anthropic-Beta"), ","), "thinking-binding-controls-2026-08-01"))
	if a.Body == "" {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	for k, v := range a.Headers {
		w.Header().Set(k, v)
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	_, _ = io.WriteString(w, a.Body+a.Raw) // a recorder takes everything
	for _, data := range a.Stream {
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
}

// answer returns the next answer of the script. controls means that the request may ask the server to drop thinking.
func (s *Server) answer(raw []byte, controls bool) Answer {
	var r Request
	if err := json.Unmarshal(raw, &r); err != nil {
		return refusal(err.Error())
	}
	binding, asks := r.Thinking["block_binding"].(map[string]any)
	if asks && !controls {
		return refusal("thinking.adaptive.block_binding: Extra inputs are not permitted")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.requests)
	s.requests = append(s.requests, r)
	if wrong := s.checkThinking(&r); wrong != "" {
		s.errors = append(s.errors, wrong)
		if binding["prefix_mismatch_behavior"] != "drop_block" {
			return refusal(wrong)
		}
	}
	a := s.script(n, r)
	if a.Blocks == nil {
		return a
	}
	for _, b := range a.Blocks {
		if b.isThinking() {
			b["signature"] = "sig" + strconv.Itoa(n)
		}
	}
	s.recordThinking(&r, a.Blocks)
	a.Stream = streamEvents(a.Blocks, tokens(raw))
	return a
}

func streamEvents(blocks []Block, prompt int) (all []string) {
	add := func(event Block) { all = append(all, event.json()) }
	add(Block{"type": "message_start", "message": Block{"type": "message", "usage": Block{"input_tokens": prompt, "output_tokens": 1}}})
	stop := "end_turn"
	for i, b := range blocks {
		first, deltas := Block{"type": b.kind()}, []Block{}
		switch b.kind() {
		case "text":
			deltas = append(deltas, Block{"type": "text_delta", "text": b["text"]})
		case "thinking":
			deltas = append(deltas, Block{"type": "thinking_delta", "thinking": b["thinking"]}, Block{"type": "signature_delta", "signature": b["signature"]})
		case "tool_use":
			stop = "tool_use"
			input, _ := b["input"].(map[string]any)
			first["id"], first["name"] = b["id"], b["name"]
			deltas = append(deltas, Block{"type": "input_json_delta", "partial_json": Block(input).json()})
		}
		add(Block{"type": "content_block_start", "index": i, "content_block": first})
		for _, d := range deltas {
			add(Block{"type": "content_block_delta", "index": i, "delta": d})
		}
		add(Block{"type": "content_block_stop", "index": i})
	}
	add(Block{"type": "message_delta", "delta": Block{"stop_reason": stop}, "usage": Block{"output_tokens": 12}})
	add(Block{"type": "message_stop"})
	return all
}

func tokens(body []byte) int { return (len(body) + 3) / 4 }

func refusal(message string) Answer {
	return Answer{Status: http.StatusBadRequest, Body: Block{"type": "error", "error": Block{"type": "invalid_request_error", "message": message}}.json()}
}
