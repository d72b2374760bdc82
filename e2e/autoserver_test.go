package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A counter is a server like llama.cpp: it counts the tokens of requests, refuses those that are longer than the model's
// window, and reports the counts. It answers question N with answer N, and recognises requests for a summary.

const (
	// smallModel and largeModel are the models of a counter, with their windows.
	smallModel, smallWindow = modelName, 8192
	largeModel, largeWindow = "large-model", 32768
	// longAnswers is how many answers have longAnswer lines, whatever is asked for.
	longAnswers, longAnswer = 3, 56
	// charsPerToken is how a counter counts.
	charsPerToken = 3.6
)

// asked is one request as a counter saw it.
type asked struct {
	model   string
	tokens  int
	summary bool
	refused bool // as longer than the window
	body    request
}

type counter struct {
	*httptest.Server
	t testing.TB

	mu     sync.Mutex // guards what follows
	lines  int        // of an answer
	hides  bool       // does not say how large its windows are before it refuses
	broken bool       // answers requests for summaries with 500
	gate   chan struct{}
	seen   []asked
	more   chan struct{} // closed when the next request comes
}

// newCounter is a counter whose answers have so many lines. Its gate is shut, so summaries wait.
func newCounter(t testing.TB, lines int) *counter {
	t.Helper()
	s := &counter{t: t, lines: lines, gate: make(chan struct{}), more: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// loadLine is the load line of the tests in the small window, in tokens.
const loadLine = 6881

// args are the flags to use the counter, with fixed load line and target: the defaults may change.
func (s *counter) args(more ...string) []string {
	return append([]string{"--base-url", s.URL + "/v1", "--model", smallModel, "--cfg", "compaction.trigger_ratio=0.84",
		"--cfg", "compaction.evict={target: 0.5, cold: 0.5}"}, more...)
}

func (s *counter) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		s.models(w)
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		s.reply(&wire{Stream: newStream(w), w: w, r: r, t: s.t}, body)
	default:
		http.NotFound(w, r)
	}
}

// models lists the models as llama.cpp does.
func (s *counter) models(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []object
	for _, name := range []string{smallModel, largeModel} {
		row := object{"id": name, "object": "model", "owned_by": "llamacpp"}
		if !s.hides {
			row["meta"] = object{"n_ctx": windowOf(name), "n_ctx_train": 131072}
		}
		rows = append(rows, row)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object{"object": "list", "data": rows}) // the client may be gone
}

func windowOf(model string) int {
	if model == largeModel {
		return largeWindow
	}
	return smallWindow
}

// reply answers a request.
func (s *counter) reply(w *wire, body []byte) {
	a, ok := s.read(body)
	if !ok {
		status(400, nil, `{"error":{"message":"this is no request"}}`)(w)
		return
	}
	s.mu.Lock()
	s.seen = append(s.seen, a)
	close(s.more)
	s.more = make(chan struct{})
	gate, broken, lines := s.gate, s.broken, s.lines
	s.mu.Unlock()
	switch n := windowOf(a.model); {
	case a.refused:
		status(400, nil, fmt.Sprintf(`{"error":{"code":400,"message":"request (%d tokens) exceeds the available context size (%d tokens), try increasing it",`+
			`"type":"exceed_context_size_error","n_prompt_tokens":%d,"n_ctx":%d}}`, a.tokens, n, a.tokens, n))(w)
	case a.summary && broken:
		status(500, soon, `{"error":{"message":"the summariser is out of order"}}`)(w)
	case a.summary:
		w.text("### Goal")
		w.await(gate)
		text := strings.TrimPrefix(summaryOfVoyage, "### Goal")
		if n := len(s.all(summary)); n > 1 { // one that only repeats an earlier one is no summary
			text += fmt.Sprintf("\nThat was account %d.", n)
		}
		s.answer(w, a, text)
	default:
		messages := a.body.read(s.t)
		s.answer(w, a, answerTo(messages[len(messages)-1].Content, lines))
	}
}

// answer streams a text and its usage.
func (s *counter) answer(w *wire, a asked, text string) {
	for piece := range slices.Chunk([]byte(text), 400) {
		w.text(string(piece))
	}
	w.end("stop", a.tokens, tokensIn(len(text)))
}

func tokensIn(chars int) int { return int(float64(chars) / charsPerToken) }

// read counts a request, and parses what it asks for.
func (s *counter) read(body []byte) (asked, bool) {
	a := asked{}
	head := struct{ Model string }{}
	if json.Unmarshal(body, &head) != nil || json.Unmarshal(body, &a.body) != nil || len(a.body.Messages) == 0 {
		return a, false
	}
	chars := len(a.body.Tools)
	for _, m := range a.body.Messages {
		chars += len(m)
	}
	a.model, a.tokens = head.Model, tokensIn(chars)
	a.refused = a.tokens > windowOf(a.model)
	a.summary = forSummary(string(body))
	return a, true
}

// question is the question with a number, and answerTo its answer: so many lines of a logbook, and the number at the end. The
// first few are long, so that the window is soon nearly full.
func question(n int) string { return fmt.Sprintf("Question %d: what does the logbook say?", n) }

func answerTo(text string, lines int) string {
	n := 0
	_, after, _ := strings.Cut(text[strings.LastIndex(text, "Question ")+1:], " ")
	_, _ = fmt.Sscanf(after, "%d", &n) // 0 to what is no question
	if n <= longAnswers {
		lines = longAnswer
	}
	book := strings.Join(strings.SplitAfter(logbook(n), "\n")[:lines], "")
	return fmt.Sprintf("%s\n\nThat was answer %d.", book, n)
}

// open opens the gate: waiting and later summaries are written.
func (s *counter) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.gate)
}

// shut shuts the gate: later summaries wait.
func (s *counter) shut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = make(chan struct{})
}

// setAnswerLines sets how many lines an answer has.
func (s *counter) setAnswerLines(lines int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = lines
}

// hide stops reporting the windows; only refusals name them.
func (s *counter) hide() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hides = true
}

// failSummaries makes the server answer requests for summaries with 500.
func (s *counter) failSummaries() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = true
}

// all is every request so far of which want holds.
func (s *counter) all(want func(asked) bool) []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []asked
	for _, a := range s.seen {
		if want(a) {
			out = append(out, a)
		}
	}
	return out
}

func summary(a asked) bool { return a.summary }

func talk(a asked) bool { return !a.summary }

// await waits until there are so many requests of which want holds, and returns
// the newest.
func (s *counter) await(what string, n int, want func(asked) bool) asked {
	s.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		s.mu.Lock()
		more := s.more
		s.mu.Unlock()
		if got := s.all(want); len(got) >= n {
			return got[len(got)-1]
		}
		select {
		case <-more:
		case <-late.C:
			s.t.Fatalf("there is still no %s, number %d", what, n)
		}
	}
}
