package wire_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/wire"
)

func TestWritesAReply(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	s := wire.NewStream(w)
	s.ID, s.Model, s.Created = "r1", "m", 7
	s.Send(wire.Delta{Role: "assistant"})
	s.Send(wire.Delta{Reasoning: "hm"})
	s.Send(wire.Delta{Content: "yes"})
	s.Send(wire.Delta{Calls: []wire.Call{wire.NewCall(0, "c1", "read_file", `{"path":`)}})
	s.Send(wire.Delta{Calls: []wire.Call{{Function: wire.Function{Arguments: `"a"}`}}}})
	s.Finish("tool_calls")
	s.Usage(wire.Usage{Prompt: 3, Completion: 2, Total: 5, PromptPart: wire.PromptPart{Cached: 1}})
	s.Done()
	head := `data: {"id":"r1","object":"chat.completion.chunk","created":7,"model":"m","choices":[`
	want := head + `{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}

` + head + `{"index":0,"delta":{"reasoning_content":"hm"},"finish_reason":null}]}

` + head + `{"index":0,"delta":{"content":"yes"},"finish_reason":null}]}

` + head + `{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":"}}]},"finish_reason":null}]}

` + head + `{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"a\"}"}}]},"finish_reason":null}]}

` + head + `{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

` + head + `],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":{"reasoning_tokens":0}}}

data: [DONE]

`
	if d := cmp.Diff(want, w.Body.String()); d != "" {
		t.Error(d)
	}
	if got := w.Header().Get("Content-Type"); got != "text/event-stream" || s.Err() != nil {
		t.Errorf("content type %q, error %v", got, s.Err())
	}
}

var errGone = errors.New("gone")

// gone is a client that has gone away.
type gone struct {
	http.ResponseWriter
	writes int
}

func (g *gone) Write([]byte) (int, error) {
	g.writes++
	return 0, errGone
}

func TestStopsWhereTheClientIsGone(t *testing.T) {
	t.Parallel()
	w := &gone{ResponseWriter: httptest.NewRecorder()}
	s := wire.NewStream(w)
	s.Send(wire.Delta{Content: "yes"})
	s.Done()
	if !errors.Is(s.Err(), errGone) || w.writes != 1 {
		t.Errorf("error %v after %d writes", s.Err(), w.writes)
	}
}
