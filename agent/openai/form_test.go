package openai

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// recordingTransport sends no request and hands the bodies to the test.
type recordingTransport struct{ bodies chan []byte }

func newRecordingTransport() recordingTransport { return recordingTransport{make(chan []byte, 1)} }

func (l recordingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Body.Close()); err != nil {
		return nil, err
	}
	l.bodies <- body
	return &http.Response{StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: http.NoBody, Request: r}, nil
}

// failingTransport fails every request: no request may reach it.
type failingTransport struct{}

func (failingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("a request to %s was sent", r.URL)
}

// send sends a request and returns its body and the first chunk of the reply.
func (l recordingTransport) send(c *Client, r llm.Request) (body []byte, first llm.Chunk, err error) {
	for first, err = range c.Stream(context.Background(), r) {
		break
	}
	if err != nil {
		return nil, first, err
	}
	return <-l.bodies, first, nil
}

// checkRebuiltBody sends a request with one client and rebuilds its body with a second
// client that has only the provider and the form, in a copy under another ID.
func (l recordingTransport) checkRebuiltBody(c *Client, r llm.Request) error {
	today, err := c.Body(r, "")
	if err != nil {
		return err
	}
	sent, first, err := l.send(c, r)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(sent)
	if first.BodyHash != hex.EncodeToString(sum[:]) || first.WireForm == "" {
		return fmt.Errorf("the hash %s is not of what was sent in the form %q", first.BodyHash, first.WireForm)
	}
	if !bytes.Equal(sent, today) {
		return fmt.Errorf("in today's form (-sent +made)\n%s", cmp.Diff(string(sent), string(today)))
	}
	r.Conversation, r.Schema = "another", nil // the form has both
	later := New(Options{Provider: c.opts.Provider, Transport: failingTransport{}})
	made, err := later.Body(r, first.WireForm)
	if err != nil {
		return err
	}
	if !bytes.Equal(sent, made) {
		return fmt.Errorf("in the form %q (-sent +made)\n%s", first.WireForm, cmp.Diff(string(sent), string(made)))
	}
	return nil
}

// quirkCombinations returns each learned quirk alone and all combinations.
func quirkCombinations() []learnedQuirks {
	var out []learnedQuirks
	for _, i := range []int{0, 1, 2, 4, 8, 16, 1 + 4, 2 + 8, 31} {
		out = append(out, learnedQuirks{noUsageOption: i&1 != 0, usesOtherLimit: i&2 != 0, needsResponses: i&4 != 0, isLlamaCpp: i&8 != 0, noCacheKey: i&16 != 0,
			noBreakpoints: i&8 != 0, noRetention: i&4 != 0, noReasoningItems: i&16 != 0, noReasoningSummary: i&8 != 0, noEncryptedReasoning: i&2 != 0})
	}
	return out
}

// fullRequest returns a request for a model with every part that a body can have, long enough for cache breakpoints.
func fullRequest(provider, model string) llm.Request {
	long := ""
	if provider == "anthropic" || strings.Contains(model, "claude") {
		long = strings.Repeat(" <of> \"it\"", 400)
	}
	own := withModel(map[string]conversation.RawJSON{
		"reasoning_details": conversation.RawJSON(`[{"type":"reasoning.text","text":"hm"}]`),
		reasoningItems:      conversation.RawJSON(`[{"type":"reasoning","encrypted_content":"xyz"}]`),
		outputItems:         conversation.RawJSON(`[{"item":{"type":"reasoning","encrypted_content":"xyz"}},{"id":"msg_1","phase":"commentary","text":4},{"id":"fc_1","call":"c2","args":18}]`),
	}, provider+"/"+model)
	call := func(id string) conversation.ToolCall {
		return conversation.ToolCall{ID: id, Name: "ls", Arguments: `{"path":"<a> & b"}`}
	}
	return llm.Request{
		Model: model, System: "Be brief.", MaxTokens: 100, Conversation: "3kq7 & more", CacheTTL: 24 * time.Hour,
		Messages: []projection.Message{
			{Role: projection.RoleUser, Text: "list it\u2028 all <of> \"it\"" + long},
			{Role: projection.RoleAssistant, Reasoning: "hm", Calls: []conversation.ToolCall{call("c1")}},
			{Role: projection.RoleTool, CallID: "c1", Tool: "ls", Text: "a\nb"},
			{Role: projection.RoleAssistant, Text: "more", Extras: own, Calls: []conversation.ToolCall{call("c2")}},
			{Role: projection.RoleTool, CallID: "c2", Tool: "ls"},
		},
		Tools: []conversation.ToolSpec{{Name: "ls", Description: "lists", Parameters: conversation.RawJSON(`{"type":"object","properties":{"z":{},"a":{}}}`)}},
	}
}

