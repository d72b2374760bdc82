package openai

import (
	"encoding/json"

	"plimsoll/agent/llm"
)

// Usage as servers report it. On chat completions cached tokens are part of the prompt tokens. A missing count is -1.

type usage struct {
	Prompt     *int      `json:"prompt_tokens"`
	Completion *int      `json:"completion_tokens"`
	Total      *int      `json:"total_tokens"`
	Reasoning  *int      `json:"reasoning_tokens"`        // SGLang
	Cached     *int      `json:"cached_tokens"`           // Moonshot
	CacheHit   *int      `json:"prompt_cache_hit_tokens"` // DeepSeek
	CacheWrite *int      `json:"cache_write_tokens"`
	Cost       *float64  `json:"cost"` // OpenRouter, USD
	In         usagePart `json:"prompt_tokens_details"`
	Out        usagePart `json:"completion_tokens_details"`

	// Names of the Responses API.
	Input     *int      `json:"input_tokens"`
	Output    *int      `json:"output_tokens"`
	InputPart usagePart `json:"input_tokens_details"`
	Thought   usagePart `json:"output_tokens_details"`
}

type usagePart struct {
	Cached     *int `json:"cached_tokens"`
	CacheWrite *int `json:"cache_write_tokens"` // OpenAI 5.6+, OpenRouter
	Reasoning  *int `json:"reasoning_tokens"`
}

// hasCounts reports whether u has the counts of chat completions; other protocols name them otherwise.
func (u *usage) hasCounts() bool { return u != nil && (u.Prompt != nil || u.Completion != nil) }

func (u *usage) tokens() *llm.Tokens {
	if u == nil {
		return nil
	}
	t := &llm.Tokens{
		Prompt:     first(u.Prompt, u.Input),
		Cached:     first(u.In.Cached, u.CacheHit, u.Cached, u.InputPart.Cached),
		CacheWrite: first(u.In.CacheWrite, u.CacheWrite, u.InputPart.CacheWrite),
		Completion: first(u.Completion, u.Output),
		Reasoning:  first(u.Out.Reasoning, u.Reasoning, u.Thought.Reasoning),
	}
	if u.Cost != nil && *u.Cost >= 0 {
		t.CostUSD = u.Cost
	}
	// xAI and Gemini leave reasoning out of the completion, but not out of the total.
	if generated := first(u.Total) - t.Prompt; u.hasCounts() && t.Prompt >= 0 && t.Completion >= 0 && generated > t.Completion {
		t.Completion = generated
	}
	return t
}

// first returns the first count that was reported, -1 if none was.
func first(numbers ...*int) int {
	for _, n := range numbers {
		if n != nil && *n >= 0 {
			return *n
		}
	}
	return -1
}

// timings is llama.cpp's statistics of a reply, which it sends even if no usage was asked for.
type timings struct {
	Cached    *int `json:"cache_n"`
	Prompt    *int `json:"prompt_n"` // without the cached tokens
	Predicted *int `json:"predicted_n"`
}

func (t *timings) tokens() *llm.Tokens {
	out := &llm.Tokens{Prompt: -1, Cached: first(t.Cached), CacheWrite: -1, Completion: first(t.Predicted), Reasoning: -1}
	if n := first(t.Prompt); n >= 0 {
		out.Prompt = n + max(0, out.Cached)
	}
	return out
}

type xGroq struct {
	Usage *usage      `json:"usage"`
	Error looseString `json:"error"`
}

type promptProgress struct {
	Total     int `json:"total"`
	Cache     int `json:"cache"`
	Processed int `json:"processed"`
}

// looseString is a JSON string; a value of another type is "".
type looseString string

// UnmarshalJSON never fails.
func (w *looseString) UnmarshalJSON(b []byte) error {
	var s string
	if len(b) > 0 && b[0] == '"' && json.Unmarshal(b, &s) == nil {
		*w = looseString(s)
	}
	return nil
}
