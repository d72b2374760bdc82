package openai_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

func event(kind, fields string) string {
	if fields != "" {
		fields = "," + fields
	}
	return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\"" + fields + "}\n\n"
}

const (
	completed = `"response":{"object":"response","status":"completed","usage":{"input_tokens":50,"input_tokens_details":{"cached_tokens":40},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4},"total_tokens":59}}`
)

var (
	used = &struct{ Prompt, Cached, Completion int }{50, 40, 9}
	text = event("response.output_text.delta", `"output_index":1,"delta":"Hel"`) + event("response.output_text.delta", `"output_index":1,"delta":"lo"`)
)

var responseStreams = []struct {
	name, body string
	want       expectedReply
}{
	{"text", event("response.created", `"response":{"status":"in_progress"}`) + text +
		event("response.output_item.done", `"output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"Hello"}]}`) + event("response.completed", completed),
		expectedReply{Text: "Hello", Stop: conversation.StopEnd, Usage: used}},
	{"reasoning", event("response.reasoning_summary_text.delta", `"summary_index":0,"delta":"a"`) + event("response.reasoning_summary_part.added", `"summary_index":1`) +
		event("response.reasoning_summary_text.delta", `"summary_index":1,"delta":"b"`) + text + event("response.completed", completed),
		expectedReply{Text: "Hello", Reasoning: "a\n\nb", Stop: conversation.StopEnd, Usage: used}},
	{"several messages and thoughts", event("response.reasoning_summary_text.delta", `"output_index":0,"summary_index":0,"delta":"a"`) + text +
		event("response.reasoning_summary_text.delta", `"output_index":2,"summary_index":0,"delta":"b"`) + event("response.output_text.delta", `"output_index":3,"delta":"again"`) +
		event("response.completed", completed), expectedReply{Text: "Hello\n\nagain", Reasoning: "a\n\nb", Stop: conversation.StopEnd, Usage: used}},
	{"calls", event("response.output_item.added", `"output_index":0,"item":{"type":"function_call","call_id":"c1","name":"ls","arguments":""}`) +
		event("response.function_call_arguments.delta", `"output_index":0,"delta":"{\"p\""`) +
		event("response.output_item.added", `"output_index":1,"item":{"type":"function_call","call_id":"c2","name":"cat","arguments":""}`) +
		event("response.function_call_arguments.delta", `"output_index":1,"delta":"{}"`) + event("response.function_call_arguments.delta", `"output_index":0,"delta":":1}"`) +
		event("response.output_item.done", `"output_index":0,"item":{"type":"function_call","call_id":"c1","name":"ls","arguments":"{\"p\":1}"}`) + event("response.completed", completed),
		expectedReply{Calls: []call{{ID: "c1", Name: "ls", Arguments: `{"p":1}`}, {ID: "c2", Name: "cat", Arguments: "{}"}}, Stop: conversation.StopCalls, Usage: used}},
	{"only finished items", event("response.output_item.done", `"output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"Hello"}]}`) +
		event("response.output_item.done", `"output_index":1,"item":{"type":"function_call","call_id":"c1","name":"ls","arguments":"{}"}`) + event("response.completed", completed),
		expectedReply{Text: "Hello", Calls: []call{{ID: "c1", Name: "ls", Arguments: "{}"}}, Stop: conversation.StopCalls, Usage: used}},
	{"incomplete", text + event("response.incomplete", `"response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}`), expectedReply{Text: "Hello", Stop: conversation.StopLength}},
	{"filtered", text + event("response.incomplete", `"response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}`), expectedReply{Text: "Hello", Stop: conversation.StopFiltered}},
	{"refusal", event("response.refusal.delta", `"delta":"No"`) + event("response.completed", completed), expectedReply{Text: "No", Stop: conversation.StopEnd, Usage: used}},
	{"not streamed", `{"object":"response","status":"completed","output":[{"type":"reasoning","summary":[{"text":"hm"}]},{"type":"message","content":[{"type":"output_text","text":"Hello"}]}],"usage":{"input_tokens":5,"output_tokens":2}}`,
		expectedReply{Text: "Hello", Reasoning: "hm", Stop: conversation.StopEnd, Usage: &struct{ Prompt, Cached, Completion int }{5, -1, 2}}},
	{"failed", text + event("response.failed", `"response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow down"}}`), expectedReply{Text: "Hello", Class: llm.RateLimited}},
	{"error event", text + event("error", `"code":"server_error","message":"boom"`), expectedReply{Text: "Hello", Class: llm.ServerFault}},
	{"overflow", event("response.failed", `"response":{"status":"failed","error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}`), expectedReply{Class: llm.Overflow}},
	{"cut", text, expectedReply{Text: "Hello", Class: llm.Truncated}},
	{"empty", event("response.completed", completed), expectedReply{Class: llm.Empty, Usage: used}},
	{"another protocol", hello + stop + done, expectedReply{Class: llm.Malformed}},
	{"no JSON", "data: {nope\n\n" + text, expectedReply{Class: llm.Malformed}},
	{"a list of models", `{"object":"list","data":[]}`, expectedReply{Class: llm.Malformed}},
}

