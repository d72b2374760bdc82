package openai_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/anthropic/anthropictest"
	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/conversation"
)

const claude = "claude-sonnet-5"

func claudeRequest(text string) llm.Request {
	r := user(text)
	r.Model = claude
	return r
}

func messagesReply(text string) string {
	return "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n" +
		"event: ping\ndata: {\"type\":\"ping\"}\n\n" +
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" +
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"" + text + "\"}}\n\n" +
		"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n" +
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":7}}\n\n" +
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
}

func TestAnthropicUsesTheMessagesWire(t *testing.T) {
	t.Parallel()
	var body []byte
	c := serve(t, "anthropic", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != testKey || r.Header.Get("Authorization") != "" ||
			r.Header.Get("Anthropic-Version") == "" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %v", r.URL.Path, r.Header)
		}
		body, _ = io.ReadAll(r.Body)
		sse(messagesReply("Hello"))(w, r)
	})
	got := readReply(t, c, claudeRequest("hi"))
	if got.Err != nil || got.Text != "Hello" || got.Stop != conversation.StopEnd || got.Usage.Prompt != 3 || got.Usage.Completion != 7 {
		t.Fatalf("%+v", got)
	}
	if sum := sha256.Sum256(body); got.Hash != hex.EncodeToString(sum[:]) {
		t.Error("the hash is that of another body")
	}
	if c.NoCaching() {
		t.Error("the wire is taken to cache nothing")
	}
}

func TestBodyOfTheMessagesWireCanBeRebuilt(t *testing.T) {
	t.Parallel()
	bodies := make(chan []byte, 1)
	c := serve(t, "anthropic", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- body
		sse(messagesReply("Hello"))(w, r)
	})
	r := claudeRequest(strings.Repeat("many words ", 500))
	r.Effort, r.CacheTTL, r.System = "high", time.Hour, strings.Repeat("be brief ", 500)
	form := ""
	for chunk, err := range c.Stream(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
		form += chunk.WireForm
	}
	sent := <-bodies
	r.Effort, r.CacheTTL = "", 0
	again, err := openai.New(openai.Options{Provider: "anthropic"}).Body(r, form)
	if err != nil || string(again) != string(sent) {
		t.Errorf("%v, form %q\n%s\n%s", err, form, sent, again)
	}
	for _, want := range []string{`"ttl":"1h"`, `"effort":"high"`, `"adaptive"`} {
		if !strings.Contains(string(sent), want) {
			t.Errorf("%s is not in %s", want, sent)
		}
	}
	if _, err := c.Body(r, form+" of-a-later-version"); err == nil {
		t.Error("a form of a later version was read")
	}
}

func TestParametersRefusedByAMessagesServerAreOmitted(t *testing.T) {
	t.Parallel()
	for refusal, gone := range map[string]string{
		"output_config.effort: this model does not support the effort parameter":                                                 "output_config",
		"thinking: adaptive thinking is not supported on this model":                                                             "adaptive",
		`\"thinking.type.adaptive\" is not supported for this model. Use \"thinking.type.enabled\" and \"output_config.effort\"`: "\"type\":\"adaptive\"",
		"messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`":                            "\"thinking\"",
		"max_tokens: 64000 > 4096, which is the maximum allowed number":                                                          "64000",
	} {
		t.Run(gone, func(t *testing.T) {
			t.Parallel()
			var asked []string
			c := serve(t, "anthropic", func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				asked = append(asked, string(body))
				if strings.Contains(string(body), gone) {
					status(http.StatusBadRequest, `{"type":"error","error":{"type":"invalid_request_error","message":"`+refusal+`"}}`)(w, r)
					return
				}
				sse(messagesReply("Hello"))(w, r)
			})
			r := claudeRequest("hi")
			r.Effort = "high"
			for range 2 {
				if got := readReply(t, c, r); got.Err != nil || got.Text != "Hello" {
					t.Fatalf("%+v", got)
				}
			}
			if len(asked) != 3 || slices.ContainsFunc(asked[1:], func(b string) bool { return strings.Contains(b, gone) }) {
				t.Errorf("%d requests: %q", len(asked), asked)
			}
		})
	}
}

