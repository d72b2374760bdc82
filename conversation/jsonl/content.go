package jsonl

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"plimsoll/conversation"
)

// UnmarshalJSON reads any of the forms.
func (c *content) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*c = content(text) // null is ""
		return nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return errors.New(`"content" is neither text nor an array of parts`)
	}
	texts := make([]string, 0, len(parts))
	for i, p := range parts {
		t, err := partText(p)
		if err != nil {
			return fmt.Errorf("part %d of the content: %w", i+1, err)
		}
		if t != "" {
			texts = append(texts, t)
		}
	}
	*c = content(strings.Join(texts, "\n\n"))
	return nil
}

// partText is a part as text.
func partText(raw json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var p struct {
		Type    string        `json:"type"`
		Text    loose[string] `json:"text"`
		Refusal loose[string] `json:"refusal"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return "", errors.New("it is neither text nor an object with a type")
	}
	switch p.Type {
	case "text", "input_text", "output_text":
		return p.Text.v, nil
	case "refusal":
		return p.Refusal.v, nil
	case "image_url", "image", "input_image":
		return "[image]", nil
	case "input_audio", "audio":
		return "[audio]", nil
	case "input_file", "document", "file":
		return "[file]", nil
	case "video_url", "video", "input_video":
		return "[video]", nil
	case "tool_use", "tool_result", "tool_call":
		return "", fmt.Errorf("a %s: calls and results are separate messages in chat completions", p.Type)
	}
	if t := p.Text.v; t != "" {
		return t, nil
	}
	return "[" + either(conversation.OneLine(p.Type, mostShown), "part") + "]", nil
}
