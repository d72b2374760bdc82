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

type prober struct {
	opts   Options
	model  string // asked about, "" for none
	who    endpoint
	client *http.Client
}

func (p prober) one(ctx context.Context, q question) answer {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(p.opts.Answer, probeTime))
	defer cancel()
	body, err := p.fetch(ctx, q)
	if err != nil {
		return answer{err: err}
	}
	if !json.Valid(body) {
		return answer{err: p.who.Malformed("what it lists is not JSON", body, nil)}
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
		return nil, p.who.unreachable(err)
	}
	p.authorize(req)
	resp, err := p.client.Do(req)
	if err != nil {
		if ctx.Err() == context.DeadlineExceeded {
			return nil, &llm.Error{Class: llm.Stalled, Message: p.who.host + " did not answer in time"}
		}
		var told *llm.Error
		if errors.As(err, &told) {
			return nil, told
		}
		return nil, p.who.unreachable(err)
	}
	// Nothing is lost with a connection that does not close well.
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxProbeBody))
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, p.who.refused(resp.StatusCode, resp.Header, body)
	case err != nil:
		return nil, p.who.unreachable(fmt.Errorf("reading the answer: %w", err))
	}
	return body, nil
}

// authorize gives the key in the form the endpoint's list wants it in.
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
		switch p.who.Name {
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
	keyTime      = 10 * time.Second // for a provider beyond a slow connection
	maxProbeBody = 32 << 20         // OpenRouter's list is some megabytes
)

type question struct {
	url  string
	body string // "" for GET
	read reader
}

type answer struct {
	window int
	strong bool // in effect, not only advertised
	maxOut int
	server string
	again  bool
	models []Listed
	loaded []string // ids in memory
	err    error
}

type reader func(body []byte, model string) answer

// CountTokens is [llm.Counter]'s: the Messages API counts, and so do llama.cpp and vLLM. What they count is the request as
// it would be sent.
func (c *Client) CountTokens(ctx context.Context, r llm.Request) (int, error) {
	p := prober{opts: c.opts, who: c.who, client: c.http}
	var said struct {
		Input  int       `json:"input_tokens"` // Messages
		Count  int       `json:"count"`        // vLLM
		Tokens []skipped `json:"tokens"`       // llama.cpp
		Prompt string    `json:"prompt"`       // llama.cpp, of a template
	}
	if c.opts.Wire == WireMessages {
		body, err := anthropic.CountBody(r, c.messagesForm(r, c.lessons(r.Model)), routeOf(c.who, r.Model))
		if err == nil {
			err = p.post(ctx, c.opts.BaseURL+"/messages/count_tokens", json.RawMessage(body), &said)
		}
		return counted(said.Input, err)
	}
	llama := c.who.Name == "llamacpp" || c.lessons(r.Model).progress
	if !llama && c.who.Name != "vllm" {
		return 0, llm.ErrNotCounted
	}
	form := ""
	if c.opts.Wire == WireResponses {
		form = string(WireChat) // they count what comes over that
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
		err := p.post(ctx, root+"/tokenize", prompt, &said)
		return counted(said.Count, err)
	}
	if err := p.post(ctx, root+"/apply-template", prompt, &said); err != nil {
		return 0, err
	}
	err = p.post(ctx, root+"/tokenize", map[string]any{"content": said.Prompt, "add_special": true, "parse_special": true}, &said)
	return counted(len(said.Tokens), err)
}

// skipped is a value that is counted and takes no memory.
type skipped struct{}

// UnmarshalJSON takes any value.
func (*skipped) UnmarshalJSON([]byte) error { return nil }

// counted is a count as it is told; 0 is as good as no answer.
func counted(n int, err error) (int, error) {
	if err == nil && n <= 0 {
		err = llm.ErrNotCounted
	}
	return n, err
}

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
		return p.who.Malformed("its count is not JSON", raw, err)
	}
	return nil
}
