package openai

import (
	"slices"

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
	Marks         bool // passes cache breakpoints on to Claude, in parts of messages (OpenRouter)
	Retention     bool // keeps prompts for a day where it is asked to (OpenAI)
	Responses     bool // has the Responses API, which some models need, and reasoning in encrypted form there (OpenAI)
	EmptyOverflow bool // refuses a request that is too long with an empty body (Cerebras)
	// CacheHeader is the header that names the conversation, by which the endpoint finds its cache again (xAI).
	CacheHeader string
}

var echoing = projection.Capabilities{EchoReasoning: true}

// endpoints is in the order in which keys in the environment choose a
// provider; those after groq are never chosen by a key alone.
var endpoints = []Endpoint{
	{Name: "openai", Label: "OpenAI", BaseURL: "https://api.openai.com/v1", KeyVars: []string{"OPENAI_API_KEY"}, KeyPage: "https://platform.openai.com/api-keys",
		Quirks: Quirks{MaxCompletion: true, NullContent: true, CacheKey: true, Retention: true, Responses: true}},
	{Name: "anthropic", Label: "Anthropic", BaseURL: "https://api.anthropic.com/v1", KeyVars: []string{"ANTHROPIC_API_KEY"}, KeyPage: "https://platform.claude.com/settings/keys",
		Wire: WireMessages, Quirks: Quirks{NullContent: true, NoCaching: true}},
	{Name: "gemini", Label: "Gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
		KeyVars: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, KeyPage: "https://aistudio.google.com/apikey", Quirks: Quirks{NullContent: true, Signatures: true}},
	{Name: "openrouter", Label: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", KeyVars: []string{"OPENROUTER_API_KEY"}, KeyPage: "https://openrouter.ai/settings/keys",
		Quirks: Quirks{NullContent: true, Marks: true}},
	{Name: "deepseek", Label: "DeepSeek", BaseURL: "https://api.deepseek.com", KeyVars: []string{"DEEPSEEK_API_KEY"}, KeyPage: "https://platform.deepseek.com/api_keys", Caps: echoing},
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
	{Name: "moonshot", Label: "Moonshot", BaseURL: "https://api.moonshot.ai/v1", KeyVars: []string{"MOONSHOT_API_KEY"}, Caps: echoing},
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
