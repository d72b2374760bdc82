package openai_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"plimsoll/agent"
	"plimsoll/agent/openai"
)

// What servers answer when they refuse, in their own shapes.
var refusals = []struct {
	name, provider string
	status         int
	body           string
	class          agent.Class
	window, prompt int
	says           string // part of the message
}{
	{"OpenAI overflow", "openai", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130512 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		agent.Overflow, 128000, 130512, "larger than the context window"},
	{"OpenAI overflow without numbers", "openai", 400, `{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}`, agent.Overflow, 0, 0, ""},
	{"Anthropic overflow", "anthropic", 400, `{"error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`, agent.Overflow, 200000, 213462, ""},
	{"Anthropic overflow with the reply", "anthropic", 400, "{\"error\":{\"message\":\"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length\"}}", agent.Overflow, 200000, 188240, ""},
	{"Anthropic bytes", "anthropic", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, agent.Overflow, 0, 0, ""},
	{"Gemini overflow", "gemini", 400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, agent.Overflow, 1048576, 1200000, ""},
	{"xAI overflow", "xai", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 140001 tokens."}`, agent.Overflow, 131072, 140001, ""},
	{"Groq overflow", "groq", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}}`, agent.Overflow, 0, 0, ""},
	{"Groq tier", "groq", 413, `{"error":{"message":"Request too large for model x on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`, agent.TooLarge, 0, 0, "rate limit"},
	{"OpenAI tier", "openai", 429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.","type":"tokens","code":"rate_limit_exceeded"}}`, agent.TooLarge, 0, 0, ""},
	{"OpenRouter overflow", "openrouter", 400, `{"error":{"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about 140512 tokens (139000 of text input, 1512 of tool input). Please reduce the length.","code":400}}`, agent.Overflow, 131072, 139000, ""},
	{"OpenRouter with the provider's own words", "openrouter", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long: 9000 tokens > 8000 maximum\"}}","provider_name":"X"}}}`, agent.Overflow, 8000, 9000, ""},
	{"Together overflow", "together", 400, `{"error":{"message":"The input (9000 tokens) is longer than the model's context length (8192 tokens)."}}`, agent.Overflow, 8192, 9000, ""},
	{"Mistral overflow", "mistral", 400, `{"object":"error","message":"Prompt contains 300000 tokens and 0 draft tokens, too large for model with 262144 maximum context length","type":"invalid_request_prompt","code":"3051"}`, agent.Overflow, 262144, 300000, ""},
	{"Moonshot overflow", "moonshot", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)","type":"invalid_request_error"}}`, agent.Overflow, 262144, 270000, ""},
	{"DashScope overflow", "alibaba", 400, `{"error":{"message":"Range of input length should be [1, 129024]","code":"invalid_parameter_error"}}`, agent.Overflow, 129024, 0, ""},
	{"MiniMax overflow", "minimax", 400, `{"error":{"message":"invalid params, context window exceeds limit (2013)"}}`, agent.Overflow, 0, 0, ""},
	{"Z.ai overflow", "zai", 400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, agent.Overflow, 0, 0, ""},
	{"Cerebras overflow", "cerebras", 400, ``, agent.Overflow, 0, 0, ""},
	{"Cerebras overflow by size", "cerebras", 413, ``, agent.Overflow, 0, 0, ""},
	{"vLLM overflow", "vllm", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","param":null,"code":400}`, agent.Overflow, 4096, 4500, ""},
	{"vLLM overflow, newer", "vllm", 400, `{"error":{"message":"You passed 4097 input tokens and requested 0 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 4096 tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`, agent.Overflow, 4096, 4097, ""},
	{"LM Studio overflow", "lmstudio", 400, `{"error":"Trying to keep the first 7843 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`, agent.Overflow, 4096, 7843, ""},
	{"LM Studio overflow without numbers", "lmstudio", 400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length."}`, agent.Overflow, 0, 0, ""},
	{"TGI overflow", "custom", 422, "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`\",\"error_type\":\"validation\"}", agent.Overflow, 4096, 4000, ""},
	{"number with separators", "custom", 400, `{"error":{"message":"This model's maximum context length is 32,768 tokens. However, you requested 40,000 tokens."}}`, agent.Overflow, 32768, 40000, ""},
	{"too many tokens wanted is no overflow", "openai", 400, `{"error":{"message":"max_tokens is too large: 50000. This model supports at most 16384 completion tokens.","param":"max_tokens"}}`, agent.BadRequest, 0, 0, "max_tokens is too large"},

	{"key", "openai", 401, `{"error":{"message":"Incorrect API key provided: ` + testKey + `. You can find your key at https://example.com.","type":"invalid_request_error","code":"invalid_api_key"}}`, agent.Auth, 0, 0, "Incorrect API key provided: [key]."},
	{"key, Gemini", "gemini", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, agent.Auth, 0, 0, "does not accept the key"},
	{"forbidden", "openai", 403, `{"error":{"message":"Country, region, or territory not supported","code":"unsupported_country_region_territory"}}`, agent.Auth, 0, 0, "Country"},
	{"quota", "openai", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, agent.Quota, 0, 0, "credit"},
	{"quota, Anthropic", "anthropic", 400, `{"error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, agent.Quota, 0, 0, ""},
	{"payment", "openrouter", 402, `{"error":{"code":402,"message":"Insufficient credits"}}`, agent.Quota, 0, 0, ""},
	{"rate limit, Gemini", "gemini", 429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]`, agent.RateLimited, 0, 0, ""},
	{"rate limit", "openai", 429, `{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`, agent.RateLimited, 0, 0, "limits the rate"},
	{"model", "openai", 404, `{"error":{"message":"The model x does not exist or you do not have access to it.","code":"model_not_found"}}`, agent.NotFound, 0, 0, "does not exist"},
	{"model, OpenRouter", "openrouter", 400, `{"error":{"message":"foo/bar is not a valid model ID","code":400}}`, agent.NotFound, 0, 0, ""},
	{"FastAPI text", "custom", 404, `{"detail":"Not Found"}`, agent.NotFound, 0, 0, "Not Found"},
	{"FastAPI list", "custom", 422, `{"detail":[{"loc":["body","messages"],"msg":"field required","type":"value_error.missing"}]}`, agent.BadRequest, 0, 0, "field required"},
	{"HTML", "custom", 502, "<html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>", agent.ServerFault, 0, 0, "502 Bad Gateway"},
	{"HTML without title", "custom", 400, "<html><style>p{}</style><body><p>Nope &amp; no</p></body></html>", agent.BadRequest, 0, 0, "Nope & no"},
	{"plain text", "custom", 500, "upstream connect error", agent.ServerFault, 0, 0, "upstream connect error"},
	{"nothing", "custom", 500, "", agent.ServerFault, 0, 0, "failed"},
	{"timeout", "custom", 408, "", agent.ServerFault, 0, 0, ""},
	{"conflict", "custom", 409, "", agent.ServerFault, 0, 0, ""},
	{"unavailable", "llamacpp", 503, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`, agent.Overloaded, 0, 0, "Loading model"},
	{"overloaded", "anthropic", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, agent.Overloaded, 0, 0, "Overloaded"},
	{"tools", "ollama", 400, `{"error":{"message":"registry.ollama.ai/library/x does not support tools","type":"api_error"}}`, agent.BadRequest, 0, 0, "does not support tools"},
	{"thinking", "ollama", 400, `{"error":{"message":"\"tiny\" does not support thinking"}}`, agent.BadRequest, 0, 0, ""},
	{"arguments", "llamacpp", 500, `{"error":{"code":500,"message":"Failed to parse tool call arguments as JSON","type":"server_error"}}`, agent.ServerFault, 0, 0, ""},
	{"control characters", "custom", 400, "{\"error\":{\"message\":\"a\\u001b[31mred\\u202eevil\\nline\"}}", agent.BadRequest, 0, 0, "a[31mredevil line"},
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := gather(t, serve(t, tt.provider, status(tt.status, tt.body)), user("hi")).Err
			if got == nil {
				t.Fatal("no error")
			}
			if got.Class != tt.class || got.Window != tt.window || got.Requested != tt.prompt || got.Status != tt.status {
				t.Errorf("%s, window %d, prompt %d, status %d; message %q", got.Class, got.Window, got.Requested, got.Status, got.Message)
			}
			if !strings.Contains(got.Message, tt.says) {
				t.Errorf("message %q lacks %q", got.Message, tt.says)
			}
			if all := fmt.Sprintf("%v %s %v", got, got.Hint, got.Err); strings.Contains(all, testKey) || strings.ContainsAny(all, "\n\x1b\u202e") {
				t.Errorf("not fit to be shown: %q", all)
			}
		})
	}
}

func TestRetryWishes(t *testing.T) {
	t.Parallel()
	limited := `{"error":{"message":"Rate limit reached.%s","code":"rate_limit_exceeded"}}`
	tests := []struct {
		name    string
		status  int
		body    string
		headers []string
		want    time.Duration
		no      bool
	}{
		{"seconds", 429, fmt.Sprintf(limited, ""), []string{"Retry-After", "7"}, 7 * time.Second, false},
		{"milliseconds win", 429, fmt.Sprintf(limited, ""), []string{"Retry-After", "7", "Retry-After-Ms", "1500"}, 1500 * time.Millisecond, false},
		{"milliseconds for hours", 429, fmt.Sprintf(limited, ""), []string{"Retry-After-Ms", "7200000"}, 2 * time.Hour, false},
		{"milliseconds without end", 429, fmt.Sprintf(limited, ""), []string{"Retry-After-Ms", "1e300"}, 24 * time.Hour, false},
		{"date long past", 503, "", []string{"Retry-After", "Fri, 20 Nov 2015 12:00:00 GMT"}, 0, false},
		{"date far ahead is bounded", 503, "", []string{"Retry-After", "Fri, 20 Nov 2999 12:00:00 GMT"}, 24 * time.Hour, false},
		{"words", 429, fmt.Sprintf(limited, " Please try again in 4.77s."), nil, 4770 * time.Millisecond, false},
		{"words with minutes", 429, fmt.Sprintf(limited, " Please try again in 1m30s. Visit"), nil, 90 * time.Second, false},
		{"words with milliseconds", 429, fmt.Sprintf(limited, " Please try again in 250ms."), nil, 250 * time.Millisecond, false},
		{"words spelled out", 429, fmt.Sprintf(limited, " Retry after 20 seconds"), nil, 20 * time.Second, false},
		{"Gemini", 429, `[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"34.5s"}]}}]`, nil, 34500 * time.Millisecond, false},
		{"nonsense", 429, fmt.Sprintf(limited, ""), []string{"Retry-After", "soon"}, 0, false},
		{"negative", 429, fmt.Sprintf(limited, ""), []string{"Retry-After", "-5"}, 0, false},
		{"the server says no", 500, "", []string{"X-Should-Retry", "false"}, 0, true},
		{"the server says yes", 500, `{"error":{"message":"parse_error"}}`, []string{"X-Should-Retry", "true"}, 0, false},
		{"hopeless", 500, `{"error":{"message":"parse_error"}}`, nil, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := gather(t, serve(t, "custom", status(tt.status, tt.body, tt.headers...)), user("hi")).Err
			if got == nil || got.RetryAfter != tt.want || got.NoRetry != tt.no || got.Retryable() == tt.no {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	unauthorised := status(http.StatusUnauthorized, `{"error":{"message":"no"}}`)
	for provider, want := range map[string]string{"openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY", "custom": "api_key_env"} {
		if got := gather(t, serve(t, provider, unauthorised), user("hi")).Err; !strings.Contains(got.Hint, want) {
			t.Errorf("%s: hint %q", provider, got.Hint)
		}
	}
	if got := gather(t, serve(t, "openai", status(http.StatusNotFound, "")), user("hi")).Err; !strings.Contains(got.Hint, "plimsoll models") {
		t.Errorf("hint %q", got.Hint)
	}
	c := serve(t, "openai", unauthorised)
	if got := gather(t, c, user("hi")).Err; !strings.Contains(got.Message, "does not accept the key") {
		t.Errorf("message %q", got.Message)
	}
}

func TestSecretHeadersAreNotShown(t *testing.T) {
	t.Parallel()
	var list []seen
	h := keep(t, &list, status(http.StatusBadRequest, `{"error":{"message":"bad token tok-abcdef for you"}}`))
	base := serve(t, "custom", h).BaseURL()
	c := openai.New(openai.Options{BaseURL: base, Headers: map[string]string{"X-Token": "Bearer tok-abcdef"}, Transport: transport(t)})
	got := gather(t, c, user("hi")).Err
	if !strings.Contains(got.Message, "bad token [key] for you") || list[0].header.Get("X-Token") != "Bearer tok-abcdef" {
		t.Errorf("message %q, header %v", got.Message, list[0].header)
	}
	if list[0].header.Get("Authorization") != "" {
		t.Errorf("a key was sent where there is none: %q", list[0].header.Get("Authorization"))
	}
}

func TestLongServerTextIsCut(t *testing.T) {
	t.Parallel()
	body := `{"error":{"message":"` + strings.Repeat("lang ist das Wort ", 1000) + `"}}`
	got := gather(t, serve(t, "custom", status(http.StatusBadRequest, body)), user("hi")).Err
	if n := len([]rune(got.Message)); n > 350 || !strings.HasSuffix(got.Message, "…") {
		t.Errorf("%d characters: %q", n, got.Message)
	}
}
