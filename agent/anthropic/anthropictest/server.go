package anthropictest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server speaks the Messages API. It answers requests in turn by its script, and the last answer again and again.
type Server struct {
	URL string // to the API, version included; "" where it is reached as a transport

	t   testing.TB
	now func() time.Time

	mu       sync.Mutex // guards all below
	script   func(n int, r Request) Answer
	requests []Request
	cached   map[string]kept    // by what stands before a breakpoint
	handed   map[string]*handed // thinking, by the block
	refused  []string           // what was wrong with thinking
	paused   bool               // the newest reply did
}

// Answer is what a request is answered with.
type Answer struct {
	Stream  []string          // the data of each event
	Status  int               // of a failure, 0 for none
	Body    string            // of a failure, or in place of a stream
	Headers map[string]string // besides those that always come
	Raw     string            // the whole stream as bytes, in place of Stream
}

// kept is a prompt in the cache.
type kept struct {
	lives time.Duration
	used  time.Time
}

// New starts a server that fails the test where a request is not as documented. now is the time by which its cache
// forgets; nil: the real one.
func New(t testing.TB, now func() time.Time, script ...Answer) *Server {
	if now == nil {
		now = time.Now
	}
	s := NewTransport(t, func(n int, _ Request) Answer { return script[min(n, len(script)-1)] })
	s.now = now
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.URL = srv.URL + "/v1"
	return s
}

// NewTransport returns a server without an address: as a transport of a client it answers request number n.
func NewTransport(t testing.TB, answer func(n int, r Request) Answer) *Server {
	return &Server{t: t, now: time.Now, script: answer, cached: map[string]kept{}, handed: map[string]*handed{}}
}

// RoundTrip answers a request without a connection.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
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
	return append([]string(nil), s.refused...)
}

// Requests are those that were answered so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Request-Id", "req_test")
	raw, err := io.ReadAll(io.LimitReader(r.Body, mostBytes+1))
	if err != nil {
		return // the client is gone
	}
	switch r.URL.Path {
	case "/v1/models":
		_, _ = io.WriteString(w, `{"data":[{"id":"claude-sonnet-5","type":"model","max_input_tokens":200000,"max_tokens":64000}],"has_more":false}`)
	case "/v1/messages/count_tokens":
		s.check(r, raw, true)
		fmt.Fprintf(w, `{"input_tokens":%d}`, tokens(string(raw)))
	case "/v1/messages":
		s.check(r, raw, false)
		s.answer(w, raw, strings.Contains(strings.Join(r.Header.Values("Anthropic-Beta"), ","), "thinking-binding-controls-2026-08-01"))
	default:
		fail(w, http.StatusNotFound, "not_found_error", "Not found")
	}
}

// check reports what is wrong with a request.
func (s *Server) check(r *http.Request, raw []byte, counting bool) {
	if r.Method != http.MethodPost || r.Header.Get("Anthropic-Version") == "" || r.Header.Get("X-Api-Key") == "" || r.Header.Get("Content-Type") != "application/json" {
		s.t.Errorf("a request without what every one has: %s %v", r.Method, r.Header)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range Problems(raw, counting) {
		if p != lastIsReply || !s.paused {
			s.t.Errorf("a request that the API refuses: %s", p)
		}
	}
}

// answer is the next one of the script. controls says that the request may ask for thinking to be dropped.
func (s *Server) answer(w http.ResponseWriter, raw []byte, controls bool) {
	var r Request
	if err := json.Unmarshal(raw, &r); err != nil {
		return // it was reported
	}
	binding, asks := r.Thinking["block_binding"].(map[string]any)
	if asks && !controls {
		fail(w, http.StatusBadRequest, "invalid_request_error", "thinking.adaptive.block_binding: Extra inputs are not permitted")
		return
	}
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, r)
	wrong := s.bound(&r)
	if wrong != "" {
		s.refused = append(s.refused, wrong)
		if binding["prefix_mismatch_behavior"] != "drop_block" {
			s.mu.Unlock()
			fail(w, http.StatusBadRequest, "invalid_request_error", wrong)
			return
		}
	}
	a := s.script(n, r)
	usage := ""
	if a.Status == 0 {
		s.paused = strings.Contains(strings.Join(a.Stream, ""), `"pause_turn"`)
		a.Stream = strings.Split(strings.ReplaceAll(strings.Join(a.Stream, "\n"), Signature, "sig"+strconv.Itoa(n)), "\n")
		s.handOut(&r, a.Stream)
		usage = s.read(&r)
	}
	s.mu.Unlock()
	for k, v := range a.Headers {
		w.Header().Set(k, v)
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	switch {
	case a.Body != "":
		_, _ = io.WriteString(w, a.Body)
	case a.Raw != "":
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, a.Raw)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, strings.ReplaceAll(Stream(a.Stream...), Usage, usage))
	}
}