func TestClaudeModelMissingFromTheCatalogue(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(status(http.StatusOK, `{"data":[{"id":"claude-opus-6-1","max_input_tokens":2000000,"max_tokens":50000}]}`))
	t.Cleanup(srv.Close)
	o := openai.Options{Provider: "anthropic", BaseURL: srv.URL + "/v1", Key: testKey, Transport: transport(t)}
	client := openai.New(o)
	found, err := openai.Discover(t.Context(), o, "claude-opus-6-1")
	if err != nil || found.Window != 2_000_000 {
		t.Errorf("%v, window %d", err, found.Window)
	}
	client.LearnMaxOutput("claude-opus-6-1", found)
	for _, c := range []struct {
		model, effort string
		has           []string
		note          bool
	}{
		{"claude-opus-6-1", "max", []string{`"max_tokens":50000`, `"adaptive"`, `"effort":"max"`}, false},
		{"claude-opus-6-1", "none", []string{`"adaptive"`, `"effort":"low"`}, true},
		{"claude-haiku-7", "none", []string{`"max_tokens":64000`, `"disabled"`}, false},
	} {
		r := claudeRequest("hi")
		r.Model, r.Effort = c.model, c.effort
		raw, err := client.Body(r, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.has {
			if !strings.Contains(string(raw), want) {
				t.Errorf("%s, %s: %s is not in %s", c.model, c.effort, want, raw)
			}
		}
		if got := client.EffortNote(c.model, c.effort); (got != "") != c.note {
			t.Errorf("%s, %s: %q", c.model, c.effort, got)
		}
	}
	bedrock := openai.New(openai.Options{Provider: "mine", BaseURL: "https://bedrock.example/v1", Wire: openai.WireMessages})
	if e, ok := bedrock.Entry("us.anthropic.claude-opus-5-5-v1:0"); !ok || e.ID != "claude-opus-5-5" {
		t.Errorf("behind another address: %+v", e)
	}
}

// Source: "Fix a thinking block bound to a different conversation".
func TestAnthropicIsAskedToDropThinkingOfAnotherConversation(t *testing.T) {
	t.Parallel()
	var asked, betas []string
	c := officialClient(t, "anthropic", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked, betas = append(asked, string(body)), append(betas, r.Header.Get("Anthropic-Beta"))
		if len(asked) == 2 {
			status(http.StatusBadRequest, `{"type":"error","error":{"type":"invalid_request_error","message":"thinking.adaptive.block_binding: Extra inputs are not permitted"}}`)(w, r)
			return
		}
		sse(messagesReply("Hello"))(w, r)
	})
	r := claudeRequest("hi")
	r.Model = "claude-sonnet-5-5"
	for range 2 {
		if got := readReply(t, c, r); got.Err != nil {
			t.Fatal(got.Err)
		}
	}
	const drops = `"thinking":{"type":"adaptive","display":"summarized","block_binding":{"prefix_mismatch_behavior":"drop_block"}}`
	if len(asked) != 3 || !strings.Contains(asked[0], drops) || betas[0] != "thinking-binding-controls-2026-08-01" {
		t.Errorf("%q with %q", asked, betas)
	} else if strings.Contains(asked[2], "block_binding") || !strings.Contains(asked[2], "adaptive") || betas[2] != "" {
		t.Errorf("after the refusal: %s with %q", asked[2], betas[2])
	}
}

func TestRefusedThinkingIsRecognised(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"messages.5.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to drop_block. That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.": true,
		"messages.1.content.0: Invalid `signature` in `thinking` block": true,
		"messages: at least one message is required":                    false,
	} {
		asked := 0
		c := serve(t, "anthropic", func(w http.ResponseWriter, r *http.Request) {
			asked++
			status(http.StatusBadRequest, `{"type":"error","error":{"type":"invalid_request_error","message":"`+message+`"}}`)(w, r)
		})
		if got := readReply(t, c, claudeRequest("hi")); got.Err == nil || got.Err.RefusesThinking != want || asked != 1 {
			t.Errorf("%d requests, %+v: %s", asked, got.Err, message)
		}
	}
}

