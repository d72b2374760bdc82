package demo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"plimsoll/agent/wire"
)

// Requests as llama.cpp's server reads them, with its wording of errors. The
// history is checked as strictly as the strictest providers do: every message
// carries content or calls, every call is answered directly after its message,
// arguments are JSON objects.

// ModelID is the id the server lists and answers under.
const ModelID = "demo"

// request is the body of POST /v1/chat/completions.
type request struct {
	Messages      []message       `json:"messages"`
	Tools         json.RawMessage `json:"tools"`
	Stream        bool            `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`

	tools map[string]bool // names
}

// message is one message of the history. Its zero Content was absent or null.
type message struct {
	Role      string      `json:"role"`
	Content   content     `json:"content"`
	Reasoning string      `json:"reasoning_content"`
	Calls     []wire.Call `json:"tool_calls"`
	CallID    string      `json:"tool_call_id"`
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

// apiError is an error as it goes over the wire.
type apiError struct {
	Code         int    `json:"code"`
	Message      string `json:"message"`
	Type         string `json:"type"`
	PromptTokens int    `json:"n_prompt_tokens,omitempty"`
	Window       int    `json:"n_ctx,omitempty"`
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
	if !r.Stream {
		return nil, badRequest("the demo model answers with a stream only: set 'stream'")
	}
	var offered []struct{ Function wire.Function }
	if len(r.Tools) > 0 {
		if err := json.Unmarshal(r.Tools, &offered); err != nil {
			return nil, badRequest("'tools' cannot be read: %v", err)
		}
	}
	r.tools = make(map[string]bool)
	for _, o := range offered {
		r.tools[o.Function.Name] = true
	}
	return &r, checkHistory(r.Messages)
}

// limit is the most tokens the client wants back, 0 for no limit.
func (r *request) limit() int {
	if r.MaxCompletionTokens > 0 {
		return r.MaxCompletionTokens
	}
	return max(r.MaxTokens, 0)
}

func checkHistory(messages []message) *apiError {
	unanswered := make(map[string]bool) // ids of calls
	for i, m := range messages {
		if m.Role != "tool" && len(unanswered) > 0 {
			return badRequest("messages[%d]: %d tool calls before it have no result", i, len(unanswered))
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
				unanswered[c.ID] = true
			}
		case "tool":
			if !m.Content.Present {
				return badRequest("messages[%d]: all non-assistant messages must contain 'content'", i)
			}
			if !unanswered[m.CallID] {
				return badRequest("messages[%d]: no tool call %q to answer", i, m.CallID)
			}
			delete(unanswered, m.CallID)
		default:
			return badRequest("messages[%d]: unknown role %q", i, m.Role)
		}
	}
	if len(unanswered) > 0 {
		return badRequest("%d tool calls have no result", len(unanswered))
	}
	return nil
}
