package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// These are events of chat streams.
const (
	hello = `data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}` + "\n\n"
	stop  = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	calls = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n"
	done  = "data: [DONE]\n\n"
)

// delta returns an event with that delta.
func delta(json string) string {
	return `data: {"choices":[{"index":0,"delta":` + json + `}]}` + "\n\n"
}

var streams = []struct {
	name, body string
	want       expectedReply
}{
	{"text", hello + delta(`{"content":" you"}`) + stop + done, expectedReply{Text: "Hello you", Stop: conversation.StopEnd}},
	{"without [DONE]", hello + stop, expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
	{"CRLF", strings.ReplaceAll(hello+stop+done, "\n", "\r\n"), expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
	{"CR", strings.ReplaceAll(hello+stop+done, "\n", "\r"), expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
	{"byte order mark", "\xEF\xBB\xBF" + hello + stop + done, expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
	{"no space behind the colon", strings.ReplaceAll(hello+stop+done, "data: ", "data:"), expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
	{"no blank lines", strings.ReplaceAll(hello+hello+stop+done, "\n\n", "\n"), expectedReply{Text: "HelloHello", Stop: conversation.StopEnd}},
	{"no last newline", hello + strings.TrimSpace(stop), expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
	{"data over several lines", "data: {\"choices\":[{\"delta\":\ndata:   {\"content\":\"Hi\"}}\ndata: ]}\n\n" + stop, expectedReply{Text: "Hi", Stop: conversation.StopEnd}},
	{"events with names, ids and comments", ": welcome\nevent: message\nid: 1\nretry: 10\n" + hello + "event: ping\ndata: {}\n\n" + stop + done,
		expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
	{"400 keep-alives", strings.Repeat(": OPENROUTER PROCESSING\n\n", 400) + hello + strings.Repeat(": ping\n\n", 400) + stop + done,
		expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
	{"reasoning_content", delta(`{"reasoning_content":"hm"}`) + hello + stop, expectedReply{Text: "Hello", Reasoning: "hm", Stop: conversation.StopEnd}},
	{"reasoning", delta(`{"reasoning":"hm"}`) + hello + stop, expectedReply{Text: "Hello", Reasoning: "hm", Stop: conversation.StopEnd}},
	{"reasoning under both names counts once", delta(`{"reasoning":"hm","reasoning_content":"hm"}`) + hello + stop,
		expectedReply{Text: "Hello", Reasoning: "hm", Stop: conversation.StopEnd}},
	{"content as parts", delta(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`) +
		delta(`{"content":[{"type":"text","text":"Hello"}]}`) + stop, expectedReply{Text: "Hello", Reasoning: "hm", Stop: conversation.StopEnd}},
	{"null content and fields of odd types", delta(`{"content":null,"reasoning":{"a":1},"tool_calls":null,"refusal":7}`) + hello + stop,
		expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
	{"a stop reason in every event", strings.ReplaceAll(hello+hello, `"delta"`, `"finish_reason":"stop","delta"`) + done,
		expectedReply{Text: "HelloHello", Stop: conversation.StopEnd}},
	{"other choices are not the reply", `data: {"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"length"}]}` + "\n\n" + hello + stop,
		expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
	{"refusal", delta(`{"refusal":"I cannot"}`) + stop, expectedReply{Text: "I cannot", Stop: conversation.StopEnd}},
	{"length", hello + strings.Replace(stop, "stop", "length", 1), expectedReply{Text: "Hello", Stop: conversation.StopLength}},
	{"filtered", strings.Replace(stop, "stop", "content_filter", 1), expectedReply{Stop: conversation.StopFiltered}},
	{"unknown reason", hello + strings.Replace(stop, "stop", "eos", 1), expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
	{"calls wanted, none made", hello + calls, expectedReply{Text: "Hello", Stop: conversation.StopEnd}},
	{"whole completion instead of a stream", `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},` + "\n" +
		`"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`,
		expectedReply{Text: "Hello", Stop: conversation.StopEnd, Usage: &struct{ Prompt, Cached, Completion int }{3, -1, 1}}},
	{"nothing at all", "", expectedReply{Class: llm.Truncated}},
	{"only [DONE]", done, expectedReply{Class: llm.Empty}},
	{"empty reply", delta(`{"content":""}`) + stop + done, expectedReply{Class: llm.Empty}},
	{"only reasoning", delta(`{"reasoning":"hm"}`) + stop + done, expectedReply{Reasoning: "hm", Class: llm.Empty}},
	{"clean cut", hello + hello, expectedReply{Text: "HelloHello", Class: llm.Truncated}},
	{"clean cut in a line", hello + hello[:40], expectedReply{Text: "Hello", Class: llm.Truncated}},
	{"[DONE] without a reason", hello + done, expectedReply{Text: "Hello", Class: llm.Truncated}},
	{"malformed JSON", hello + "data: {\"choices\":[}\n\n" + stop, expectedReply{Text: "Hello", Class: llm.Malformed}},
	{"HTML with status 200", "<!DOCTYPE html><html><head><title>Sign in</title></head></html>", expectedReply{Class: llm.Malformed}},
	{"plain text with status 200", "It works!\n", expectedReply{Class: llm.Malformed}},
	{"a list", "[1,2]", expectedReply{Class: llm.Malformed}},
	{"JSON error with status 200", `{"error":{"message":"bad","type":"invalid_request_error","code":400}}`, expectedReply{Class: llm.BadRequest}},
	{"overflow with status 200", `{"error":{"message":"This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens","code":400}}`,
		expectedReply{Class: llm.Overflow, Window: 8192, Requested: 9000}},
	{"error frame", hello + `data: {"error":{"message":"boom","code":502}}` + "\n\n", expectedReply{Text: "Hello", Class: llm.ServerFault}},
	{"error frame with a space", hello + `data: { "error": {"message":"boom"}}` + "\n\n", expectedReply{Text: "Hello", Class: llm.ServerFault}},
	{"error frame behind other keys", hello + `data: {"id":"x","error":{"code":429,"message":"slow down"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}` + "\n\n",
		expectedReply{Text: "Hello", Class: llm.RateLimited}},
	{"error event", hello + "event: error\ndata: {\"message\":\"overloaded\"}\n\n", expectedReply{Text: "Hello", Class: llm.Overloaded}},
	{"error as text", hello + `data: {"error":"the model overloaded"}` + "\n\n", expectedReply{Text: "Hello", Class: llm.Overloaded}},
	{"error as object", hello + `data: {"object":"error","message":"boom","code":500}` + "\n\n", expectedReply{Text: "Hello", Class: llm.ServerFault}},
	{"error as a bare line", hello + `{"error":{"message":"boom"}}` + "\n", expectedReply{Text: "Hello", Class: llm.ServerFault}},
	{"reason error", hello + strings.Replace(stop, "stop", "error", 1), expectedReply{Text: "Hello", Class: llm.ServerFault}},
}

func TestChatStreamsAreParsed(t *testing.T) {
	t.Parallel()
	for _, tt := range streams {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readReply(t, serve(t, "custom", sse(tt.body)), user("hi"))
			if diff := cmp.Diff(tt.want, summaryOf(got)); diff != "" {
				t.Errorf("(-want +got)\n%s\n%v", diff, got.Err)
			}
		})
	}
}

func TestKeepAlivesResetTheStallTimer(t *testing.T) {
	t.Parallel()
	body := strings.Repeat(": OPENROUTER PROCESSING\n\n", 400) + hello + stop
	got := readReply(t, serve(t, "openrouter", sse(body)), user("hi"))
	if got.Waiting < 401 {
		t.Errorf("%d signs of life of 400 comments and the headers", got.Waiting)
	}
}

func TestUsageIsParsed(t *testing.T) {
	t.Parallel()
	usd := 0.0125
	tests := []struct {
		name, json string
		want       llm.Tokens
	}{
		{"OpenAI", `"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":64,"cache_write_tokens":8},"completion_tokens_details":{"reasoning_tokens":5}}`,
			llm.Tokens{Prompt: 100, Cached: 64, CacheWrite: 8, Completion: 20, Reasoning: 5}},
		{"nothing said of the cache", `"usage":{"prompt_tokens":100,"completion_tokens":20}`,
			llm.Tokens{Prompt: 100, Cached: -1, CacheWrite: -1, Completion: 20, Reasoning: -1}},
		{"DeepSeek", `"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_cache_hit_tokens":60,"prompt_cache_miss_tokens":40}`,
			llm.Tokens{Prompt: 100, Cached: 60, CacheWrite: -1, Completion: 20, Reasoning: -1}},
		{"Moonshot", `"usage":{"prompt_tokens":100,"completion_tokens":20,"cached_tokens":50}`,
			llm.Tokens{Prompt: 100, Cached: 50, CacheWrite: -1, Completion: 20, Reasoning: -1}},
		{"OpenRouter", `"usage":{"prompt_tokens":100,"completion_tokens":20,"cost":0.0125,"cache_write_tokens":9,"prompt_tokens_details":{"cached_tokens":0}}`,
			llm.Tokens{Prompt: 100, Cached: 0, CacheWrite: 9, Completion: 20, Reasoning: -1, CostUSD: &usd}},
		{"SGLang", `"usage":{"prompt_tokens":100,"completion_tokens":20,"reasoning_tokens":7,"prompt_tokens_details":null}`,
			llm.Tokens{Prompt: 100, Cached: -1, CacheWrite: -1, Completion: 20, Reasoning: 7}},
		{"Groq", `"x_groq":{"id":"req","usage":{"prompt_tokens":100,"completion_tokens":20}}`,
			llm.Tokens{Prompt: 100, Cached: -1, CacheWrite: -1, Completion: 20, Reasoning: -1}},
		{"xAI leaves reasoning out of the completion", `"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":150,"completion_tokens_details":{"reasoning_tokens":30}}`,
			llm.Tokens{Prompt: 100, Cached: -1, CacheWrite: -1, Completion: 50, Reasoning: 30}},
		{"llama.cpp without usage", `"timings":{"cache_n":60,"prompt_n":40,"predicted_n":20}`,
			llm.Tokens{Prompt: 100, Cached: 60, CacheWrite: -1, Completion: 20, Reasoning: -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readReply(t, serve(t, "custom", sse(hello+stop+`data: {"choices":[],`+tt.json+"}\n\n"+done)), user("hi"))
			if got.Usage == nil {
				t.Fatal("no usage")
			}
			if diff := cmp.Diff(tt.want, *got.Usage); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The process that runs a model under Ollama can die: the stream then ends with a
// chunk without a model, without error and without [DONE].
func TestDeadOllamaRunnerIsAFailure(t *testing.T) {
	t.Parallel()
	event := func(model, delta string) string {
		return `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1795358298,"model":"` + model +
			`","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\n"
	}
	const call = `{"role":"assistant","content":"","tool_calls":[{"id":"c1","index":0,"type":"function","function":{"name":"ls","arguments":"{}"}}]}`
	nobody := event("", `{"role":"assistant","content":""}`)
	for name, body := range map[string]string{
		"in the middle":        event("tiny", `{"role":"assistant","content":"Hel"}`) + event("tiny", `{"content":"lo"}`) + nobody,
		"before the first":     nobody,
		"behind a call":        event("tiny", call) + nobody,
		"and [DONE] all alone": event("tiny", `{"content":"Hello"}`) + nobody + done,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := readReply(t, serve(t, "ollama", sse(body)), user("hi"))
			if got.Err == nil || got.Err.Class != llm.ServerFault || !got.Err.Retryable() || got.Stop != "" {
				t.Errorf("%q is an answer: stop %q, %v", got.Text, got.Stop, got.Err)
			}
		})
	}
	whole := event("tiny", `{"content":"Hello"}`) + stop + nobody
	if got := readReply(t, serve(t, "ollama", sse(whole)), user("hi")); got.Err != nil || got.Text != "Hello" {
		t.Errorf("behind the stop reason: %q, %v", got.Text, got.Err)
	}
}

// An endless reply stops at a limit, and so does an endless line.
func TestEndlessStreamIsStopped(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 256<<10)
	for name, piece := range map[string]string{
		"text": delta(`{"content":"` + big + `"}`), "line": big, "body": `{"a":"` + big + `"`,
		"blanks": strings.Repeat(" ", 256<<10), "lines that say nothing": strings.Repeat("x\n", 128<<10),
		"calls":   delta(`{"tool_calls":[` + strings.TrimSuffix(strings.Repeat(`{"id":"","function":{"name":"ls"}},`, 100), ",") + `]}`),
		"details": delta(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"` + big + `"}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startServer(t, "custom", func(w http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					write(w, piece)
				}
			})
			c.LimitStream(6 << 20) // more than a reply may have
			got := readReply(t, c, user("hi"))
			if got.Err == nil || got.Err.Class != llm.Malformed || got.Err.Retryable() {
				t.Errorf("%v", got.Err)
			}
			if len(got.Text) > 5<<20 {
				t.Errorf("%d bytes of text", len(got.Text))
			}
		})
	}
}

// Text between <think> and </think> at the beginning is reasoning, also when chunks split the tags; elsewhere it is text.
func TestThinkTagsAtTheBeginningAreReasoning(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ content, text, reasoning string }{
		"plain":         {"<think>hm</think>Hello", "Hello", "hm"},
		"blanks":        {" \n<think>\nhm <b>\n</think>\n\nHello\n", "Hello\n", "\nhm <b>\n"},
		"twice":         {"<think>a</think>\n<think>b</think>\nHello", "Hello", "ab"},
		"empty":         {"<think></think>Hello", "Hello", ""},
		"unclosed":      {"<think>hm </thi", "", "hm </thi"},
		"quoted":        {"The tag <think>hm</think> is", "The tag <think>hm</think> is", ""},
		"closed alone":  {"hm</think>Hello", "hm</think>Hello", ""},
		"other tag":     {"<thinking>hm", "<thinking>hm", ""},
		"cut":           {" <thin", " <thin", ""},
		"quoted behind": {"<think>hm</think>a <think>b</think>", "a <think>b</think>", "hm"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for cut := range len(tt.content) {
				stream := ""
				for _, piece := range []string{tt.content[:cut/2], tt.content[cut/2 : cut], tt.content[cut:]} {
					text, err := json.Marshal(piece)
					if err != nil {
						t.Fatal(err)
					}
					stream += delta(`{"content":` + string(text) + `}`)
				}
				got := readReply(t, serve(t, "custom", sse(stream+stop+done)), user("hi"))
				if got.Text != tt.text || got.Reasoning != tt.reasoning {
					t.Fatalf("cut at %d: text %q, reasoning %q", cut, got.Text, got.Reasoning)
				}
				if failed := got.Err != nil; failed != (tt.text == "") {
					t.Errorf("failure %v", got.Err)
				}
			}
		})
	}
}

func TestToolCallsAreAssembled(t *testing.T) {
	t.Parallel()
	piece := func(json string) string { return delta(`{"tool_calls":[` + json + `]}`) }
	list := []call{{ID: "a", Name: "ls", Arguments: `{"p":1}`}, {ID: "b", Name: "cat", Arguments: `{"q":2}`}}
	tests := []struct {
		name, body string
		want       []call
		stop       conversation.StopReason
	}{
		{"parallel, interleaved", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\""}},{"index":1,"id":"b","function":{"name":"cat","arguments":""}}`) +
			piece(`{"index":1,"function":{"arguments":"{\"q\":2}"}},{"index":0,"function":{"arguments":":1}"}}`) + calls, list, conversation.StopCalls},
		{"whole in one event, reason stop", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}},{"index":1,"id":"b","function":{"name":"cat","arguments":"{\"q\":2}"}}`) + stop,
			list, conversation.StopCalls},
		{"without index", piece(`{"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}`) + piece(`{"id":"b","function":{"name":"cat","arguments":"{\"q\""}}`) +
			piece(`{"function":{"arguments":":2}"}}`) + calls, list, conversation.StopCalls},
		{"one index for all", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}`) + piece(`{"index":0,"id":"b","function":{"name":"cat","arguments":"{\"q\":2}"}}`) + calls,
			list, conversation.StopCalls},
		{"id and name in every piece", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":""}}`) + piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}`) + calls,
			[]call{{ID: "a", Name: "ls", Arguments: "{}"}}, conversation.StopCalls},
		{"name in pieces", piece(`{"index":0,"id":"a","function":{"name":"read_"}}`) + piece(`{"index":0,"function":{"name":"file","arguments":"{"}}`) + piece(`{"index":0,"function":{"arguments":"}"}}`) + calls,
			[]call{{ID: "a", Name: "read_file", Arguments: "{}"}}, conversation.StopCalls},
		{"no arguments", piece(`{"index":0,"id":"a","function":{"name":"ls"}}`) + calls, []call{{ID: "a", Name: "ls"}}, conversation.StopCalls},
		{"arguments as an object", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":{"p":1}}}`) + calls,
			[]call{{ID: "a", Name: "ls", Arguments: `{"p":1}`}}, conversation.StopCalls},
		{"no reason, but whole", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}`) + done, []call{{ID: "a", Name: "ls", Arguments: "{}"}}, conversation.StopCalls},
		{"cut at the limit", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{ \"pa"}}`) + strings.Replace(stop, "stop", "length", 1),
			[]call{{ID: "a", Name: "ls", Arguments: `{ "pa`}}, conversation.StopLength},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readReply(t, serve(t, "custom", sse(tt.body)), user("hi"))
			if diff := cmp.Diff(tt.want, got.Calls); diff != "" || got.Stop != tt.stop || got.Err != nil {
				t.Errorf("stop %q, error %v (-want +got)\n%s", got.Stop, got.Err, diff)
			}
		})
	}
}

func TestCallsWithoutOrWithUsedIDsGetNewOnes(t *testing.T) {
	t.Parallel()
	body := delta(`{"tool_calls":[{"index":0,"id":"old","function":{"name":"ls","arguments":"{}"}},{"index":1,"id":"","function":{"name":"ls","arguments":"{}"}}]}`) + calls
	r := user("hi")
	r.Messages = append(r.Messages, assistant(conversation.ToolCall{ID: "old", Name: "ls", Arguments: "{}"}), result("old", "x"))
	got := readReply(t, serve(t, "custom", sse(body)), r)
	if len(got.Calls) != 2 || got.Calls[0].ID == "old" || got.Calls[0].ID == got.Calls[1].ID || len(got.Calls[1].ID) != 9 {
		t.Errorf("calls %+v", got.Calls)
	}
}

func TestTruncatedCallIsNotRun(t *testing.T) {
	t.Parallel()
	half := delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p"}}]}`)
	whole := delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]}`)
	for _, body := range []string{half, half + done, whole} { // behind whole, another call could have come
		if got := readReply(t, serve(t, "custom", sse(body)), user("hi")); got.Err == nil || got.Err.Class != llm.Truncated {
			t.Errorf("%q: %q, %v", body, got.Stop, got.Err)
		}
	}
}

// A reply that breaks off before its final event, at any byte, is retried: it is neither
// a complete answer nor a permanent error.
func TestTruncatedRepliesAreRetryable(t *testing.T) {
	t.Parallel()
	whole := `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`
	for name, body := range map[string]string{"stream": hello + stop, "named events": "event: message\n" + hello + stop, "whole": whole, "messages": messagesReply("Hello")} {
		cut := make(chan int, 1)
		provider := "custom"
		if name == "messages" {
			provider = "anthropic"
		}
		c := serve(t, provider, func(w http.ResponseWriter, _ *http.Request) { write(w, body[:<-cut]) })
		for n := 0; n < len(body); n += 3 {
			cut <- n
			got := readReply(t, c, user("hi"))
			switch {
			case got.Err == nil && (got.Text != "Hello" || got.Stop != conversation.StopEnd):
				t.Errorf("%s cut at %d: %q, %q is an answer", name, n, got.Text, got.Stop)
			case got.Err != nil && !got.Err.Retryable():
				t.Errorf("%s cut at %d: %v is final", name, n, got.Err)
			}
		}
	}
}
