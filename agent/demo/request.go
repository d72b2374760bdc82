package demo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"plimsoll/agent/wire"
)

// The demo is a model server inside the program that is not an AI. It reads requests, and writes errors, in the format of
// llama.cpp's server.

type request struct {
	Messages      []message       `json:"messages"`
	Tools         json.RawMessage `json:"tools"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`

	tools map[string]bool // names of the tools that the request offers
}

type message struct {
	Role      string      `json:"role"`
	Content   string      `json:"content"`
	Reasoning string      `json:"reasoning_content"`
	Calls     []wire.Call `json:"tool_calls"`
	CallID    string      `json:"tool_call_id"`
}

type apiError struct {
	Code         int    `json:"code"`
	Message      string `json:"message"`
	Type         string `json:"type"`
	PromptTokens int    `json:"n_prompt_tokens,omitempty"`
	Window       int    `json:"n_ctx,omitempty"`
}

func badRequest(message string) *apiError {
	return &apiError{Code: http.StatusBadRequest, Message: message, Type: "invalid_request_error"}
}

// overflow returns llama.cpp's error for a prompt that leaves no room for a reply.
func overflow(tokens, window int) *apiError {
	e := badRequest(fmt.Sprintf("request (%d tokens) exceeds the available context size (%d tokens), try increasing it", tokens, window))
	e.Type, e.PromptTokens, e.Window = "exceed_context_size_error", tokens, window
	return e
}

func parseRequest(body []byte) (*request, *apiError) {
	r := request{tools: make(map[string]bool)}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, badRequest("the request body cannot be read: " + err.Error())
	}
	if len(r.Messages) == 0 {
		return nil, badRequest("'messages' is required")
	}
	if len(r.Tools) > 0 {
		var offered []struct{ Function wire.Function }
		if err := json.Unmarshal(r.Tools, &offered); err != nil {
			return nil, badRequest("'tools' cannot be read: " + err.Error())
		}
		for _, o := range offered {
			r.tools[o.Function.Name] = true
		}
	}
	return &r, nil
}

// prompt returns a request as one text, as a model reads it. The separators are bytes that valid text cannot contain.
func (r *request) prompt() string {
	var b strings.Builder
	b.Write(r.Tools)
	for _, m := range r.Messages {
		b.WriteString("\xff" + m.Role + "\n" + m.Reasoning + m.Content)
		for _, c := range m.Calls {
			b.WriteString("\xff" + c.Function.Name + "\xff" + c.Function.Arguments)
		}
	}
	b.WriteString("\xffassistant\n")
	return b.String()
}
