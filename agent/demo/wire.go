package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"plimsoll/conversation"
)

// The shapes of OpenAI chat completions as llama.cpp's server reads and writes
// them, with its wording of errors. The history is checked as strictly as the
// strictest providers do: every message carries content or calls, every call
// is answered directly after its message, arguments are JSON objects.

// ModelID is the id the server lists and answers under.
const ModelID = "demo"

const fingerprint = "plimsoll-demo"

// request is the body of POST /v1/chat/completions.
type request struct {
	Messages      []message       `json:"messages"`
	RawTools      json.RawMessage `json:"tools"`
	ToolChoice    json.RawMessage `json:"tool_choice"`
	Stream        bool            `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           int    `json:"max_tokens"`
	MaxCompletionTokens int    `json:"max_completion_tokens"`
	CacheKey            string `json:"prompt_cache_key"`

	tools     []tool // those tool_choice leaves
	toolsJSON []byte // compact
}

// message is one message of the history. Its zero Content was absent or null.
type message struct {
	Role      string     `json:"role"`
	Content   content    `json:"content"`
	Reasoning string     `json:"reasoning_content"`
	Calls     []wireCall `json:"tool_calls"`
	CallID    string     `json:"tool_call_id"`
}

// content is a string or a list of text parts.
type content struct {
	Text    string
	Present bool
}

// UnmarshalJSON accepts a string, null, or text parts, which are joined.
func (c *content) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	c.Present = true
	if data[0] == '"' {
		return json.Unmarshal(data, &c.Text)
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("content is neither a string nor a list of parts: %w", err)
	}
	for _, p := range parts {
		if p.Type != "text" {
			return fmt.Errorf("unsupported content[].type %q: the demo model reads text only", p.Type)
		}
		c.Text += p.Text
	}
	return nil
}

// wireCall is a tool call, whole in the history and in a plain reply, in pieces
// in a stream, where Index says which call a piece belongs to.
type wireCall struct {
	Index    *int         `json:"index,omitempty"`
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// tool is a function the request offers.
type tool struct {
	Function struct {
		Name       string `json:"name"`
		Parameters schema `json:"parameters"`
	} `json:"function"`
}

// schema is what the rules need of a JSON Schema.
type schema struct {
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Enum       []any             `json:"enum"`
	Required   []string          `json:"required"`
}

// usage is exact: the tokenizer is the model's own.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	PromptPart struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionPart struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// chunk is one event of a stream, or with Message instead of Delta the whole
// of a plain reply.
type chunk struct {
	Choices     []choice `json:"choices"`
	Created     int64    `json:"created"`
	ID          string   `json:"id"`
	Model       string   `json:"model"`
	Fingerprint string   `json:"system_fingerprint"`
	Object      string   `json:"object"`
	Usage       *usage   `json:"usage,omitempty"`
}

type choice struct {
	Finish  *string `json:"finish_reason"`
	Index   int     `json:"index"`
	Delta   *delta  `json:"delta,omitempty"`
	Message *delta  `json:"message,omitempty"`
}

// delta is a piece of a reply. A nil Content is left out, unless the piece
// opens the reply: then it is null, as llama.cpp sends it.
type delta struct {
	Role      string     `json:"role,omitempty"`
	Content   *string    `json:"content,omitempty"`
	Reasoning string     `json:"reasoning_content,omitempty"`
	Calls     []wireCall `json:"tool_calls,omitempty"`
}

// MarshalJSON writes the opening piece with "content": null.
func (d delta) MarshalJSON() ([]byte, error) {
	type plain delta
	if d.Role != "" && d.Content == nil {
		return []byte(`{"role":"` + d.Role + `","content":null}`), nil
	}
	return conversation.EncodeJSON(plain(d))
}

// apiError is an error as it goes over the wire.
type apiError struct {
	Code         int    `json:"code"`
	Message      string `json:"message"`
	Type         string `json:"type"`
	PromptTokens int    `json:"n_prompt_tokens,omitempty"`
	Window       int    `json:"n_ctx,omitempty"`
	retryAfter   string
}

func badRequest(format string, args ...any) *apiError {
	return &apiError{Code: http.StatusBadRequest, Message: fmt.Sprintf(format, args...), Type: "invalid_request_error"}
}

// overflow is what llama.cpp answers to a prompt that leaves no room for a
// reply.
func overflow(tokens, window int) *apiError {
	e := badRequest("request (%d tokens) exceeds the available context size (%d tokens), try increasing it", tokens, window)
	e.Type, e.PromptTokens, e.Window = "exceed_context_size_error", tokens, window
	return e
}

// parseRequest decodes and checks a body.
func parseRequest(body []byte) (*request, *apiError) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, badRequest("the request body cannot be read: %v", err)
	}
	if len(r.Messages) == 0 {
		return nil, badRequest("'messages' is required")
	}
	if len(r.RawTools) > 0 && string(r.RawTools) != "null" {
		if err := json.Unmarshal(r.RawTools, &r.tools); err != nil {
			return nil, badRequest("'tools' cannot be read: %v", err)
		}
		var b bytes.Buffer
		// Compacting what has just been decoded cannot fail.
		_ = json.Compact(&b, r.RawTools)
		r.toolsJSON = b.Bytes()
	}
	r.choose()
	return &r, checkHistory(r.Messages)
}

// choose narrows the tools to what tool_choice allows: "none", or one by name.
func (r *request) choose() {
	var word string
	var named tool
	switch {
	case len(r.ToolChoice) == 0:
	case json.Unmarshal(r.ToolChoice, &word) == nil:
		if word == "none" {
			r.tools = nil
		}
	case json.Unmarshal(r.ToolChoice, &named) == nil && named.Function.Name != "":
		var kept []tool
		for _, t := range r.tools {
			if t.Function.Name == named.Function.Name {
				kept = append(kept, t)
			}
		}
		r.tools = kept
	}
}

// limit is the most tokens the client wants back, 0 for no limit.
func (r *request) limit() int {
	if r.MaxCompletionTokens > 0 {
		return r.MaxCompletionTokens
	}
	return max(r.MaxTokens, 0)
}

func checkHistory(messages []message) *apiError {
	open := make(map[string]bool)
	for i, m := range messages {
		if m.Role != "tool" && len(open) > 0 {
			return badRequest("messages[%d]: %d tool calls before it have no result", i, len(open))
		}
		switch m.Role {
		case "system", "developer", "user":
			if !m.Content.Present {
				return badRequest("messages[%d]: all non-assistant messages must contain 'content'", i)
			}
		case "assistant":
			if !m.Content.Present && len(m.Calls) == 0 {
				return badRequest("messages[%d]: assistant message must contain either 'content' or 'tool_calls'", i)
			}
			for _, c := range m.Calls {
				if arguments := strings.TrimSpace(c.Function.Arguments); !json.Valid([]byte(arguments)) || arguments[0] != '{' {
					return badRequest("messages[%d]: the arguments of %s are not a JSON object", i, c.Function.Name)
				}
				open[c.ID] = true
			}
		case "tool":
			if !m.Content.Present {
				return badRequest("messages[%d]: all non-assistant messages must contain 'content'", i)
			}
			if !open[m.CallID] {
				return badRequest("messages[%d]: no tool call %q to answer", i, m.CallID)
			}
			delete(open, m.CallID)
		default:
			return badRequest("messages[%d]: unknown role %q", i, m.Role)
		}
	}
	if len(open) > 0 {
		return badRequest("%d tool calls have no result", len(open))
	}
	return nil
}
