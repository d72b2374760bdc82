package openai

import (
	"slices"
	"strings"

	"plimsoll/compact/projection"
)

// The providers that are known by name. All take the system prompt as a message of role "system". Sources: the
// providers' documentation and, for Ollama and llama.cpp, measurements.

// Wire is a protocol between client and endpoint.
type Wire string

// The protocols. WireAuto is the endpoint's own: usually chat completions, unless the model needs the Responses API.
const (
	WireAuto      Wire = ""
	WireChat      Wire = "chat"
	WireResponses Wire = "responses"
	WireMessages  Wire = "messages" // Anthropic's Messages API
)

// Endpoint is what is known about a provider before any request.
type Endpoint struct {
	Name    string // the name on the screen
	Label   string // for the eye
	BaseURL string // without a trailing slash; "" for custom
	// KeyVars are the environment variables that may hold the key, in the order in which they are read.
	KeyVars []string
	KeyPage string // the web page where users create keys, "" if unknown
	Local   bool   // runs on the user's machine and needs no key
	Wire    Wire   // the protocol, WireAuto for chat completions
	Caps    projection.Capabilities
	Quirks
}

// Quirks are the differences between endpoints within a protocol. At another address than the provider's own only some of
// them hold; resolve lists those.
type Quirks struct {
	MaxCompletion bool // the reply's limit is max_completion_tokens, not max_tokens
	NullContent   bool // an assistant message with calls and no text has content null, not ""
	CacheKey      bool // takes prompt_cache_key to route requests to its cache
	Progress      bool // takes return_progress and reports progress through the prompt (llama.cpp)
	Signatures    bool // needs thought signatures in later requests (Gemini)
	NoCaching     bool // caches no prompts over chat completions (Anthropic)
	DropsThinking bool // can be asked to drop thinking that is bound to another conversation (Anthropic)
	Breakpoints   bool // forwards cache breakpoints in content parts to Claude (OpenRouter)
	DayRetention  bool // can be asked to keep prompts for a day (OpenAI)
	PDFs          bool // takes PDFs beside images
	Responses     bool // has the Responses API, which some models need (OpenAI)
	EmptyOverflow bool // refuses a request that is too long with an empty body (Cerebras)
	// CacheHeader is the header with the conversation's id, by which the endpoint finds its cache (xAI).
	CacheHeader string
}

// echo is how reasoning goes back to an endpoint whose documentation asks for it.
type echo struct {
	provider string
	models   string // part of the ids of the models, "" for all models
	as       string // the field of the message, or asThink or asText
	loop     bool   // only until the next user message
	blank    bool   // a message with calls needs some reasoning; one of another model gets a blank
}

// Values of echo.as for reasoning that goes back in the content, before the text.
const (
	asThink = "think" // between <think> and </think>
	asText  = "text"  // without tags
	// thoughtField is the field in which most endpoints send reasoning and take it.
	thoughtField = "reasoning_content"
)

