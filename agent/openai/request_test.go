package openai_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/compact/compacttest"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

func assistant(calls ...conversation.ToolCall) projection.Message {
	return projection.Message{Role: projection.RoleAssistant, Calls: calls}
}

func result(id, text string) projection.Message {
	return projection.Message{Role: projection.RoleTool, CallID: id, Tool: "ls", Text: text}
}

// seenRequest is one request that a server got.
type seenRequest struct {
	path   string
	header http.Header
	raw    []byte
	body   map[string]any
}

func recordRequests(t *testing.T, list *[]seenRequest, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s := seenRequest{path: r.URL.Path, header: r.Header, raw: raw}
		if err := json.Unmarshal(raw, &s.body); err != nil {
			t.Errorf("the body is not JSON: %v", err)
		}
		*list = append(*list, s)
		next(w, r)
	}
}

// ask sends one request and returns the request that the server got, and the reply.
func ask(t *testing.T, provider string, r llm.Request) (seenRequest, reply) {
	t.Helper()
	var list []seenRequest
	got := readReply(t, serve(t, provider, recordRequests(t, &list, sse(hello+stop+done))), r)
	if len(list) != 1 {
		t.Fatalf("%d requests", len(list))
	}
	return list[0], got
}

func decode(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRequestBodies(t *testing.T) {
	t.Parallel()
	r := llm.Request{
		Model: "m", System: "Be brief.", MaxTokens: 100, Conversation: "abcd",
		Messages: []projection.Message{
			{Role: projection.RoleUser, Text: "list <it> & go"},
			{Role: projection.RoleAssistant, Reasoning: "secret thoughts", Calls: []conversation.ToolCall{{ID: "c1", Name: "ls", Arguments: ""}}},
			result("c1", ""),
			{Role: projection.RoleAssistant, Text: "done"},
			{Role: projection.RoleUser, Text: "more"},
		},
		Tools: []conversation.ToolSpec{
			{Name: "ls", Description: "lists", Parameters: conversation.RawJSON(`{"type":"object","properties":{"z":{},"a":{}}}`)},
			{Name: "bare"},
		},
	}
	got, rep := ask(t, "ollama", r)
	want := decode(t, `{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":100,
		"messages":[
			{"role":"system","content":"Be brief."},
			{"role":"user","content":"list <it> & go"},
			{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c1","content":"(no output)"},
			{"role":"assistant","content":"done"},
			{"role":"user","content":"more"}],
		"tools":[
			{"type":"function","function":{"name":"ls","description":"lists","parameters":{"type":"object","properties":{"z":{},"a":{}}}}},
			{"type":"function","function":{"name":"bare","parameters":{"type":"object","properties":{}}}}]}`)
	if diff := cmp.Diff(want, any(got.body)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if sum := sha256.Sum256(got.raw); rep.Hash != hex.EncodeToString(sum[:]) {
		t.Errorf("hash %s is not of the bytes sent", rep.Hash)
	}
	if h := got.header; h.Get("Authorization") != "Bearer "+testKey || got.path != "/v1/chat/completions" || h.Get("User-Agent") != "plimsoll" {
		t.Errorf("path %s, header %v", got.path, h)
	}
	if again, _ := ask(t, "ollama", r); string(again.raw) != string(got.raw) {
		t.Error("the same request has other bytes")
	}
}

// Reasoning is sent back as the model's maker requires: from the newest user message on, or from the beginning.
func TestReasoningIsSentBackToModelsThatNeedIt(t *testing.T) {
	t.Parallel()
	calls := func(id, text, thought string) projection.Message {
		m := assistant(conversation.ToolCall{ID: id, Name: "ls", Arguments: "{}"})
		m.Text, m.Reasoning = text, thought
		return m
	}
	r := user("hi")
	r.Messages = append(r.Messages, calls("c1", "a", "old"), result("c1", "x"), projection.Message{Role: projection.RoleUser, Text: "go on"},
		calls("c2", "", "new"), result("c2", "x"), calls("c3", "b", ""), result("c3", "x"), calls("c4", "b", "foreign"), result("c4", "x"))
	r.Messages[8].Model = "anthropic/claude-opus-5-5"
	const unsaid = "b"
	for _, tt := range []struct{ provider, model, field, old, loop, none string }{
		{"deepseek", "m", "reasoning_content", "old", "new", " "},
		{"moonshot", "m", "reasoning_content", "old", "new", " "},
		{"zai", "glm-5.3", "reasoning_content", "old", "new", ""},
		{"fireworks", "m", "reasoning_content", "old", "new", ""},
		{"minimax", "MiniMax-M3", "content", "<think>\nold\n</think>\n\na", "<think>\nnew\n</think>\n\n", unsaid},
		{"alibaba", "qwen3.7-max", "reasoning_content", "", "new", ""},
		{"groq", "openai/gpt-oss-120b", "reasoning", "", "new", ""},
		{"groq", "llama-4", "reasoning", "", "", ""},
		{"cerebras", "zai-glm-4.7", "content", "a", "<think>\nnew\n</think>\n\n", unsaid},
		{"cerebras", "gpt-oss-120b", "content", "a", "new\n\n", unsaid},
		{"together", "m", "reasoning", "", "new", ""},
		{"llamacpp", "m", "reasoning_content", "", "new", ""},
		{"lmstudio", "m", "reasoning_content", "", "new", ""},
		{"vllm", "m", "reasoning", "", "new", ""},
		{"ollama", "m", "reasoning", "", "new", ""},
		{"custom", "m", "reasoning_content", "", "new", ""},
		{"my own", "m", "reasoning_content", "", "new", ""},
		{"xai", "m", "reasoning_content", "", "", ""},
		{"mistral", "m", "reasoning_content", "", "", ""},
		{"gemini", "m", "reasoning_content", "", "", ""},
	} {
		r.Model, r.Messages[1].Model, r.Messages[4].Model = tt.model, tt.provider+"/"+tt.model, tt.provider+"/"+tt.model
		c := openai.New(openai.Options{Provider: tt.provider, BaseURL: "http://127.0.0.1:9"})
		body, err := c.Body(r, "")
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Messages []map[string]any }
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		for i, want := range map[int]string{1: tt.old, 4: tt.loop, 6: tt.none, 8: tt.none} {
			if text, _ := got.Messages[i][tt.field].(string); text != want {
				t.Errorf("%s, %s: message %d has the %s %q, not %q", tt.provider, tt.model, i, tt.field, text, want)
			}
		}
		caps := c.Capabilities(tt.model)
		if echo, loop := tt.loop != "", tt.loop != "" && (tt.old == "" || tt.old == "a"); caps.EchoReasoning != echo || caps.EchoLoop != loop {
			t.Errorf("%s, %s: the meter is told %+v", tt.provider, tt.model, caps)
		}
		if old, err := c.Body(r, "chat usage reasoning"); err != nil || !strings.Contains(string(old), `"reasoning_content":"foreign"`) {
			t.Errorf("%s, %s: a request of before is made in another way: %v, %s", tt.provider, tt.model, err, old)
		}
	}
}

// All quirks of a provider apply at its own address; at other addresses only those that every server accepts.
func TestQuirksApplyAtTheProvidersAddress(t *testing.T) {
	t.Parallel()
	r := user("hi")
	r.MaxTokens, r.Conversation = 50, "abcd"
	tests := map[string]struct {
		at       func(*testing.T, string, http.HandlerFunc) *openai.Client
		limit    string
		key      any    // of the cache
		provider string // asked
		header   string
	}{
		"openai at home":    {officialClient, "max_output_tokens", "abcd", "openai", ""},
		"openai elsewhere":  {serve, "max_tokens", nil, "openai", ""},
		"xai at home":       {officialClient, "max_tokens", nil, "xai", "abcd"},
		"xai elsewhere":     {serve, "max_tokens", nil, "xai", "abcd"},
		"mistral, for both": {officialClient, "max_tokens", nil, "mistral", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list []seenRequest
			readReply(t, tt.at(t, tt.provider, recordRequests(t, &list, sse(hello+stop+done))), r)
			if got := list[0]; got.body[tt.limit] != float64(50) || got.body["prompt_cache_key"] != tt.key || got.header.Get("X-Grok-Conv-Id") != tt.header {
				t.Errorf("%s, %v", got.raw, got.header)
			}
		})
	}
}

