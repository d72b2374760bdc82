package openai_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// event is an event of the Responses wire.
func event(kind, fields string) string {
	if fields != "" {
		fields = "," + fields
	}
	return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\"" + fields + "}\n\n"
}

const (
	completed = `"response":{"object":"response","status":"completed","usage":{"input_tokens":50,"input_tokens_details":{"cached_tokens":40},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":59}}`
	thought   = `"output_index":0,"item":{"id":"rs_1","type":"reasoning","status":"completed","encrypted_content":"ENC","summary":[]}`
)

var (
	used = &struct{ Prompt, Cached, Completion int }{50, 40, 9}
	text = event("response.output_text.delta", `"output_index":1,"delta":"Hel"`) + event("response.output_text.delta", `"output_index":1,"delta":"lo"`)
)

var responseStreams = []struct {
	name, body string
	want       wanted
}{
	{"text", event("response.created", `"response":{"status":"in_progress"}`) + text +
		event("response.output_item.done", `"output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"Hello"}]}`) + event("response.completed", completed),
		wanted{Text: "Hello", Stop: conversation.StopEnd, Usage: used}},
	{"reasoning", event("response.reasoning_summary_text.delta", `"summary_index":0,"delta":"a"`) + event("response.reasoning_summary_part.added", `"summary_index":1`) +
		event("response.reasoning_summary_text.delta", `"summary_index":1,"delta":"b"`) + text + event("response.completed", completed),
		wanted{Text: "Hello", Reasoning: "a\n\nb", Stop: conversation.StopEnd, Usage: used}},
	{"calls", event("response.output_item.added", `"output_index":0,"item":{"type":"function_call","call_id":"c1","name":"ls","arguments":""}`) +
		event("response.function_call_arguments.delta", `"output_index":0,"delta":"{\"p\""`) +
		event("response.output_item.added", `"output_index":1,"item":{"type":"function_call","call_id":"c2","name":"cat","arguments":""}`) +
		event("response.function_call_arguments.delta", `"output_index":1,"delta":"{}"`) + event("response.function_call_arguments.delta", `"output_index":0,"delta":":1}"`) +
		event("response.output_item.done", `"output_index":0,"item":{"type":"function_call","call_id":"c1","name":"ls","arguments":"{\"p\":1}"}`) + event("response.completed", completed),
		wanted{Calls: []call{{ID: "c1", Name: "ls", Arguments: `{"p":1}`}, {ID: "c2", Name: "cat", Arguments: "{}"}}, Stop: conversation.StopCalls, Usage: used}},
	{"only finished items", event("response.output_item.done", `"output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"Hello"}]}`) +
		event("response.output_item.done", `"output_index":1,"item":{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"}`) + event("response.completed", completed),
		wanted{Text: "Hello", Calls: []call{{ID: "c1", Name: "ls", Arguments: "{}"}}, Stop: conversation.StopCalls, Usage: used}},
	{"incomplete", text + event("response.incomplete", `"response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}`), wanted{Text: "Hello", Stop: conversation.StopLength}},
	{"filtered", text + event("response.incomplete", `"response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}`), wanted{Text: "Hello", Stop: conversation.StopFiltered}},
	{"refusal", event("response.refusal.delta", `"delta":"No"`) + event("response.completed", completed), wanted{Text: "No", Stop: conversation.StopEnd, Usage: used}},
	{"not streamed", `{"object":"response","status":"completed","output":[{"type":"reasoning","summary":[{"text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"Hello"}]}],"usage":{"input_tokens":5,"output_tokens":2}}`,
		wanted{Text: "Hello", Reasoning: "hm", Stop: conversation.StopEnd, Usage: &struct{ Prompt, Cached, Completion int }{5, -1, 2}}},
	{"failed", text + event("response.failed", `"response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow down"}}`), wanted{Text: "Hello", Class: llm.RateLimited}},
	{"error event", text + event("error", `"code":"server_error","message":"boom"`), wanted{Text: "Hello", Class: llm.ServerFault}},
	{"overflow", event("response.failed", `"response":{"status":"failed","error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}`), wanted{Class: llm.Overflow}},
	{"cut", text, wanted{Text: "Hello", Class: llm.Truncated}},
	{"empty", event("response.completed", completed), wanted{Class: llm.Empty, Usage: used}},
	{"another protocol", hello + stop + done, wanted{Class: llm.Malformed}},
	{"no JSON", "data: {nope\n\n" + text, wanted{Class: llm.Malformed}},
	{"a list of models", `{"object":"list","data":[]}`, wanted{Class: llm.Malformed}},
}

