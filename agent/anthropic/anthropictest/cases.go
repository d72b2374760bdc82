package anthropictest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// Key is what requests of the cases authenticate themselves with.
const Key = "sk-ant-0123456789abcdef"

// Case is an answer of the API, and what comes of it. It is named after the page of the documentation that has it, and
// what it shows.
type Case struct {
	Name   string
	Answer Answer

	Text, Reasoning string
	Calls           []string // id, name and input of each
	Stop            conversation.StopReason
	Refusal         string
	Paused          bool
	Class           llm.Class             // of a failure, "" for none
	Check           func(*llm.Error) bool // of a failure, nil for no more than its class
	Usage           *llm.Tokens           // nil: whatever it is
}

// begin is how most replies begin.
const begin = `{"type":"message_start","message":{"type":"message","content":[],"usage":{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"cache_creation":{"ephemeral_5m_input_tokens":5,"ephemeral_1h_input_tokens":15},"output_tokens":1}}}`

// text is a block of text.
func text(index, words string) string {
	return `{"type":"content_block_start","index":` + index + `,"content_block":{"type":"text","text":""}}` + "\n" +
		`{"type":"content_block_delta","index":` + index + `,"delta":{"type":"text_delta","text":"` + words + `"}}` + "\n" +
		`{"type":"content_block_stop","index":` + index + `}`
}

// thought is a block of thinking.
func thought(index, words, signature string) string {
	return `{"type":"content_block_start","index":` + index + `,"content_block":{"type":"thinking","thinking":"","signature":""}}` + "\n" +
		`{"type":"content_block_delta","index":` + index + `,"delta":{"type":"thinking_delta","thinking":"` + words + `"}}` + "\n" +
		`{"type":"content_block_delta","index":` + index + `,"delta":{"type":"signature_delta","signature":"` + signature + `"}}` + "\n" +
		`{"type":"content_block_stop","index":` + index + `}`
}

// tool is a call.
func tool(index, id, input string) string {
	return `{"type":"content_block_start","index":` + index + `,"content_block":{"type":"tool_use","id":"` + id + `","name":"go","input":{}}}` + "\n" +
		`{"type":"content_block_delta","index":` + index + `,"delta":{"type":"input_json_delta","partial_json":"` + input + `"}}` + "\n" +
		`{"type":"content_block_stop","index":` + index + `}`
}

// end is how a reply ends.
func end(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":12}}` + "\n" + `{"type":"message_stop"}`
}

// Refused is how a reply ends that the model refuses.
func Refused(category, explanation string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"` + category + `","explanation":"` + explanation + `"}},"usage":{"output_tokens":12}}` + "\n" + `{"type":"message_stop"}`
}

// Stream is events as they are sent.
func Stream(events ...string) string {
	var b strings.Builder
	for data := range strings.SplitSeq(strings.Join(events, "\n"), "\n") {
		var event struct{ Type string }
		_ = json.Unmarshal([]byte(data), &event) // what is no JSON has no type
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", event.Type, data)
	}
	return b.String()
}

// Reply is a stream that says something, with the usage by the cache.
func Reply(words string) Answer {
	return Answer{Stream: []string{`{"type":"message_start","message":{"type":"message","content":[],` + Usage + `}}`, text("0", words), end("end_turn")}}
}

// Thoughts is a stream of thinking, some words and calls of tools, each an id and a name, with the usage by the cache.
func Thoughts(thinking, words string, calls ...[2]string) Answer {
	events := []string{`{"type":"message_start","message":{"type":"message","content":[],` + Usage + `}}`}
	index := func() string { return strconv.Itoa(len(events) - 1) }
	if thinking != "" {
		events = append(events, thought(index(), thinking, Signature))
	}
	if words != "" {
		events = append(events, text(index(), words))
	}
	for _, c := range calls {
		events = append(events, strings.ReplaceAll(tool(index(), c[0], `{\"a\":1}`), `"go"`, `"`+c[1]+`"`))
	}
	reason := "end_turn"
	if len(calls) > 0 {
		reason = "tool_use"
	}
	return Answer{Stream: append(events, end(reason))}
}