func TestEveryBodyCanBeRebuilt(t *testing.T) {
	t.Parallel()
	for _, provider := range append(Providers(), "demo", "my own") {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			l := newRecordingTransport()
			models := []string{"m"}
			if provider == "openai" {
				models = []string{"m", "gpt-6-sol", "gpt-6.1-sol", "gpt-5.4"} // plain, without effort, responses, as it is
			}
			if provider == "openrouter" {
				models = append(models, "anthropic/claude-sonnet-5")
			}
			for _, base := range []string{"", "http://127.0.0.1:9/v1"} {
				if e, _ := KnownProvider(provider); base == "" && e.BaseURL == "" {
					continue // it has no address of its own
				}
				for _, wire := range []Wire{WireAuto, WireChat, WireResponses} {
					for _, known := range quirkCombinations() {
						for _, model := range models {
							o := Options{Provider: provider, BaseURL: base, Key: "k", Wire: wire, Transport: l}
							if known.noUsageOption {
								o.Body = []string{`{"reasoning":{"effort":"low"},"top_p":0.90}`, `{"reasoning":{"summary":"a & <b>"}}`}
							}
							c := New(o)
							c.learned[model] = known
							r := fullRequest(provider, model)
							if known.usesOtherLimit {
								r.Schema = conversation.RawJSON(`{"type": "object", "title": "a & <b>"}`)
							}
							if err := l.checkRebuiltBody(c, r); err != nil {
								t.Fatalf("%s, wire %q, at %q, %+v: %v", model, wire, base, known, err)
							}
						}
					}
				}
			}
		})
	}
}