func TestRefusedParametersAreOmittedAfterwards(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, field, refusal string
		gone                 string
		instead              string
	}{
		{"usage option", "stream_options", `{"error":{"message":"Unrecognized request argument supplied: stream_options","type":"invalid_request_error"}}`, "stream_options", ""},
		{"limit", "max_tokens", `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}`,
			"max_tokens", "max_completion_tokens"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var list []seenRequest
			c := serve(t, "custom", recordRequests(t, &list, func(w http.ResponseWriter, r *http.Request) {
				if _, ok := list[len(list)-1].body[tt.field]; ok {
					status(http.StatusBadRequest, tt.refusal)(w, r)
					return
				}
				write(w, hello+stop)
			}))
			r := user("hi")
			r.MaxTokens = 9
			for range 2 {
				if got := readReply(t, c, r); got.Text != "Hello" {
					t.Fatalf("%v", got.Err)
				}
			}
			if len(list) != 3 {
				t.Fatalf("%d requests, want the refused one and two good ones", len(list))
			}
			last := list[2].body
			if _, ok := last[tt.gone]; ok || tt.instead != "" && last[tt.instead] == nil {
				t.Errorf("last body %v", last)
			}
		})
	}
}

func TestIneffectiveEffortIsReported(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		provider, model, effort string
		wire                    openai.Wire
		says                    string // "" for nothing
	}{
		{"openai", "gpt-5.4", "high", openai.WireAuto, ""},
		{"openai", "gpt-4.1", "high", openai.WireAuto, "does not reason"},
		{"openai", "gpt-4.1", "none", openai.WireAuto, ""},
		{"openai", "gpt-6-sol", "high", openai.WireChat, "wire: responses changes that"},
		{"openai", "gpt-6-sol", "none", openai.WireChat, ""},
		{"attic", "gpt-5.4", "high", openai.WireResponses, ""},
		{"anthropic", "claude-sonnet-5-5", "high", openai.WireAuto, ""},
	} {
		c := openai.New(openai.Options{Provider: tt.provider, Key: testKey, Wire: tt.wire})
		if got := c.EffortNote(tt.model, tt.effort); (got == "") != (tt.says == "") || !strings.Contains(got, tt.says) {
			t.Errorf("%s/%s %s over %q: %q, want %q", tt.provider, tt.model, tt.effort, tt.wire, got, tt.says)
		}
	}
	// The server reports an ineffective setting with the reply.
	c := responsesClient(t, func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err != nil || strings.Contains(string(body), `"effort"`) {
			status(http.StatusBadRequest, `{"error":{"message":"Unsupported value: 'minimal' is not supported.","param":"reasoning.effort"}}`)(w, r)
			return
		}
		sse(text+event("response.completed", completed))(w, r)
	})
	r, said := user("hi"), ""
	r.Effort = "minimal"
	for chunk, err := range c.Stream(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
		said += chunk.Note
	}
	if said != "Effort minimal has no effect: openai/m was asked without, as the server refused it." {
		t.Errorf("said %q", said)
	}
}

