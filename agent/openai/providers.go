package openai

import (
	"slices"
	"strings"

	"plimsoll/compact/projection"
)

// The providers that are known by name. Every one takes the system prompt as a
// message of role "system". Sources: the providers' documentation and, for
// Ollama and llama.cpp, measurements.

// Wire is a protocol.
type Wire string

// The protocols. WireAuto is the endpoint's own, as a rule chat completions unless
// the model needs the Responses API.
const (
	WireAuto      Wire = ""
	WireChat      Wire = "chat"
	WireResponses Wire = "responses"
	WireMessages  Wire = "messages" // Anthropic's
)

// Endpoint is what is known about a provider.
type Endpoint struct {
	Name    string // as in provider/id
	Label   string // for the eye
	BaseURL string // without a trailing slash; "" for custom
	// KeyVars are the environment variables that may hold the key, in the
	// order they are looked at.
	KeyVars []string
	KeyPage string // where a key is made, "" if nobody looked
	Local   bool   // runs on the user's machine: needs no key
	Wire    Wire   // that WireAuto stands for, if it is not chat completions
	Caps    projection.Capabilities
	Quirks
}

// Quirks are the ways in which endpoints differ on the wire. At another address than the provider's own only some hold:
// resolve names them.
type Quirks struct {
	MaxCompletion bool // the reply is bounded by max_completion_tokens, not max_tokens
	NullContent   bool // an assistant message with calls and no text has content null, not ""
	CacheKey      bool // takes prompt_cache_key to route its cache
	Progress      bool // takes return_progress and reports the prefill (llama.cpp)
	Signatures    bool // wants thought signatures back (Gemini)
	NoCaching     bool // caches no prompts over chat completions (Anthropic)
	Binding       bool // drops thinking that is bound to something else where it is asked to (Anthropic)
	Marks         bool // passes cache breakpoints on to Claude, in parts of messages (OpenRouter)
	Retention     bool // keeps prompts for a day where it is asked to (OpenAI)
	Responses     bool // has the Responses API, which some models need (OpenAI)
	EmptyOverflow bool // refuses a request that is too long with an empty body (Cerebras)
	// CacheHeader is the header that names the conversation, by which the endpoint finds its cache again (xAI).
	CacheHeader string
}

// echo is how reasoning goes back to an endpoint whose maker asks for it.
type echo struct {
	provider string
	models   string // what the ids of the models contain, "" for all
	as       string // the field of the message, or asThink or asText
	loop     bool   // only until the next message of the user
	blank    bool   // a message with calls is refused without any, so that one of another model has a blank
}

// Reasoning that goes back in the content, in front of the text.
const (
	asThink = "think" // within <think> and </think>
	asText  = "text"  // as it is
	// thoughtField is the field in which most endpoints send reasoning and take it.
	thoughtField = "reasoning_content"
)

// echoes says to which endpoints reasoning goes back. The first row that fits counts; where none does, nothing goes back.
var echoes = []echo{
	// "For turns that do perform tool calls, the reasoning_content must be fully passed back in all subsequent requests", else
	// 400: api-docs.deepseek.com/guides/thinking_mode. The server passes over what it does not need.
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

func echoOf(provider, model string) echo {
	if _, known := Known(provider); !known {
		provider = "custom"
	}
	for _, e := range echoes {
		if e.provider == provider && strings.Contains(strings.ToLower(model), e.models) {
			return e
		}
	}
	return echo{}
}

// Echoes says in words how reasoning goes back to a provider's models, "" if it does not.
func Echoes(provider string) string {
	e := echoOf(provider, "gpt-oss")
	if e.as == "" {
		return ""
	}
	if e.loop {
		return "reasoning goes back until your next message"
	}
	return "reasoning goes back with the messages"
}

// endpoints is in the order in which keys in the environment choose a
// provider; those after groq are never chosen by a key alone.
var endpoints = []Endpoint{
	{Name: "openai", Label: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyVars: []string{"OPENAI_API_KEY"}, KeyPage: "https://platform.openai.com/api-keys",
		Wire: WireResponses, Quirks: Quirks{MaxCompletion: true, NullContent: true, CacheKey: true, Retention: true, Responses: true}},
	{Name: "anthropic", Label: "Anthropic", BaseURL: "https://api.anthropic.com/v1", KeyVars: []string{"ANTHROPIC_API_KEY"}, KeyPage: "https://platform.claude.com/settings/keys",
		Wire: WireMessages, Quirks: Quirks{NullContent: true, NoCaching: true, Binding: true}},
	{Name: "gemini", Label: "Gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
		KeyVars: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, KeyPage: "https://aistudio.google.com/apikey", Quirks: Quirks{NullContent: true, Signatures: true}},
	{Name: "openrouter", Label: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", KeyVars: []string{"OPENROUTER_API_KEY"}, KeyPage: "https://openrouter.ai/settings/keys",
		Quirks: Quirks{NullContent: true, Marks: true}},
	{Name: "deepseek", Label: "DeepSeek", BaseURL: "https://api.deepseek.com", KeyVars: []string{"DEEPSEEK_API_KEY"}, KeyPage: "https://platform.deepseek.com/api_keys"},
	{Name: "mistral", Label: "Mistral", BaseURL: "https://api.mistral.ai/v1", KeyVars: []string{"MISTRAL_API_KEY"}, KeyPage: "https://console.mistral.ai/api-keys",
		Caps: projection.Capabilities{CallIDs: projection.CallIDMistral}},
	{Name: "xai", Label: "xAI", BaseURL: "https://api.x.ai/v1", KeyVars: []string{"XAI_API_KEY"}, KeyPage: "https://console.x.ai",
		Quirks: Quirks{NullContent: true, CacheHeader: "x-grok-conv-id"}},
	{Name: "groq", Label: "Groq", BaseURL: "https://api.groq.com/openai/v1", KeyVars: []string{"GROQ_API_KEY"}, KeyPage: "https://console.groq.com/keys",
		Quirks: Quirks{MaxCompletion: true, NullContent: true}},
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

// keyed is how many of endpoints, from the first, a key in the environment
// chooses automatically.
const keyed = 8

// Known returns what is known about a named provider.
func Known(name string) (Endpoint, bool) {
	i := slices.IndexFunc(endpoints, func(e Endpoint) bool { return e.Name == name })
	if i < 0 {
		return Endpoint{}, false
	}
	e := endpoints[i]
	e.KeyVars = slices.Clone(e.KeyVars)
	return e, true
}

// Providers lists the names of the known providers, the ones a key chooses
// first.
func Providers() []string {
	names := make([]string, len(endpoints))
	for i, e := range endpoints {
		names[i] = e.Name
	}
	return names
}

// ByKey lists the providers that a key found in the environment chooses, in
// the order in which they are tried.
func ByKey() []string { return Providers()[:keyed] }

// Key finds a provider's key in the environment and says in which variable it
// stood. Without a key the variable is the one to set, "" if there is none.
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
