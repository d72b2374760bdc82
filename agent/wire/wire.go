// Package wire writes a reply as OpenAI-compatible servers stream it: chunks of
// a chat completion as server-sent events. The demo model and the servers of
// tests answer with it.
package wire

import (
	"encoding/json"
	"io"
	"net/http"
)

// Stream is one reply under way. After its first failure it writes nothing
// more. Not safe for concurrent use.
type Stream struct {
	// ID, Model and Created stand in every chunk.
	ID, Model string
	Created   int64

	w     http.ResponseWriter
	begun bool
	err   error
}

// NewStream writes to w, with the header of a stream from its first byte on.
func NewStream(w http.ResponseWriter) *Stream { return &Stream{ID: "reply", Model: "model", w: w} }

// Delta is a piece of a reply.
type Delta struct {
	Role      string `json:"role,omitempty"`
	Content   string `json:"content,omitempty"`
	Reasoning string `json:"reasoning_content,omitempty"`
	Calls     []Call `json:"tool_calls,omitempty"`
}

// Call is a tool call or, under the index of one, a further piece of its
// arguments.
type Call struct {
	Index    int      `json:"index"`
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Function Function `json:"function"`
}

// Function names what is called. Arguments are JSON, or a piece of it.
type Function struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// NewCall is a call with all of its arguments.
func NewCall(index int, id, name, arguments string) Call {
	return Call{Index: index, ID: id, Type: "function", Function: Function{Name: name, Arguments: arguments}}
}

// Usage counts the tokens of a request and of its reply.
type Usage struct {
	Prompt     int           `json:"prompt_tokens"`
	Completion int           `json:"completion_tokens"`
	Total      int           `json:"total_tokens"`
	PromptPart PromptPart    `json:"prompt_tokens_details"`
	ReplyPart  CompletedPart `json:"completion_tokens_details"`
}

// PromptPart says how many tokens of a prompt were read from the cache.
type PromptPart struct {
	Cached int `json:"cached_tokens"`
}

// CompletedPart says how many tokens of a reply are reasoning.
type CompletedPart struct {
	Reasoning int `json:"reasoning_tokens"`
}

type chunk struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   any      `json:"usage,omitempty"`
}

type choice struct {
	Index  int     `json:"index"`
	Delta  Delta   `json:"delta"`
	Finish *string `json:"finish_reason"`
}

// Err is why the stream broke, nil if it did not.
func (s *Stream) Err() error { return s.err }

// Raw sends bytes at once.
func (s *Stream) Raw(text string) {
	if s.err != nil {
		return
	}
	if !s.begun {
		s.begun = true
		s.w.Header().Set("Content-Type", "text/event-stream")
		s.w.Header().Set("Cache-Control", "no-cache")
	}
	if _, s.err = io.WriteString(s.w, text); s.err == nil {
		s.err = http.NewResponseController(s.w).Flush()
	}
}

// Event sends a value as one event.
func (s *Stream) Event(v any) {
	data, err := json.Marshal(v)
	if err != nil && s.err == nil {
		s.err = err
	}
	s.Raw("data: " + string(data) + "\n\n")
}

// Send sends a piece of the reply.
func (s *Stream) Send(d Delta) { s.chunk([]choice{{Delta: d}}, nil) }

// Finish says why the reply ends: "stop", "length" or "tool_calls".
func (s *Stream) Finish(reason string) { s.chunk([]choice{{Finish: &reason}}, nil) }

// Usage sends a count, a Usage or another server's form of one.
func (s *Stream) Usage(count any) { s.chunk([]choice{}, count) }

// Done sends the mark of the end.
func (s *Stream) Done() { s.Raw("data: [DONE]\n\n") }

func (s *Stream) chunk(choices []choice, usage any) {
	s.Event(chunk{ID: s.ID, Object: "chat.completion.chunk", Created: s.Created, Model: s.Model, Choices: choices, Usage: usage})
}
