package anthropic

import "plimsoll/agent/llm"

// usage is what a server counts, -1 where it does not. What it read from the cache and what it wrote there is no part of
// the input that it reports. Counts of a later event replace those of an earlier one.
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

func unreported() usage {
	u := usage{Input: -1, Read: -1, Written: -1, Output: -1}
	u.Details.Thinking = -1
	return u
}

func (u usage) tokens() *llm.Tokens {
	if u.Input < 0 && u.Output < 0 {
		return nil
	}
	t := &llm.Tokens{Prompt: max(-1, u.Input), Cached: max(-1, u.Read), CacheWrite: max(-1, u.Written), Completion: max(-1, u.Output),
		Reasoning: max(-1, u.Details.Thinking), CacheWriteLong: max(0, u.Kept.Hour)}
	if t.Prompt >= 0 {
		t.Prompt += max(0, t.Cached) + max(0, t.CacheWrite)
	}
	return t
}
