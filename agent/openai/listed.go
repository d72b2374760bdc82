package openai

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll/agent/llm"
)

// Lists of models: an object with data (OpenAI and most), an object with models (Gemini, Ollama, LM Studio), or a bare
// list (Together). Each server has its own fields for the window. A missing field is 0.

// listRow is a model in a list, with the fields of all servers.
type listRow struct {
	ID           string          `json:"id"`
	Key          string          `json:"key"`  // LM Studio
	Name         string          `json:"name"` // Gemini: models/ID
	Aliases      []string        `json:"aliases"`
	Owner        string          `json:"owned_by"`
	Type         string          `json:"type"`
	Active       *bool           `json:"active"` // Groq
	Capabilities json.RawMessage `json:"capabilities"`
	Methods      []string        `json:"supportedGenerationMethods"` // Gemini
	Pricing      json.RawMessage `json:"pricing"`
	Status       struct {
		Value string `json:"value"`
	} `json:"status"` // llama.cpp's router: loaded, loading, unloaded
	Meta struct {
		Window int `json:"n_ctx"` // llama.cpp, per slot
	} `json:"meta"`
	Top struct {
		Window int `json:"context_length"`
		MaxOut int `json:"max_completion_tokens"`
	} `json:"top_provider"` // OpenRouter
	ModelLen      int `json:"max_model_len"`         // vLLM, SGLang
	Window        int `json:"context_window"`        // Groq
	Length        int `json:"context_length"`        // OpenRouter, Together, Fireworks
	MaxLength     int `json:"max_context_length"`    // Mistral
	GeminiIn      int `json:"inputTokenLimit"`       // Gemini
	GeminiOut     int `json:"outputTokenLimit"`      // Gemini
	MaxIn         int `json:"max_input_tokens"`      // Anthropic
	MaxTokens     int `json:"max_tokens"`            // Anthropic
	MaxCompletion int `json:"max_completion_tokens"` // Groq
}

// rowsOf returns the JSON of each model in a list.
func rowsOf(body []byte) []json.RawMessage {
	var bare []json.RawMessage
	if json.Unmarshal(body, &bare) == nil {
		return bare
	}
	var in struct {
		Data   []json.RawMessage `json:"data"`
		Models []json.RawMessage `json:"models"`
	}
	_ = json.Unmarshal(body, &in) // a field of the wrong type counts as absent
	if len(in.Data) > 0 {
		return in.Data
	}
	return in.Models
}

func readList(body []byte, _ string) answer {
	var a answer
	for _, raw := range rowsOf(body) {
		var r listRow
		_ = json.Unmarshal(raw, &r) // a field of the wrong type counts as absent
		m := r.listed()
		if m.ID == "" {
			continue
		}
		a.server = cmp.Or(a.server, serverOf(r.Owner))
		a.models = append(a.models, m)
		if r.Status.Value != "" {
			if a.loaded == nil {
				a.loaded = []string{} // not nil: the server reports what is loaded, even if that is nothing
			}
			if r.Status.Value == "loaded" {
				a.loaded = append(a.loaded, m.ID)
			}
		}
	}
	return a
}

// serverOf returns the server software that lists its models with this owner, "" if unknown.
func serverOf(owner string) string {
	switch owner {
	case "llamacpp", "vllm", "sglang":
		return owner
	case "library":
		return "ollama"
	case "organization_owner":
		return "lmstudio"
	}
	return ""
}

func (r *listRow) listed() ListedModel {
	m := ListedModel{ID: cmp.Or(r.ID, r.Key, strings.TrimPrefix(r.Name, "models/")), Aliases: r.Aliases,
		Window: max(0, cmp.Or(r.Meta.Window, r.ModelLen, r.Top.Window, r.Window, r.Length, r.MaxLength, r.GeminiIn, r.MaxIn)),
		MaxOut: max(0, cmp.Or(r.Top.MaxOut, r.MaxCompletion, r.GeminiOut, r.MaxTokens)), Prices: listedPrices(r.Pricing)}
	m.Chat = fitForChat(m.ID, r.Type) && (r.Active == nil || *r.Active) &&
		(len(r.Methods) == 0 || slices.Contains(r.Methods, "generateContent"))
	var can struct {
		Chat *bool `json:"completion_chat"` // Mistral
	}
	if json.Unmarshal(r.Capabilities, &can) == nil {
		m.Chat = m.Chat && (can.Chat == nil || *can.Chat)
	}
	return m
}

var notForChat = []string{
	"embed", "rerank", "whisper", "tts", "transcribe", "moderation", "dall-e", "image", "audio", "realtime", "sora", "veo",
	"imagen", "guard", "ocr", "bge-", "stable-diffusion", "flux", "davinci", "babbage", "similarity", "speech",
}

// fitForChat reports whether a model can be used for chat, by its type and id.
func fitForChat(id, kind string) bool {
	switch strings.ToLower(kind) {
	case "embedding", "embeddings", "rerank", "image", "audio", "moderation", "video", "transcribe":
		return false
	}
	return !hasAny(strings.ToLower(id), notForChat...)
}

// listedPrices reads prices: OpenRouter's are texts in USD per token, Together's are numbers in USD per million tokens.
// OpenRouter gives a negative price to models that route to another model.
func listedPrices(raw json.RawMessage) *llm.Prices {
	var p struct {
		Prompt     string  `json:"prompt"`
		Completion string  `json:"completion"`
		Cached     string  `json:"input_cache_read"`
		CacheWrite string  `json:"input_cache_write"`
		Input      float64 `json:"input"`
		Output     float64 `json:"output"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return nil
	}
	if p.Prompt == "" && p.Input > 0 {
		return &llm.Prices{Input: p.Input, Output: p.Output}
	}
	in, out := perMillion(p.Prompt), perMillion(p.Completion)
	if in < 0 || out < 0 {
		return nil
	}
	return &llm.Prices{Input: in, Output: out, Cached: max(0, perMillion(p.Cached)), CacheWrite: max(0, perMillion(p.CacheWrite))}
}

// perMillion converts a price per token to one per million, -1 if it is not a usable price.
func perMillion(s string) float64 {
	usd, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(usd) || usd < 0 || usd > 1 { // no token costs a dollar
		return -1
	}
	return math.Round(usd*1e6*1e6) / 1e6
}

// ListedModel is a model in a server's list. Numbers are 0 if not reported.
type ListedModel struct {
	ID      string
	Aliases []string
	Window  int
	MaxOut  int
	Prices  *llm.Prices // nil if not listed
	Chat    bool        // can be used for chat, judged by type and id
	Loaded  bool        // in memory, or the server does not report it
}
