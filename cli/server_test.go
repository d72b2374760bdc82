package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"

	"plimsoll/agent/wire"
)

// A scripted server for chat completions: it answers requests with the replies of a script in order, and repeats the last.

// serverScript is the file of a script's `serve` command.
type serverScript struct {
	Models  []json.RawMessage `json:"models"` // entries of GET /models; a default without any
	Replies []scriptedReply   `json:"replies"`
	// Routes are other answers by path: one for each number of chat requests so far. The last is repeated.
	Routes map[string][]json.RawMessage `json:"routes"`
}

// scriptedReply is one answer: a failure if it has a Status, the bytes of the stream if it has Raw, otherwise a stream of the
// other fields.
type scriptedReply struct {
	Status    int               `json:"status"`
	Headers   map[string]string `json:"headers"`
	Body      json.RawMessage   `json:"body"`
	Raw       string            `json:"raw"`
	Cut       bool              `json:"cut"`  // break the connection after the reply
	Hang      bool              `json:"hang"` // wait until the client disconnects
	Text      string            `json:"text"`
	Reasoning string            `json:"reasoning"`
	Calls     []scriptedCall    `json:"calls"`
	Finish    string            `json:"finish"`
	Usage     json.RawMessage   `json:"usage"`
}

type scriptedCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type scriptedServer struct {
	*httptest.Server
	script serverScript

	mu       sync.Mutex    // guards requests
	requests []string      // bodies of chat requests
	hangs    chan struct{} // gets a value for each reply that hangs
	ended    atomic.Bool   // requests get no answer; the port is kept from other tests
}

func newScriptedServer(script serverScript) *scriptedServer {
	s := &scriptedServer{script: script, hangs: make(chan struct{}, 100)}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

func (s *scriptedServer) serve(w http.ResponseWriter, r *http.Request) {
	if s.ended.Load() {
		panic(http.ErrAbortHandler)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	route := s.script.Routes[r.URL.Path]
	switch {
	case route != nil:
		writeBody(w, route[min(s.count(), len(route)-1)])
	case strings.HasSuffix(r.URL.Path, "/v1/models"):
		models := s.script.Models
		if models == nil {
			models = []json.RawMessage{json.RawMessage(`{"id":"test-model","object":"model"}`)}
		}
		writeBody(w, map[string]any{"object": "list", "data": models})
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		s.reply(w, r, string(body))
	default:
		http.NotFound(w, r)
	}
}

func writeBody(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may have disconnected
}

func (s *scriptedServer) reply(w http.ResponseWriter, r *http.Request, body string) {
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, body)
	s.mu.Unlock()
	reply := s.script.Replies[min(n, len(s.script.Replies)-1)]
	for name, value := range reply.Headers {
		w.Header().Set(name, value)
	}
	if reply.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(reply.Status)
		_, _ = w.Write(reply.Body)
		return
	}
	reply.write(wire.NewStream(w))
	if reply.Hang {
		s.hangs <- struct{}{}
		<-r.Context().Done()
	}
	if reply.Cut {
		panic(http.ErrAbortHandler)
	}
}

func (r scriptedReply) write(s *wire.Stream) {
	s.Raw("") // sends the header before the first delta
	if r.Raw != "" {
		s.Raw(r.Raw)
		return
	}
	if r.Reasoning != "" {
		s.Send(wire.Delta{Reasoning: r.Reasoning})
	}
	for _, word := range strings.SplitAfter(r.Text, " ") {
		if word != "" {
			s.Send(wire.Delta{Content: word})
		}
	}
	for i, c := range r.Calls {
		s.Send(wire.Delta{Calls: []wire.Call{wire.NewCall(i, c.ID, c.Name, string(c.Args))}})
	}
	if r.Hang || r.Cut {
		return
	}
	finish := r.Finish
	if finish == "" {
		finish = "stop"
		if len(r.Calls) > 0 {
			finish = "tool_calls"
		}
	}
	if finish != "none" {
		s.Finish(finish)
	}
	if r.Usage != nil {
		s.Usage(r.Usage)
	}
	if finish != "none" {
		s.Done()
	}
}

// bodies returns the chat requests so far, one a line.
func (s *scriptedServer) bodies() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.requests, "\n") + "\n"
}

func (s *scriptedServer) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// readScript reads the argument of a `serve` command: an object, or only the list of replies.
func readScript(data string) (serverScript, error) {
	var s serverScript
	var err error
	if strings.HasPrefix(strings.TrimSpace(data), "[") {
		err = json.Unmarshal([]byte(data), &s.Replies)
	} else {
		err = json.Unmarshal([]byte(data), &s)
	}
	if err == nil && len(s.Replies) == 0 {
		err = fmt.Errorf("the script has no replies")
	}
	return s, err
}
