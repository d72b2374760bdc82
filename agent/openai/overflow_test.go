package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
)

// tooLong are the servers' errors for a request that is longer than the window, with the tokens of window and prompt
// that they name, or 0. The prompt excludes the reply: it is a in "requested M tokens (a in the messages, b in the
// completion)".
var tooLong = []struct {
	name, provider string
	status         int
	body           string
	window, prompt int
}{
	{"OpenAI", "openai", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130512 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, 128000, 130512},
	{"OpenAI with tools", "openai", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 202868 tokens (202767 in the messages, 101 in the functions). Please reduce the length of the messages or functions.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, 128000, 202868},
	{"OpenAI with the reply", "openai", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9100 tokens (8000 in the messages, 100 in the functions, and 1000 in the completion). Please reduce the length of the messages, functions, or completion.","code":"context_length_exceeded"}}`, 8192, 8100},
	{"OpenAI, older", "openai", 400, `{"error":{"message":"This model's maximum context length is 4097 tokens, however you requested 4226 tokens (3970 in your prompt; 256 for the completion). Please reduce your prompt; or completion length.","type":"invalid_request_error","code":null}}`, 4097, 3970},
	{"OpenAI without numbers", "openai", 400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`, 0, 0},
	{"OpenAI without a code", "openai", 400, `{"error":{"message":"Your input exceeds the context window of this model."}}`, 0, 0},
	{"OpenAI, numbers with separators", "openai", 400, `{"error":{"message":"maximum context length is 32,768 tokens. However, you requested 40,000 tokens."}}`, 32768, 40000},
	{"Anthropic", "anthropic", 400, `{"error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`, 200000, 213462},
	{"Anthropic with the reply", "anthropic", 400, "{\"error\":{\"message\":\"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again\"}}", 200000, 188240},
	{"Anthropic, bytes", "anthropic", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, 0, 0},
	{"Gemini", "gemini", 400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, 1048576, 1200000},
	{"xAI", "xai", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 140001 tokens."}`, 131072, 140001},
	{"Groq", "groq", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, 0, 0},
	{"OpenRouter", "openrouter", 400, `{"error":{"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about 140512 tokens (138000 of text input, 1000 of tool input, 1512 in the output). Please reduce the length of either one.","code":400}}`, 131072, 139000},
	{"OpenRouter with the provider's own words", "openrouter", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long: 9000 tokens > 8000 maximum\"}}","provider_name":"X"}}}`, 8000, 9000},
	{"Together", "together", 400, `{"error":{"message":"The input (9000 tokens) is longer than the model's context length (8192 tokens).","type":"invalid_request_error"}}`, 8192, 9000},
	{"Mistral", "mistral", 400, `{"object":"error","message":"Prompt contains 300000 tokens and 0 draft tokens, too large for model with 262144 maximum context length","type":"invalid_request_prompt","code":"3051"}`, 262144, 300000},
	{"Moonshot", "moonshot", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)","type":"invalid_request_error"}}`, 262144, 270000},
	{"MiniMax", "minimax", 400, `{"error":{"message":"invalid params, context window exceeds limit (2013)"}}`, 0, 0},
	{"DashScope", "alibaba", 400, `{"error":{"message":"Range of input length should be [1, 129024]","code":"invalid_parameter_error"}}`, 129024, 0},
	{"Z.ai", "zai", 400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, 0, 0},
	{"Z.ai by its code", "zai", 400, `{"error":{"code":1261,"message":"输入过长"}}`, 0, 0},
	{"Cerebras", "cerebras", 400, ``, 0, 0},
	{"Cerebras by size", "cerebras", 413, ``, 0, 0},
	{"Cerebras in words", "cerebras", 400, `{"message":"Please reduce the length of the messages or completion. Current length is 9026 while limit is 8192","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}`, 8192, 9026},
	{"vLLM to 0.15", "vllm", 400, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","param":null,"code":400}}`, 4096, 4500},
	{"vLLM, an object that is the error", "vllm", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","param":null,"code":400}`, 4096, 4500},
	{"vLLM from 0.16", "vllm", 400, `{"error":{"message":"You passed 4097 input tokens and requested 0 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 4096 tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`, 4096, 4097},
	{"vLLM, newer", "vllm", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, you requested 65535 output tokens and your prompt contains at least 62466 input tokens, for a total of at least 128001 tokens. Please reduce the length of the input prompt or the number of requested output tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`, 128000, 62466},
	{"vLLM, the reply does not fit behind the prompt", "vllm", 400, `{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 500. This model's maximum context length is 4096 tokens and your request has 4000 input tokens (500 > 4096 - 4000).","type":"BadRequestError","code":400}}`, 4096, 4000},
	{"vLLM, the engine", "vllm", 400, `{"object":"error","message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that max_model_len is no smaller than the number of text tokens.","type":"BadRequestError","code":400}`, 4096, 5000},
	{"vLLM, nothing is left", "vllm", 400, `{"object":"error","message":"max_tokens must be at least 1, got -186.","type":"BadRequestError","param":null,"code":400}`, 0, 0},
	{"llama.cpp", "llamacpp", 400, `{"error":{"code":400,"message":"request (5212 tokens) exceeds the available context size (2048 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5212,"n_ctx":2048}}`, 2048, 5212},
	{"llama.cpp, fields only", "llamacpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5212,"n_ctx":2048}}`, 2048, 5212},
	{"llama.cpp, full while it writes", "llamacpp", 500, `{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`, 0, 0},
	{"Ollama, JSON in the message", "ollama", 400, `{"error":{"message":"{\"error\":{\"code\":400,\"message\":\"request (9121 tokens) exceeds the available context size (4096 tokens), try increasing it\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":9121,\"n_ctx\":4096}}","type":"invalid_request_error","param":null,"code":null}}`, 4096, 9121},
	{"Ollama, its runner's words in the message", "ollama", 400, `{"error":{"message":"{\"error\":{\"code\":400,\"message\":\"request (8195 tokens) exceeds the available context size (6144 tokens), try increasing it\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":8195,\"n_ctx\":6144}}","type":"invalid_request_error","param":null,"code":null}}`, 6144, 8195},
	{"Ollama, without numbers", "ollama", 400, `{"error":{"message":"the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length","type":"invalid_request_error","param":null,"code":null}}`, 0, 0},
	{"LM Studio", "lmstudio", 400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length."}`, 0, 0},
	{"LM Studio with numbers", "lmstudio", 400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 7843>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input."}`, 4096, 7843},
	{"LM Studio, older", "lmstudio", 400, `{"error":"Trying to keep the first 7843 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`, 4096, 7843},
	{"TGI", "custom", 422, "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`\",\"error_type\":\"validation\"}", 4096, 4000},
	{"TGI, the prompt alone", "custom", 422, "{\"error\":\"Input validation error: `inputs` must have less than 1024 tokens. Given: 2000\",\"error_type\":\"validation\"}", 1024, 2000},
	{"TGI without the prompt", "custom", 422, "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096\",\"error_type\":\"validation\"}", 4096, 0},
	{"SGLang", "custom", 400, `{"object":"error","message":"The input (61709 tokens) is longer than the model's context length (40960 tokens).","type":"BadRequestError","param":null,"code":400}`, 40960, 61709},
	{"SGLang with the reply", "custom", 400, `{"object":"error","message":"Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a total of 202941 tokens: 170941 tokens from the input messages and 32000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.","type":"BadRequestError","code":400}`, 202752, 170941},
	{"SGLang, its memory", "custom", 400, `{"object":"error","message":"Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens). Use a shorter input or enable --allow-auto-truncate.","code":400}`, 59862, 160062},
}

// ways are how a server can send an error message, besides an error status: before the
// reply and within, on both wires.
var ways = []struct {
	name   string
	answer func(body string) http.HandlerFunc
	client func(*testing.T, string, http.HandlerFunc) *openai.Client
	text   string // that came before
}{
	{"status 200", func(body string) http.HandlerFunc { return status(http.StatusOK, body) }, chatClient, ""},
	{"data", func(body string) http.HandlerFunc { return sse(hello + "data: " + body + "\n\n") }, chatClient, "Hello"},
	{"error event", func(body string) http.HandlerFunc { return sse(hello + "event: error\ndata: " + body + "\n\n") }, chatClient, "Hello"},
	{"bare line", func(body string) http.HandlerFunc { return sse(hello + strings.TrimSpace(body) + "\n") }, chatClient, "Hello"},
	{"responses, status 200", func(body string) http.HandlerFunc { return status(http.StatusOK, body) }, responding, ""},
	{"responses, error event", func(body string) http.HandlerFunc { return sse("event: error\ndata: " + body + "\n\n") }, responding, ""},
	{"responses, data", func(body string) http.HandlerFunc { return sse("data: " + body + "\n\n") }, responding, ""},
}

// chatClient returns a client for chat completions, whatever the provider's own wire is.
func chatClient(t *testing.T, provider string, h http.HandlerFunc) *openai.Client {
	t.Helper()
	return openai.New(openai.Options{Provider: provider, BaseURL: "http://127.0.0.1:9/v1", Key: testKey, Transport: handlerTransport{h}, Wire: openai.WireChat})
}

func responding(t *testing.T, _ string, h http.HandlerFunc) *openai.Client {
	return responsesClient(t, h)
}

func TestOverflowIsRecognisedInEveryServersMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range tooLong {
		check := func(t *testing.T, got *llm.Error, status int) {
			t.Helper()
			if got == nil {
				t.Fatal("no error")
			}
			if got.Class != llm.Overflow || got.Window != tt.window || got.Requested != tt.prompt || got.Status != status || got.Retryable() {
				t.Errorf("%s, window %d, prompt %d, status %d; message %q", got.Class, got.Window, got.Requested, got.Status, got.Message)
			}
			if !strings.HasPrefix(got.Message, "Larger than the context window") || strings.ContainsAny(got.Message, "{}\\") {
				t.Errorf("message %q", got.Message)
			}
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, readReply(t, serve(t, tt.provider, status(tt.status, tt.body)), user("hi")).Err, tt.status)
			for _, way := range ways {
				if tt.body == "" {
					break // nothing in a stream says nothing
				}
				t.Run(way.name, func(t *testing.T) {
					got := readReply(t, way.client(t, tt.provider, way.answer(tt.body)), user("hi"))
					check(t, got.Err, 0)
					if got.Text != way.text {
						t.Errorf("before it came %q", got.Text)
					}
				})
			}
		})
	}
}

// These errors mention tokens, lengths or the window, and are not overflows. class is the expected class of a refusal,
// within that of the same error in a reply, "" if only the status identifies it.
var notTooLong = []struct {
	name, provider string
	status         int
	body           string
	class, within  llm.Class
}{
	{"Groq's rate tier", "groq", 413, `{"error":{"message":"Request too large for model x on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`, llm.TooLarge, llm.TooLarge},
	{"a rate tier by its words", "groq", 413, `{"error":{"message":"Request too large: TPM limit 12000, requested 14137. Please reduce the length of the messages."}}`, llm.TooLarge, llm.TooLarge},
	{"OpenAI's rate tier", "openai", 429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.","type":"tokens","code":"rate_limit_exceeded"}}`, llm.TooLarge, llm.TooLarge},
	{"429 with tokens", "openai", 429, `{"error":{"message":"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 6s.","type":"tokens","code":"rate_limit_exceeded"}}`, llm.RateLimited, llm.RateLimited},
	{"429 with the words of an overflow", "custom", 429, `{"error":{"message":"prompt is too long: 9000 tokens > 8000 maximum for now"}}`, llm.RateLimited, ""},
	{"a rate limit that speaks of the context", "anthropic", 400, `{"error":{"type":"rate_limit_error","message":"This request would exceed the rate limit for long context requests. Please reduce the length of the messages, maximum context length is 200000 tokens"}}`, llm.BadRequest, llm.RateLimited},
	{"too many requests, with a length", "custom", 400, `{"error":{"message":"Too many requests: reduce your prompt"}}`, llm.BadRequest, llm.RateLimited},
	{"529", "anthropic", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded: prompt is too long for the capacity there is"}}`, llm.Overloaded, llm.Overloaded},
	{"503", "custom", 503, `{"error":{"message":"no capacity for a maximum context length of 131072 tokens"}}`, llm.Overloaded, ""},
	{"quota, a rate", "openai", 429, `{"error":{"message":"You exceeded your current quota. Reduce the length of the messages or add credit.","type":"insufficient_quota","code":"insufficient_quota"}}`, llm.Quota, llm.Quota},
	{"quota, in tokens", "openrouter", 402, `{"error":{"code":402,"message":"This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 1234. Reduce your prompt."}}`, llm.Quota, llm.Quota},
	{"payment, of the prompt", "openrouter", 402, `{"error":{"code":402,"message":"Prompt tokens limit exceeded: 9000 > 5000. Input is too long."}}`, llm.Quota, llm.Quota},
	{"a key for short contexts", "custom", 403, `{"error":{"code":403,"message":"this key may not use a maximum context length of 1000000"}}`, llm.Auth, llm.Auth},
	{"OpenAI's bound of a reply", "openai", 400, `{"error":{"message":"max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided 200000.","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}}`, llm.BadRequest, llm.BadRequest},
	{"a bound of a reply with the window", "custom", 400, `{"error":{"message":"max_tokens is too large: 200000. This model's maximum context length is 131072 tokens.","type":"invalid_request_error","param":"max_tokens"}}`, llm.BadRequest, llm.BadRequest},
	{"a bound of a reply in the words of a length", "custom", 400, `{"error":{"message":"max_completion_tokens=200000 cannot be greater than 131072, which exceeds the context window","code":400}}`, llm.BadRequest, llm.BadRequest},
	{"Anthropic's bound of a reply", "anthropic", 400, `{"error":{"type":"invalid_request_error","message":"max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5"}}`, llm.BadRequest, llm.BadRequest},
	{"Groq's bound of a reply", "groq", 400, "{\"error\":{\"message\":\"`max_completion_tokens` must be less than or equal to `8192`, the maximum value for `max_completion_tokens` is less than the `context_window` for this model\",\"type\":\"invalid_request_error\"}}", llm.BadRequest, llm.BadRequest},
	{"DashScope's bound of a reply", "alibaba", 400, `{"error":{"message":"Range of max_tokens should be [1, 8192]","code":"invalid_parameter_error","type":"invalid_request_error"}}`, llm.BadRequest, llm.BadRequest},
	{"nothing, but not from Cerebras", "custom", 400, ``, llm.BadRequest, ""},
}

func TestSimilarErrorsAreNotOverflow(t *testing.T) {
	t.Parallel()
	for _, tt := range notTooLong {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readReply(t, serve(t, tt.provider, status(tt.status, tt.body)), user("hi")).Err
			if got == nil || got.Class != tt.class || got.Window != 0 || got.Requested != 0 || got.Status != tt.status {
				t.Errorf("refused: %+v", got)
			}
			for _, way := range ways {
				if tt.within == "" {
					break
				}
				got := readReply(t, way.client(t, tt.provider, way.answer(tt.body)), user("hi")).Err
				if got == nil || got.Class != tt.within {
					t.Errorf("%s: %+v", way.name, got)
				}
			}
		})
	}
}

// A window that fills during the reply ends the reply; a window that was full before gives only an error.
func TestWindowThatFillsDuringTheReplyEndsIt(t *testing.T) {
	t.Parallel()
	full := strings.Replace(stop, "stop", "model_context_window_exceeded", 1)
	if got := readReply(t, serve(t, "zai", sse(hello+full+done)), user("hi")); got.Text != "Hello" || got.Stop != "length" || got.Err != nil {
		t.Errorf("%q, stopped by %q, %v", got.Text, got.Stop, got.Err)
	}
	if got := readReply(t, serve(t, "zai", sse(full+done)), user("hi")); got.Err == nil || got.Err.Class != llm.Overflow {
		t.Errorf("without a reply: %v", got.Err)
	}
}