// echoes lists the endpoints to which reasoning goes back. The first matching row counts; without one, none goes back.
var echoes = []echo{
	// "For turns that do perform tool calls, the reasoning_content must be fully passed back in all subsequent requests", else
	// 400: api-docs.deepseek.com/guides/thinking_mode. The server ignores what it does not need.
	{"deepseek", "", thoughtField, false, true},
	// "reasoning_content is missing in assistant tool call message", 400; thinking.keep says what older turns are for:
	// platform.moonshot.ai, schema of kimi-k2.6 and of k3.
	{"moonshot", "", thoughtField, false, true},
	// Returned with the tool results (interleaved), and the whole history where thinking is preserved, as on the coding plan:
	// docs.z.ai/guides/capabilities/thinking-mode.
	{"zai", "", thoughtField, false, false},
	// "the content field will contain <think> tag content, which must be preserved completely":
	// platform.minimax.io/docs/api-reference/text-openai-api.
	{"minimax", "", asThink, false, false},
	// With tool results: docs.qwencloud.com, function calling with thinking mode. Older turns only with preserve_thinking.
	{"alibaba", "", thoughtField, true, false},
	// The models need it until the final answer: cookbook.openai.com/articles/gpt-oss/handle-raw-cot. Groq takes the field
	// "reasoning" for these models alone, and refuses reasoning_content.
	{"groq", "gpt-oss", "reasoning", true, false},
	{"groq", "qwen3", "reasoning", true, false},
	// In the content, without tags for gpt-oss: inference-docs.cerebras.ai/capabilities/reasoning.
	{"cerebras", "gpt-oss", asText, true, false},
	{"cerebras", "", asThink, true, false},
	// "reasoning" of the assistant message: docs.together.ai/docs/inference/chat/reasoning.
	{"together", "", "reasoning", true, false},
	// reasoning_history decides per model what is used of it: docs.fireworks.ai/guides/reasoning.
	{"fireworks", "", thoughtField, false, false},
	// Templates of models that think between calls (gpt-oss, Qwen3, GLM, MiniMax) render it in the open turn and drop it
	// before: github.com/ggml-org/llama.cpp pull 18994; docs.vllm.ai, interleaved thinking, and issue 38488, which reads
	// "reasoning" alone; ollama.com/blog/thinking, whose /v1 knows no reasoning_content.
	{"llamacpp", "", thoughtField, true, false},
	{"lmstudio", "", thoughtField, true, false},
	{"vllm", "", "reasoning", true, false},
	{"ollama", "", "reasoning", true, false},
	{"custom", "", thoughtField, true, false},
}

// echoOf returns how reasoning goes back to a model; its field as is "" if it does not.
func echoOf(provider, model string) echo {
	if _, known := KnownProvider(provider); !known {
		provider = "custom"
	}
	for _, e := range echoes {
		if e.provider == provider && strings.Contains(strings.ToLower(model), e.models) {
			return e
		}
	}
	return echo{}
}

