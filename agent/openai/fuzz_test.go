package openai

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
)

// cannedResponse is a transport that answers every request with one body.
type cannedResponse struct {
	status int
	body   []byte
}

func (c cannedResponse) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: c.status, Status: http.StatusText(c.status), Header: http.Header{}, Request: r,
		Body: io.NopCloser(bytes.NewReader(c.body)),
	}, nil
}

const fuzzKey = "sk-fuzz-0123456789"

// checkReply reads a reply and checks that it has exactly one end and no text unfit for the screen.
func checkReply(t *testing.T, c *Client) {
	t.Helper()
	var stop string
	var failed *llm.Error
	announced := 0
	for chunk, err := range c.Stream(t.Context(), llm.Request{Model: "m", Messages: []projection.Message{{Role: projection.RoleUser, Text: "hi"}}}) {
		if stop != "" || failed != nil {
			t.Fatalf("something came after the end: %+v %v", chunk, err)
		}
		stop = string(chunk.Stop)
		for _, d := range chunk.Calls {
			if d.Index > announced || (d.ID != "") != (d.Index == announced) {
				t.Fatalf("call piece %+v after %d calls", d, announced)
			}
			announced = max(announced, d.Index+1)
		}
		if err != nil {
			failed = llm.AsError(err)
		}
	}
	if (stop == "") == (failed == nil) {
		t.Fatalf("stop %q, error %v", stop, failed)
	}
	if failed != nil {
		checkError(t, failed)
	}
}

func checkError(t *testing.T, e *llm.Error) {
	t.Helper()
	all := e.Message + e.Hint
	if e.Class == "" || e.Message == "" || len([]rune(e.Message)) > 600 || !utf8.ValidString(all) ||
		strings.ContainsAny(all, "\n\r\x1b\x00\u202e") || strings.Contains(all, fuzzKey) || e.RetryAfter < 0 || e.Window < 0 {
		t.Fatalf("an error unfit to be shown: %+v", e)
	}
}

func fuzzClient(status int, body []byte, wire Wire) *Client {
	return New(Options{Provider: "openai", BaseURL: "http://x/v1", Key: fuzzKey, Wire: wire, Transport: cannedResponse{status, body}})
}

func FuzzReply(f *testing.F) {
	for _, b := range streamBodies(f) {
		f.Add(b, false)
	}
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"a\",\"arguments\":\"{\"}}]},\"finish_reason\":\"stop\"}]}\n"), false)
	f.Add([]byte("data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"function_call\",\"name\":\"a\"}}\n\ndata: {\"type\":\"response.completed\"}\n"), true)
	f.Fuzz(func(t *testing.T, body []byte, responses bool) {
		wire := WireChat
		if responses {
			wire = WireResponses
		}
		checkReply(t, fuzzClient(http.StatusOK, body, wire))
	})
}

func FuzzRefusal(f *testing.F) {
	for _, s := range []string{
		`{"error":{"message":"x","code":"y","param":"z"}}`, `[{"error":{"code":400}}]`, `{"detail":[{"msg":"m"}]}`, `<html><title>t</title>`,
		`{"error":{"message":"{\"error\":{\"n_ctx\":5,\"message\":\"` + fuzzKey + `\"}}"}}`, "", "null", `"x"`, "{", `{"error":{"metadata":{"raw":"{}"}}}`,
		"maximum context length is 5 tokens. However, your messages resulted in 6", "try again in 5s",
	} {
		f.Add(400, []byte(s))
		f.Add(429, []byte(s))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		w := newEndpoint(Options{Key: fuzzKey}, endpoints[0])
		checkError(t, w.statusError(status, http.Header{}, body))
		checkError(t, w.ReportedError(body))
	})
}

func FuzzDiscovery(f *testing.F) {
	for _, name := range []string{"llama-server/v1-models", "ollama/ps", "ollama/tags", "ollama/v1-models", "llama-server/slots"} {
		b, err := os.ReadFile("testdata/captures/" + name + ".body")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		found, err := Discover(t.Context(), Options{Provider: "custom", BaseURL: "http://x/v1", Transport: cannedResponse{http.StatusOK, body}}, "tiny")
		if err != nil {
			checkError(t, llm.AsError(err))
		}
		if found.Window < 0 {
			t.Fatalf("window %d", found.Window)
		}
	})
}

// BenchmarkReply measures reading a reply, from the body to the chunks. Budget: 0.1 s of
// 0.7 s for 20,000 tokens, which is 5 us per event.
func BenchmarkReply(b *testing.B) {
	body, err := os.ReadFile("testdata/captures/llama-server/ctx-full-midgen.body")
	if err != nil {
		b.Fatal(err)
	}
	events := bytes.Count(body, []byte("data: "))
	c := fuzzClient(http.StatusOK, body, WireChat)
	for b.Loop() {
		for _, err := range c.Stream(b.Context(), llm.Request{Model: "m"}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
}