func TestAnthropicProviderUsesTheMessagesWireAtAnyAddress(t *testing.T) {
	t.Parallel()
	srv := serve(t, "anthropic", serveCapture(t, "llama-server/anthropic-messages-stream"))
	got := readReply(t, srv, claudeRequest("hi"))
	if got.Err != nil || got.Text == "" || got.Stop == "" || got.Usage.Prompt != 13 || got.Usage.Cached != 12 {
		t.Errorf("%+v", got)
	}
}

func TestKeyCheckUsesAnEndpointThatNeedsTheKey(t *testing.T) {
	t.Parallel()
	for provider, path := range map[string]string{"openai": "/v1/models", "anthropic": "/v1/models", "openrouter": "/v1/key"} {
		for code, class := range map[int]llm.Class{http.StatusOK: "", http.StatusUnauthorized: llm.Auth} {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != path {
					t.Errorf("%s asks %s", provider, r.URL.Path)
				}
				status(code, `{"data":[]}`)(w, r)
			}))
			err := openai.CheckKey(t.Context(), openai.Options{Provider: provider, BaseURL: srv.URL + "/v1", Key: testKey, Transport: transport(t)})
			srv.Close()
			if e := llm.AsError(err); (e == nil) != (class == "") || e != nil && e.Class != class {
				t.Errorf("%s, status %d: %v", provider, code, err)
			}
		}
	}
}

// documentedAnswer is an answer of the API and the expected reply. Its name has the page of the documentation and the
// feature.
type documentedAnswer struct {
	Name   string
	Answer struct {
		Stream    []json.RawMessage
		Raw, Body string
		Status    int
		Headers   map[string]string
	}
	Want struct {
		Text, Reasoning, Refusal      string
		Calls                         []string // id, name and input of each
		Stop                          conversation.StopReason
		Paused, NoRetry               bool
		Class                         llm.Class // of a failure, "" for none
		Window, Requested, RetryAfter int
		Usage                         *llm.Tokens // nil: whatever it is
	}
}

func TestDocumentedMessagesStreamsAreParsed(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/messages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		var c documentedAnswer
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			a, want := c.Answer, c.Want
			answer := anthropictest.Answer{Raw: a.Raw, Body: a.Body, Status: a.Status, Headers: a.Headers}
			for _, e := range a.Stream {
				answer.Stream = append(answer.Stream, string(e))
			}
			server := anthropictest.NewTransport(t, func(int, anthropictest.Request) anthropictest.Answer { return answer })
			client := openai.New(openai.Options{Provider: "anthropic", BaseURL: "http://claude.test/v1", Key: anthropictest.Key, Transport: server})
			got := readReply(t, client, claudeRequest("hi"))
			var calls []string
			for _, k := range got.Calls {
				calls = append(calls, k.ID+" "+k.Name+" "+k.Arguments)
			}
			if got.Text != want.Text || got.Reasoning != want.Reasoning || want.Class == "" && got.Stop != want.Stop || got.Refusal != want.Refusal || got.Paused != want.Paused {
				t.Errorf("text %q, reasoning %q, stop %q", got.Text, got.Reasoning, got.Stop)
			}
			if d := cmp.Diff(want.Calls, calls); d != "" {
				t.Error(d)
			}
			e := got.Err
			switch {
			case want.Class == "" && e != nil, want.Class != "" && (e == nil || e.Class != want.Class):
				t.Fatalf("failure %v, want one of class %q", e, want.Class)
			case want.Class != "" && (a.Status > 0 && e.Status != a.Status || e.Window != want.Window || e.Requested != want.Requested ||
				e.RetryAfter != time.Duration(want.RetryAfter)*time.Second || want.NoRetry && e.Retryable()):
				t.Errorf("failure %+v", e)
			}
			if d := cmp.Diff(want.Usage, got.Usage); want.Usage != nil && d != "" {
				t.Errorf("usage %s", d)
			}
			if strings.Contains(fmt.Sprintf("%+v %v", e, got), anthropictest.Key) {
				t.Error("the key is told")
			}
		})
	}
}

// The tests below break connections over the Messages wire.

func messagesEvent(kind, fields string) string {
	return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\"" + fields + "}\n\n"
}

