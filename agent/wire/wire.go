// Package wire writes a reply in the form in which OpenAI-compatible servers stream it: chunks of a chat completion
// as server-sent events. The demo model and the servers in tests use it.
package wire

import (
	"encoding/json"
	"io"
	"net/http"
)

// Stream writes one reply. After the first write error it writes nothing more. Not safe for concurrent use.
type Stream struct {
	// ID, Model and Created are in every chunk.
	ID, Model string
	Created   int64

	w     http.ResponseWriter
	begun bool
	err   error
}

// NewStream returns a stream to w. The first write sends the header of an event stream.
func NewStream(w http.ResponseWriter) *Stream { return &Stream{ID: "reply", Model: "model", w: w} }

// Delta is a piece of a reply.
type Delta struct {
	Role      string `json:"role,omitempty"`
	Content   string `json:"content,omitempty"`
	Reasoning string `json:"reasoning_content,omitempty"`
	Calls     []Call `json:"tool_calls,omitempty"`
}

// Call is a tool call or, with the Index of an earlier one, a further piece of its arguments.
type Call struct {
	Index    int      `json:"index"`
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Function Function `json:"function"`
}

// Function is the name of the called function, and its arguments: JSON, or a piece of it.
type Function struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// NewCall returns a call with all of its arguments.
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

// PromptPart is the number of prompt tokens that were read from the cache.
type PromptPart struct {
	Cached int `json:"cached_tokens"`
}

// CompletedPart is the number of tokens of a reply that are reasoning.
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

// Err is the first write error, nil if there was none.
func (s *Stream) Err() error { return s.err }

// Raw writes text as it is, and flushes it.
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

// Event sends a value as one event, in JSON.
func (s *Stream) Event(v any) {
	data, err := json.Marshal(v)
	if err != nil && s.err == nil {
		s.err = err
	}
	s.Raw("data: " + string(data) + "\n\n")
}

// Send sends a piece of the reply.
func (s *Stream) Send(d Delta) { s.chunk([]choice{{Delta: d}}, nil) }

// Finish sends the finish reason of the reply: "stop", "length" or "tool_calls".
func (s *Stream) Finish(reason string) { s.chunk([]choice{{Finish: &reason}}, nil) }

// Usage sends a token count: a Usage, or the form of another server.
func (s *Stream) Usage(count any) { s.chunk([]choice{}, count) }

// Done sends the mark that ends the stream.
func (s *Stream) Done() { s.Raw("data: [DONE]\n\n") }

func (s *Stream) chunk(choices []choice, usage any) {
	s.Event(chunk{ID: s.ID, Object: "chat.completion.chunk", Created: s.Created, Model: s.Model, Choices: choices, Usage: usage})
}
