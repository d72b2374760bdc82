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

// Key is what requests of tests authenticate themselves with.
const Key = "sk-ant-0123456789abcdef"

// Server speaks the Messages API. It is a transport of a client, and fails the test where a request is not as documented.
type Server struct {
	t testing.TB

	mu       sync.Mutex // guards all below
	script   func(n int, r Request) Answer
	requests []Request
	handed   map[string]*handed // thinking, by the block
	refused  []string           // what was wrong with thinking
}

// Answer is what a request is answered with: a stream of blocks, or what is given in its place.
type Answer struct {
	Blocks  []Block
	Stream  []string          // the data of each event
	Raw     string            // the whole stream as bytes
	Status  int               // of a failure, 0 for none
	Body    string            // of a failure, or a reply that is no stream
	Headers map[string]string // besides those that always come
}

// NewTransport returns a server without an address: as a transport of a client it answers request number n.
func NewTransport(t testing.TB, answer func(n int, r Request) Answer) *Server {
	return &Server{t: t, script: answer, handed: map[string]*handed{}}
}

// Reply is an answer of some words.
func Reply(words string) Answer { return Thoughts("", words) }

// Thoughts is an answer of thinking, some words and calls of tools, each an id and a name.
func Thoughts(thinking, words string, calls ...[2]string) Answer {
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

// Forget makes the server know none of the thinking that it handed out.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.handed)
}

// Refused is what was wrong with the thinking of requests so far, also where it was dropped.
func (s *Server) Refused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.refused)
}

// Requests are those that were answered so far.
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
		s.t.Errorf("a request without what every one has: %s %v", r.Method, r.Header)
	}
	for _, p := range Problems(raw, counting) {
		s.t.Errorf("a request that the API refuses: %s", p)
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

// answer is the next one of the script. controls says that the request may ask for thinking to be dropped.
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
	if wrong := s.bound(&r); wrong != "" {
		s.refused = append(s.refused, wrong)
		if binding["prefix_mismatch_behavior"] != "drop_block" {
			return refusal(wrong)
		}
	}
	a := s.script(n, r)
	if a.Blocks == nil {
		return a
	}
	for _, b := range a.Blocks {
		if b.thinks() {
			b["signature"] = "sig" + strconv.Itoa(n)
		}
	}
	s.handOut(&r, a.Blocks)
	a.Stream = events(a.Blocks, tokens(raw))
	return a
}

func events(blocks []Block, prompt int) (all []string) {
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