// thinksAndCalls is a reply with thinking, text and a call.
var thinksAndCalls = messagesEvent("message_start", `,"message":{"usage":{"input_tokens":3,"output_tokens":1}}`) +
	messagesEvent("content_block_start", `,"index":0,"content_block":{"type":"thinking","thinking":"","signature":""}`) +
	messagesEvent("content_block_delta", `,"index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}`) +
	messagesEvent("content_block_delta", `,"index":0,"delta":{"type":"signature_delta","signature":"c2lnbmVk"}`) +
	messagesEvent("content_block_stop", `,"index":0`) +
	messagesEvent("content_block_start", `,"index":1,"content_block":{"type":"text","text":""}`) +
	messagesEvent("content_block_delta", `,"index":1,"delta":{"type":"text_delta","text":"I look."}`) +
	messagesEvent("content_block_stop", `,"index":1`) +
	messagesEvent("content_block_start", `,"index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}`) +
	messagesEvent("content_block_delta", `,"index":2,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}`) +
	messagesEvent("content_block_delta", `,"index":2,"delta":{"type":"input_json_delta","partial_json":"\"a\"}"}`) +
	messagesEvent("content_block_stop", `,"index":2`) +
	messagesEvent("message_delta", `,"delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}`) +
	messagesEvent("message_stop", "")

func TestTruncatedCallsAreNotRunOnTheMessagesWire(t *testing.T) {
	t.Parallel()
	cut := make(chan int, 1)
	c := serve(t, "anthropic", func(w http.ResponseWriter, _ *http.Request) { write(w, thinksAndCalls[:<-cut]) })
	whole := 0
	for n := range len(thinksAndCalls) + 1 {
		if n%7 > 0 && n < len(thinksAndCalls)-160 {
			continue // every byte at the end
		}
		cut <- n
		got := readReply(t, c, claudeRequest("hi"))
		switch {
		case got.Err != nil && !got.Err.Retryable():
			t.Errorf("cut at %d: %v is final", n, got.Err)
		case got.Err != nil:
		case got.Reasoning != "Hm." || got.Text != "I look." || got.Stop != conversation.StopCalls || len(got.Calls) != 1 || got.Calls[0].Arguments != `{"path":"a"}`:
			t.Errorf("cut at %d: %+v is an answer", n, got)
		default:
			whole++
		}
	}
	if end := len(messagesEvent("message_stop", "")); whole == 0 || whole > end+3 {
		t.Errorf("%d cuts give a whole reply, and only those behind the stop reason should", whole)
	}
}

func TestEndlessMessagesStreamIsStopped(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 256<<10)
	start := func(i int, block string) string {
		return messagesEvent("content_block_start", `,"index":`+strconv.Itoa(i)+`,"content_block":`+block)
	}
	piece := func(delta string) func(int) string {
		return func(int) string { return messagesEvent("content_block_delta", `,"index":0,"delta":`+delta) }
	}
	for name, flood := range map[string]struct {
		begin string
		piece func(i int) string
	}{
		"text":      {start(0, `{"type":"text","text":""}`), piece(`{"type":"text_delta","text":"` + big + `"}`)},
		"signature": {start(0, `{"type":"thinking"}`), piece(`{"type":"signature_delta","signature":"` + big + `"}`)},
		"unknown":   {start(0, `{"type":"other"}`), piece(`{"type":"other_delta","other":"` + big + `"}`)},
		"calls":     {"", func(i int) string { return start(i, `{"type":"tool_use","id":"c`+strconv.Itoa(i)+`","name":"ls"}`) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startServer(t, "anthropic", func(w http.ResponseWriter, r *http.Request) {
				write(w, messagesEvent("message_start", `,"message":{}`)+flood.begin)
				for i := 0; r.Context().Err() == nil; i++ {
					write(w, flood.piece(i))
				}
			})
			c.LimitStream(6 << 20) // more than a reply may have
			got := readReply(t, c, claudeRequest("hi"))
			if got.Err == nil || got.Err.Class != llm.Malformed || got.Err.Retryable() {
				t.Errorf("%v", got.Err)
			}
			if len(got.Text)+len(got.Reasoning) > 5<<20 {
				t.Errorf("%d bytes of text, %d of thinking", len(got.Text), len(got.Reasoning))
			}
		})
	}
}