// Usage stands in an event for what the cache has to do with the request.
const Usage = `"usage":"by the cache"`

// LookBack is how many blocks before a breakpoint an older one is found.
const LookBack = 20

// LeastCached is how many tokens a prompt must have to be cached. It is that of most models; some want more.
const LeastCached = 1024

// point is a place in a prompt: what stands in front of it, and how long it is to be kept, 0 without a breakpoint.
type point struct {
	key    string
	tokens int
	ttl    time.Duration
}

// points are the places behind each block of a prompt.
func points(r *Request) []point {
	var all []point
	sum, total := sha256.New(), 0
	for _, b := range r.blocks() {
		ttl := lifetime(b)
		delete(b, "cache_control")
		raw, err := json.Marshal(b)
		if err != nil {
			return nil // it was decoded from JSON
		}
		sum.Write(raw)
		total += tokens(string(raw))
		if total < LeastCached {
			ttl = 0
		}
		all = append(all, point{hex.EncodeToString(sum.Sum(nil)), total, ttl})
	}
	return all
}

// read looks a request up in the cache, and writes it there.
func (s *Server) read(r *Request) string {
	all, now, hit := points(r), s.now(), 0
	alive := func(p point) bool {
		k, ok := s.cached[p.key]
		return ok && now.Sub(k.used) <= k.lives
	}
	for i, p := range all {
		for back := i; p.ttl > 0 && back >= max(0, i-LookBack); back-- {
			if alive(all[back]) {
				hit = max(hit, all[back].tokens)
				break
			}
		}
	}
	total, written, long := 0, hit, 0
	for _, p := range all {
		total = p.tokens
		switch k := s.cached[p.key]; {
		case p.ttl == 0 && p.tokens != hit:
		case alive(p):
			k.used = now
			s.cached[p.key] = k
		case p.ttl > 0:
			s.cached[p.key] = kept{lives: p.ttl, used: now}
			if p.ttl == time.Hour {
				long += p.tokens - written
			}
			written = p.tokens
		}
	}
	written -= hit
	return fmt.Sprintf(`"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d},"output_tokens":1}`,
		total-hit-written, hit, written, written-long, long)
}

// blocks is what a prompt consists of, in the order in which it is cached.
func (r *Request) blocks() []Block {
	var all []Block
	all = append(all, r.Tools...)
	all = append(all, r.System...)
	for i, m := range r.Messages {
		for _, b := range m.Content {
			b["role"] = m.Role + strconv.Itoa(i)
			all = append(all, b)
		}
	}
	return all
}

// lifetime is that of a block's breakpoint, 0 without one.
func lifetime(b Block) time.Duration {
	control, ok := b["cache_control"].(map[string]any)
	switch {
	case !ok:
		return 0
	case control["ttl"] == "1h":
		return time.Hour
	}
	return 5 * time.Minute
}

// tokens is about how many tokens a text has.
func tokens(text string) int { return (len(text) + 3) / 4 }

// fail answers with a failure as the API words it.
func fail(w http.ResponseWriter, status int, kind, message string) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, Failure(kind, message))
}

// Failure is the body of a failure.
func Failure(kind, message string) string {
	raw, err := json.Marshal(map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": message}, "request_id": "req_test"})
	if err != nil {
		return "" // texts are always JSON
	}
	return string(raw)
}
