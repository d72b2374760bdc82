package jsonl

import (
	"encoding/json"
	"plimsoll/conversation"
)

// wireLine is a line as it stands in the file, a message or the meta line.
// Fields of type json.RawMessage may be of any type: see the loose functions.
type wireLine struct {
	Meta      json.RawMessage `json:"meta,omitempty"`
	Role      *string         `json:"role,omitempty"`
	Content   *content        `json:"content"`
	Reasoning json.RawMessage `json:"reasoning_content,omitempty"`
	Calls     []wireCall      `json:"tool_calls,omitempty"`
	CallID    string          `json:"tool_call_id,omitempty"`
	Name      json.RawMessage `json:"name,omitempty"`
	IsError   json.RawMessage `json:"is_error,omitempty"`
	Usage     json.RawMessage `json:"usage,omitempty"`
	Time      json.RawMessage `json:"ts,omitempty"`

	// Found in files of others.
	Refusal json.RawMessage `json:"refusal,omitempty"`
	Thought json.RawMessage `json:"reasoning,omitempty"` // OpenRouter
	Finish  json.RawMessage `json:"finish_reason,omitempty"`

	Summary   json.RawMessage `json:"x_compact_summary,omitempty"`
	Synthetic json.RawMessage `json:"x_synthetic,omitempty"`
	Stop      json.RawMessage `json:"x_stop,omitempty"`
	Model     json.RawMessage `json:"x_model,omitempty"`
	Error     json.RawMessage `json:"x_error,omitempty"`
	Extras    json.RawMessage `json:"x_extras,omitempty"`
	Status    json.RawMessage `json:"x_status,omitempty"`
	Detail    json.RawMessage `json:"x_detail,omitempty"`
	Duration  json.RawMessage `json:"x_duration_ms,omitempty"`
	Shown     json.RawMessage `json:"x_shown,omitempty"`
	Total     json.RawMessage `json:"x_total,omitempty"`
}

type wireCall struct {
	ID       string          `json:"id"`
	Type     json.RawMessage `json:"type"`
	Function *wireFunction   `json:"function"`
	Extra    json.RawMessage `json:"x_extra,omitempty"`
}

type wireFunction struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// content is the text of a message: null, a text, or an array of parts. Texts
// of parts stand with blank lines between; a part that is no text becomes a
// note of its kind.
type content string

// wireUsage is what a provider reported, in the words of chat completions; what
// begins with x_ is this program's own.
type wireUsage struct {
	Prompt        json.RawMessage `json:"prompt_tokens,omitempty"`
	Completion    json.RawMessage `json:"completion_tokens,omitempty"`
	Total         json.RawMessage `json:"total_tokens,omitempty"`
	PromptDetails json.RawMessage `json:"prompt_tokens_details,omitempty"`
	ReplyDetails  json.RawMessage `json:"completion_tokens_details,omitempty"`
	Cost          json.RawMessage `json:"cost,omitempty"` // USD, as OpenRouter reports it
	Model         json.RawMessage `json:"x_model,omitempty"`
	Revision      json.RawMessage `json:"x_revision,omitempty"`
	Estimate      json.RawMessage `json:"x_estimate,omitempty"`
	Priced        json.RawMessage `json:"x_priced,omitempty"`
	BodyHash      json.RawMessage `json:"x_body_hash,omitempty"`
	Short         json.RawMessage `json:"x_short,omitempty"`
}

type promptDetails struct {
	Cached     json.RawMessage `json:"cached_tokens,omitempty"`
	CacheWrite json.RawMessage `json:"cache_write_tokens,omitempty"`
}

type replyDetails struct {
	Reasoning json.RawMessage `json:"reasoning_tokens,omitempty"`
}

// rawValue is a value as JSON, nothing if it has no such form.
func rawValue(v any) json.RawMessage {
	data, err := conversation.EncodeJSON(v)
	if err != nil || string(data) == "{}" {
		return nil
	}
	return data
}

// rawText is a JSON text, nothing for "".
func rawText(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return rawValue(s)
}

// rawCount is a JSON number, nothing for what is not known.
func rawCount(n int) json.RawMessage {
	if n < 0 {
		return nil
	}
	return rawValue(n)
}

// rawTrue is a JSON true, nothing for false.
func rawTrue(on bool) json.RawMessage {
	if !on {
		return nil
	}
	return json.RawMessage("true")
}
