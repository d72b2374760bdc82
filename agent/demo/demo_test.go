package demo_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/agent/demo"
)

// clock is a clock that stands still until somebody waits on it.
type clock struct {
	mu    sync.Mutex // guards now and waits
	now   time.Time
	waits []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Wait(ctx context.Context, d time.Duration) error {
	c.Advance(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits = append(c.waits, d)
	return ctx.Err()
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func start(t *testing.T, o demo.Options) *demo.Server {
	t.Helper()
	if o.Now == nil {
		o.Now = newClock().Now
	}
	s, err := demo.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test's own context has ended.
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

// post sends a body, a string as it is and anything else as JSON.
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

// answer is a reply put together from a stream or a plain response.
type answer struct {
	Text, Reasoning, Finish string
	Calls                   []toolCall
	Prompt, Completion      int
	Cached, ReasoningTokens int
	Pieces                  int // content pieces
	Done                    bool
}

type toolCall struct{ ID, Name, Arguments string }

type wireReply struct {
	Choices []struct {
		Finish  string   `json:"finish_reason"`
		Delta   wirePart `json:"delta"`
		Message wirePart `json:"message"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
		PromptPart struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionPart struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
}

type wirePart struct {
	Content   string `json:"content"`
	Reasoning string `json:"reasoning_content"`
	Calls     []struct {
		Index    int    `json:"index"`
		ID       string `json:"id"`
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

func (a *answer) add(t *testing.T, w wireReply) {
	t.Helper()
	for _, c := range w.Choices {
		for _, part := range []wirePart{c.Delta, c.Message} {
			a.Text += part.Content
			a.Reasoning += part.Reasoning
			if part.Content != "" {
				a.Pieces++
			}
			for i, call := range part.Calls {
				at := max(call.Index, i)
				if call.ID != "" {
					if at != len(a.Calls) {
						t.Errorf("call %d opens after %d others", at, len(a.Calls))
					}
					a.Calls = append(a.Calls, toolCall{ID: call.ID, Name: call.Function.Name})
				}
				a.Calls[at].Arguments += call.Function.Arguments
			}
		}
		if c.Finish != "" {
			a.Finish = c.Finish
		}
	}
	if u := w.Usage; u != nil {
		a.Prompt, a.Completion = u.Prompt, u.Completion
		a.Cached, a.ReasoningTokens = u.PromptPart.Cached, u.CompletionPart.Reasoning
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
			var w wireReply
			if err := json.Unmarshal(data, &w); err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			a.add(t, w)
		}
	}
	return a, lines.Err()
}

// ask streams a request with usage.
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