func TestBodiesOfRandomViewsCanBeRebuilt(t *testing.T) {
	t.Parallel()
	l := newRecordingTransport()
	rapid.Check(t, func(rt *rapid.T) {
		provider := rapid.SampledFrom(append(Providers(), "demo")).Draw(rt, "provider")
		o := Options{Provider: provider, Transport: l}
		if e, _ := KnownProvider(provider); e.BaseURL == "" || rapid.Bool().Draw(rt, "elsewhere") {
			o.BaseURL = "http://127.0.0.1:9"
		}
		c := New(o)
		model := rapid.SampledFrom([]string{"m", "gpt-6-sol", "gemini-2.5-pro", "gpt-6.1-sol"}).Draw(rt, "model")
		c.learned[model] = rapid.SampledFrom(quirkCombinations()).Draw(rt, "lessons")
		caps := c.Capabilities(model)
		caps.NoTools = rapid.Bool().Draw(rt, "no tools")
		messages, err := projection.Harden(projection.Project(conversationtest.WithOverlays(rt, conversationtest.Rich(rt))), caps)
		if err != nil {
			messages = append(messages, projection.Message{Role: projection.RoleUser, Text: "go on"})
		}
		r := llm.Request{Model: model, Messages: messages, MaxTokens: rapid.IntRange(0, 9).Draw(rt, "limit"),
			System: rapid.SampledFrom([]string{"", "Be brief."}).Draw(rt, "system"),
			// Some endpoints get the ID as a header, so it has no control characters.
			Conversation: rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[a-z2-7]{12}`), rapid.StringMatching(`[ -~]{1,40}`)).Draw(rt, "conversation")}
		if !caps.NoTools {
			r.Tools = fullRequest("", "").Tools
		}
		if err := l.checkRebuiltBody(c, r); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestFormsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		f := wireForm{wire: rapid.SampledFrom([]Wire{WireChat, WireResponses}).Draw(rt, "wire"), cacheKey: rapid.String().Draw(rt, "key"),
			reasoningAs: rapid.SampledFrom([]string{"", "reasoning", asThink, asText}).Draw(rt, "as"),
			signedAfter: rapid.Uint64().Draw(rt, "after"),
			extraBody:   rapid.SampledFrom([]string{"", `{"a b":"<&+>"}`}).Draw(rt, "body")}
		for _, x := range f.flags() {
			*x.on = rapid.Bool().Draw(rt, x.word)
		}
		back, err := parseWireForm(f.String())
		if err != nil || back != f {
			rt.Fatalf("%q is read as %+v, %v", f, back, err)
		}
	})
}

func TestFormsOfLaterVersionsAreRefused(t *testing.T) {
	t.Parallel()
	c := New(Options{Provider: "custom", BaseURL: "http://127.0.0.1:9", Transport: failingTransport{}})
	for recorded, want := range map[string]string{
		"chat usage warp":       `"warp"`,
		"telepathy":             `"telepathy"`,
		"usage":                 "wire",
		"chat key=%zz":          `"key=%zz"`,
		"chat thinking-after=x": `"thinking-after=x"`,
		"chat reasoning-as=":    `"reasoning-as="`,
		" ":                     "wire",
		"chat Usage":            `"Usage"`,
		"responses chat\x00":    `"chat\x00"`,
	} {
		body, err := c.Body(fullRequest("custom", "m"), recorded)
		if err == nil || !strings.Contains(err.Error(), want) || body != nil {
			t.Errorf("%q: %v, %d bytes", recorded, err, len(body))
		}
	}
}

// Forms are stored in logs, so their meaning must never change.
func TestStoredFormsKeepTheirMeaning(t *testing.T) {
	t.Parallel()
	r := fullRequest("custom", "m")
	r.Conversation = "3kq7abcdefgh"
	for provider, want := range map[string]string{
		"openai": "responses encrypted strict items summary key=3kq7abcdefgh", "gemini": "chat usage null signatures own", "deepseek": "chat usage reasoning reasoning-blank own", "ollama": "chat usage reasoning reasoning-loop own reasoning-as=reasoning",
		"llamacpp": "chat usage progress reasoning reasoning-loop own", "cerebras": "chat usage completion reasoning reasoning-loop own reasoning-as=think", "xai": "chat usage null own",
	} {
		c := New(Options{Provider: provider, Transport: failingTransport{}})
		if got := c.chooseWireForm(r, learnedQuirks{}).String(); got != want {
			t.Errorf("%s: %q, not %q", provider, got, want)
		}
	}
	chat := New(Options{Provider: "openai", Wire: WireChat, Transport: failingTransport{}})
	if got := chat.chooseWireForm(r, learnedQuirks{}).String(); got != "chat usage completion null own key=3kq7abcdefgh" {
		t.Errorf("on the chat wire: %q", got)
	}
	openai := New(Options{Provider: "openai", Transport: failingTransport{}})
	old := `{"include":["reasoning.encrypted_content"],"input":[{"role":"user","content":"list it\u2028 all \u003cof\u003e \"it\""},{"type":"function_call","call_id":"c1","name":"ls","arguments":"{\"path\":\"\u003ca\u003e \u0026 b\"}"},{"type":"function_call_output","call_id":"c1","output":"a\nb"},{"type":"reasoning","encrypted_content":"xyz"},{"role":"assistant","content":"more"},{"type":"function_call","call_id":"c2","name":"ls","arguments":"{\"path\":\"\u003ca\u003e \u0026 b\"}"},{"type":"function_call_output","call_id":"c2","output":"(no output)"}],"instructions":"Be brief.","max_output_tokens":100,"model":"gpt-6.1-sol","prompt_cache_key":"3kq7abcdefgh","reasoning":{"effort":"high"},"store":false,"stream":true,"tools":[{"description":"lists","name":"ls","parameters":{"type":"object","properties":{"z":{},"a":{}}},"type":"function"}]}`
	if body, err := openai.Body(fullRequest("openai", "gpt-6.1-sol"), "responses encrypted key=3kq7abcdefgh effort=high"); err != nil || string(body) != old {
		t.Errorf("of an older version: %v\n%s", err, cmp.Diff(old, string(body)))
	}
	r.Model = "gpt-6-sol"
	body, err := openai.Body(r, "chat usage effort-none")
	if err != nil || !bytes.Contains(body, []byte(`"reasoning_effort":"none"`)) || bytes.Contains(body, []byte("prompt_cache_key")) {
		t.Errorf("%s, %v", body, err)
	}
}

func TestUserFieldsAreMergedDeeply(t *testing.T) {
	t.Parallel()
	r := fullRequest("custom", "m")
	r.Effort = "high"
	for _, wire := range []Wire{WireChat, WireResponses, WireMessages} {
		o := Options{Provider: "custom", BaseURL: "http://127.0.0.1:9", Wire: wire, Transport: failingTransport{}}
		plain, err := New(o).Body(r, "")
		if err != nil {
			t.Fatal(err)
		}
		o.Body = []string{`{"temperature":0.60,"x":{"a":1,"b":[1]}}`, `{"x":{"b":[2],"c":null},"reasoning":{"summary":"auto"}}`}
		c := New(o)
		raw, err := c.Body(r, "")
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]any
		if err := errors.Join(json.Unmarshal(raw, &got), json.Unmarshal(plain, &want)); err != nil {
			t.Fatal(err)
		}
		want["temperature"], want["x"] = 0.6, map[string]any{"a": 1.0, "b": []any{2.0}, "c": nil}
		reasoning, _ := want["reasoning"].(map[string]any)
		want["reasoning"] = map[string]any{"summary": "auto"}
		if reasoning != nil {
			reasoning["summary"], want["reasoning"] = "auto", reasoning
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", wire, diff)
		}
		o.Body = []string{`{"messages":[],"input":{"a":null}}`}
		if raw, err = New(o).Body(r, ""); err != nil || !bytes.Contains(raw, []byte(`"messages":[]`)) || !bytes.Contains(raw, []byte(`"input":{"a":null}`)) {
			t.Errorf("%s: the messages of the user's own are not in %s, %v", wire, raw, err)
		}
		if again, err := c.Body(r, New(Options{Provider: "custom", BaseURL: "http://127.0.0.1:9", Wire: wire}).chooseWireForm(r, learnedQuirks{}).String()); err != nil || !bytes.Equal(again, plain) {
			t.Errorf("%s: a request of before has the new fields: %s, %v", wire, again, err)
		}
	}
}