// Cases are the answers that the documentation has.
func Cases() []Case { return slices.Concat(streams(), pieces(), failures()) }

// streams are replies and how they end.
func streams() []Case {
	return []Case{
		{Name: "streaming, basic request", Answer: Answer{Stream: []string{begin, text("0", "Hello"), end("end_turn")}}, Text: "Hello", Stop: conversation.StopEnd},
		{Name: "streaming, text in two blocks", Answer: Answer{Stream: []string{begin, text("0", "Hel"), text("1", "lo"), end("end_turn")}}, Text: "Hello", Stop: conversation.StopEnd},
		{Name: "streaming, ping events", Answer: Answer{Stream: []string{begin, `{"type":"ping"}`, text("0", "Hello"), `{"type":"ping"}`, end("end_turn")}}, Text: "Hello", Stop: conversation.StopEnd},
		{Name: "streaming, other events", Answer: Answer{Stream: []string{begin, `{"type":"something_new","x":1}`, text("0", "Hello"), end("end_turn")}}, Text: "Hello", Stop: conversation.StopEnd},
		{Name: "streaming, with tool use", Answer: Answer{Stream: []string{begin, text("0", "So"), tool("1", "t1", `{\"a\":1}`), end("tool_use")}}, Text: "So", Calls: []string{"t1 go {\"a\":1}"}, Stop: conversation.StopCalls},
		{Name: "tool use, parallel", Answer: Answer{Stream: []string{begin, tool("0", "t1", `{}`), tool("1", "t2", `{\"b\":2}`), end("tool_use")}}, Calls: []string{"t1 go {}", `t2 go {"b":2}`}, Stop: conversation.StopCalls},
		{Name: "tool use, input at the beginning", Answer: Answer{Stream: []string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"go","input":{"a":1}}}`, `{"type":"content_block_stop","index":0}`, end("tool_use")}}, Calls: []string{`t1 go {"a":1}`}, Stop: conversation.StopCalls},
		{Name: "tool use, no input", Answer: Answer{Stream: []string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"go","input":{}}}`, `{"type":"content_block_stop","index":0}`, end("tool_use")}}, Calls: []string{`t1 go {}`}, Stop: conversation.StopCalls},
		{Name: "stop reasons, max_tokens", Answer: Answer{Stream: []string{begin, text("0", "Hel"), end("max_tokens")}}, Text: "Hel", Stop: conversation.StopLength},
		{Name: "stop reasons, max_tokens within a call", Answer: Answer{Stream: []string{begin, tool("0", "t1", `{\"a`), end("max_tokens")}}, Calls: []string{`t1 go {"a`}, Stop: conversation.StopLength},
		{Name: "stop reasons, stop_sequence", Answer: Answer{Stream: []string{begin, text("0", "Hel"), end("stop_sequence")}}, Text: "Hel", Stop: conversation.StopEnd},
		{Name: "stop reasons, refusal", Answer: Answer{Stream: []string{begin, text("0", "I"), Refused("cyber", "It could enable\\n harm.")}}, Text: "I", Stop: conversation.StopFiltered, Refusal: "cyber: It could enable harm."},
		{Name: "stop reasons, refusal before anything", Answer: Answer{Stream: []string{begin, end("refusal")}}, Stop: conversation.StopFiltered, Refusal: "no reason was given"},
		{Name: "stop reasons, pause_turn", Answer: Answer{Stream: []string{begin, text("0", "I search"), end("pause_turn")}}, Text: "I search", Stop: conversation.StopEnd, Paused: true},
		{Name: "stop reasons, window exceeded", Answer: Answer{Stream: []string{begin, text("0", "Hel"), end("model_context_window_exceeded")}}, Text: "Hel", Stop: conversation.StopLength},
		{Name: "stop reasons, window full from the start", Answer: Answer{Stream: []string{begin, end("model_context_window_exceeded")}}, Stop: conversation.StopLength, Class: llm.Overflow},
		{Name: "stop reasons, an empty end_turn", Answer: Answer{Stream: []string{begin, end("end_turn")}}, Stop: conversation.StopEnd, Class: llm.Empty},
		{Name: "stop reasons, an empty text", Answer: Answer{Stream: []string{begin, text("0", ""), end("end_turn")}}, Stop: conversation.StopEnd, Class: llm.Empty},
		{Name: "extended thinking, and nothing behind it", Answer: Answer{Stream: []string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":"x"}}`, `{"type":"content_block_stop","index":0}`, end("end_turn")}}, Stop: conversation.StopEnd, Class: llm.Empty},
		{Name: "stop reasons, one of a later version", Answer: Answer{Stream: []string{begin, text("0", "Hel"), end("something_new")}}, Text: "Hel", Stop: conversation.StopEnd},
		{Name: "server tools, a block of another type", Answer: Answer{Stream: []string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, `{"type":"content_block_stop","index":0}`, text("1", "Found"), end("end_turn")}}, Text: "Found", Stop: conversation.StopEnd},
		{Name: "citations, a delta of another type", Answer: Answer{Stream: []string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"A"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}`, `{"type":"content_block_stop","index":0}`, end("end_turn")}}, Text: "A", Stop: conversation.StopEnd},
		{Name: "extended thinking, omitted", Answer: Answer{Stream: []string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"x"}}`, `{"type":"content_block_stop","index":0}`, text("1", "A"), end("end_turn")}}, Text: "A", Stop: conversation.StopEnd},
		{Name: "errors, overloaded within the stream", Answer: Answer{Stream: []string{begin, text("0", "Hel"), `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}}, Text: "Hel", Class: llm.Overloaded},
		{Name: "recovery, the connection ends", Answer: Answer{Stream: []string{begin, text("0", "Hel")}}, Text: "Hel", Class: llm.Truncated},
		{Name: "recovery, in the middle of a block", Answer: Answer{Stream: []string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hel"}}`}}, Text: "Hel", Class: llm.Truncated},
		{Name: "another protocol", Answer: Answer{Stream: []string{`{"choices":[{"delta":{"content":"x"}}]}`}}, Class: llm.Malformed},
		{Name: "a block begins twice", Answer: Answer{Stream: []string{begin, text("0", "Hel"), text("0", "lo"), end("end_turn")}}, Text: "Hel", Class: llm.Malformed},
		{Name: "a piece of no block", Answer: Answer{Stream: []string{begin, `{"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"x"}}`, text("0", "A"), end("end_turn")}}, Text: "A", Stop: conversation.StopEnd},
		{Name: "fields of other types", Answer: Answer{Stream: []string{begin, `{"type":"content_block_start","index":0,"content_block":"?"}`, text("1", "A"), end("end_turn")}}, Text: "A", Stop: conversation.StopEnd},
		{Name: "no JSON", Answer: Answer{Stream: []string{begin, `{"type":"content`}}, Class: llm.Malformed},
	}
}

