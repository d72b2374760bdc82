package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"plimsoll/agent/wire"
)

// A scripted server speaks chat completions: it answers the requests of a
// script one after the other, the last answer again and again.

// serverScript is the file that a script's `serve` command names.
type serverScript struct {
	Models  []json.RawMessage `json:"models"` // entries of GET /models; a default without any
	Replies []scriptedReply   `json:"replies"`
	// Routes are other answers by path: one for each number of chat requests
	// made so far, the last again and again.
	Routes map[string][]json.RawMessage `json:"routes"`
}

// scriptedReply is one answer. With a Status it is a failure, with Raw the
// bytes of the stream; otherwise a stream is made of the rest.
type scriptedReply struct {
	Status    int               `json:"status"`
	Headers   map[string]string `json:"headers"`
	Body      json.RawMessage   `json:"body"`
	Raw       string            `json:"raw"`
	Cut       bool              `json:"cut"`  // break the connection after it
	Hang      bool              `json:"hang"` // say nothing more until the client goes
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
}

func newScriptedServer(script serverScript) *scriptedServer {
	s := &scriptedServer{script: script, hangs: make(chan struct{}, 100)}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

func (s *scriptedServer) serve(w http.ResponseWriter, r *http.Request) {
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
	_ = json.NewEncoder(w).Encode(v) // a client that is gone does not matter
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

// write streams a reply.
func (r scriptedReply) write(s *wire.Stream) {
	s.Raw("") // the header goes out before the first word, if one comes
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

// bodies is the chat requests so far, one a line.
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

// readScript reads what a `serve` command was given: an object, or the list of
// replies alone.
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
