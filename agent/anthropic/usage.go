package anthropic

import "plimsoll/agent/llm"

// usage is what a server counts, -1 if it does not report a count. The input that it reports does not include the tokens
// read from and written to the cache. A later event replaces the counts of an earlier one.
type usage struct {
	Input   int `json:"input_tokens"`
	Read    int `json:"cache_read_input_tokens"`
	Written int `json:"cache_creation_input_tokens"`
	Output  int `json:"output_tokens"`
	Kept    struct {
		Hour int `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
	Details struct {
		Thinking int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// unreported returns a usage without any counts.
func unreported() usage {
	u := usage{Input: -1, Read: -1, Written: -1, Output: -1}
	u.Details.Thinking = -1
	return u
}

// tokens returns the usage in our terms: the prompt includes the cached tokens. It is nil if nothing was reported.
func (u usage) tokens() *llm.Tokens {
	if u.Input < 0 && u.Output < 0 {
		return nil
	}
	t := &llm.Tokens{Prompt: max(-1, u.Input), Cached: max(-1, u.Read), CacheWrite: max(-1, u.Written),
		Completion: max(-1, u.Output), Reasoning: max(-1, u.Details.Thinking), CacheWriteLong: max(0, u.Kept.Hour)}
	if t.Prompt >= 0 {
		t.Prompt += max(0, t.Cached) + max(0, t.CacheWrite)
	}
	return t
}