// endpoints has the order in which API keys in the environment choose a provider. Those after groq are never chosen by
// a key alone.
var endpoints = []Endpoint{
	{Name: "openai", Label: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyVars: []string{"OPENAI_API_KEY"}, KeyPage: "https://platform.openai.com/api-keys",
		Wire: WireResponses, Quirks: Quirks{MaxCompletion: true, NullContent: true, CacheKey: true, DayRetention: true, Responses: true, PDFs: true}},
	{Name: "anthropic", Label: "Anthropic", BaseURL: "https://api.anthropic.com/v1", KeyVars: []string{"ANTHROPIC_API_KEY"}, KeyPage: "https://platform.claude.com/settings/keys",
		Wire: WireMessages, Quirks: Quirks{NullContent: true, NoCaching: true, DropsThinking: true, PDFs: true}},
	{Name: "gemini", Label: "Gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
		KeyVars: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, KeyPage: "https://aistudio.google.com/apikey", Quirks: Quirks{NullContent: true, Signatures: true}},
	{Name: "openrouter", Label: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", KeyVars: []string{"OPENROUTER_API_KEY"},
		KeyPage: "https://openrouter.ai/settings/keys", Quirks: Quirks{NullContent: true, Breakpoints: true, PDFs: true}},
	{Name: "deepseek", Label: "DeepSeek", BaseURL: "https://api.deepseek.com", KeyVars: []string{"DEEPSEEK_API_KEY"}, KeyPage: "https://platform.deepseek.com/api_keys"},
	{Name: "mistral", Label: "Mistral", BaseURL: "https://api.mistral.ai/v1", KeyVars: []string{"MISTRAL_API_KEY"},
		KeyPage: "https://console.mistral.ai/api-keys", Caps: projection.Capabilities{CallIDs: projection.CallIDMistral}},
	{Name: "xai", Label: "xAI", BaseURL: "https://api.x.ai/v1", KeyVars: []string{"XAI_API_KEY"}, KeyPage: "https://console.x.ai",
		Quirks: Quirks{NullContent: true, CacheHeader: "x-grok-conv-id"}},
	{Name: "groq", Label: "Groq", BaseURL: "https://api.groq.com/openai/v1", KeyVars: []string{"GROQ_API_KEY"},
		KeyPage: "https://console.groq.com/keys", Quirks: Quirks{MaxCompletion: true, NullContent: true}},
	{Name: "cerebras", Label: "Cerebras", BaseURL: "https://api.cerebras.ai/v1", KeyVars: []string{"CEREBRAS_API_KEY"},
		Quirks: Quirks{MaxCompletion: true, EmptyOverflow: true}},
	{Name: "together", Label: "Together", BaseURL: "https://api.together.ai/v1", KeyVars: []string{"TOGETHER_API_KEY"}},
	{Name: "fireworks", Label: "Fireworks", BaseURL: "https://api.fireworks.ai/inference/v1", KeyVars: []string{"FIREWORKS_API_KEY"}},
	{Name: "moonshot", Label: "Moonshot", BaseURL: "https://api.moonshot.ai/v1", KeyVars: []string{"MOONSHOT_API_KEY"}},
	{Name: "zai", Label: "Z.ai", BaseURL: "https://api.z.ai/api/paas/v4", KeyVars: []string{"ZAI_API_KEY", "ZHIPU_API_KEY"}},
	{Name: "minimax", Label: "MiniMax", BaseURL: "https://api.minimax.io/v1", KeyVars: []string{"MINIMAX_API_KEY"}},
	{Name: "alibaba", Label: "Alibaba", BaseURL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
		KeyVars: []string{"DASHSCOPE_API_KEY"}},
	{Name: "cohere", Label: "Cohere", BaseURL: "https://api.cohere.ai/compatibility/v1", KeyVars: []string{"COHERE_API_KEY", "CO_API_KEY"}},
	{Name: "ollama", Label: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", Local: true},
	{Name: "lmstudio", Label: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1", KeyVars: []string{"LM_API_TOKEN"}, Local: true},
	{Name: "llamacpp", Label: "llama.cpp", BaseURL: "http://127.0.0.1:8080/v1", KeyVars: []string{"LLAMA_API_KEY"}, Local: true,
		Quirks: Quirks{Progress: true}},
	{Name: "vllm", Label: "vLLM", BaseURL: "http://127.0.0.1:8000/v1", KeyVars: []string{"VLLM_API_KEY"}, Local: true},
	{Name: "custom", Label: "the server", KeyVars: []string{"PLIMSOLL_API_KEY"}, Local: true},
}

// keyChosen is how many of the endpoints, from the first on, an API key in the environment can choose.
const keyChosen = 8

// KnownProvider returns what is known about a provider, false for an unknown name.
func KnownProvider(name string) (Endpoint, bool) {
	i := slices.IndexFunc(endpoints, func(e Endpoint) bool { return e.Name == name })
	if i < 0 {
		return Endpoint{}, false
	}
	e := endpoints[i]
	e.KeyVars = slices.Clone(e.KeyVars)
	return e, true
}

// Providers lists the names of the known providers. Those that an API key can choose come first.
func Providers() []string {
	names := make([]string, len(endpoints))
	for i, e := range endpoints {
		names[i] = e.Name
	}
	return names
}

// ProvidersByKey lists the providers that an API key in the environment can choose, in the order in which they are tried.
func ProvidersByKey() []string { return Providers()[:keyChosen] }

// Key returns a provider's API key and its environment variable. Without a key the variable is the one to set, "" if the
// provider has none.
func (e Endpoint) Key(getenv func(string) string) (key, variable string) {
	for _, v := range e.KeyVars {
		if key := getenv(v); key != "" {
			return key, v
		}
	}
	if len(e.KeyVars) > 0 {
		return "", e.KeyVars[0]
	}
	return "", ""
}
