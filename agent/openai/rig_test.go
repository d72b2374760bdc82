package openai_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"plimsoll/agent/anthropic/anthropictest"
	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// reply is a complete reply, assembled from its chunks.
type reply struct {
	Text, Reasoning string
	Calls           []call
	Stop            conversation.StopReason
	Refusal         string
	Paused          bool
	Usage           *llm.Tokens
	Extras          map[string]conversation.RawJSON
	Progress        [][2]int
	Waiting         int
	Hash            string
	Err             *llm.Error
}

type call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Extra     string `json:"extra,omitempty"`
}

// readReply reads a reply to its end and checks the rules for the chunks of every reply.
func readReply(t *testing.T, c *openai.Client, r llm.Request) reply {
	t.Helper()
	return readReplyContext(t.Context(), t, c, r)
}

func readReplyContext(ctx context.Context, t *testing.T, c *openai.Client, r llm.Request) reply {
	t.Helper()
	var got reply
	for chunk, err := range c.Stream(ctx, r) {
		if got.Err != nil || got.Stop != "" {
			t.Errorf("something came after the end: %+v, %v", chunk, err)
		}
		if err != nil {
			if !errors.As(err, &got.Err) {
				t.Errorf("a failure of type %T", err)
			}
			continue
		}
		got.add(t, chunk)
	}
	if got.Err == nil && got.Stop == "" {
		t.Error("the reply ended with neither a stop reason nor an error")
	}
	return got
}

func (r *reply) add(t *testing.T, c llm.Chunk) {
	t.Helper()
	r.Text += c.Text
	r.Reasoning += c.Reasoning
	for _, d := range c.Calls {
		if d.Index > len(r.Calls) {
			t.Fatalf("call %d follows call %d", d.Index, len(r.Calls)-1)
		}
		if d.Index == len(r.Calls) {
			if d.ID == "" || d.Name == "" {
				t.Errorf("a call begins without id or name: %+v", d)
			}
			r.Calls = append(r.Calls, call{ID: d.ID, Name: d.Name})
		} else if d.ID != "" || d.Name != "" {
			t.Errorf("a call is announced twice: %+v", d)
		}
		r.Calls[d.Index].Arguments += d.Arguments
		r.Calls[d.Index].Extra += string(d.Extra)
	}
	if c.Waiting {
		r.Waiting++
	}
	if c.Usage != nil {
		r.Usage = c.Usage
	}
	if c.Extras != nil {
		r.Extras = c.Extras
	}
	if c.Progress != nil {
		r.Progress = append(r.Progress, [2]int{c.Progress.Done, c.Progress.Total})
	}
	if c.BodyHash != "" {
		r.Hash = c.BodyHash
	}
	if c.Stop != "" {
		r.Stop, r.Refusal, r.Paused = c.Stop, c.Refusal, c.Paused
	}
}

func user(text string) llm.Request {
	return llm.Request{Model: "m", Messages: []projection.Message{{Role: projection.RoleUser, Text: text}}}
}

// handlerTransport answers requests with a handler, without a network: each answer is complete before it is read.
type handlerTransport struct{ http.HandlerFunc }

func (o handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	o.HandlerFunc(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, r.Body.Close()
}

// serve returns a client of a provider whose requests a handler answers, without a network.
func serve(t *testing.T, provider string, h http.HandlerFunc) *openai.Client {
	t.Helper()
	return openai.New(openai.Options{Provider: provider, BaseURL: "http://127.0.0.1:9/v1", Key: testKey, Transport: handlerTransport{checkingMessages(t, h)}})
}

// startServer starts a server and returns a client for it under a provider's name.
func startServer(t *testing.T, provider string, h http.HandlerFunc) *openai.Client {
	t.Helper()
	return openai.New(openai.Options{Provider: provider, BaseURL: servedBy(t, checkingMessages(t, h)), Key: testKey, Transport: transport(t)})
}

// checkingMessages returns a handler that fails the test if a request breaks the rules of the Messages API.
func checkingMessages(t *testing.T, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/messages" {
			raw, err := io.ReadAll(r.Body)
			if err != nil {
				return // the client is gone
			}
			for _, p := range anthropictest.Problems(raw, false) {
				t.Errorf("a request that the API refuses: %s", p)
			}
			r.Body = io.NopCloser(bytes.NewReader(raw))
		}
		h(w, r)
	}
}

// officialClient returns a client of a provider at its own address, where all its quirks apply.
func officialClient(t *testing.T, provider string, h http.HandlerFunc) *openai.Client {
	t.Helper()
	return openai.New(openai.Options{Provider: provider, Key: testKey, Transport: handlerTransport{h}})
}

// testKey looks like a key and must never be seen in an error.
const testKey = "sk-test-0123456789abcdef"

// transport returns a transport for one test, whose connections close when the test ends.
func transport(t *testing.T) *http.Transport {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

func sse(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		write(w, body)
	}
}

// status returns a handler that answers with a status and a JSON body; headers are pairs.
func status(code int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		write(w, body)
	}
}

// write sends text at once. A disconnected client is not an error.
func write(w http.ResponseWriter, text string) {
	_, _ = w.Write([]byte(text))
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// servedBy starts a server and returns the base URL of its models.
func servedBy(t *testing.T, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL + "/v1"
}