// pieces are the forms that replies come in.
func pieces() []Case {
	return []Case{
		// Thinking.
		{Name: "streaming, with extended thinking", Answer: Answer{Stream: []string{begin, thought("0", "Let me see.", "c2ln"), text("1", "So"), end("end_turn")}}, Text: "So", Reasoning: "Let me see.", Stop: conversation.StopEnd},
		{Name: "extended thinking, redacted", Answer: Answer{Stream: []string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"b3BhcXVl"}}`, `{"type":"content_block_stop","index":0}`, text("1", "So"), end("end_turn")}}, Text: "So", Stop: conversation.StopEnd},
		{Name: "extended thinking, interleaved with tools", Answer: Answer{Stream: []string{begin, thought("0", "First.", "YQ=="), tool("1", "t1", `{}`), thought("2", "Then.", "Yg=="), tool("3", "t2", `{}`), end("tool_use")}}, Reasoning: "First.Then.", Calls: []string{"t1 go {}", "t2 go {}"}, Stop: conversation.StopCalls},
		{Name: "extended thinking, in many pieces", Answer: Answer{Stream: []string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"a "}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"b"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"eA=="}}`, `{"type":"content_block_stop","index":0}`, text("1", "c"), end("end_turn")}}, Text: "c", Reasoning: "a b", Stop: conversation.StopEnd},
		// Tools.
		{Name: "fine-grained tool streaming, input in pieces", Answer: Answer{Stream: []string{begin, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"go","input":{}}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"pa"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"th\":\"\u00e9\"}"}}`, `{"type":"content_block_stop","index":0}`, end("tool_use")}}, Calls: []string{`t1 go {"path":"é"}`}, Stop: conversation.StopCalls},
		{Name: "tool use, text behind a call", Answer: Answer{Stream: []string{begin, tool("0", "t1", `{}`), text("1", "done"), end("tool_use")}}, Text: "done", Calls: []string{"t1 go {}"}, Stop: conversation.StopCalls},
		// Usage.
		{Name: "prompt caching, read and written", Answer: Answer{Stream: []string{begin, text("0", "A"), end("end_turn")}}, Text: "A", Stop: conversation.StopEnd, Usage: &llm.Tokens{Prompt: 123, Cached: 100, CacheWrite: 20, CacheWriteLong: 15, Completion: 12, Reasoning: -1}},
		{Name: "streaming, usage that a later event replaces", Answer: Answer{Stream: []string{begin, text("0", "A"), `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":5,"cache_read_input_tokens":200,"output_tokens":30,"output_tokens_details":{"thinking_tokens":17}}}`, `{"type":"message_stop"}`}}, Text: "A", Stop: conversation.StopEnd, Usage: &llm.Tokens{Prompt: 225, Cached: 200, CacheWrite: 20, CacheWriteLong: 15, Completion: 30, Reasoning: 17}},
		{Name: "token counting, a server that caches nothing", Answer: Answer{Stream: []string{`{"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}}`, text("0", "A"), end("end_turn")}}, Text: "A", Stop: conversation.StopEnd, Usage: &llm.Tokens{Prompt: 7, Cached: -1, CacheWrite: -1, Completion: 12, Reasoning: -1}},
		// The form of a stream.
		{Name: "streaming, lines that end with a carriage return", Answer: Answer{Raw: strings.ReplaceAll(Stream(begin, text("0", "A"), end("end_turn")), "\n", "\r\n")}, Text: "A", Stop: conversation.StopEnd},
		{Name: "streaming, comments and data without a blank", Answer: Answer{Raw: ": keep-alive\n\n" + strings.ReplaceAll(Stream(begin, text("0", "A"), end("end_turn")), "data: ", "data:")}, Text: "A", Stop: conversation.StopEnd},
		{Name: "streaming, events without a name", Answer: Answer{Raw: "data: " + strings.ReplaceAll(strings.Join([]string{begin, text("0", "A"), end("end_turn")}, "\n"), "\n", "\n\ndata: ") + "\n\n"}, Text: "A", Stop: conversation.StopEnd},
		{Name: "messages, not streamed", Answer: Answer{Headers: map[string]string{"Content-Type": "application/json"}, Body: `{"type":"message","role":"assistant","content":[{"type":"text","text":"A"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":1}}`}, Text: "A", Stop: conversation.StopEnd},
		// Errors within a stream.
		{Name: "errors, api_error within the stream", Answer: Answer{Stream: []string{begin, text("0", "Hel"), Failure("api_error", "Internal server error")}}, Text: "Hel", Class: llm.ServerFault},
		{Name: "errors, rate_limit_error within the stream", Answer: Answer{Stream: []string{begin, Failure("rate_limit_error", "too many tokens")}}, Class: llm.RateLimited},
		{Name: "errors, before message_start", Answer: Answer{Stream: []string{Failure("overloaded_error", "Overloaded")}}, Class: llm.Overloaded},
		{Name: "errors, in place of a stream", Answer: Answer{Body: Failure("overloaded_error", "Overloaded")}, Class: llm.Overloaded},
		// Failures with what goes with them.
		{Name: "errors, overloaded_error that says when", Answer: Answer{Status: 529, Headers: map[string]string{"Retry-After": "3"}, Body: Failure("overloaded_error", "Overloaded")}, Class: llm.Overloaded, Check: func(e *llm.Error) bool { return e.RetryAfter == 3*time.Second }},
		{Name: "rate limits, no word of when", Answer: Answer{Status: 429, Body: Failure("rate_limit_error", "This request would exceed your organization's rate limit")}, Class: llm.RateLimited, Check: (*llm.Error).Retryable},
		{Name: "rate limits, headers of limits", Answer: Answer{Status: 429, Headers: map[string]string{"Retry-After": "12", "Anthropic-Ratelimit-Input-Tokens-Remaining": "0"}, Body: Failure("rate_limit_error", "rate limit")}, Class: llm.RateLimited, Check: func(e *llm.Error) bool { return e.RetryAfter == 12*time.Second }},
	}
}