func TestLlamaCppIsRecognisedByItsAnswer(t *testing.T) {
	t.Parallel()
	var list []seenRequest
	c := serve(t, "custom", recordRequests(t, &list, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Server", "llama.cpp")
		write(w, hello+stop)
	}))
	readReply(t, c, user("hi"))
	readReply(t, c, user("hi"))
	if list[0].body["return_progress"] != nil || list[1].body["return_progress"] != true {
		t.Errorf("%s\n%s", list[0].raw, list[1].raw)
	}
}

// sendExtrasBack sends a second request with the extras of the first reply, and returns its body.
func sendExtrasBack(t *testing.T, provider, model, nextModel, stream string) map[string]any {
	t.Helper()
	var list []seenRequest
	c := serve(t, provider, recordRequests(t, &list, sse(stream)))
	r := user("hi")
	r.Model = model
	first := readReply(t, c, r)
	m := projection.Message{Role: projection.RoleAssistant, Text: first.Text, Extras: first.Extras}
	for _, x := range first.Calls {
		m.Calls = append(m.Calls, conversation.ToolCall{ID: x.ID, Name: x.Name, Arguments: x.Arguments, Extra: conversation.RawJSON(x.Extra)})
	}
	r.Messages = append(r.Messages, m)
	for _, x := range first.Calls {
		r.Messages = append(r.Messages, result(x.ID, "ok"))
	}
	r.Messages = append(r.Messages, projection.Message{Role: projection.RoleUser, Text: "go on"})
	r.Model = nextModel
	readReply(t, c, r)
	if strings.Contains(string(list[1].raw), "plimsoll_route") {
		t.Errorf("our own mark was sent: %s", list[1].raw)
	}
	return list[1].body["messages"].([]any)[1].(map[string]any)
}

