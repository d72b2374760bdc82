package openai

import (
	"encoding/json"

	"plimsoll/agent/llm"
)

// Usage as servers report it. Cached tokens are part of prompt tokens on every
// chat completions server; where a count is missing it is -1.

type usage struct {
	Prompt     *int     `json:"prompt_tokens"`
	Completion *int     `json:"completion_tokens"`
	Total      *int     `json:"total_tokens"`
	Reasoning  *int     `json:"reasoning_tokens"`        // SGLang
	Cached     *int     `json:"cached_tokens"`           // Moonshot
	CacheHit   *int     `json:"prompt_cache_hit_tokens"` // DeepSeek
	CacheWrite *int     `json:"cache_write_tokens"`
	Cost       *float64 `json:"cost"` // OpenRouter, USD
	In         struct {
		Cached     *int `json:"cached_tokens"`
		CacheWrite *int `json:"cache_write_tokens"` // OpenAI 5.6+, OpenRouter
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning *int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// counts reports whether u says how many tokens there were; other protocols
// have a usage of other names.
func (u *usage) counts() bool { return u != nil && (u.Prompt != nil || u.Completion != nil) }

// tokens is u in our terms.
func (u *usage) tokens() *llm.Tokens {
	t := &llm.Tokens{
		Prompt:     first(u.Prompt),
		Cached:     first(u.In.Cached, u.CacheHit, u.Cached),
		CacheWrite: first(u.In.CacheWrite, u.CacheWrite),
		Completion: first(u.Completion),
		Reasoning:  first(u.Out.Reasoning, u.Reasoning),
		CostUSD:    cost(u.Cost),
	}
	// xAI and Gemini leave reasoning out of the completion, but not out of the
	// total.
	if generated := first(u.Total) - t.Prompt; t.Prompt >= 0 && t.Completion >= 0 && generated > t.Completion {
		t.Completion = generated
	}
	return t
}

// first is the first number that was reported, -1 if none was.
func first(numbers ...*int) int {
	for _, n := range numbers {
		if n != nil && *n >= 0 {
			return *n
		}
	}
	return -1
}

func cost(usd *float64) *float64 {
	if usd == nil || *usd < 0 {
		return nil
	}
	return usd
}

// timings is llama.cpp's account of a reply, which comes even where usage was
// not asked for.
type timings struct {
	Cached    *int `json:"cache_n"`
	Prompt    *int `json:"prompt_n"` // without the cached ones
	Predicted *int `json:"predicted_n"`
}

func (t *timings) tokens() *llm.Tokens {
	out := &llm.Tokens{Prompt: -1, Cached: first(t.Cached), CacheWrite: -1, Completion: first(t.Predicted), Reasoning: -1}
	if n := first(t.Prompt); n >= 0 {
		out.Prompt = n + max(0, out.Cached)
	}
	return out
}

// xGroq is Groq's field next to the standard ones.
type xGroq struct {
	Usage *usage `json:"usage"`
	Error word   `json:"error"`
}

// promptProgress is llama.cpp's progress through the prompt.
type promptProgress struct {
	Total     int `json:"total"`
	Cache     int `json:"cache"`
	Processed int `json:"processed"`
}

// word is a string; any other JSON is "".
type word string

// UnmarshalJSON never fails.
func (w *word) UnmarshalJSON(b []byte) error {
	var s string
	if len(b) > 0 && b[0] == '"' && json.Unmarshal(b, &s) == nil {
		*w = word(s)
	}
	return nil
}
