package jsonl

import (
	"encoding/json"
	"time"

	"plimsoll/conversation"
)

// wireLine is a line as it stands in the file, a message or the meta line.
type wireLine struct {
	Meta      json.RawMessage  `json:"meta,omitempty"`
	Role      *string          `json:"role,omitempty"`
	Content   *content         `json:"content"`
	Reasoning loose[string]    `json:"reasoning_content,omitzero"`
	Calls     []wireCall       `json:"tool_calls,omitempty"`
	CallID    string           `json:"tool_call_id,omitempty"`
	Name      loose[string]    `json:"name,omitzero"`
	IsError   loose[bool]      `json:"is_error,omitzero"`
	Usage     loose[wireUsage] `json:"usage,omitzero"`
	Time      stamp            `json:"ts,omitzero"`

	// Found in files of others.
	Refusal loose[string] `json:"refusal,omitzero"`
	Thought loose[string] `json:"reasoning,omitzero"` // OpenRouter
	Finish  loose[string] `json:"finish_reason,omitzero"`

	Summary   loose[bool]                            `json:"x_compact_summary,omitzero"`
	Synthetic loose[bool]                            `json:"x_synthetic,omitzero"`
	Stop      loose[string]                          `json:"x_stop,omitzero"`
	Model     loose[string]                          `json:"x_model,omitzero"`
	Error     loose[string]                          `json:"x_error,omitzero"`
	Extras    loose[map[string]conversation.RawJSON] `json:"x_extras,omitzero"`
	Status    loose[string]                          `json:"x_status,omitzero"`
	Detail    loose[string]                          `json:"x_detail,omitzero"`
	Duration  count                                  `json:"x_duration_ms,omitzero"`
	Shown     count                                  `json:"x_shown,omitzero"`
	Total     count                                  `json:"x_total,omitzero"`
}

type wireCall struct {
	ID       string          `json:"id"`
	Type     loose[string]   `json:"type"`
	Function *wireFunction   `json:"function"`
	Extra    json.RawMessage `json:"x_extra,omitempty"`
}

type wireFunction struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// wireMeta is the meta line.
type wireMeta struct {
	Title     loose[string] `json:"title,omitzero"`
	Model     loose[string] `json:"model,omitzero"`
	Client    loose[string] `json:"client,omitzero"`
	Created   created       `json:"created,omitzero"`
	CompactAt loose[[]int]  `json:"compact_at,omitzero"`
	Messages  loose[int]    `json:"messages"`
}

// content is the text of a message: null, a text, or an array of parts. Texts
// of parts stand with blank lines between; a part that is no text becomes a
// note of its kind.
type content string

// wireUsage is what a provider reported, in the words of chat completions; what
// begins with x_ is this program's own.
type wireUsage struct {
	Prompt        count                `json:"prompt_tokens,omitzero"`
	Completion    count                `json:"completion_tokens,omitzero"`
	Total         count                `json:"total_tokens,omitzero"`
	PromptDetails loose[promptDetails] `json:"prompt_tokens_details,omitzero"`
	ReplyDetails  loose[replyDetails]  `json:"completion_tokens_details,omitzero"`
	Cost          loose[*float64]      `json:"cost,omitzero"` // USD, as OpenRouter reports it
	Model         loose[string]        `json:"x_model,omitzero"`
	Revision      count                `json:"x_revision,omitzero"`
	Estimate      loose[float64]       `json:"x_estimate,omitzero"`
	Priced        loose[string]        `json:"x_priced,omitzero"`
	BodyHash      loose[string]        `json:"x_body_hash,omitzero"`
	Short         loose[bool]          `json:"x_short,omitzero"`
}

type promptDetails struct {
	Cached     count `json:"cached_tokens,omitzero"`
	CacheWrite count `json:"cache_write_tokens,omitzero"`
}

type replyDetails struct {
	Reasoning count `json:"reasoning_tokens,omitzero"`
}

// loose is a field that files of others may have of any type: a value of another type
// counts as missing.
type loose[T any] struct{ v T }

// UnmarshalJSON reads a value, and never fails.
func (l *loose[T]) UnmarshalJSON(raw []byte) error {
	var v T
	if json.Unmarshal(raw, &v) == nil {
		l.v = v
	}
	return nil
}

// MarshalJSON writes the value.
func (l loose[T]) MarshalJSON() ([]byte, error) { return conversation.EncodeJSON(l.v) }

// maxCount is the largest number that is taken for a count.
const maxCount = 1 << 40

// count is a number of something, or unknown. Fractions are cut; what makes no sense
// as a count is unknown.
type count struct {
	n     int
	known bool
}

// counted is a count, unknown for a negative number.
func counted(n int) count {
	if n < 0 {
		return count{}
	}
	return count{n, true}
}

// positive is a count that is left out of the file where it is 0.
func positive(n int) count {
	if n <= 0 {
		return count{}
	}
	return count{n, true}
}

// value is the number, -1 if it is unknown.
func (c count) value() int {
	if !c.known {
		return -1
	}
	return c.n
}

// UnmarshalJSON reads a number, and never fails.
func (c *count) UnmarshalJSON(raw []byte) error {
	var f *float64
	if json.Unmarshal(raw, &f) == nil && f != nil && *f >= 0 && *f <= maxCount {
		*c = counted(int(*f))
	}
	return nil
}

// MarshalJSON writes the number.
func (c count) MarshalJSON() ([]byte, error) { return json.Marshal(c.n) }

// Times are taken from 1973 to the year 9999, in milliseconds. JSON cannot
// write later ones; a smaller number is a time in seconds.
const (
	firstTime = 1e11
	timesEnd  = 253402300800000
)

// stamp is the time of a message, in milliseconds.
type stamp struct{ time.Time }

// UnmarshalJSON reads a time in milliseconds, in seconds, or as RFC 3339 has it. Anything
// else is the zero time.
func (s *stamp) UnmarshalJSON(raw []byte) error {
	var ms float64
	var at time.Time
	switch {
	case json.Unmarshal(raw, &ms) != nil && json.Unmarshal(raw, &at) != nil:
		return nil
	case !at.IsZero():
		ms = float64(at.UnixMilli())
	case ms < firstTime:
		ms *= 1000
	}
	if ms >= firstTime && ms < timesEnd {
		s.Time = time.UnixMilli(int64(ms)).UTC()
	}
	return nil
}

// MarshalJSON writes milliseconds.
func (s stamp) MarshalJSON() ([]byte, error) { return json.Marshal(s.UnixMilli()) }

// created is a stamp that is written as RFC 3339 has it.
type created struct{ stamp }

// MarshalJSON writes the time in full.
func (c created) MarshalJSON() ([]byte, error) { return json.Marshal(c.UTC().Format(time.RFC3339Nano)) }
