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

// prober sends the requests of discovery, key checks and token counts.
type prober struct {
	opts     Options
	model    string // the model to ask about, "" for none
	endpoint endpoint
	client   *http.Client
}

// askOne sends one request and reads its answer.
func (p prober) askOne(ctx context.Context, q question) answer {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(p.opts.Answer, probeTime))
	defer cancel()
	body, err := p.fetch(ctx, q)
	if err != nil {
		return answer{err: err}
	}
	if !json.Valid(body) {
		return answer{err: p.endpoint.MalformedError("what it lists is not JSON", body, nil)}
	}
	return q.read(body, p.model)
}

func (p prober) fetch(ctx context.Context, q question) ([]byte, error) {
	method, payload := http.MethodGet, io.Reader(nil)
	if q.body != "" {
		method, payload = http.MethodPost, strings.NewReader(q.body)
	}
	req, err := http.NewRequestWithContext(ctx, method, q.url, payload)
	if err != nil {
		return nil, p.endpoint.connectionError(err)
	}
	p.authorize(req)
	resp, err := p.client.Do(req)
	if err != nil {
		if ctx.Err() == context.DeadlineExceeded {
			return nil, &llm.Error{Class: llm.Stalled, Message: p.endpoint.host + " did not answer in time"}
		}
		var known *llm.Error
		if errors.As(err, &known) {
			return nil, known
		}
		return nil, p.endpoint.connectionError(err)
	}
	// The body has been read, so an error of Close does not matter.
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxProbeBody))
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, p.endpoint.statusError(resp.StatusCode, resp.Header, body)
	case err != nil:
		return nil, p.endpoint.connectionError(fmt.Errorf("reading the answer: %w", err))
	}
	return body, nil
}

// authorize sets the key in the header that the endpoint's list of models expects.
func (p prober) authorize(req *http.Request) {
	req.Header.Set("Accept", "application/json")
	if req.Method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if p.opts.Key != "" {
		req.Header.Set("Authorization", "Bearer "+p.opts.Key)
		if p.opts.Wire == WireMessages {
			setMessagesHeaders(req.Header, p.opts.Key)
		}
		switch p.endpoint.Name {
		case "anthropic":
			req.Header.Del("Authorization")
		case "gemini":
			if !strings.HasSuffix(req.URL.Path, "/openai/models") {
				req.Header.Del("Authorization")
				req.Header.Set("X-Goog-Api-Key", p.opts.Key)
			}
		}
	}
	setHeaders(req.Header, p.opts.Headers)
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
	read reader
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

// reader reads the answer to a question about a model.
type reader func(body []byte, model string) answer

// CountTokens implements [llm.Counter]: the Messages API counts, and so do llama.cpp and vLLM. They count the request as
// it would be sent.
func (c *Client) CountTokens(ctx context.Context, r llm.Request) (int, error) {
	p := prober{opts: c.opts, endpoint: c.endpoint, client: c.http}
	var reply struct {
		Input  int       `json:"input_tokens"` // Messages
		Count  int       `json:"count"`        // vLLM
		Tokens []ignored `json:"tokens"`       // llama.cpp
		Prompt string    `json:"prompt"`       // llama.cpp, of a template
	}
	if c.opts.Wire == WireMessages {
		body, err := anthropic.CountBody(r, c.messagesForm(r, c.learnedQuirks(r.Model)), routeOf(c.endpoint, r.Model))
		if err == nil {
			err = p.post(ctx, c.opts.BaseURL+"/messages/count_tokens", json.RawMessage(body), &reply)
		}
		return countOrError(reply.Input, err)
	}
	llama := c.endpoint.Name == "llamacpp" || c.learnedQuirks(r.Model).isLlamaCpp
	if !llama && c.endpoint.Name != "vllm" {
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
		err := p.post(ctx, root+"/tokenize", prompt, &reply)
		return countOrError(reply.Count, err)
	}
	if err := p.post(ctx, root+"/apply-template", prompt, &reply); err != nil {
		return 0, err
	}
	err = p.post(ctx, root+"/tokenize", map[string]any{"content": reply.Prompt, "add_special": true, "parse_special": true}, &reply)
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

// post sends a value as JSON and decodes the answer.
func (p prober) post(ctx context.Context, url string, value, into any) error {
	body, err := conversation.EncodeJSON(value)
	if err != nil {
		return err
	}
	raw, err := p.fetch(ctx, question{url: url, body: string(body)})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return p.endpoint.MalformedError("its count is not JSON", raw, err)
	}
	return nil
}
