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

// A countingServer counts the tokens of requests as llama.cpp does, refuses those that are longer than the model's window, and
// reports the counts. It answers question N with answer N, and recognises requests for a summary.

const (
	// smallModel and largeModel are the models of the server, with their windows.
	smallModel, smallWindow = modelName, 8192
	largeModel, largeWindow = "large-model", 32768
	// longAnswers is the number of first answers that always have longAnswer lines.
	longAnswers, longAnswer = 3, 56
	// charsPerToken is how the server estimates tokens.
	charsPerToken = 3.6
)

// countedRequest is one request that the server received.
type countedRequest struct {
	model   string
	tokens  int
	limit   int // on the reply, in tokens
	summary bool
	refused bool // as longer than the window
	body    request
}

type countingServer struct {
	*httptest.Server
	t testing.TB

	mu     sync.Mutex // guards what follows
	lines  int        // of an answer
	hides  bool       // does not say how large its windows are before it refuses
	broken bool       // answers requests for summaries with 500
	gate   chan struct{}
	seen   []countedRequest
	more   chan struct{} // closed when the next request comes
}

// newCountingServer starts a server whose answers have the given number of lines. Summaries wait for releaseSummaries.
func newCountingServer(t testing.TB, lines int) *countingServer {
	t.Helper()
	s := &countingServer{t: t, lines: lines, gate: make(chan struct{}), more: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// loadLine is the load line of the tests in the small window, in tokens.
const loadLine = 6881

// flags are the flags to use the server, with a fixed load line and target, because the defaults may change.
func (s *countingServer) flags(more ...string) []string {
	return append([]string{"--base-url", s.URL + "/v1", "--model", smallModel, "--cfg", "compaction.trigger_ratio=0.84",
		"--cfg", "compaction.evict={target: 0.5, cold: 0.5}", "--cfg", "tools.task.enabled=false"}, more...) // little room for declarations
}

func (s *countingServer) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		s.listModels(w)
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		s.reply(&wire{Stream: newStream(w), w: w, r: r, t: s.t}, body)
	default:
		http.NotFound(w, r)
	}
}

// listModels lists the models as llama.cpp does.
func (s *countingServer) listModels(w http.ResponseWriter) {
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
func (s *countingServer) reply(w *wire, body []byte) {
	a, ok := s.parse(body)
	if !ok {
		errorReply(400, nil, `{"error":{"message":"this is no request"}}`)(w)
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
		errorReply(400, nil, fmt.Sprintf(`{"error":{"code":400,"message":"request (%d tokens) exceeds the available context size (%d tokens), try increasing it",`+
			`"type":"exceed_context_size_error","n_prompt_tokens":%d,"n_ctx":%d}}`, a.tokens, n, a.tokens, n))(w)
	case a.summary && broken:
		errorReply(500, soon, `{"error":{"message":"the summariser is out of order"}}`)(w)
	case a.summary:
		w.text("### Goal")
		w.awaitGate(gate)
		text := strings.TrimPrefix(summaryOfVoyage, "### Goal")
		if n := len(s.matching(isSummary)); n > 1 { // one that only repeats an earlier one is no summary
			text += fmt.Sprintf("\nThat was account %d.", n)
		}
		s.answer(w, a, text)
	default:
		messages := a.body.decode(s.t)
		s.answer(w, a, answerTo(messages[len(messages)-1].Content, lines))
	}
}

func (s *countingServer) answer(w *wire, a countedRequest, text string) {
	for piece := range slices.Chunk([]byte(text), 400) {
		w.text(string(piece))
	}
	w.end("stop", a.tokens, tokensIn(len(text)))
}

func tokensIn(chars int) int { return int(float64(chars) / charsPerToken) }

func (s *countingServer) parse(body []byte) (countedRequest, bool) {
	a := countedRequest{}
	head := struct {
		Model     string
		MaxTokens int `json:"max_tokens"`
	}{}
	if json.Unmarshal(body, &head) != nil || json.Unmarshal(body, &a.body) != nil || len(a.body.Messages) == 0 {
		return a, false
	}
	chars := len(a.body.Tools)
	for _, m := range a.body.Messages {
		chars += len(m)
	}
	a.model, a.tokens, a.limit = head.Model, tokensIn(chars), head.MaxTokens
	a.refused = a.tokens > windowOf(a.model)
	a.summary = isSummaryRequest(string(body))
	return a, true
}

// question is the text of question n. answerTo returns its answer: lines of a logbook, and the number at the end. The first
// few answers are long, so that the window fills soon.
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

// releaseSummaries lets the server write waiting and later summaries.
func (s *countingServer) releaseSummaries() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.gate)
}

// holdSummaries makes later summaries wait.
func (s *countingServer) holdSummaries() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = make(chan struct{})
}

// setAnswerLines sets how many lines an answer has.
func (s *countingServer) setAnswerLines(lines int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = lines
}

// hideWindows stops listing the windows; only refusals name them.
func (s *countingServer) hideWindows() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hides = true
}

// failSummaries makes the server answer requests for summaries with 500.
func (s *countingServer) failSummaries() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = true
}

// matching returns the requests so far for which want is true.
func (s *countingServer) matching(want func(countedRequest) bool) []countedRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []countedRequest
	for _, a := range s.seen {
		if want(a) {
			out = append(out, a)
		}
	}
	return out
}

func isSummary(a countedRequest) bool { return a.summary }

func isChat(a countedRequest) bool { return !a.summary }

// awaitRequest waits until want is true for n requests, and returns the newest of them.
func (s *countingServer) awaitRequest(what string, n int, want func(countedRequest) bool) countedRequest {
	s.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		s.mu.Lock()
		more := s.more
		s.mu.Unlock()
		if got := s.matching(want); len(got) >= n {
			return got[len(got)-1]
		}
		select {
		case <-more:
		case <-late.C:
			s.t.Fatalf("there is still no %s, number %d", what, n)
		}
	}
}
