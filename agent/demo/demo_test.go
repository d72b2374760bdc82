package demo_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"plimsoll/agent/demo"
	"plimsoll/agent/wire"
)

func start(t *testing.T, o demo.Options) *demo.Server {
	t.Helper()
	s, err := demo.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test's own context is already cancelled here.
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

type object = map[string]any

func user(text string) object   { return object{"role": "user", "content": text} }
func system(text string) object { return object{"role": "system", "content": text} }
func reply(text string) object  { return object{"role": "assistant", "content": text} }
func list(items ...object) []object {
	return items
}

// post sends a body: a string unchanged, any other value as JSON.
func post(t *testing.T, s *demo.Server, body any) *http.Response {
	t.Helper()
	text, ok := body.(string)
	if !ok {
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/chat/completions", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func read(t *testing.T, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// answer is a reply assembled from a stream or a plain response.
type answer struct {
	Text, Finish               string
	Calls                      []toolCall
	Prompt, Completion, Cached int
	Pieces                     int // content pieces
	Done                       bool
}

type toolCall struct{ ID, Name, Arguments string }

type chunk struct {
	Choices []struct {
		Finish string     `json:"finish_reason"`
		Delta  wire.Delta `json:"delta"`
	} `json:"choices"`
	Usage *wire.Usage `json:"usage"`
}

func (a *answer) add(t *testing.T, w chunk) {
	t.Helper()
	for _, c := range w.Choices {
		if a.Text += c.Delta.Content; c.Delta.Content != "" {
			a.Pieces++
		}
		for _, call := range c.Delta.Calls {
			if call.ID != "" {
				if call.Index != len(a.Calls) {
					t.Errorf("call %d opens after %d others", call.Index, len(a.Calls))
				}
				a.Calls = append(a.Calls, toolCall{ID: call.ID, Name: call.Function.Name})
			}
			a.Calls[call.Index].Arguments += call.Function.Arguments
		}
		if c.Finish != "" {
			a.Finish = c.Finish
		}
	}
	if u := w.Usage; u != nil {
		a.Prompt, a.Completion, a.Cached = u.Prompt, u.Completion, u.PromptPart.Cached
		if u.Total != u.Prompt+u.Completion {
			t.Errorf("total of %d is not %d + %d", u.Total, u.Prompt, u.Completion)
		}
	}
}

// readStream reads events until the end of the body, whose error it returns.
func readStream(t *testing.T, body io.Reader) (a answer, err error) {
	t.Helper()
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		switch {
		case !ok:
		case string(data) == "[DONE]":
			a.Done = true
		default:
			var w chunk
			if err := json.Unmarshal(data, &w); err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			a.add(t, w)
		}
	}
	return a, lines.Err()
}

func ask(t *testing.T, s *demo.Server, messages []object, extra ...object) answer {
	t.Helper()
	body := object{"model": "demo", "messages": messages, "stream": true, "stream_options": object{"include_usage": true}}
	for _, e := range extra {
		for k, v := range e {
			body[k] = v
		}
	}
	resp := post(t, s, body)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", resp.Status, read(t, resp))
	}
	a, err := readStream(t, resp.Body)
	if err != nil || !a.Done {
		t.Fatalf("the stream ended with %v, done %v", err, a.Done)
	}
	return a
}