// failures are refusals with their status.
func failures() []Case {
	return []Case{
		{Name: "errors, invalid_request_error", Answer: Answer{Status: 400, Body: Failure("invalid_request_error", "messages: at least one message is required")}, Class: llm.BadRequest},
		{Name: "errors, authentication_error", Answer: Answer{Status: 401, Body: Failure("authentication_error", "invalid x-api-key "+Key)}, Class: llm.Auth},
		{Name: "errors, billing_error", Answer: Answer{Status: 402, Body: Failure("billing_error", "billing")}, Class: llm.Quota},
		{Name: "errors, permission_error", Answer: Answer{Status: 403, Body: Failure("permission_error", "not allowed")}, Class: llm.Auth, Check: func(e *llm.Error) bool { return strings.Contains(e.Message, "Not allowed with this key") }},
		{Name: "errors, not_found_error", Answer: Answer{Status: 404, Body: Failure("not_found_error", "model: claude-9")}, Class: llm.NotFound},
		{Name: "errors, request_too_large", Answer: Answer{Status: 413, Body: Failure("request_too_large", "Request exceeds the maximum size")}, Class: llm.Overflow},
		{Name: "errors, rate_limit_error", Answer: Answer{Status: 429, Body: Failure("rate_limit_error", "too many tokens a minute"), Headers: map[string]string{"retry-after": "7"}}, Class: llm.RateLimited, Check: func(e *llm.Error) bool { return e.RetryAfter == 7*time.Second }},
		{Name: "errors, api_error", Answer: Answer{Status: 500, Body: Failure("api_error", "Internal server error")}, Class: llm.ServerFault, Check: (*llm.Error).Retryable},
		{Name: "errors, timeout_error", Answer: Answer{Status: 504, Body: Failure("timeout_error", "timed out")}, Class: llm.ServerFault, Check: (*llm.Error).Retryable},
		{Name: "errors, overloaded_error", Answer: Answer{Status: 529, Body: Failure("overloaded_error", "Overloaded")}, Class: llm.Overloaded, Check: (*llm.Error).Retryable},
		{Name: "errors, x-should-retry", Answer: Answer{Status: 500, Body: Failure("api_error", "no"), Headers: map[string]string{"x-should-retry": "false"}}, Class: llm.ServerFault, Check: func(e *llm.Error) bool { return !e.Retryable() }},
		{Name: "errors, prompt too long", Answer: Answer{Status: 400, Body: Failure("invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum")}, Class: llm.Overflow, Check: func(e *llm.Error) bool { return e.Window == 200_000 && e.Requested == 213_462 }},
		{Name: "errors, prompt and reply", Answer: Answer{Status: 400, Body: Failure("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000")}, Class: llm.Overflow, Check: func(e *llm.Error) bool { return e.Window == 200_000 && e.Requested == 190_000 }},
		{Name: "errors, credit balance too low", Answer: Answer{Status: 400, Body: Failure("invalid_request_error", "Your credit balance is too low to access the Anthropic API.")}, Class: llm.Quota},
		{Name: "errors, a page of a proxy", Answer: Answer{Status: 502, Body: "<html><title>Bad gateway</title></html>"}, Class: llm.ServerFault},
	}
}