func TestResponsesStreamsAreParsed(t *testing.T) {
	t.Parallel()
	for _, tt := range responseStreams {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readReply(t, responsesClient(t, sse(tt.body)), user("hi"))
			if diff := cmp.Diff(tt.want, summaryOf(got)); diff != "" {
				t.Errorf("(-want +got)\n%s\n%v", diff, got.Err)
			}
		})
	}
}

func responsesClient(t *testing.T, h http.HandlerFunc) *openai.Client {
	t.Helper()
	return openai.New(openai.Options{Provider: "openai", BaseURL: "http://127.0.0.1:9", Key: testKey, Wire: openai.WireResponses, Transport: handlerTransport{h}})
}

// completeOutput is a reply with every kind of item, and sentBackItems are the items of it that the next request has.
const (
	completeOutput = `{"id":"rs_0","type":"reasoning","status":"completed","encrypted_content":"E0","content":null,"summary":[{"type":"summary_text","text":"hm"}]}
{"id":"msg_1","type":"message","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"looking","annotations":[]}]}
{"id":"rs_2","type":"reasoning","encrypted_content":"E2","summary":[]}
{"id":"fc_3","type":"function_call","status":"completed","call_id":"c1","name":"ls","arguments":"{\"p\": 1}"}
{"id":"msg_4","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"and","annotations":[]},{"type":"refusal","refusal":"no"}]}
{"id":"rs_5","type":"reasoning","encrypted_content":"E5","summary":[]}`
	reasoned0, reasoned2        = `{"id":"rs_0","type":"reasoning","encrypted_content":"E0","summary":[{"type":"summary_text","text":"hm"}]},`, `{"id":"rs_2","type":"reasoning","encrypted_content":"E2","summary":[]},`
	callItem, secondMessageItem = `{"id":"fc_3","type":"function_call","call_id":"c1","name":"ls","arguments":"{\"p\": 1}"},`, `{"id":"msg_4","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"and","annotations":[]},{"type":"refusal","refusal":"no"}]},`
	sentBackItems               = reasoned0 + `{"id":"msg_1","type":"message","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"looking","annotations":[]}]},` + reasoned2 + callItem + secondMessageItem
	plainCall                   = `{"type":"function_call","call_id":"c1","name":"ls","arguments":"{\"p\": 1}"},`
)

