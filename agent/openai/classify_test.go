package openai_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
)

// refusals are error answers of real servers for other reasons than the length of the prompt.
var refusals = []struct {
	name, provider string
	status         int
	body           string
	class          llm.Class
	says           string // part of the message
}{
	{"key", "openai", 401, `{"error":{"message":"Incorrect API key provided: ` + testKey + `. You can find your key at https://example.com.","type":"invalid_request_error","code":"invalid_api_key"}}`, llm.Auth, "Incorrect API key provided: [key]."},
	{"key, Gemini", "gemini", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, llm.Auth, "Key refused by Gemini (400): API key not valid"},
	{"forbidden", "openai", 403, `{"error":{"message":"Country, region, or territory not supported","code":"unsupported_country_region_territory"}}`, llm.Auth, "Country"},
	{"quota", "openai", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, llm.Quota, "credit"},
	{"quota, Anthropic", "anthropic", 400, `{"error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, llm.Quota, ""},
	{"payment", "openrouter", 402, `{"error":{"code":402,"message":"Insufficient credits"}}`, llm.Quota, ""},
	{"rate limit, Gemini", "gemini", 429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]`, llm.RateLimited, ""},
	{"rate limit", "openai", 429, `{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`, llm.RateLimited, "Rate limited by OpenAI (429): Rate limit reached"},
	{"model", "openai", 404, `{"error":{"message":"The model x does not exist or you do not have access to it.","code":"model_not_found"}}`, llm.NotFound, "does not exist"},
	{"model, OpenRouter", "openrouter", 400, `{"error":{"message":"foo/bar is not a valid model ID","code":400}}`, llm.NotFound, ""},
	{"FastAPI text", "custom", 404, `{"detail":"Not Found"}`, llm.NotFound, "Not Found"},
	{"FastAPI list", "custom", 422, `{"detail":[{"loc":["body","messages"],"msg":"field required","type":"value_error.missing"}]}`, llm.BadRequest, "field required"},
	{"HTML", "custom", 502, "<html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>", llm.ServerFault, "502 Bad Gateway"},
	{"HTML without title", "custom", 400, "<html><style>p{}</style><body><p>Nope &amp; no</p></body></html>", llm.BadRequest, "a web page"},
	{"plain text", "custom", 500, "upstream connect error", llm.ServerFault, "upstream connect error"},
	{"nothing", "custom", 500, "", llm.ServerFault, "Server error (500)"},
	{"timeout", "custom", 408, "", llm.ServerFault, ""},
	{"conflict", "custom", 409, "", llm.ServerFault, ""},
	{"unavailable", "llamacpp", 503, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`, llm.Overloaded, "Loading model"},
	{"overloaded", "anthropic", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.Overloaded, "Overloaded"},
	{"tools", "ollama", 400, `{"error":{"message":"registry.ollama.ai/library/x does not support tools","type":"api_error"}}`, llm.BadRequest, "does not support tools"},
	{"thinking", "ollama", 400, `{"error":{"message":"\"tiny\" does not support thinking"}}`, llm.BadRequest, ""},
	{"arguments", "llamacpp", 500, `{"error":{"code":500,"message":"Failed to parse tool call arguments as JSON","type":"server_error"}}`, llm.ServerFault, ""},
	{"control characters", "custom", 400, "{\"error\":{\"message\":\"a\\u001b[31mred\\u202eevil\\nline\"}}", llm.BadRequest, "a [31mred evil line"},
}

func TestRefusalsAreClassified(t *testing.T) {
	t.Parallel()
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readReply(t, serve(t, tt.provider, status(tt.status, tt.body)), user("hi")).Err
			if got == nil {
				t.Fatal("no error")
			}
			if got.Class != tt.class || got.Window != 0 || got.Requested != 0 || got.Status != tt.status {
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

func TestRetryDelaysAreParsed(t *testing.T) {
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
		{"permanent", 500, `{"error":{"message":"parse_error"}}`, nil, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readReply(t, serve(t, "custom", status(tt.status, tt.body, tt.headers...)), user("hi")).Err
			if got == nil || got.RetryAfter != tt.want || got.NoRetry != tt.no || got.Retryable() == tt.no {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestSecretHeadersAreNotShown(t *testing.T) {
	t.Parallel()
	var list []seenRequest
	h := recordRequests(t, &list, status(http.StatusBadRequest, `{"error":{"message":"bad token tok-abcdef for you"}}`))
	c := openai.New(openai.Options{BaseURL: "http://127.0.0.1:9/v1", Headers: map[string]string{"X-Token": "Bearer tok-abcdef"}, Transport: handlerTransport{h}})
	got := readReply(t, c, user("hi")).Err
	if !strings.Contains(got.Message, "bad token [key] for you") || list[0].header.Get("X-Token") != "Bearer tok-abcdef" {
		t.Errorf("message %q, header %v", got.Message, list[0].header)
	}
	if list[0].header.Get("Authorization") != "" {
		t.Errorf("a key was sent where there is none: %q", list[0].header.Get("Authorization"))
	}
}

// Servers repeat part of a key that they refuse: its beginning, its end, or the part after a blank.
func TestPiecesOfAKeyAreNotShown(t *testing.T) {
	t.Parallel()
	const key = "sk-proj-Zx81Qw92Er73Ty64"
	for piece, shown := range map[string]bool{
		key: false, key[:12]: false, key[len(key)-12:]: false, key[6:14]: false, key[:8]: false, key[3:] + "x": false, "x" + key[:20]: false,
		key[:7]: true, "sk-proj": true, "an ordinary word": true,
	} {
		h := status(http.StatusUnauthorized, `{"error":{"message":"the key `+piece+`... is wrong","type":"`+piece+`","code":"`+piece+`"}}`)
		c := openai.New(openai.Options{BaseURL: "http://127.0.0.1:9/v1", Key: key, Transport: handlerTransport{h}})
		got := readReply(t, c, user("hi")).Err
		if all := fmt.Sprintf("%+v %v", got, got); strings.Contains(all, piece) != shown || !strings.Contains(got.Message, "is wrong") {
			t.Errorf("%q: %s", piece, all)
		}
	}
}

func TestLongServerTextIsCut(t *testing.T) {
	t.Parallel()
	body := `{"error":{"message":"` + strings.Repeat("lang ist das Wort ", 1000) + `"}}`
	got := readReply(t, serve(t, "custom", status(http.StatusBadRequest, body)), user("hi")).Err
	if n := len([]rune(got.Message)); n > 350 || !strings.HasSuffix(got.Message, "…") {
		t.Errorf("%d characters: %q", n, got.Message)
	}
}

// Only the error of a server that loads its model is retried for a minute, not other capacity errors.
func TestLoadingServerIsRecognised(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`:   true,
		`{"error":"model is loading, please wait"}`:                                     true,
		`{"error":{"message":"no capacity for loading reports of this size"}}`:          false,
		`{"error":{"message":"Service unavailable","type":"unavailable_error"}}`:        false,
		`{"error":{"message":"The engine is currently overloaded, please try again."}}`: false,
	} {
		got := readReply(t, serve(t, "llamacpp", status(http.StatusServiceUnavailable, body)), user("hi")).Err
		if got == nil || got.Loading != want || !got.Retryable() || (got.Hint != "") != want {
			t.Errorf("%s: %+v", body, got)
		}
	}
}
