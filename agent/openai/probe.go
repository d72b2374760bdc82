package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"plimsoll/agent/anthropic"
	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// askOne sends one request about a model, and reads its answer.
func (c *Client) askOne(ctx context.Context, q question, model string) answer {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.opts.Answer, probeTime))
	defer cancel()
	body, err := c.fetch(ctx, q)
	if err != nil {
		return answer{err: err}
	}
	if !json.Valid(body) {
		return answer{err: c.endpoint.MalformedError("what it lists is not JSON", body, nil)}
	}
	return q.read(body, model)
}

func (c *Client) fetch(ctx context.Context, q question) ([]byte, error) {
	method, payload := http.MethodGet, io.Reader(nil)
	if q.body != "" {
		method, payload = http.MethodPost, strings.NewReader(q.body)
	}
	req, err := http.NewRequestWithContext(ctx, method, q.url, payload)
	if err != nil {
		return nil, c.endpoint.connectionError(err)
	}
	c.authorize(req)
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() == context.DeadlineExceeded {
			return nil, &llm.Error{Class: llm.Stalled, Message: c.endpoint.host + " did not answer in time"}
		}
		if known, ok := errors.AsType[*llm.Error](err); ok {
			return nil, known
		}
		return nil, c.endpoint.connectionError(err)
	}
	// The body has been read, so an error of Close does not matter.
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxProbeBody))
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, c.endpoint.statusError(resp.StatusCode, resp.Header, body)
	case err != nil:
		return nil, c.endpoint.connectionError(fmt.Errorf("reading the answer: %w", err))
	}
	return body, nil
}

// authorize sets the key in the header that the endpoint's list of models expects.
func (c *Client) authorize(req *http.Request) {
	req.Header.Set("Accept", "application/json")
	if req.Method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.opts.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.opts.Key)
		if c.opts.Wire == WireMessages {
			setMessagesHeaders(req.Header, c.opts.Key)
		}
		switch c.endpoint.Name {
		case "anthropic":
			req.Header.Del("Authorization")
		case "gemini":
			if !strings.HasSuffix(req.URL.Path, "/openai/models") {
				req.Header.Del("Authorization")
				req.Header.Set("X-Goog-Api-Key", c.opts.Key)
			}
		}
	}
	setHeaders(req.Header, c.opts.Headers)
}

const (
	probeTime    = time.Second
	keyTime      = 10 * time.Second // a distant provider over a slow connection
	maxProbeBody = 32 << 20         // OpenRouter's list is some megabytes
)

// question is one request and how to read its answer.
type question struct {
	url  string
	body string // "" for GET
	read func(body []byte, model string) answer
}

type answer struct {
	window   int
	inEffect bool // the window is in effect, not only advertised
	maxOut   int
	server   string // the server software, "" if not reported
	askAgain bool   // the window depends on how the model gets loaded
	models   []ListedModel
	loaded   []string // ids of models in memory, nil if not reported
	err      error
}

// CountTokens implements [llm.Counter]: the Messages API counts, and so do llama.cpp and vLLM. They count the request as
// it would be sent.
func (c *Client) CountTokens(ctx context.Context, r llm.Request) (int, error) {
	var reply struct {
		Input  int       `json:"input_tokens"` // Messages
		Count  int       `json:"count"`        // vLLM
		Tokens []ignored `json:"tokens"`       // llama.cpp
		Prompt string    `json:"prompt"`       // llama.cpp, of a template
	}
	r, err := r.WithImages(ctx)
	if err != nil {
		return 0, err
	}
	if c.opts.Wire == WireMessages {
		body, err := anthropic.CountBody(r, c.messagesForm(r, c.learnedQuirks(r.Model)), nameOf(c.endpoint, r.Model))
		if err == nil {
			err = c.count(ctx, c.opts.BaseURL+"/messages/count_tokens", json.RawMessage(body), &reply)
		}
		return countOrError(reply.Input, err)
	}
	llama := c.endpoint.Name == "llamacpp" || c.learnedQuirks(r.Model).isLlamaCpp
	if !llama && c.endpoint.Name != "vllm" || len(r.Images) > 0 { // they would count base64 as text
		return 0, llm.ErrNotCounted
	}
	form := ""
	if c.opts.Wire == WireResponses {
		form = string(WireChat) // their counting takes chat completions only
	}
	body, err := c.Body(r, form)
	if err != nil {
		return 0, err
	}
	var prompt struct {
		Model    json.RawMessage `json:"model"`
		Messages json.RawMessage `json:"messages"`
		Tools    json.RawMessage `json:"tools,omitempty"`
		Kwargs   json.RawMessage `json:"chat_template_kwargs,omitempty"`
	}
	if err := json.Unmarshal(body, &prompt); err != nil {
		return 0, err
	}
	root := strings.TrimSuffix(c.opts.BaseURL, "/v1")
	if !llama {
		err := c.count(ctx, root+"/tokenize", prompt, &reply)
		return countOrError(reply.Count, err)
	}
	if err := c.count(ctx, root+"/apply-template", prompt, &reply); err != nil {
		return 0, err
	}
	err = c.count(ctx, root+"/tokenize", map[string]any{"content": reply.Prompt, "add_special": true, "parse_special": true}, &reply)
	return countOrError(len(reply.Tokens), err)
}

// ignored is an array element that is counted without being kept.
type ignored struct{}

// UnmarshalJSON accepts any value.
func (*ignored) UnmarshalJSON([]byte) error { return nil }

// countOrError returns a count, or ErrNotCounted if it is not positive.
func countOrError(n int, err error) (int, error) {
	if err == nil && n <= 0 {
		err = llm.ErrNotCounted
	}
	return n, err
}

// count sends a value as JSON and decodes the answer.
func (c *Client) count(ctx context.Context, url string, value, into any) error {
	body, err := conversation.EncodeJSON(value)
	if err != nil {
		return err
	}
	raw, err := c.fetch(ctx, question{url: url, body: string(body)})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return c.endpoint.MalformedError("its count is not JSON", raw, err)
	}
	return nil
}