func outputOf(items string) string {
	var b strings.Builder
	for i, item := range strings.Split(items, "\n") {
		b.WriteString(event("response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":%s`, i, item)))
	}
	return b.String() + event("response.completed", completed)
}

func TestReplyIsSentBackUnchanged(t *testing.T) {
	t.Parallel()
	const without = `{"role":"assistant","content":"looking\n\nandno","phase":"commentary"},` + plainCall
	for name, tt := range map[string]struct {
		output string
		change func(*llm.Request, *projection.Message)
		want   string
	}{
		"all of it":     {completeOutput, nil, sentBackItems},
		"another text":  {completeOutput, func(_ *llm.Request, m *projection.Message) { m.Text = "shorter" }, `{"role":"assistant","content":"shorter","phase":"commentary"},` + plainCall},
		"a longer text": {completeOutput, func(_ *llm.Request, m *projection.Message) { m.Text += "!" }, strings.Replace(without, "andno", "andno!", 1)},
		"other arguments": {completeOutput, func(_ *llm.Request, m *projection.Message) { m.Calls[0].Arguments = "{}" },
			strings.Replace(without, `"{\"p\": 1}"`, `"{}"`, 1)},
		"stripped by a compaction": {completeOutput, func(_ *llm.Request, m *projection.Message) { m.ReasoningStripped = true }, without},
		"another id":               {completeOutput, func(_ *llm.Request, m *projection.Message) { m.Calls[0].ID = "c2" }, strings.Replace(without, `"c1"`, `"c2"`, 1)},
		"another model":            {completeOutput, func(r *llm.Request, _ *projection.Message) { r.Model = "gpt-6-astra" }, strings.Replace(without, `,"phase":"commentary"`, "", 1)},
		"blank text": {strings.NewReplacer("looking", `\n`, "\"and\"", `""`, "\"no\"", `""`).Replace(completeOutput), func(_ *llm.Request, m *projection.Message) { m.Text = "" },
			strings.NewReplacer("looking", `\n`, secondMessageItem, strings.Replace(secondMessageItem, `[{"type":"output_text","text":"and","annotations":[]},{"type":"refusal","refusal":"no"}]`, "[]", 1)).Replace(sentBackItems)},
		"unreadable reasoning": {strings.Replace(completeOutput, `"encrypted_content":"E0",`, "", 1), nil,
			`{"role":"assistant","content":"looking","phase":"commentary"},` + reasoned2 + plainCall + `{"role":"assistant","content":"andno"},`},
		"of an older version": {completeOutput, func(_ *llm.Request, m *projection.Message) {
			m.Extras = map[string]conversation.RawJSON{"plimsoll_route": m.Extras["plimsoll_route"], "reasoning_items": conversation.RawJSON("[" + strings.TrimSuffix(reasoned0, ",") + "]")}
		}, reasoned0 + strings.Replace(without, `,"phase":"commentary"`, "", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var list []seenRequest
			// No wire is set: the model supports tools only on the Responses wire.
			c := serve(t, "openai", recordRequests(t, &list, sse(outputOf(tt.output))))
			r := user("hi")
			r.Model, r.System, r.MaxTokens, r.Conversation, r.Effort = "gpt-6.1-sol", "Be brief.", 99, "abcd", "high"
			r.Tools = []conversation.ToolSpec{{Name: "ls", Description: "lists", Parameters: conversation.RawJSON(`{"type":"object"}`)}}
			first := readReply(t, c, r)
			m := projection.Message{Role: projection.RoleAssistant, Text: first.Text, Extras: first.Extras}
			for _, one := range first.Calls {
				m.Calls = append(m.Calls, conversation.ToolCall{ID: one.ID, Name: one.Name, Arguments: one.Arguments})
			}
			if tt.change != nil {
				tt.change(&r, &m)
			}
			r.Messages = append(r.Messages, m, result(m.Calls[0].ID, ""))
			second := readReply(t, c, r)
			if at, _ := c.Thinking(r); slices.Equal(at, []int{1}) != strings.Contains(string(list[1].raw), "rs_") {
				t.Errorf("the meter hears that the reasoning of %d goes back", at)
			}
			want := decode(t, `{"model":"`+r.Model+`","stream":true,"store":false,"instructions":"Be brief.","max_output_tokens":99,
				"include":["reasoning.encrypted_content"],"reasoning":{"effort":"high","summary":"auto"},
				"tools":[{"type":"function","name":"ls","description":"lists","parameters":{"type":"object"},"strict":false}],
				"input":[{"role":"user","content":"hi"},`+tt.want+`
					{"type":"function_call_output","call_id":"`+m.Calls[0].ID+`","output":"(no output)"}]}`)
			if diff := cmp.Diff(want, any(list[1].body)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if list[1].path != "/v1/responses" || len(second.Hash) != 64 {
				t.Errorf("path %s, hash %q", list[1].path, second.Hash)
			}
		})
	}
}

// Parts of a request that a server refuses are omitted from then on.
func TestPartsRefusedByAResponsesServerAreOmitted(t *testing.T) {
	t.Parallel()
	for field, refusal := range map[string]string{
		`"summary":"auto"`: `{"error":{"message":"Your organization must be verified to generate reasoning summaries.","type":"invalid_request_error","param":"reasoning.summary","code":"unsupported_value"}}`,
		`"include"`:        `{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include"}}`,
		`"rs_0"`:           `{"error":{"message":"The encrypted content for item rs_0 could not be verified.","type":"invalid_request_error","code":"invalid_encrypted_content"}}`,
		`"fc_3"`:           `{"error":{"message":"Item 'fc_3' of type 'function_call' was provided without its required 'reasoning' item: 'rs_2'.","type":"invalid_request_error","param":"input"}}`,
	} {
		var list []seenRequest
		c := responsesClient(t, recordRequests(t, &list, func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(string(list[len(list)-1].raw), field) {
				status(http.StatusBadRequest, refusal)(w, r)
				return
			}
			sse(text+event("response.completed", completed))(w, r)
		}))
		r := user("hi")
		first := readReply(t, responsesClient(t, sse(outputOf(completeOutput))), r)
		r.Messages = append(r.Messages, projection.Message{Role: projection.RoleAssistant, Text: first.Text, Extras: first.Extras,
			Calls: []conversation.ToolCall{{ID: "c1", Name: "ls", Arguments: first.Calls[0].Arguments}}}, result("c1", "x"))
		for range 2 {
			if got := readReply(t, c, r); got.Err != nil {
				t.Errorf("%s: %v", field, got.Err)
			}
		}
		if len(list) != 3 {
			t.Errorf("%s: %d requests, want the first, one without it, and the second", field, len(list))
		}
		if at, _ := c.Thinking(r); (len(at) > 0) != strings.Contains(string(list[2].raw), "rs_") {
			t.Errorf("%s: the meter hears that the reasoning of %d goes back", field, at)
		}
	}
}

// The server refuses a model on the chat wire, and the client uses the Responses wire.
func TestChatClientFallsBackToResponses(t *testing.T) {
	t.Parallel()
	var list []seenRequest
	c := serve(t, "openai", recordRequests(t, &list, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			status(http.StatusNotFound, `{"error":{"message":"This model is only supported in v1/responses and not in v1/chat/completions.","type":"invalid_request_error","param":"model"}}`)(w, r)
			return
		}
		write(w, event("response.output_text.delta", `"delta":"Hello"`)+event("response.completed", completed))
	}))
	for range 2 {
		if got := readReply(t, c, user("hi")); got.Text != "Hello" {
			t.Fatal(got.Err)
		}
	}
	if len(list) != 3 || list[2].path != "/v1/responses" {
		t.Errorf("%d requests, the last to %s", len(list), list[len(list)-1].path)
	}
}

func TestAReplyLimitIsRaisedToTheAPIsSmallest(t *testing.T) {
	t.Parallel()
	for given, want := range map[int]any{0: nil, 1: 16.0, 16: 16.0, 99: 99.0} {
		var list []seenRequest
		r := user("hi")
		r.MaxTokens = given
		readReply(t, officialClient(t, "openai", recordRequests(t, &list, sse(hello+stop+done))), r)
		if got := list[0].body["max_output_tokens"]; got != want {
			t.Errorf("a limit of %d is sent as %v, want %v", given, got, want)
		}
	}
}