func TestResponses(t *testing.T) {
	t.Parallel()
	for _, tt := range responseStreams {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := gather(t, responsesClient(t, sse(tt.body)), user("hi"))
			if diff := cmp.Diff(tt.want, summary(got)); diff != "" {
				t.Errorf("(-want +got)\n%s\n%v", diff, got.Err)
			}
		})
	}
}

func responsesClient(t *testing.T, h http.HandlerFunc) *openai.Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return openai.New(openai.Options{Provider: "openai", BaseURL: srv.URL, Key: testKey, Wire: openai.WireResponses, Transport: transport(t)})
}

func TestResponsesRequest(t *testing.T) {
	t.Parallel()
	var list []seen
	srv := httptest.NewServer(keep(t, &list, sse(event("response.output_item.done", thought)+
		event("response.output_item.done", `"output_index":1,"item":{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"}`)+event("response.completed", completed))))
	t.Cleanup(srv.Close)
	// No wire is set: the model is one that has tools only on this wire.
	c := openai.New(openai.Options{Provider: "openai", BaseURL: srv.URL + "/v1", Key: testKey, Transport: transport(t)})
	r := user("hi")
	r.Model, r.System, r.MaxTokens, r.Conversation = "gpt-6.1-sol", "Be brief.", 99, "abcd"
	r.Tools = []conversation.ToolSpec{{Name: "ls", Description: "lists", Parameters: conversation.RawJSON(`{"type":"object"}`)}}
	first := gather(t, c, r)
	r.Messages = append(r.Messages,
		projection.Message{Role: projection.RoleAssistant, Text: "looking", Extras: first.Extras, Calls: []conversation.ToolCall{{ID: "c1", Name: "ls", Arguments: "{}"}}},
		result("c1", ""))
	second := gather(t, c, r)
	want := decode(t, `{"model":"gpt-6.1-sol","stream":true,"store":false,"instructions":"Be brief.","max_output_tokens":99,
		"include":["reasoning.encrypted_content"],
		"tools":[{"type":"function","name":"ls","description":"lists","parameters":{"type":"object"}}],
		"input":[{"role":"user","content":"hi"},
			{"id":"rs_1","type":"reasoning","encrypted_content":"ENC","summary":[]},
			{"role":"assistant","content":"looking"},
			{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"},
			{"type":"function_call_output","call_id":"c1","output":"(no output)"}]}`)
	if diff := cmp.Diff(want, any(list[1].body)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if list[1].path != "/v1/responses" || len(second.Hash) != 64 {
		t.Errorf("path %s, hash %q", list[1].path, second.Hash)
	}
	r.Model = "gpt-6-astra"
	gather(t, c, r)
	if strings.Contains(string(list[2].raw), "ENC") {
		t.Error("encrypted reasoning went to another model")
	}
}

// A model of which only the server knows that it needs the other wire.
func TestFallsBackToResponses(t *testing.T) {
	t.Parallel()
	var list []seen
	c := serve(t, "openai", keep(t, &list, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			status(http.StatusNotFound, `{"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions.","type":"invalid_request_error","param":"model"}}`)(w, r)
			return
		}
		write(w, event("response.output_text.delta", `"delta":"Hello"`)+event("response.completed", completed))
	}))
	for range 2 {
		if got := gather(t, c, user("hi")); got.Text != "Hello" {
			t.Fatal(got.Err)
		}
	}
	if len(list) != 3 || list[2].path != "/v1/responses" {
		t.Errorf("%d requests, the last to %s", len(list), list[len(list)-1].path)
	}
}