func TestThoughtSignaturesAreSentBack(t *testing.T) {
	t.Parallel()
	stream := delta(`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"ls","arguments":"{}"},"extra_content":{"google":{"thought_signature":"sig"}}}]}`) + stop
	extra := func(m map[string]any) any { return m["tool_calls"].([]any)[0].(map[string]any)["extra_content"] }

	got := extra(sendExtrasBack(t, "gemini", "gemini-3.8-flash", "gemini-3.8-flash", stream))
	if diff := cmp.Diff(decode(t, `{"google":{"thought_signature":"sig"}}`), got); diff != "" {
		t.Errorf("same model (-want +got)\n%s", diff)
	}
	got = extra(sendExtrasBack(t, "gemini", "gemini-3.8-flash", "gemini-4-argon", stream))
	if diff := cmp.Diff(decode(t, `{"google":{"thought_signature":"skip_thought_signature_validator"}}`), got); diff != "" {
		t.Errorf("other model (-want +got)\n%s", diff)
	}
	if got = extra(sendExtrasBack(t, "custom", "m", "n", stream)); got != nil {
		t.Errorf("elsewhere: %v", got)
	}
}

func TestReasoningDetailsAreSentBackComplete(t *testing.T) {
	t.Parallel()
	stream := delta(`{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0,"format":"f"}]}`) +
		delta(`{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","signature":"s","index":0,"format":"f"}]}`) +
		delta(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"xyz","index":1}]}`) + hello + stop
	got := sendExtrasBack(t, "openrouter", "anthropic/x", "anthropic/x", stream)
	want := decode(t, `[{"type":"reasoning.text","text":"ab","signature":"s","index":0,"format":"f"},{"type":"reasoning.encrypted","data":"xyz","index":1}]`)
	if diff := cmp.Diff(want, got["reasoning_details"]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := sendExtrasBack(t, "openrouter", "anthropic/x", "openai/y", stream); got["reasoning_details"] != nil {
		t.Errorf("sent to another model: %v", got["reasoning_details"])
	}
}

// Signed or encrypted reasoning is sent back unchanged with its own message, or omitted.
func TestSignedReasoningIsSentBackUnchangedOrOmitted(t *testing.T) {
	t.Parallel()
	const secret, filler = "S1", "skip_thought_signature_validator"
	signed := conversation.RawJSON(`{"google":{"thought_signature":"S1"}}`)
	long := `{"text":"` + strings.Repeat("word ", 200) + `"}`
	tale := func(model string) *compacttest.LogBuilder {
		name := conversation.RawJSON(`"` + model + `"`)
		extras := map[string]conversation.RawJSON{"plimsoll_route": name, "reasoning_details": conversation.RawJSON(`[{"signature":"S1"}]`),
			"output_items": conversation.RawJSON(`[{"item":{"type":"reasoning","encrypted_content":"S1"}},{"id":"fc_1","call":"c1","args":` + fmt.Sprint(len(long)) + `}]`)}
		return (&compacttest.LogBuilder{}).User("hi").Add(conversation.AssistantMessage{Reasoning: "hm", Extras: extras, Model: model,
			Calls: []conversation.ToolCall{{ID: "c1", Name: "ls", Arguments: long, Extra: signed}}},
			conversation.ToolResult{CallID: "c1", Tool: "ls", Text: "it is read"})
	}
	mask := func(item conversation.MaskItem) func(*testing.T, *compacttest.LogBuilder) {
		item.Event = 2
		return func(_ *testing.T, l *compacttest.LogBuilder) {
			l.Epoch(conversation.Mask{Style: conversation.StylePlimsoll, Version: projection.StubVersion, Items: []conversation.MaskItem{item}})
		}
	}
	arguments := mask(conversation.MaskItem{Part: conversation.PartArguments, Call: "c1"})
	for name, tt := range map[string]struct {
		change  func(*testing.T, *compacttest.LogBuilder)
		request func(*llm.Request)
		goes    bool
		bound   bool // nor where something behind it changed, with a model that binds it
	}{
		"unaltered":        {goes: true},
		"masked arguments": {change: arguments},
		"capped arguments": {change: func(_ *testing.T, l *compacttest.LogBuilder) {
			l.Epoch(conversation.Cap{Items: []conversation.CapItem{{Event: 2, Call: "c1", Head: 40, Tail: 40}}})
		}},
		"hidden reasoning": {change: mask(conversation.MaskItem{Part: conversation.PartReasoning})},
		"a summary": {change: func(_ *testing.T, l *compacttest.LogBuilder) {
			l.SummaryEpoch(3, conversation.StylePlimsoll, "a", compacttest.Span(2, 3))
		}},
		"masked and undone":    {change: func(t *testing.T, l *compacttest.LogBuilder) { arguments(t, l); compacttest.Undo(t, l) }, goes: true, bound: true},
		"the result is masked": {change: func(_ *testing.T, l *compacttest.LogBuilder) { l.Mask(10) }, goes: true, bound: true},
		"refused":              {request: func(r *llm.Request) { r.ThinkingAfter = 2 }},
		"refused before":       {request: func(r *llm.Request) { r.ThinkingAfter = 1 }, goes: true},
		"other words in front": {request: func(r *llm.Request) { r.PrefixChanged = 2 }, goes: true, bound: true},
		"to another model":     {request: func(r *llm.Request) { r.Model = "m" }},
		"words in front of it": {request: func(r *llm.Request) { r.PrefixChanged = 1 }, goes: true},
	} {
		for provider, model := range map[string]string{"gemini": "gemini-3.8-flash", "openrouter": "anthropic/claude-sonnet-5.5", "openai": "gpt-6.1-sol"} {
			l := tale(provider + "/" + model)
			if tt.change != nil {
				tt.change(t, l)
			}
			view := projection.Project(l.User("go on").Events())
			messages, err := projection.Harden(view, projection.Capabilities{})
			if err != nil {
				t.Fatal(err)
			}
			r := llm.Request{Model: model, Messages: messages, PrefixChanged: view.Revision}
			if tt.request != nil {
				tt.request(&r)
			}
			c := openai.New(openai.Options{Provider: provider, Key: testKey})
			body, err := c.Body(r, "")
			if err != nil {
				t.Fatal(err)
			}
			goes := tt.goes && !(tt.bound && provider == "openrouter")
			if got := strings.Contains(string(body), secret); got != goes {
				t.Errorf("%s, %s: goes back %v, want %v: %s", name, provider, got, goes, body)
			}
			if fills := provider == "gemini" && !goes && strings.Contains(string(body), `"tool_calls"`); strings.Contains(string(body), filler) != fills {
				t.Errorf("%s: Gemini gets a filler %v, want %v: %s", name, !fills, fills, body)
			}
			if at, _ := c.Thinking(r); provider == "openai" && (len(at) == 1) != goes {
				t.Errorf("%s: the meter is told of %v", name, at)
			}
		}
	}
}

// markedMessages lists the messages of a chat body that have a cache breakpoint, and its lifetime.
func markedMessages(t *testing.T, body map[string]any) (at []int, ttl any) {
	t.Helper()
	messages, _ := body["messages"].([]any)
	for i, m := range messages {
		parts, ok := m.(map[string]any)["content"].([]any)
		if !ok {
			continue
		}
		part, _ := parts[0].(map[string]any)
		control, _ := part["cache_control"].(map[string]any)
		if len(parts) != 1 || part["type"] != "text" || part["text"] == "" || control["type"] != "ephemeral" {
			t.Errorf("message %d: %v", i, parts)
		}
		at, ttl = append(at, i), control["ttl"]
	}
	return at, ttl
}

func TestOpenRouterPassesBreakpointsToClaude(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("many words ", 400)
	r := llm.Request{Model: "anthropic/claude-sonnet-5", System: long, Messages: []projection.Message{
		{Role: projection.RoleUser, Text: "begin"},
		assistant(conversation.ToolCall{ID: "c1", Name: "ls", Arguments: "{}"}),
		result("c1", "a \"file\" <b>"),
	}}
	for name, c := range map[string]struct {
		model string
		ttl   time.Duration
		small bool
		at    []int
		want  any
	}{
		"five minutes":    {"anthropic/claude-sonnet-5", 0, false, []int{0, 1, 3}, nil},
		"an hour":         {"anthropic/claude-sonnet-5", time.Hour, false, []int{0, 1, 3}, "1h"},
		"the newest name": {"~anthropic/claude-sonnet-latest", 0, false, []int{0, 1, 3}, nil},
		"a small prompt":  {"anthropic/claude-sonnet-5", 0, true, nil, nil},
		"another maker":   {"google/gemini-3-pro", time.Hour, false, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := r
			if r.Model, r.CacheTTL = c.model, c.ttl; c.small {
				r.System = "be brief"
			}
			var list []seenRequest
			client := officialClient(t, "openrouter", recordRequests(t, &list, sse(hello+stop+done)))
			readReply(t, client, r)
			at, ttl := markedMessages(t, list[0].body)
			if diff := cmp.Diff(c.at, at); diff != "" || ttl != c.want {
				t.Errorf("breakpoints behind messages %v for %v, want %v for %v", at, ttl, c.at, c.want)
			}
			if marks := client.SetsLifetime(c.model); marks != strings.Contains(c.model, "anthropic/") {
				t.Errorf("it says how long the cache is to keep a prompt: %v", marks)
			}
		})
	}
}

func TestRefusedCacheBreakpointsAreOmitted(t *testing.T) {
	t.Parallel()
	r := llm.Request{Model: "anthropic/claude-sonnet-5", System: strings.Repeat("many words ", 400), Messages: []projection.Message{{Role: projection.RoleUser, Text: "begin"}}}
	var list []seenRequest
	client := officialClient(t, "openrouter", recordRequests(t, &list, func(w http.ResponseWriter, q *http.Request) {
		if len(list) == 1 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"messages.0.content.0.cache_control: Extra inputs are not permitted"}}`)
			return
		}
		sse(hello+stop+done)(w, q)
	}))
	if got := readReply(t, client, r); got.Err != nil || len(list) != 2 {
		t.Fatalf("%d requests, %v", len(list), got.Err)
	}
	if at, _ := markedMessages(t, list[1].body); at != nil {
		t.Errorf("the second one has breakpoints behind %v", at)
	}
}

func TestOpenAICacheLifetimeFollowsTheSetting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model string
		ttl   time.Duration
		kept  bool
	}{
		"asked for": {"gpt-5.4", 24 * time.Hour, true}, "an hour": {"gpt-5.4", time.Hour, false},
		"too old": {"gpt-4o", 24 * time.Hour, false}, "it says itself": {"gpt-5.6-luna", 24 * time.Hour, false},
	} {
		for _, wire := range []openai.Wire{openai.WireChat, openai.WireResponses} {
			r := user("hi")
			r.Model, r.CacheTTL = c.model, c.ttl
			raw, err := openai.New(openai.Options{Provider: "openai", Key: testKey, Wire: wire}).Body(r, "")
			if err != nil || strings.Contains(string(raw), `"prompt_cache_retention":"24h"`) != c.kept {
				t.Errorf("%s over %s: %s, %v", name, wire, raw, err)
			}
		}
	}
}
