package anthropic

import "plimsoll/agent/llm"

// usage is what a server counts. What it read from the cache and what it wrote there is no part of the input that it
// reports. Counts of a later event replace those of an earlier one.
type usage struct {
	Input   *int `json:"input_tokens"`
	Read    *int `json:"cache_read_input_tokens"`
	Written *int `json:"cache_creation_input_tokens"`
	Output  *int `json:"output_tokens"`
	Kept    kept `json:"cache_creation"`
	Details struct {
		Thinking *int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// kept is how long what was written is kept.
type kept struct {
	Hour *int `json:"ephemeral_1h_input_tokens"`
}

// take takes over what another account reports.
func (u *usage) take(v *usage) {
	if v == nil {
		return
	}
	for _, x := range []struct{ to, from **int }{{&u.Input, &v.Input}, {&u.Read, &v.Read}, {&u.Written, &v.Written}, {&u.Output, &v.Output}, {&u.Kept.Hour, &v.Kept.Hour}, {&u.Details.Thinking, &v.Details.Thinking}} {
		if *x.from != nil && **x.from >= 0 {
			*x.to = *x.from
		}
	}
}

// tokens is u in our terms, nil where nothing was reported.
func (u *usage) tokens() *llm.Tokens {
	if u.Input == nil && u.Output == nil {
		return nil
	}
	t := &llm.Tokens{Prompt: count(u.Input), Cached: count(u.Read), CacheWrite: count(u.Written), Completion: count(u.Output), Reasoning: count(u.Details.Thinking),
		CacheWriteLong: max(0, count(u.Kept.Hour))}
	if t.Prompt >= 0 {
		t.Prompt += max(0, t.Cached) + max(0, t.CacheWrite)
	}
	return t
}

// count is a count, -1 where none was reported.
func count(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}
